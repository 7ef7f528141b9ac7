//! The schedules of a front around rings.

use std::num::NonZeroU32;

use lockstep_rings::{Rational, RingCount, RingKind, RingRequest, RingSet, search};
use lockstep_schedule::{Budget, DistributePhase, MessageId, Problem, Schedule};
use lockstep_topology::{ChannelId, NodeId};

/// The largest number of rings.
const MAX_RINGS: u32 = 16;

/// The amount of work of the search for rings, as in `lockstep rings`: a few seconds, unless the bound is met before.
const WORK: u64 = 4_000_000;

/// The rings with the greatest bandwidth for a collective whose phases are all-gathers of the same terminals.
pub(super) struct Rings {
    set: RingSet,
    /// The greatest number of rings per unit of capacity.
    rho: Rational,
}

impl Rings {
    /// Searches for rings; `None` if a phase is no all-gather, or if no ring is found in time. `problem` has one chunk per message, so it
    /// has at most as many rings as a message may have chunks.
    pub(super) fn of(problem: &Problem<'_>, chunks: NonZeroU32, seed: u64, budget: &Budget) -> Option<Self> {
        let phases = DistributePhase::all(problem);
        let terminals = members(&phases.last()?.problem(problem))?;
        if !phases.iter().all(|phase| members(&phase.problem(problem)).as_ref() == Some(&terminals)) {
            return None;
        }
        let is_stopped = || budget.interruption().is_some();
        let request = RingRequest {
            terminals: Some(&terminals),
            kind: RingKind::Ring,
            channels: RingCount::AtMost(chunks.get().min(MAX_RINGS)),
            relay: 0,
            gateway: None,
            seed,
            work: WORK,
            is_stopped: &is_stopped,
        };
        let (set, load) = search(problem.topology(), &request).ok()?.set?;
        Some(Self { set, rho: load.rho() })
    }

    /// Returns numbers of chunks per message, at most `limit`: that with which steps of a whole width use all of the bandwidth of the
    /// rings, and one chunk per ring.
    pub(super) fn chunks(&self, limit: NonZeroU32) -> Vec<NonZeroU32> {
        let rings = self.set.len() as u32;
        let of_ring = u32::try_from(self.rho.denominator()).unwrap_or(u32::MAX);
        let mut counts = vec![rings.saturating_mul(of_ring), rings];
        counts.dedup();
        counts.into_iter().filter_map(NonZeroU32::new).filter(|&count| count <= limit).collect()
    }

    /// Returns the schedule of all phases: in each step of a phase, every terminal forwards around each ring what it received in the step
    /// before. All steps have width 1. The number of chunks is one of [`chunks`](Self::chunks).
    pub(super) fn schedule(&self, problem: &Problem<'_>) -> Schedule {
        let mut whole = Schedule::new();
        for phase in DistributePhase::all(problem) {
            whole.append(&phase.from_distribution(self.around(&phase, problem)));
        }
        whole
    }

    /// Returns an all-gather around the rings. In a reversed network, it goes around them backwards.
    fn around(&self, phase: &DistributePhase<'_>, problem: &Problem<'_>) -> Schedule {
        let problem = phase.problem(problem);
        let of_node = messages_by_source(&problem);
        let (rings, count) = (self.set.len(), self.set.terminals().len());
        let mut schedule = Schedule::new();
        let mut backwards: Vec<ChannelId> = Vec::new();
        for step in 0..count - 1 {
            schedule.begin_step();
            for ring in 0..rings {
                let order = self.set.order(ring);
                for (place, path) in self.set.hops(ring).enumerate() {
                    let source = if phase.is_reversed() {
                        order[(place + 1 + step) % count]
                    } else {
                        order[(place + count - step) % count]
                    };
                    let messages = &of_node[source.index()];
                    let of_ring = messages.len() / rings;
                    let path = if phase.is_reversed() {
                        backwards.clear();
                        backwards.extend(path.iter().rev());
                        &backwards
                    } else {
                        path
                    };
                    for &message in &messages[ring * of_ring..(ring + 1) * of_ring] {
                        schedule.push(message, path);
                    }
                }
            }
        }
        schedule
    }
}

/// Returns the messages of every node.
fn messages_by_source(problem: &Problem<'_>) -> Vec<Vec<MessageId>> {
    let messages = problem.messages();
    let mut of_node = vec![Vec::new(); problem.topology().node_count()];
    for message in messages.ids() {
        of_node[messages.source(message).index()].push(message);
    }
    of_node
}

/// Returns the terminals of an all-gather, ascending: each has one message, for all of them. `None` for other collectives.
fn members(problem: &Problem<'_>) -> Option<Vec<NodeId>> {
    let (topology, messages, of_node) = (problem.topology(), problem.messages(), messages_by_source(problem));
    let members: Vec<NodeId> = topology.nodes().filter(|node| !of_node[node.index()].is_empty()).collect();
    let has_one = |node: &NodeId| of_node[node.index()].len() == 1;
    let goes_to_all = |message| {
        let others = messages.receivers_iter(message).filter(|&node| node != messages.source(message));
        let (mut count, mut are_members) = (0, true);
        others.for_each(|node| {
            count += 1;
            are_members &= !of_node[node.index()].is_empty();
        });
        are_members && count + 1 == members.len()
    };
    let is_all_gather = !messages.is_scatter() && members.len() > 1 && members.iter().all(has_one);
    (is_all_gather && messages.ids().all(goes_to_all)).then_some(members)
}
