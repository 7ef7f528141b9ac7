//! The division of a flow into steps.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Schedule;
use lockstep_topology::{ChannelId, NodeId};

use super::supply::{MAX_CHANNEL_USES, Supply};
use crate::kit::request::MethodRequest;
use crate::kit::single_source::MessageQueues;

/// Returns a schedule of `steps` steps whose transfers are the units of a flow with at most `steps` units per channel.
/// Returns `None` if it has too many channel uses or the budget ends.
///
/// Each step takes a part of the flow that uses every full channel, so that the rest fits into one step less. Takes two
/// maximum flows per step.
pub(super) fn schedule(
    supply: &Supply<'_>,
    network: &FlowNetwork,
    steps: u32,
    request: &MethodRequest<'_>,
) -> Option<Schedule> {
    let mut peeler = FlowPeeler::new(supply, network);
    let uses: u64 = peeler.carried[..peeler.channels.len()].iter().copied().map(u64::from).sum();
    if uses > MAX_CHANNEL_USES {
        return None;
    }
    let mut schedule = Schedule::with_capacity(supply.scatter.len(), uses as usize);
    for left in (1..=steps).rev() {
        if request.stop_reason().is_some() {
            return None;
        }
        peeler.take_step(left);
        schedule.begin_step();
        peeler.push(&mut schedule);
    }
    Some(schedule)
}

/// The rest of a flow, and a flow network of the channels that it uses.
///
/// The arcs are the used channels, then one from each receiver to the sink, and one from the sink to the root. Then
/// each node, with the sink as the last, has one arc from the origin and one to the end. They carry the units on arcs
/// that the step must use.
struct FlowPeeler<'a> {
    supply: &'a Supply<'a>,
    channels: Vec<ChannelId>,
    receivers: Vec<NodeId>,
    queues: MessageQueues<'a>,
    /// The ends of the arcs of channels, receivers and root.
    ends: Vec<[usize; 2]>,
    /// The capacity of these arcs per step.
    width: Vec<u32>,
    /// The units on these arcs in all remaining steps.
    carried: Vec<u32>,
    network: FlowNetwork,
    /// The units that enter each node minus those that leave it, on arcs that the step must use.
    surplus: Vec<i64>,
    /// The units on the arcs in the current step.
    units: Vec<u32>,
}

impl<'a> FlowPeeler<'a> {
    fn new(supply: &'a Supply<'a>, flow: &FlowNetwork) -> Self {
        let Supply { topology, scatter, root, .. } = *supply;
        let units = |channel: ChannelId| flow.flow(ArcId::new(channel.number()));
        let channels: Vec<ChannelId> = topology.channels().filter(|&channel| units(channel) > 0).collect();
        let receivers: Vec<NodeId> = supply.receivers().collect();

        let sink = topology.node_count();
        let over = channels.iter().map(|&channel| [topology.tail(channel).index(), topology.head(channel).index()]);
        let out = receivers.iter().map(|&receiver| [receiver.index(), sink]);
        let ends: Vec<[usize; 2]> = over.chain(out).chain([[sink, root.index()]]).collect();
        let per_step = channels.iter().map(|&channel| supply.room(channel, 1));
        let width = per_step.chain(receivers.iter().map(|&node| supply.reception_rate(node)));
        let carried = channels.iter().map(|&channel| units(channel));
        let carried = carried.chain(receivers.iter().map(|&node| supply.demand(node)));

        let (origin, end) = (sink + 1, sink + 2);
        let mut network = FlowNetwork::new(sink + 3);
        for &[tail, head] in &ends {
            network.add_arc(tail, head, 0);
        }
        for node in 0..=sink {
            network.add_arc(origin, node, 0);
            network.add_arc(node, end, 0);
        }
        Self {
            supply,
            queues: scatter.message_queues(),
            width: width.chain([supply.rate()]).collect(),
            carried: carried.chain([scatter.len() as u32]).collect(),
            surplus: vec![0; sink + 1],
            units: vec![0; ends.len()],
            channels,
            receivers,
            ends,
            network,
        }
    }

    /// Takes the units of one step out of the flow. `left` is the number of remaining steps, including this one.
    fn take_step(&mut self, left: u32) {
        let Self { ends, width, carried, network, surplus, units, .. } = self;
        surplus.fill(0);
        for (index, least) in units.iter_mut().enumerate() {
            // The units that later steps cannot carry.
            *least = carried[index].saturating_sub(width[index].saturating_mul(left - 1));
            let [tail, head] = ends[index];
            surplus[tail] -= i64::from(*least);
            surplus[head] += i64::from(*least);
        }
        let arcs = ends.len();
        network.reset(|arc| match arc.index().checked_sub(arcs) {
            None => width[arc.index()].min(carried[arc.index()]) - units[arc.index()],
            Some(index) => {
                let surplus = surplus[index / 2];
                u32::try_from(if index.is_multiple_of(2) { surplus } else { -surplus }).unwrap_or(0)
            }
        });
        let (origin, end) = (surplus.len(), surplus.len() + 1);
        let sent = network.max_flow(origin, end);
        let needed: u64 = surplus.iter().filter_map(|&units| u64::try_from(units).ok()).sum();
        debug_assert_eq!(sent, needed, "a flow of {left} steps has a part that fits into one step");
        for (index, (units, carried)) in units.iter_mut().zip(carried).enumerate() {
            *units += network.flow(ArcId::from_index(index));
            *carried -= *units;
        }
    }

    /// Adds the transfers of the step.
    fn push(&mut self, schedule: &mut Schedule) {
        let Self { supply, network, channels, receivers, queues, units, .. } = self;
        let (root, sink) = (supply.root.index(), supply.topology.node_count());
        let back = channels.len() + receivers.len();
        network.reset(|arc| if arc.index() < back { units[arc.index()] } else { 0 });
        network.max_flow(root, sink);
        let mut path = Vec::new();
        network.decompose_paths(root, sink, |arcs| {
            let (last, crossed) = arcs.split_last().expect("the root is not the sink");
            path.clear();
            path.extend(crossed.iter().map(|arc| channels[arc.index()]));
            schedule.push(queues.pop(receivers[last.index() - channels.len()]), &path);
        });
    }
}
