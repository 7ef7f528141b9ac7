//! Work on the steps of a schedule that threads share. Without the feature `parallel`, one thread does all of it.

use std::ops::Range;

#[cfg(feature = "parallel")]
use rayon::prelude::*;

use crate::schedule::Schedule;

/// The fewest transfers of a thread: about a millisecond of work.
const TRANSFERS_PER_THREAD: usize = if cfg!(test) { 2 } else { 1 << 15 };

/// Returns the number of threads among which this number of transfers is worth dividing: 1 or more.
pub(crate) fn useful_threads(transfers: usize) -> usize {
    match transfers / TRANSFERS_PER_THREAD {
        // Starts no threads for a small schedule.
        0 | 1 => 1,
        shares => threads().min(shares),
    }
}

#[cfg(feature = "parallel")]
fn threads() -> usize {
    rayon::current_num_threads()
}

#[cfg(not(feature = "parallel"))]
fn threads() -> usize {
    1
}

/// Maps all parts, in parallel if there are several. The results are in the order of the parts.
pub(crate) fn map_parts<P: Send, R: Send>(parts: Vec<P>, map: impl Fn(P) -> R + Sync + Send) -> Vec<R> {
    if parts.len() < 2 {
        return parts.into_iter().map(map).collect();
    }
    #[cfg(feature = "parallel")]
    return parts.into_par_iter().map(map).collect();
    #[cfg(not(feature = "parallel"))]
    parts.into_iter().map(map).collect()
}

/// Runs both functions, in parallel if this number of transfers is worth it.
pub(crate) fn both<A: Send, B: Send>(
    transfers: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if useful_threads(transfers) < 2 {
        return (one(), other());
    }
    #[cfg(feature = "parallel")]
    return rayon::join(one, other);
    #[cfg(not(feature = "parallel"))]
    (one(), other())
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
