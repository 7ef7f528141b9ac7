//! Bounds compared with the schedules that an exhaustive search finds.

use lockstep_bounds::{LowerBound, all};
use lockstep_schedule::strategy::{SearchTooLong, fastest_schedule};
use lockstep_schedule::{Problem, Schedule, verify};
use lockstep_topology::ChannelId;
use lockstep_topology::strategy::with_parallel_channels;
use proptest::prelude::*;

/// Returns the configuration of a property with a number of cases. A case is rejected if no schedule exists, or the search takes
/// too long.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { max_global_rejects: u32::MAX, ..lockstep_topology::strategy::cases(cases) }
}

/// Returns a schedule with the fewest steps, or `None` if no schedule has at most `most_steps`. In a network with
/// capacities, and without buses, it searches the network in which each channel is as many parallel channels.
fn fastest(problem: &Problem<'_>, most_steps: usize, effort: &mut u64) -> Result<Option<Schedule>, SearchTooLong> {
    if !problem.topology().has_capacities() {
        return fastest_schedule(problem, most_steps, effort);
    }
    let (parallel, original) = with_parallel_channels(problem.topology());
    let parallel =
        Problem::new(&parallel, problem.collective(), problem.model()).expect("the same nodes are connected");
    let Some(found) = fastest_schedule(&parallel, most_steps, effort)? else { return Ok(None) };
    let mut schedule = Schedule::new();
    for (_, step) in found.steps() {
        schedule.begin_step();
        for transfer in step.iter() {
            let path: Vec<ChannelId> = transfer.path.iter().map(|channel| original[channel.index()]).collect();
            schedule.push(transfer.message, &path);
        }
    }
    Ok(Some(schedule))
}

/// Returns the smallest number of steps of a schedule.
pub(crate) fn optimum(problem: &Problem<'_>, effort: u64) -> Option<u32> {
    let fastest = fastest(problem, usize::MAX, &mut { effort }).expect("enough effort")?;
    Some(fastest.step_count() as u32)
}

/// Fails if a valid schedule has fewer steps than one of the bounds. `Err` if the search takes too long.
pub(crate) fn expect_no_schedule_below(problem: &Problem<'_>, bounds: &[LowerBound]) -> Result<(), SearchTooLong> {
    let Some(best) = bounds.iter().max_by_key(|bound| bound.steps) else { return Ok(()) };
    for bound in bounds {
        assert_eq!(bound.check(problem), Ok(()), "{bound}");
    }
    let below = best.steps.saturating_sub(1) as usize;
    let Some(schedule) = fastest(problem, below, &mut 300_000)? else { return Ok(()) };
    match verify(problem, &schedule) {
        Ok(verification) => panic!("{best}, but there is a schedule: {verification:?}"),
        Err(violation) => panic!("the search made an invalid schedule: {violation}"),
    }
}

/// Compares the bounds of all rules with the optimum.
pub(crate) fn compare_rules(problem: &Problem<'_>) -> Result<(), SearchTooLong> {
    let bounds = all(problem);
    assert!(bounds.iter().all(|bound| bound.steps >= 1) && !bounds.is_empty());
    expect_no_schedule_below(problem, &bounds)
}
