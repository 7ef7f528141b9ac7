//! A flow through channels several units wide, cut into steps.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Schedule;
use lockstep_topology::{ChannelId, NodeId};

use super::MAX_USES;
use super::supply::Supply;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::MessageQueues;

/// A schedule of so many steps whose transfers are the units of a flow through channels that many units wide; `None` if
/// it has too many channel uses or the budget is over.
///
/// One step after the other is taken out such that what is left fits through channels one unit narrower: a flow that
/// uses every channel which is still full. Takes time in proportion to the steps and the channels that are used.
pub(super) fn peel(
    supply: &Supply<'_>,
    network: &FlowNetwork,
    steps: u32,
    request: &MethodRequest<'_>,
) -> Option<Schedule> {
    let mut peeler = FlowPeeler::new(supply, network);
    let uses: u64 = peeler.carried[..peeler.channels.len()].iter().copied().map(u64::from).sum();
    if uses > MAX_USES {
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

/// What is left of a flow, and a network of the channels that it uses.
///
/// Its arcs are first these channels, then one from every receiver to the sink, and one from the sink to the root; then
/// for every node, the sink being the last, one from the origin and one to the end: what enters and leaves it by arcs
/// that must be used.
struct FlowPeeler<'a> {
    supply: &'a Supply<'a>,
    channels: Vec<ChannelId>,
    receivers: Vec<NodeId>,
    deal: MessageQueues<'a>,
    /// Where the arcs of channels, receivers and root begin and end.
    ends: Vec<[usize; 2]>,
    /// What they can carry a step.
    width: Vec<u32>,
    /// The units on them in all steps that are left.
    carried: Vec<u32>,
    network: FlowNetwork,
    /// Units that enter, less those that leave, each node by arcs that must be used.
    surplus: Vec<i64>,
    /// The units on the arcs in the step that was taken out last.
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
        let width = channels.iter().map(|_| 1).chain(receivers.iter().map(|&node| supply.intake(node)));
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
            deal: scatter.deal(),
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

    /// Takes out of the flow what one step carries, if so many steps are left, this one included.
    fn take_step(&mut self, left: u32) {
        let Self { ends, width, carried, network, surplus, units, .. } = self;
        surplus.fill(0);
        for (place, least) in units.iter_mut().enumerate() {
            // What later steps cannot carry.
            *least = carried[place].saturating_sub(width[place].saturating_mul(left - 1));
            let [tail, head] = ends[place];
            surplus[tail] -= i64::from(*least);
            surplus[head] += i64::from(*least);
        }
        let arcs = ends.len();
        network.reset(|arc| match arc.index().checked_sub(arcs) {
            None => width[arc.index()].min(carried[arc.index()]) - units[arc.index()],
            Some(place) => {
                let surplus = surplus[place / 2];
                u32::try_from(if place.is_multiple_of(2) { surplus } else { -surplus }).unwrap_or(0)
            }
        });
        let (origin, end) = (surplus.len(), surplus.len() + 1);
        let met = network.max_flow(origin, end);
        let needed: u64 = surplus.iter().filter_map(|&units| u64::try_from(units).ok()).sum();
        debug_assert_eq!(met, needed, "what fits in {left} steps has a part that fits in one");
        for (place, (units, carried)) in units.iter_mut().zip(carried).enumerate() {
            *units += network.flow(ArcId::from_index(place));
            *carried -= *units;
        }
    }

    /// Adds the transfers of the step.
    fn push(&mut self, schedule: &mut Schedule) {
        let Self { supply, network, channels, receivers, deal, units, .. } = self;
        let (root, sink) = (supply.root.index(), supply.topology.node_count());
        let back = channels.len() + receivers.len();
        network.reset(|arc| if arc.index() < back { units[arc.index()] } else { 0 });
        network.max_flow(root, sink);
        let mut path = Vec::new();
        network.decompose_paths(root, sink, |arcs| {
            let (last, crossed) = arcs.split_last().expect("the root is not the sink");
            path.clear();
            path.extend(crossed.iter().map(|arc| channels[arc.index()]));
            schedule.push(deal.take(receivers[last.index() - channels.len()]), &path);
        });
    }
}
