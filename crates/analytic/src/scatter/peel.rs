//! A flow through channels several units wide, cut into steps.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::{Budget, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::supply::Supply;
use super::{MAX_USES, message_to};

/// A schedule of so many steps whose transfers are the units of a flow through channels that many units wide; `None` if it
/// has too many channel uses or the budget is cancelled.
///
/// One step after the other is taken out such that what is left fits through channels one unit narrower: a flow that uses
/// every channel which is still full. Takes time in proportion to the steps and the channels that are used.
pub(super) fn peel(supply: &Supply<'_>, network: &FlowNetwork, steps: u32, budget: &Budget) -> Option<Schedule> {
    let topology = supply.topology;
    let mut used: Vec<(ChannelId, u32)> = topology
        .channels()
        .map(|channel| (channel, network.flow(ArcId::new(channel.number()))))
        .filter(|&(_, units)| units > 0)
        .collect();
    let total: u64 = used.iter().map(|&(_, units)| u64::from(units)).sum();
    if total > MAX_USES {
        return None;
    }
    let mut schedule = Schedule::with_capacity(supply.receivers(), total as usize);
    let mut peeler = Peeler::new(supply, &used);
    for left in (1..=steps).rev() {
        if budget.stop_after(0).is_some() {
            return None;
        }
        peeler.take_step(&mut used, left);
        schedule.begin_step();
        peeler.push(&mut schedule);
    }
    Some(schedule)
}

/// A network of the channels that are used.
///
/// Arcs are first these channels, then one from every terminal to the sink, from the sink to the root, and for every node
/// one from the origin and one to the end: what enters and leaves it by channels that must be used.
struct Peeler<'a> {
    supply: &'a Supply<'a>,
    network: FlowNetwork,
    channels: Vec<ChannelId>,
    /// The terminals that wait for a unit.
    waits: Vec<bool>,
    waiting: usize,
    /// Units that enter, less those that leave, each node by channels that must be used; the sink is the last.
    surplus: Vec<isize>,
    /// The units on each arc in this step.
    units: Vec<u32>,
}

impl<'a> Peeler<'a> {
    fn new(supply: &'a Supply<'a>, used: &[(ChannelId, u32)]) -> Self {
        let topology = supply.topology;
        let nodes = topology.node_count();
        let (sink, origin, end) = (nodes, nodes + 1, nodes + 2);
        let mut network = FlowNetwork::new(nodes + 3);
        for &(channel, _) in used {
            network.arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        for terminal in topology.terminals() {
            network.arc(terminal.index(), sink, 0);
        }
        network.arc(sink, supply.root.index(), 0);
        for node in 0..=nodes {
            network.arc(origin, node, 0);
            network.arc(node, end, 0);
        }
        let waits = topology.terminals().iter().map(|&terminal| terminal != supply.root).collect();
        Self {
            supply,
            units: vec![0; network.arc_count()],
            network,
            channels: used.iter().map(|&(channel, _)| channel).collect(),
            waits,
            waiting: supply.receivers(),
            surplus: vec![0; nodes + 1],
        }
    }

    /// Takes out of the flow what one step carries, if so many steps are left, this one included.
    fn take_step(&mut self, used: &mut [(ChannelId, u32)], left: u32) {
        let Self { supply, network, waits, waiting, surplus, units, .. } = self;
        let topology = supply.topology;
        let (nodes, terminals) = (topology.node_count(), topology.terminal_count());
        let (sink, root) = (nodes, supply.root.index());
        surplus.fill(0);
        for &(channel, _) in used.iter().filter(|&&(_, units)| units == left) {
            surplus[topology.head(channel).index()] += 1;
            surplus[topology.tail(channel).index()] -= 1;
        }
        // In the last step every terminal that waits must receive.
        if left == 1 {
            for (&terminal, _) in topology.terminals().iter().zip(waits.iter()).filter(|&(_, &waits)| waits) {
                surplus[sink] += 1;
                surplus[terminal.index()] -= 1;
            }
        }
        let most = supply.rate().min(*waiting);
        let least = waiting.saturating_sub(supply.rate().saturating_mul(left as usize - 1));
        surplus[root] += least.cast_signed();
        surplus[sink] -= least.cast_signed();

        let sinks = used.len();
        let back = sinks + terminals;
        network.reset(|arc| match arc.index() {
            place if place < sinks => u32::from(used[place].1 > 0 && used[place].1 < left),
            place if place < back => u32::from(left > 1 && waits[place - sinks]),
            place if place == back => (most - least) as u32,
            place => {
                let surplus = surplus[(place - back - 1) / 2];
                let is_in = (place - back - 1).is_multiple_of(2);
                u32::try_from(if is_in { surplus } else { -surplus }).unwrap_or(0)
            }
        });
        let needed: usize = surplus.iter().filter_map(|&units| usize::try_from(units).ok()).sum();
        let met = network.maximise(nodes + 1, nodes + 2);
        debug_assert_eq!(met, needed as u64, "what fits in {left} steps has a part that fits in one");

        for (place, units) in units.iter_mut().enumerate() {
            *units = network.flow(ArcId::from_index(place));
        }
        for (place, (_, carried)) in used.iter_mut().enumerate() {
            units[place] += u32::from(*carried == left);
            *carried -= units[place];
        }
        for rank in 0..terminals {
            units[sinks + rank] += u32::from(left == 1 && waits[rank]);
            if units[sinks + rank] > 0 {
                waits[rank] = false;
                *waiting -= 1;
            }
        }
        units[back..].fill(0);
    }

    /// Adds the transfers of the step.
    fn push(&mut self, schedule: &mut Schedule) {
        let Self { supply, network, channels, units, .. } = self;
        let topology = supply.topology;
        let (root, sink) = (supply.root, topology.node_count());
        network.reset(|arc| units[arc.index()]);
        network.maximise(root.index(), sink);
        let mut path = Vec::new();
        network.unravel(root.index(), sink, |arcs| {
            let (last, crossed) = arcs.split_last().expect("the root is not the sink");
            path.clear();
            path.extend(crossed.iter().map(|arc| channels[arc.index()]));
            let receiver: NodeId = topology.terminals()[last.index() - channels.len()];
            schedule.push(message_to(topology, root, receiver), &path);
        });
    }
}
