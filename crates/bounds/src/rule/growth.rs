//! How fast a broadcast message can spread.

use std::cmp::Reverse;

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use super::{Pipeline, pipeline};
use crate::certificate::{Certificate, LowerBound, Rule};
use crate::demand::Demand;
use crate::legal::Legal;

/// The steps until enough terminals can hold the slowest message: in one step at most as many new ones as the holders,
/// taken to be the source and the terminals with the most ports, can start transfers. Among several messages of one
/// source the last cannot start before the others have passed its ports. Takes O(N log N + M) time for a collective
/// with a name.
///
/// Applies where a message has two or more receivers.
///
/// Source: Farley, "Minimum-time line broadcast networks", *Networks* 10 (1980), for one port; here with each
/// terminal's own ports.
pub(crate) fn bound(problem: &Problem<'_>, _enough: u32) -> Option<LowerBound> {
    if problem.messages().is_scatter() {
        return None;
    }
    let demand = Demand::new(problem);
    let chunks = problem.messages().chunks();
    let ports = SortedPorts::new(problem);
    let mut best: Option<LowerBound> = None;
    for source in demand.sources() {
        let counts: Vec<usize> = demand.from(source).map(|request| request.count).collect();
        let most = counts.iter().copied().max()?;
        let informed = ports.informed(source, most as u64);
        let duration = |receivers: usize| informed.partition_point(|&holders| holders <= receivers as u64);
        let durations = counts.iter().map(|&receivers| duration(receivers) as u32).collect();
        let Some(Pipeline { steps, messages, duration }) = pipeline(durations, chunks, ports.of(source)) else {
            continue;
        };
        if most < 2 || best.as_ref().is_some_and(|best| best.steps >= steps) {
            continue;
        }
        // The fewest receivers among these messages: all of them take at least this duration.
        let mut counts = counts;
        counts.sort_unstable_by_key(|&receivers| Reverse(receivers));
        let receivers = counts[(messages / u64::from(chunks)) as usize - 1] as u64;
        let informed = informed[..=duration as usize].to_vec();
        let certificate = Certificate::Growth { source, messages, receivers, ports: ports.of(source), informed };
        best = Some(LowerBound { steps, rule: Rule::Growth, certificate });
    }
    best
}

/// The terminals by how many transfers they can start in a step.
struct SortedPorts {
    /// Each terminal with its limit, most first.
    limits: Vec<(u64, NodeId)>,
    /// The place of each terminal in `limits`, by node.
    place: Vec<u32>,
    /// The sum of the limits before each place.
    sum: Vec<u64>,
}

impl SortedPorts {
    fn new(problem: &Problem<'_>) -> Self {
        let (topology, legal) = (problem.topology(), Legal::new(problem));
        let mut limits: Vec<_> = topology.terminals().iter().map(|&node| (legal.send_limit(node), node)).collect();
        // Stable, so that nodes stay ascending, and linear where all terminals are alike.
        limits.sort_by_key(|&(limit, _)| Reverse(limit));
        let mut place = vec![0; topology.node_count()];
        let mut sum = vec![0];
        for (at, &(limit, node)) in limits.iter().enumerate() {
            place[node.index()] = at as u32;
            sum.push(sum[at] + limit);
        }
        Self { limits, place, sum }
    }

    fn of(&self, terminal: NodeId) -> u64 {
        self.limits[self.place[terminal.index()] as usize].0
    }

    /// The most holders of a message after 0, 1, 2, … steps, up to the first number above `receivers`.
    fn informed(&self, source: NodeId, receivers: u64) -> Vec<u64> {
        let (place, own) = (self.place[source.index()] as usize, self.of(source));
        let all = self.limits.len();
        let transfers = |holders: usize| {
            if place < holders { self.sum[holders] } else { own + self.sum[holders - 1] }
        };
        let next = |&holders: &u64| {
            let started = transfers(holders as usize);
            (holders <= receivers && started > 0).then(|| (holders + started).min(all as u64))
        };
        std::iter::successors(Some(1), next).collect()
    }
}
