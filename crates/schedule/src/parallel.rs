//! Work on the steps of a schedule that threads share.

use std::ops::Range;

use crate::schedule::Schedule;

/// The fewest transfers of a thread: about a millisecond of work.
const TRANSFERS_PER_THREAD: usize = if cfg!(test) { 2 } else { 1 << 15 };

/// Returns the number of threads among which this number of transfers is worth dividing: 1 or more.
pub(crate) fn useful_threads(transfers: usize) -> usize {
    rayon::current_num_threads().min(transfers / TRANSFERS_PER_THREAD).max(1)
}

/// Divides the steps into ranges of about the same number of transfers, one per thread, or fewer if there are few transfers
/// or steps.
pub(crate) fn step_ranges(schedule: &Schedule) -> Vec<Range<usize>> {
    let share = schedule.transfer_count().div_ceil(useful_threads(schedule.transfer_count()));
    let (mut starts, mut transfers) = (vec![0], 0);
    for (step, of_step) in schedule.steps() {
        if transfers >= share * starts.len() && transfers > 0 {
            starts.push(step);
        }
        transfers += of_step.len();
    }
    let ends = starts.iter().skip(1).copied().chain([schedule.step_count()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::step_ranges;
    use crate::strategy::scheduled_instance;

    proptest! {
        #[test]
        fn ranges_contain_every_step_once((_, schedule) in scheduled_instance(8)) {
            let ranges = step_ranges(&schedule);
            let steps: Vec<usize> = ranges.clone().into_iter().flatten().collect();
            prop_assert_eq!(steps, (0..schedule.step_count()).collect::<Vec<usize>>());
            prop_assert!(ranges.len() <= rayon::current_num_threads().max(1));
        }
    }
}
