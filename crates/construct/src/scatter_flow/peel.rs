//! A flow through channels several units wide, cut into steps.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::{Budget, Schedule};
use lockstep_topology::{ChannelId, NodeId};

use super::supply::Supply;
use super::{MAX_USES, message_to};

/// A schedule of so many steps whose transfers are the units of a flow through channels that many units wide; `None` if
/// it has too many channel uses or the budget is cancelled.
///
/// One step after the other is taken out such that what is left fits through channels one unit narrower: a flow that
/// uses every channel which is still full. Takes time in proportion to the steps and the channels that are used.
pub(super) fn peel(supply: &Supply<'_>, network: &FlowNetwork, steps: u32, budget: &Budget) -> Option<Schedule> {
    let mut peeler = Peeler::new(supply, network);
    let total: u64 = peeler.carried.iter().copied().map(u64::from).sum();
    if total > MAX_USES {
        return None;
    }
    let mut schedule = Schedule::with_capacity(supply.receivers(), total as usize);
    for left in (1..=steps).rev() {
        if budget.stop_after(0).is_some() {
            return None;
        }
        peeler.take_step(left);
        schedule.begin_step();
        peeler.push(&mut schedule);
    }
    Some(schedule)
}

/// What is left of a flow, and a network of the channels that it uses.
///
/// Arcs are first these channels, then one from every terminal to the sink, from the sink to the root, and for every
/// node one from the origin and one to the end: what enters and leaves it by channels that must be used.
struct Peeler<'a> {
    supply: &'a Supply<'a>,
    channels: Vec<ChannelId>,
    /// The units on each of the channels.
    carried: Vec<u32>,
    /// Whether each terminal waits for its unit.
    waits: Vec<bool>,
    waiting: usize,
    network: FlowNetwork,
    /// Units that enter, less those that leave, each node by channels that must be used; the sink is the last.
    surplus: Vec<isize>,
    /// The units on the arcs of channels and terminals in the step that was taken out last.
    units: Vec<u32>,
}

impl<'a> Peeler<'a> {
    fn new(supply: &'a Supply<'a>, flow: &FlowNetwork) -> Self {
        let topology = supply.topology;
        let units = |channel: ChannelId| flow.flow(ArcId::new(channel.number()));
        let channels: Vec<ChannelId> = topology.channels().filter(|&channel| units(channel) > 0).collect();
        let carried = channels.iter().map(|&channel| units(channel)).collect();

        let nodes = topology.node_count();
        let (sink, origin, end) = (nodes, nodes + 1, nodes + 2);
        let mut network = FlowNetwork::new(nodes + 3);
        for &channel in &channels {
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
        let arcs = channels.len() + topology.terminal_count();
        Self {
            supply,
            channels,
            carried,
            waits: topology.terminals().iter().map(|&terminal| terminal != supply.root).collect(),
            waiting: supply.receivers(),
            surplus: vec![0; nodes + 1],
            units: vec![0; arcs],
            network,
        }
    }

    /// Takes out of the flow what one step carries, if so many steps are left, this one included.
    fn take_step(&mut self, left: u32) {
        let most = self.supply.rate().min(self.waiting);
        let least = self.waiting.saturating_sub(self.supply.rate().saturating_mul(left as usize - 1));
        self.set_surplus(left, least);
        let Self { supply, channels, carried, waits, waiting, network, surplus, units } = self;
        let nodes = supply.topology.node_count();
        let sinks = channels.len();
        let back = sinks + waits.len();
        network.reset(|arc| match arc.index() {
            place if place < sinks => u32::from(carried[place] > 0 && carried[place] < left),
            place if place < back => u32::from(left > 1 && waits[place - sinks]),
            place if place == back => (most - least) as u32,
            place => {
                let surplus = surplus[(place - back - 1) / 2];
                let is_in = (place - back - 1).is_multiple_of(2);
                u32::try_from(if is_in { surplus } else { -surplus }).unwrap_or(0)
            }
        });
        let met = network.maximise(nodes + 1, nodes + 2);
        let needed: usize = surplus.iter().filter_map(|&units| usize::try_from(units).ok()).sum();
        debug_assert_eq!(met, needed as u64, "what fits in {left} steps has a part that fits in one");

        for (place, units) in units.iter_mut().enumerate() {
            *units = network.flow(ArcId::from_index(place));
        }
        for (carried, units) in carried.iter_mut().zip(&mut *units) {
            *units += u32::from(*carried == left);
            *carried -= *units;
        }
        for (waits, units) in waits.iter_mut().zip(&mut units[sinks..]) {
            *units += u32::from(left == 1 && *waits);
            *waits &= *units == 0;
        }
        *waiting = waits.iter().filter(|&&waits| waits).count();
    }

    /// Sets the surplus where so many units at least leave the root, full channels carry one and, in the last step, all
    /// terminals that wait receive one.
    fn set_surplus(&mut self, left: u32, least: usize) {
        let Self { supply, channels, carried, waits, surplus, .. } = self;
        let topology = supply.topology;
        let sink = topology.node_count();
        surplus.fill(0);
        for (&channel, _) in channels.iter().zip(carried).filter(|(_, units)| **units == left) {
            surplus[topology.head(channel).index()] += 1;
            surplus[topology.tail(channel).index()] -= 1;
        }
        for (terminal, _) in topology.terminals().iter().zip(waits).filter(|(_, waits)| left == 1 && **waits) {
            surplus[sink] += 1;
            surplus[terminal.index()] -= 1;
        }
        surplus[supply.root.index()] += least.cast_signed();
        surplus[sink] -= least.cast_signed();
    }

    /// Adds the transfers of the step.
    fn push(&mut self, schedule: &mut Schedule) {
        let Self { supply, network, channels, units, .. } = self;
        let topology = supply.topology;
        let (root, sink) = (supply.root, topology.node_count());
        network.reset(|arc| units.get(arc.index()).copied().unwrap_or(0));
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
