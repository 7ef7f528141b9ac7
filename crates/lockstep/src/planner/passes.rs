//! The number of passes over an all-reduce, and the evaluations of each.
//!
//! The search for the whole starts from the schedules of the phases. If these got more evaluations, the plan could become
//! longer. So the evaluations of a pass do not depend on the budget. Each pass plans the all-reduce again, with four times the
//! evaluations of the pass before, and the shortest schedule of all passes counts.

use lockstep_schedule::{Part, Problem};

use super::limits::DEFAULT_EVALUATIONS;

/// Several passes over a small all-reduce.
pub(super) const PASSES: Part =
    Part { owner: "planner", name: "passes", about: "several passes over an all-reduce, each with more evaluations" };

/// The evaluations of the second pass over a small problem. This pass and the next five take [`DEFAULT_EVALUATIONS`] together.
const SECOND_PASS: u64 = DEFAULT_EVALUATIONS / (1 + 4 + 16 + 64 + 256 + 1024);

/// Without a time limit, a pass of this number of evaluations that does not use all of them is the last one: a larger one
/// takes long, and seldom finds more.
pub(super) const MOST_USEFUL: u64 = 1 << 28;

/// A pass with fewer evaluations per delivery would plan little more than the first schedule.
const PER_DELIVERY: u64 = 2;

/// Returns the evaluations of each pass. The first pass always takes place. It has one evaluation, and completes one schedule.
/// The others take `limit` evaluations together at most.
pub(super) fn passes(problem: &Problem<'_>, limit: u64) -> impl Iterator<Item = u64> {
    let deliveries = problem.messages().delivery_count();
    let mut larger = Some(SECOND_PASS);
    while let Some(evaluations) = larger.filter(|&evaluations| evaluations / PER_DELIVERY < deliveries) {
        larger = evaluations.checked_mul(4);
    }
    let others = std::iter::successors(larger, |evaluations| evaluations.checked_mul(4));
    let affordable = others.scan(limit, |left, evaluations| {
        *left = left.checked_sub(evaluations)?;
        Some(evaluations)
    });
    std::iter::once(1).chain(affordable)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    fn passes_over(spec: &str, limit: u64) -> Vec<u64> {
        let topology: Topology = spec.parse().unwrap();
        let all_reduce = Collective::all_reduce();
        passes(&Problem::new(&topology, &all_reduce, CommunicationModel::wormhole()).unwrap(), limit).collect()
    }

    #[test]
    fn passes_grow_within_the_limit() {
        assert_eq!(passes_over("ring:8", 0), [1]);
        assert_eq!(passes_over("ring:8", 5 * SECOND_PASS - 1), [1, SECOND_PASS]);
        assert_eq!(passes_over("ring:8", 5 * SECOND_PASS), [1, SECOND_PASS, 4 * SECOND_PASS]);
        let of_default = [1, 4, 16, 64, 256, 1024].map(|factor| factor * SECOND_PASS);
        assert_eq!(passes_over("ring:8", DEFAULT_EVALUATIONS)[1..], of_default);
        assert!(passes_over("ring:8", u64::MAX).len() > 20);
    }

    #[test]
    fn larger_problems_have_no_pass_that_is_too_short_for_them() {
        assert_eq!(passes_over("ring:256", 1 << 20), [1, 64 * SECOND_PASS]);
    }
}
