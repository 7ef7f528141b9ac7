//! The busiest and the idle links of a schedule.

use std::cmp::Ordering;

use lockstep::Topology;
use lockstep::schedule::Schedule;
use lockstep::topology::ResourceId;

use crate::text::{Sheet, counted};

/// Maximum number of links that are named.
const MAX_NAMED: usize = 4;

/// The loads of all links. A link is a resource: a channel, or channels that share a wire.
struct LinkLoads<'a> {
    topology: &'a Topology,
    /// The sum of the widths of all steps.
    width: u64,
    /// Number of transfers of each link.
    transfers: Vec<u32>,
}

/// Adds the busiest links with their share of the steps or of the capacity, and the idle links if there are any.
pub(crate) fn describe(sheet: &mut Sheet, topology: &Topology, schedule: &Schedule) {
    let loads = LinkLoads::of(topology, schedule);
    // Ties go to the link with the lower number.
    let is_busier = |link, other| loads.compare(link, other) == Ordering::Greater;
    let Some(first) = loads.links().reduce(|best, link| if is_busier(link, best) { link } else { best }) else {
        return;
    };
    if loads.transfers(first) == 0 {
        return;
    }
    let is_one_per_step = !topology.has_capacities() && schedule.width_sum() == schedule.step_count() as u64;
    let what = if is_one_per_step { "steps" } else { "transfers that fit" };
    let load = format!("{} of {} {what}", loads.transfers(first), loads.capacity(first));
    let busiest = Named::of(loads.links().filter(|&link| loads.compare(link, first) == Ordering::Equal));
    let named = match busiest.count {
        all if all == topology.resource_count() => format!("all {all} links"),
        _ => busiest.names(topology),
    };
    sheet.line("busiest", format!("{load}: {named}"));
    let idle = Named::of(loads.links().filter(|&link| loads.transfers(link) == 0));
    if idle.count > 0 {
        sheet.line("idle", format!("{}: {}", counted(idle.count, "link"), idle.names(topology)));
    }
}

impl<'a> LinkLoads<'a> {
    fn of(topology: &'a Topology, schedule: &Schedule) -> Self {
        let mut transfers = vec![0; topology.resource_count()];
        for &channel in schedule.channel_uses().iter().filter(|channel| channel.index() < topology.channel_bound()) {
            // A failed channel has no resource.
            if let Some(count) = transfers.get_mut(topology.resource(channel).index()) {
                *count += 1;
            }
        }
        Self { topology, width: schedule.width_sum(), transfers }
    }

    fn links(&self) -> impl Iterator<Item = ResourceId> + use<> {
        (0..self.transfers.len() as u32).map(ResourceId::new)
    }

    fn transfers(&self, link: ResourceId) -> u64 {
        self.transfers[link.index()].into()
    }

    /// Returns the number of transfers that fit into all steps.
    fn capacity(&self, link: ResourceId) -> u64 {
        u64::from(self.topology.resource_capacity(link)).saturating_mul(self.width)
    }

    /// Compares the shares of the capacity that is used.
    fn compare(&self, a: ResourceId, b: ResourceId) -> Ordering {
        let product = |x, y| u128::from(self.transfers(x)) * u128::from(self.capacity(y));
        product(a, b).cmp(&product(b, a))
    }
}

/// The first of some links, which are named, and the number of all.
struct Named {
    first: Vec<ResourceId>,
    count: usize,
}

impl Named {
    fn of(mut links: impl Iterator<Item = ResourceId>) -> Self {
        let first: Vec<ResourceId> = links.by_ref().take(MAX_NAMED).collect();
        let count = first.len() + links.count();
        Self { first, count }
    }

    /// Names the first links, and counts the others.
    fn names(&self, topology: &Topology) -> String {
        let mut names: Vec<String> = self.first.iter().map(|&link| name(topology, link)).collect();
        if self.count > names.len() {
            names.push(format!("{} more", self.count - names.len()));
        }
        names.join(", ")
    }
}

/// Names a link by its first channel.
fn name(topology: &Topology, link: ResourceId) -> String {
    // Resources are numbered by their first channels.
    let channels = topology.channels().skip(link.index());
    let mut channels = channels.filter(|&channel| topology.resource(channel) == link);
    let first = channels.next().expect("every resource has a working channel");
    let others = if topology.resource_count() == topology.channel_count() { 0 } else { channels.count() };
    let (tail, head) = (topology.node_name(topology.tail(first)), topology.node_name(topology.head(first)));
    match others {
        0 => format!("{tail} -> {head}"),
        1 => format!("{tail} - {head}"),
        others => format!("{tail} -> {head} with {} on its bus", counted(others, "channel")),
    }
}

#[cfg(test)]
mod tests {
    use lockstep::schedule::MessageId;
    use lockstep::{ChannelId, NodeId, TopologyBuilder};

    use super::*;

    /// Returns a line of nodes `0`, `1`, … with a link between neighbours.
    fn line(nodes: usize) -> Topology {
        let mut builder = TopologyBuilder::new("line");
        let nodes: Vec<NodeId> = (0..nodes).map(|node| builder.terminal(node.to_string())).collect();
        for pair in nodes.windows(2) {
            builder.link(pair[0], pair[1]);
        }
        builder.build().unwrap()
    }

    /// Describes a schedule with one path per step.
    fn described(nodes: usize, transfers: &[&[usize]]) -> String {
        let topology = line(nodes);
        let channels: Vec<ChannelId> = topology.channels().collect();
        let mut schedule = Schedule::new();
        for path in transfers {
            schedule.begin_step();
            let path: Vec<ChannelId> = path.iter().map(|&channel| channels[channel]).collect();
            schedule.push(MessageId::new(0), &path);
        }
        let mut sheet = Sheet::default();
        describe(&mut sheet, &topology, &schedule);
        sheet.to_text()
    }

    #[test]
    fn the_busiest_links_come_first_and_idle_ones_are_counted() {
        assert_eq!(described(3, &[]), "");
        assert_eq!(described(2, &[&[0], &[1]]), "busiest  1 of 2 steps: all 2 links\n");
        let text = described(3, &[&[0], &[2], &[2]]);
        assert_eq!(text, "busiest  2 of 3 steps: 1 -> 2\nidle     2 links: 1 -> 0, 2 -> 1\n");
    }

    #[test]
    fn at_most_four_links_are_named() {
        let text = described(9, &[&[0], &[1]]);
        assert!(text.contains("1 of 2 steps: ") && text.contains("idle     14 links: "), "{text}");
        assert!(text.ends_with(", 10 more\n"), "{text}");
    }
}
