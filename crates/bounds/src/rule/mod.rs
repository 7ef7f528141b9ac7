//! One file a rule.

mod arc_forwarding;
mod broadcast_lp;
mod cut;
mod distance_sum;
mod eccentricity;
mod growth;
mod ports;
mod reception;
mod source_cut;
mod timed_cut;
mod tree_broadcast;
mod tree_packets;
mod volume;

use lockstep_schedule::{Budget, Problem, StopReason};

use crate::bound_search::Cost;
use lockstep_certificate::{LowerBound, Rule};

/// A rule: the bound it gives for a distribution, or `None` where it says nothing. It may stop at so many steps, which
/// are enough for who asks.
pub(crate) type Bound = fn(&Problem<'_>, &BoundRequest<'_>) -> Option<LowerBound>;

/// What whoever asks a rule needs of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundRequest<'a> {
    /// More steps than these are of no use.
    pub(crate) enough: u32,
    /// The time that it may take; dear rules look at it and say what they have found so far.
    budget: Option<&'a Budget>,
}

impl<'a> BoundRequest<'a> {
    /// All that the rule can say.
    pub(crate) const ALL: BoundRequest<'static> = BoundRequest { enough: u32::MAX, budget: None };

    pub(crate) fn new(enough: u32, budget: &'a Budget) -> Self {
        Self { enough, budget: Some(budget) }
    }

    /// Whether the time is over; evaluations are for engines.
    pub(crate) fn is_over(&self) -> bool {
        self.budget
            .is_some_and(|budget| matches!(budget.stop_after(0), Some(reason) if reason != StopReason::Evaluations))
    }
}

/// Every rule, in the order of [`Rule`](crate::Rule).
pub(crate) const RULES: [Bound; 13] = [
    ports::bound,
    growth::bound,
    tree_broadcast::bound,
    tree_packets::bound,
    broadcast_lp::bound,
    eccentricity::bound,
    cut::bound,
    source_cut::bound,
    reception::bound,
    timed_cut::bound,
    distance_sum::bound,
    volume::bound,
    arc_forwarding::bound,
];

/// Every rule, those that cost least first; `ports`, which applies to every problem, at the head, and `cut` beginning with
/// the cuts that are found at once.
pub(crate) const BY_COST: &[(Rule, Bound, Cost)] = &[
    (Rule::Ports, ports::bound, Cost::Linear),
    (Rule::Growth, growth::bound, Cost::Linear),
    (Rule::Volume, volume::bound, Cost::Linear),
    (Rule::TreePackets, tree_packets::bound, Cost::Linear),
    (Rule::TreeBroadcast, tree_broadcast::bound, Cost::Linear),
    (Rule::Cut, cut::quick, Cost::Searches),
    (Rule::Eccentricity, eccentricity::bound, Cost::Searches),
    (Rule::DistanceSum, distance_sum::bound, Cost::Searches),
    (Rule::Reception, reception::bound, Cost::Expensive),
    (Rule::Cut, cut::bound, Cost::Expensive),
    (Rule::SourceCut, source_cut::bound, Cost::Expensive),
    (Rule::TimedCut, timed_cut::bound, Cost::Expensive),
    (Rule::BroadcastLp, broadcast_lp::bound, Cost::Expensive),
    (Rule::ArcForwarding, arc_forwarding::bound, Cost::Expensive),
];

/// Node and channel visits that one rule may spend on searches from many nodes: seconds.
const SEARCH_WORK: usize = 1 << 30;

/// The steps that `work` takes at `per_step`, if there is work; as many as can be written.
pub(crate) fn ceil_steps(work: u64, per_step: u64) -> Option<u32> {
    let steps = (work > 0 && per_step > 0).then(|| work.div_ceil(per_step))?;
    Some(u32::try_from(steps).unwrap_or(u32::MAX))
}

/// At most `count` of the items, evenly spaced; at least one if there is any.
fn sample<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count.max(1)).max(1))
}

/// Messages that pass the ports of one terminal, and for how many steps each of them is on its way at least.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Pipeline {
    steps: u32,
    messages: u64,
    duration: u32,
}

/// The longest necessary pipeline among messages of these durations, each cut into `chunks`: the last of `n` messages
/// starts in step `ceil(n / ports)` or later and then takes its duration.
fn pipeline(mut durations: Vec<u32>, chunks: u32, ports: u64) -> Option<Pipeline> {
    durations.sort_unstable_by(|a, b| b.cmp(a));
    let mut longer = 0;
    let pipelines = durations.chunk_by(|a, b| a == b).filter_map(|alike| {
        longer += alike.len() as u64;
        let (messages, duration) = (longer * u64::from(chunks), alike[0]);
        let steps = (ports > 0).then(|| messages.div_ceil(ports))? + u64::from(duration.saturating_sub(1));
        Some(Pipeline { steps: u32::try_from(steps).unwrap_or(u32::MAX), messages, duration })
    });
    pipelines.reduce(|best, next| if next.steps > best.steps { next } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_message_through_the_ports_decides() {
        // Four messages through one port: the last of the three that take 2 steps ends in step 4, as the last of all.
        let through = |durations: &[u32], chunks, ports| pipeline(durations.to_vec(), chunks, ports);
        assert_eq!(through(&[1, 2, 2, 2], 1, 1), Some(Pipeline { steps: 4, messages: 3, duration: 2 }));
        assert_eq!(through(&[1, 9, 1], 1, 1), Some(Pipeline { steps: 9, messages: 1, duration: 9 }));
        assert_eq!(through(&[3], 5, 2), Some(Pipeline { steps: 5, messages: 5, duration: 3 }));
        assert_eq!(through(&[], 5, 2), None);
    }

    #[test]
    fn steps_are_rounded_up_and_never_overflow() {
        assert_eq!([ceil_steps(7, 2), ceil_steps(0, 2), ceil_steps(7, 0)], [Some(4), None, None]);
        assert_eq!(ceil_steps(u64::MAX, 1), Some(u32::MAX));
    }

    #[test]
    fn samples_are_even_and_never_empty() {
        let items: Vec<u32> = (0..10).collect();
        let picked = |count| sample(&items, count).copied().collect::<Vec<_>>();
        assert_eq!(picked(0), [0]);
        assert_eq!(picked(4), [0, 3, 6, 9]);
        assert_eq!(picked(100), items);
    }
}
