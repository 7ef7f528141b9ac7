//! The optimum of tiny problems, by exhaustive search.

use super::all_reduce_search::AllReduceSearch;
use super::distribution_search::DistributionSearch;
use super::routes::SearchTooLong;
use crate::distribute_phase::DistributePhase;
use crate::needed::needed_transfers;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::schedule::Schedule;

/// Returns a schedule with the fewest steps, or `None` if no schedule has at most `most_steps`.
///
/// Searches all states breadth first: a state says which terminals hold which messages, or which contributions to them.
/// The search uses its own paths and no bounds, except distances and the number of messages that a terminal lacks or has
/// to send. `effort` is the number of partial steps that it may still try. Supports up to 128 pairs of a message and a
/// terminal, 16 terminals in an all-reduce, and 128 resources, all of capacity 1.
///
/// ```
/// use lockstep_schedule::strategy::fastest_schedule;
/// use lockstep_schedule::{Collective, CommunicationModel, Problem};
/// use lockstep_topology::Topology;
///
/// let square: Topology = "ring:4".parse()?;
/// let all_gather = Collective::all_gather();
/// let problem = Problem::new(&square, &all_gather, CommunicationModel::wormhole())?;
/// let fastest = fastest_schedule(&problem, usize::MAX, &mut 100_000)?;
/// assert_eq!(fastest.map(|schedule| schedule.step_count()), Some(2));
/// assert_eq!(fastest_schedule(&problem, 1, &mut 100_000)?, None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SearchTooLong`] if the effort does not suffice.
pub fn fastest_schedule(
    problem: &Problem<'_>,
    most_steps: usize,
    effort: &mut u64,
) -> Result<Option<Schedule>, SearchTooLong> {
    if problem.topology().has_capacities() {
        return Err(SearchTooLong);
    }
    if problem.collective().pattern() == Pattern::ReduceBroadcast {
        return AllReduceSearch::new(problem, effort)?.run(most_steps, effort);
    }
    let [phase] = &DistributePhase::all(problem)[..] else { unreachable!("only an all-reduce has two directions") };
    let distribution = phase.problem(problem);
    let fastest = DistributionSearch::new(&distribution, effort)?.run(most_steps, effort)?;
    // A reduction needs as many steps as the broadcast without redundant transfers.
    Ok(fastest.map(|fastest| {
        let needed = needed_transfers(&distribution, fastest);
        if phase.is_reversed() { needed.reversed() } else { needed }
    }))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_topology::Topology;

    use super::*;
    use crate::collective::Collective;
    use crate::model::CommunicationModel;

    /// The centre of a star of n nodes sums a block per step; partners in a cube double what they hold.
    #[test]
    fn optima_of_small_all_reduces_are_known() {
        let cases = [
            ("star:3", 1, 2),
            ("star:3", 3, 4),
            ("star:4", 1, 2),
            ("complete:3", 1, 1),
            ("ring:4", 1, 2),
            ("ring:4", 2, 2),
        ];
        for (spec, blocks, steps) in cases {
            let network: Topology = spec.parse().unwrap();
            let all_reduce = Collective::all_reduce_in_blocks(&network, &[], NonZeroU32::new(blocks).unwrap()).unwrap();
            let problem = Problem::new(&network, &all_reduce, CommunicationModel::store_and_forward()).unwrap();
            let mut effort = 10_000_000;
            let fastest = fastest_schedule(&problem, usize::MAX, &mut effort).unwrap().unwrap();
            assert_eq!(fastest.step_count(), steps, "{spec} in {blocks} blocks, {effort} left");
        }
    }
}
