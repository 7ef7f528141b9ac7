//! The division of a flow into steps.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Schedule;
use lockstep_topology::{ChannelId, NodeId};

use super::halving::{ArcUnits, Circulation, halve};
use super::supply::{MAX_CHANNEL_USES, Supply};
use crate::kit::request::MethodRequest;

/// Returns a schedule of `steps` steps whose transfers are the units of a flow with at most `steps` units per channel.
/// Returns `None` if it has too many channel uses or the budget ends.
///
/// Flows with bounds divide the steps into powers of two. Each such part is [halved](halve) until single steps remain.
/// Takes at most one maximum flow per binary digit of `steps`, and `O(F log T)` time for `F` channel uses in `T` steps.
pub(super) fn schedule(
    supply: &Supply<'_>,
    network: &FlowNetwork,
    steps: u32,
    request: &MethodRequest<'_>,
) -> Option<Schedule> {
    let mut rest = RestOfFlow::new(supply, network);
    let channels = rest.channels.len();
    let uses: u64 = rest.carried[..channels].iter().copied().map(u64::from).sum();
    if uses > MAX_CHANNEL_USES {
        return None;
    }
    let mut queues = supply.scatter.message_queues();
    let mut schedule = Schedule::with_capacity(supply.scatter.len(), uses as usize);
    let mut left = steps;
    while left > 0 {
        let count = 1 << left.ilog2();
        let part = rest.take(count, left)?;
        left -= count;
        let is_stopped = || request.budget.interruption().is_some();
        let circulation = Circulation {
            ends: &rest.ends,
            nodes: rest.surplus.len(),
            root: supply.root.index(),
            is_stopped: &is_stopped,
        };
        for step in halve(&circulation, part, count)? {
            schedule.begin_step();
            // The arc of the receiver ends each path.
            for path in step.split_inclusive(|&arc| arc as usize >= channels) {
                let (&last, crossed) = path.split_last().expect("a path ends at a receiver");
                let path: Vec<ChannelId> = crossed.iter().map(|&arc| rest.channels[arc as usize]).collect();
                schedule.push(queues.pop(rest.receivers[last as usize - channels]), &path);
            }
        }
    }
    Some(schedule)
}

/// The rest of a flow, and a flow network of the channels that it uses.
///
/// The arcs are the used channels, then one from each receiver to the sink, and one from the sink to the root. Then
/// each node, with the sink as the last, has one arc from the origin and one to the end. They carry the units on arcs
/// that a part must use.
struct RestOfFlow {
    channels: Vec<ChannelId>,
    receivers: Vec<NodeId>,
    /// The ends of the arcs of channels, receivers and root.
    ends: Vec<[u32; 2]>,
    /// The capacity of these arcs per step.
    width: Vec<u32>,
    /// The units on these arcs in all remaining steps.
    carried: Vec<u32>,
    network: FlowNetwork,
    /// The units that enter each node minus those that leave it, on arcs that the part must use.
    surplus: Vec<i64>,
}

impl RestOfFlow {
    fn new(supply: &Supply<'_>, flow: &FlowNetwork) -> Self {
        let Supply { topology, scatter, root, .. } = *supply;
        let units = |channel: ChannelId| flow.flow(ArcId::new(channel.number()));
        let channels: Vec<ChannelId> = topology.channels().filter(|&channel| units(channel) > 0).collect();
        let receivers: Vec<NodeId> = supply.receivers().collect();

        let sink = topology.node_count();
        let over = channels.iter().map(|&channel| [topology.tail(channel), topology.head(channel)].map(NodeId::number));
        let out = receivers.iter().map(|&receiver| [receiver.number(), sink as u32]);
        let ends: Vec<[u32; 2]> = over.chain(out).chain([[sink as u32, root.number()]]).collect();
        let per_step = channels.iter().map(|&channel| supply.room(channel, 1));
        let width = per_step.chain(receivers.iter().map(|&node| supply.reception_rate(node)));
        let carried = channels.iter().map(|&channel| units(channel));
        let carried = carried.chain(receivers.iter().map(|&node| supply.demand(node)));

        let (origin, end) = (sink + 1, sink + 2);
        let mut network = FlowNetwork::new(sink + 3);
        for &[tail, head] in &ends {
            network.add_arc(tail as usize, head as usize, 0);
        }
        for node in 0..=sink {
            network.add_arc(origin, node, 0);
            network.add_arc(node, end, 0);
        }
        Self {
            width: width.chain([supply.rate()]).collect(),
            carried: carried.chain([scatter.len() as u32]).collect(),
            surplus: vec![0; sink + 1],
            channels,
            receivers,
            ends,
            network,
        }
    }

    /// Takes the units of `count` steps out of the flow, so that the rest fits into the other steps. `left` is the number
    /// of remaining steps, including these. Returns `None` if the flow has more units than fit, which is a mistake.
    fn take(&mut self, count: u32, left: u32) -> Option<Vec<ArcUnits>> {
        let Self { ends, width, carried, network, surplus, .. } = self;
        let listed = |units: Vec<u32>| {
            let by_arc = (0..).zip(units).map(|(arc, units)| ArcUnits { arc, units });
            by_arc.filter(|one| one.units > 0).collect()
        };
        if count == left {
            return Some(listed(std::mem::take(carried)));
        }
        let least = |arc: usize| carried[arc].saturating_sub(width[arc].saturating_mul(left - count));
        let most = |arc: usize| carried[arc].min(width[arc].saturating_mul(count));
        surplus.fill(0);
        for (arc, &[tail, head]) in ends.iter().enumerate() {
            surplus[tail as usize] -= i64::from(least(arc));
            surplus[head as usize] += i64::from(least(arc));
        }
        let arcs = ends.len();
        network.reset(|arc| match arc.index().checked_sub(arcs) {
            None => most(arc.index()).saturating_sub(least(arc.index())),
            Some(index) => {
                let surplus = surplus[index / 2];
                u32::try_from(if index.is_multiple_of(2) { surplus } else { -surplus }).unwrap_or(0)
            }
        });
        let (origin, end) = (surplus.len(), surplus.len() + 1);
        let sent = network.max_flow(origin, end);
        let needed: u64 = surplus.iter().filter_map(|&units| u64::try_from(units).ok()).sum();
        debug_assert_eq!(sent, needed, "a flow of {left} steps has a part that fits into {count} steps");
        let taken: Vec<u32> = (0..arcs).map(|arc| least(arc) + network.flow(ArcId::from_index(arc))).collect();
        carried.iter_mut().zip(&taken).for_each(|(carried, taken)| *carried -= taken);
        (sent == needed).then(|| listed(taken))
    }
}
