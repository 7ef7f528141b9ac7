//! The steps of one attempt, forwards, and back after a step that is too late.

use super::deadline::Deadline;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;
use crate::kit::transfer_log::TransferLog;

/// Number of steps by which an attempt may backtrack, in addition to its target.
const MAX_UNDONE_STEPS: u32 = 64;

/// An unfinished schedule with a deadline: the number of steps that it aims at.
pub(super) trait AttemptSteps: Sized {
    /// Returns true if every delivery and every fixed step is made.
    fn is_done(&self) -> bool;

    /// Plans and commits one more step.
    ///
    /// # Errors
    ///
    /// As [`AttemptContext::check`]; [`MethodError::NoShorter`], if no transfer is possible; [`MethodError::TooLarge`],
    /// if the schedule has too many channel uses.
    fn make_step(&mut self, context: &AttemptContext<'_>) -> Result<(), MethodError>;

    /// Returns the number of steps made.
    fn step(&self) -> u32;

    fn deadline(&mut self) -> &mut Deadline;

    /// Returns true if any number of steps will do.
    fn is_quick(&self) -> bool;

    /// Undoes the last step or several steps and returns their number.
    fn backtrack(&mut self) -> u32;

    /// Returns the fewest steps that remain possible, by the reception rate of each terminal.
    fn least_steps(&self) -> u32;

    /// Postpones the deadline to the fewest steps that remain possible.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if this kind of attempt is of no use then.
    fn postpone_deadline(&mut self) -> Result<(), MethodError>;

    fn into_log(self) -> TransferLog;

    /// Makes all steps. Only a schedule with fewer than `below` steps is of use.
    ///
    /// # Errors
    ///
    /// As [`make_step`](Self::make_step); [`MethodError::NoShorter`] also if `below` is out of reach.
    fn run(mut self, target: u32, below: u32, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let mut undoable = MAX_UNDONE_STEPS.saturating_add(target);
        while !self.is_done() {
            self.make_step(context)?;
            if self.is_quick() || self.least_steps() <= self.deadline().steps() {
                let step = self.step();
                self.deadline().record_progress(step);
                continue;
            }
            if undoable > 0 && self.deadline().may_retry() {
                undoable = undoable.saturating_sub(self.backtrack());
                continue;
            }
            if self.least_steps() >= below {
                return Err(MethodError::NoShorter);
            }
            self.postpone_deadline()?;
        }
        Ok(self.into_log())
    }
}
