//! The schedule of a packer that was stopped at the deadline.

use std::cmp::Reverse;

use lockstep_model::{Routes, Slots, Timetable};
use lockstep_schedule::MessageId;

use super::packer::NO_STEP;
use super::window::WINDOW_STEPS;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Number of messages placed between two checks of the budget.
const CHECK_INTERVAL: usize = 256;

/// Returns the shortest of several schedules: each keeps the first complete windows, and all other messages take the
/// earliest free steps on their paths.
///
/// The first schedule keeps all windows, the next one all but one, and so on. With more time, there are more windows to
/// choose from, so the schedule is not longer. `steps` are those of all messages in complete windows, or [`NO_STEP`].
///
/// # Errors
///
/// [`MethodError::Stopped`], if the time is over before the first schedule is complete.
pub(super) fn complete(
    slots: &Slots,
    routes: &Routes,
    steps: &[u32],
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let placed = steps.iter().filter(|&&step| step != NO_STEP).max();
    let windows = placed.map_or(0, |last| last / WINDOW_STEPS + 1);
    let mut best: Option<TransferLog> = None;
    for kept in (0..=windows).rev() {
        match complete_after(kept * WINDOW_STEPS, slots, routes, steps, context) {
            Ok(log) if best.as_ref().is_none_or(|best| log.step_count() < best.step_count()) => best = Some(log),
            Ok(_) => {}
            Err(error) => return best.ok_or(error),
        }
    }
    best.ok_or(MethodError::NoShorter)
}

/// Returns the schedule that keeps the steps before `end`. The other messages with the longest paths come first.
fn complete_after(
    end: u32,
    slots: &Slots,
    routes: &Routes,
    steps: &[u32],
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    context.check_completion()?;
    let (kept, mut others): (Vec<u32>, Vec<u32>) =
        (0..steps.len() as u32).partition(|&message| steps[message as usize] < end);
    others.sort_by_key(|&message| Reverse(routes.path(message).len()));
    let (mut table, mut log) = (Timetable::<u128>::new(slots), TransferLog::default());
    let mut place = |message: u32, step: Option<u32>| {
        let used = routes.slots(message);
        let step = step.unwrap_or_else(|| table.first_free(used.iter().copied(), 0));
        for &slot in used {
            table.occupy(slot, step);
        }
        log.push(MessageId::new(message), step, routes.path(message))
    };
    for messages in kept.chunks(CHECK_INTERVAL) {
        context.check_completion()?;
        messages.iter().try_for_each(|&message| place(message, Some(steps[message as usize])))?;
    }
    for messages in others.chunks(CHECK_INTERVAL) {
        context.check_completion()?;
        messages.iter().try_for_each(|&message| place(message, None))?;
    }
    Ok(log)
}
