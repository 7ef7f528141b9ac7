//! Breadth-first broadcast.

use std::num::NonZeroU32;

use lockstep_schedule::{Budget, MessageId, Problem, Schedule};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use super::channel_loads::{ChannelLoads, MAX_CHANNELS};
use super::network::{BroadcastNetwork, Hop, push_all};

/// Returns the breadth-first broadcast: in stage `t`, every terminal receives all messages from distance `t`, from
/// neighbours at distance `t - 1`.
///
/// The stages are the steps. Their number is the diameter, and no schedule over single channels has fewer. The width of a stage is the
/// least for which an assignment of messages to channels exists, which a maximum matching for each receiver finds. `None` if
/// the problem is not a broadcast to all terminals over channels between terminals, with all ports and full duplex, or if
/// more than 64 channels enter a terminal, or if the time of the budget ends; evaluations do not count. Takes `O(N M)` time
/// for `N` messages and `M` channels if few messages are displaced, in parallel.
///
/// ```
/// use lockstep_construct::breadth_first;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:8x8".parse()?;
/// let all_gather = Collective::all_gather().with_chunks(4.try_into()?);
/// let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
/// let schedule = breadth_first(&problem, &Budget::unlimited()).ok_or("another problem")?;
/// verify(&problem, &schedule)?;
/// let widths: Vec<u32> = schedule.widths().iter().map(|width| width.get()).collect();
/// assert_eq!(widths, [4, 8, 12, 14, 12, 8, 4, 1]); // 63 for 4 chunks of 63 messages over 4 channels
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Source
///
/// Zhao et al., "Efficient direct-connect topologies for collective communications", NSDI 2025, arXiv 2202.03356.
pub fn breadth_first(problem: &Problem<'_>, budget: &Budget) -> Option<Schedule> {
    let network = BroadcastNetwork::new(problem)?;
    let topology = network.topology;
    if topology.terminals().iter().any(|&node| topology.in_channels(node).len() > MAX_CHANNELS) {
        return None;
    }
    let distances = Distances::new(&network, budget)?;
    let stages = distances.largest();
    let mut schedule = Schedule::new();
    for stage in 1..=stages {
        let of_receiver = |&receiver: &NodeId| {
            let is_in_time = budget.interruption().is_none();
            is_in_time.then(|| receive(&network, &distances, stage, receiver))
        };
        let received = topology.terminals().par_iter().with_min_len(4).map(of_receiver);
        let received: Vec<(u32, Vec<Hop>)> = received.collect::<Option<_>>()?;
        let width = received.iter().map(|(width, _)| *width).max().and_then(NonZeroU32::new)?;
        schedule.begin_step_of_width(width);
        for (_, hops) in &received {
            push_all(&mut schedule, hops);
        }
    }
    Some(schedule)
}

/// Returns the least width in which a terminal receives the messages from a distance, and its transfers.
fn receive(network: &BroadcastNetwork<'_>, distances: &Distances, stage: u32, receiver: NodeId) -> (u32, Vec<Hop>) {
    let channels: Vec<_> = network.channels_to(receiver).collect();
    let capacities = || channels.iter().map(|&(_, _, capacity)| u64::from(capacity));
    let mut loads = ChannelLoads::default();
    loads.begin(capacities());
    let mut width = 1;
    let mut added: Vec<MessageId> = Vec::new();
    let topology = network.topology;
    // Begins behind the receiver, so that the receivers of a symmetric network choose alike.
    let sources = topology.terminals();
    let start = topology.terminal_rank(receiver).map_or(0, |rank| rank + 1);
    for &source in sources[start..].iter().chain(&sources[..start]) {
        if distances.between(source, receiver) != stage {
            continue;
        }
        let brings = |&(_, &(_, tail, _)): &(usize, &(_, NodeId, u32))| distances.between(source, tail) == stage - 1;
        let from = channels.iter().enumerate().filter(brings).fold(0u64, |bits, (place, _)| bits | 1 << place);
        for &message in &network.of_source[source.index()] {
            while !loads.add(from) {
                loads.widen(capacities());
                width += 1;
            }
            added.push(message);
        }
    }
    let hops = loads.assigned().map(|(place, number)| (added[number], channels[place].0)).collect();
    (width, hops)
}

/// The distances from all terminals with messages to all nodes.
struct Distances {
    nodes: usize,
    /// By source, then by node; `u32::MAX` without a way, and for sources without messages.
    distance: Vec<u32>,
}

impl Distances {
    /// Returns `None` if the time of the budget ends.
    fn new(network: &BroadcastNetwork<'_>, budget: &Budget) -> Option<Self> {
        let (topology, nodes) = (network.topology, network.topology.node_count());
        let mut distance = vec![u32::MAX; nodes * nodes];
        let rows = distance.par_chunks_mut(nodes).zip(&network.of_source).enumerate();
        rows.try_for_each(|(source, (row, messages))| {
            if messages.is_empty() {
                return Some(());
            }
            if budget.interruption().is_some() {
                return None;
            }
            row[source] = 0;
            let mut queue = vec![NodeId::from_index(source)];
            let mut next = 0;
            while next < queue.len() {
                let node = queue[next];
                next += 1;
                for &channel in topology.out_channels(node) {
                    let head = topology.head(channel);
                    if row[head.index()] == u32::MAX {
                        row[head.index()] = row[node.index()] + 1;
                        queue.push(head);
                    }
                }
            }
            Some(())
        })?;
        Some(Self { nodes, distance })
    }

    #[inline]
    fn between(&self, source: NodeId, node: NodeId) -> u32 {
        self.distance[source.index() * self.nodes + node.index()]
    }

    fn largest(&self) -> u32 {
        self.distance.iter().copied().filter(|&distance| distance < u32::MAX).max().unwrap_or(0)
    }
}
