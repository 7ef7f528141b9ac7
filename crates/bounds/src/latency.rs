//! Steps and latencies of the way from a source to its farthest receiver.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_schedule::{DistributePhase, Problem, Switching, Transport};
use lockstep_topology::{NodeId, Topology};
use rayon::prelude::*;

use crate::demand::Demand;

/// What a schedule needs even if every step is as wide as it wants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LeastLatency {
    /// Number of steps: transfers from terminal to terminal one after the other, to the farthest receiver.
    pub steps: u32,
    /// The sum of the latencies on the way to the receiver for which it is greatest, in picoseconds.
    pub picoseconds: u64,
}

/// Returns the least number of steps and the least latency of a problem.
///
/// The steps of a schedule are at least [`LeastLatency::steps`], whatever their widths. The sum over all steps of the
/// greatest latency of a transfer is at least [`LeastLatency::picoseconds`]. Takes one search per source, `O(M log N)` time,
/// in parallel.
///
/// ```
/// use lockstep_bounds::least_latency;
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:8".parse()?;
/// let (all_gather, packets) = (Collective::all_gather(), CommunicationModel::store_and_forward());
/// let problem = Problem::new(&ring, &all_gather, packets)?;
/// assert_eq!(least_latency(&problem).steps, 4);
/// let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole())?;
/// assert_eq!(least_latency(&problem).steps, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn least_latency(problem: &Problem<'_>) -> LeastLatency {
    let phases = DistributePhase::all(problem);
    // The phases of an all-reduce can overlap, but each has its own way.
    let of_phase = phases.iter().map(|phase| of_distribution(&phase.problem(problem)));
    of_phase.fold(LeastLatency::default(), LeastLatency::larger)
}

impl LeastLatency {
    fn larger(self, other: Self) -> Self {
        Self { steps: self.steps.max(other.steps), picoseconds: self.picoseconds.max(other.picoseconds) }
    }
}

fn of_distribution(problem: &Problem<'_>) -> LeastLatency {
    let (topology, demand, transport) = (problem.topology(), Demand::new(problem), problem.transport());
    let of_source = |&source: &NodeId| {
        let mut needs = vec![false; topology.node_count()];
        let receivers = demand.from(source).flat_map(|multicast| multicast.receivers.iter());
        receivers.for_each(|receiver| needs[receiver.index()] = true);
        needs[source.index()] = false;
        let needed = |node: &usize| needs[*node];
        let (steps, latencies) = (steps_from(topology, problem, source), latencies_from(topology, transport, source));
        let nodes = || (0..topology.node_count()).filter(needed);
        LeastLatency {
            steps: nodes().map(|node| steps[node]).filter(|&steps| steps < u32::MAX).max().unwrap_or(0),
            picoseconds: nodes().map(|node| latencies[node]).filter(|&least| least < u64::MAX).max().unwrap_or(0),
        }
    };
    demand.sources().par_iter().with_min_len(4).map(of_source).reduce(LeastLatency::default, LeastLatency::larger)
}

/// Returns the least number of transfers from a terminal to each node. A transfer ends at the first node that it cannot
/// pass; it is free to end at any terminal before.
fn steps_from(topology: &Topology, problem: &Problem<'_>, source: NodeId) -> Vec<u32> {
    let is_wormhole = problem.model().switching == Switching::Wormhole;
    let mut steps = vec![u32::MAX; topology.node_count()];
    let mut passed = vec![false; topology.node_count()];
    steps[source.index()] = 0;
    let mut starts = vec![source];
    for step in 1.. {
        let mut reached = Vec::new();
        let mut queue = std::mem::take(&mut starts);
        while let Some(node) = queue.pop() {
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if steps[head.index()] == u32::MAX {
                    steps[head.index()] = step;
                    reached.push(head);
                }
                if is_wormhole && topology.routes(head) && !passed[head.index()] {
                    passed[head.index()] = true;
                    queue.push(head);
                }
            }
        }
        starts.extend(reached.into_iter().filter(|&node| topology.is_terminal(node) && !passed[node.index()]));
        if starts.is_empty() {
            return steps;
        }
    }
    steps
}

/// Returns the least sum of latencies of a way from a terminal to each node.
fn latencies_from(topology: &Topology, transport: Transport, source: NodeId) -> Vec<u64> {
    let mut least = vec![u64::MAX; topology.node_count()];
    if !topology.has_latencies() {
        least.fill(0);
        return least;
    }
    least[source.index()] = 0;
    let mut queue = BinaryHeap::from([Reverse((0, source))]);
    while let Some(Reverse((latency, node))) = queue.pop() {
        if latency > least[node.index()] || node != source && !transport.crosses(topology, node) {
            continue;
        }
        for &channel in topology.out_channels(node) {
            let next = latency.saturating_add(topology.latency_ps(channel));
            let head = topology.head(channel);
            if next < least[head.index()] {
                least[head.index()] = next;
                queue.push(Reverse((next, head)));
            }
        }
    }
    least
}
