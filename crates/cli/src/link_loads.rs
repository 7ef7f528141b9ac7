//! The busiest and the idle links of a schedule.

use std::cmp::Ordering;

use lockstep::schedule::Schedule;
use lockstep::{ChannelId, Topology};

use crate::text::{Sheet, counted};

/// Maximum number of links that are named.
const MAX_NAMED: usize = 4;

/// A channel, or channels that share a wire.
struct Link {
    /// Its first channel.
    channel: ChannelId,
    /// Number of its channels.
    channels: usize,
    /// Number of its transfers.
    transfers: u64,
    /// Number of transfers that fit into all steps.
    capacity: u64,
}

/// Adds the busiest links with their share of the steps or of the capacity, and the idle links if there are any.
pub(crate) fn describe(sheet: &mut Sheet, topology: &Topology, schedule: &Schedule) {
    let mut links = links(topology, schedule);
    // The sort is stable: links of the same load stay in the order of their numbers.
    links.sort_by(|a, b| compare(b, a));
    let Some(first) = links.first().filter(|link| link.transfers > 0) else { return };
    let busiest = links.partition_point(|link| compare(link, first) == Ordering::Equal);
    let is_one_per_step = !topology.has_capacities() && schedule.width_sum() == schedule.step_count() as u64;
    let what = if is_one_per_step { "steps" } else { "transfers that fit" };
    let load = format!("{} of {} {what}", first.transfers, first.capacity);
    let named =
        if busiest == links.len() { format!("all {busiest} links") } else { names(topology, &links[..busiest]) };
    sheet.line("busiest", format!("{load}: {named}"));
    let idle = links.partition_point(|link| link.transfers > 0);
    if idle < links.len() {
        let count = counted(links.len() - idle, "link");
        sheet.line("idle", format!("{count}: {}", names(topology, &links[idle..])));
    }
}

fn links(topology: &Topology, schedule: &Schedule) -> Vec<Link> {
    let width = schedule.width_sum();
    let mut links: Vec<Option<Link>> = Vec::new();
    links.resize_with(topology.resource_count(), || None);
    for channel in topology.channels() {
        let resource = topology.resource(channel);
        let capacity = u64::from(topology.resource_capacity(resource)).saturating_mul(width);
        let link = &mut links[resource.index()];
        link.get_or_insert(Link { channel, channels: 0, transfers: 0, capacity }).channels += 1;
    }
    let mut transfers = vec![0; topology.channel_bound()];
    for channel in schedule.channel_uses() {
        if let Some(count) = transfers.get_mut(channel.index()) {
            *count += 1;
        }
    }
    for channel in topology.channels() {
        if let Some(link) = &mut links[topology.resource(channel).index()] {
            link.transfers += transfers[channel.index()];
        }
    }
    links.into_iter().flatten().collect()
}

/// Compares the shares of the capacity that is used.
fn compare(a: &Link, b: &Link) -> Ordering {
    let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
    product(a.transfers, b.capacity).cmp(&product(b.transfers, a.capacity))
}

/// Names the first links, and counts the others.
fn names(topology: &Topology, links: &[Link]) -> String {
    let name = |link: &Link| {
        let (tail, head) = (topology.tail(link.channel), topology.head(link.channel));
        let (tail, head) = (topology.node_name(tail), topology.node_name(head));
        match link.channels {
            1 => format!("{tail} -> {head}"),
            2 => format!("{tail} - {head}"),
            channels => format!("{tail} -> {head} with {} on its bus", counted(channels - 1, "channel")),
        }
    };
    let mut names: Vec<String> = links.iter().take(MAX_NAMED).map(name).collect();
    if links.len() > MAX_NAMED {
        names.push(format!("{} more", links.len() - MAX_NAMED));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use lockstep::schedule::MessageId;
    use lockstep::{NodeId, TopologyBuilder};

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
