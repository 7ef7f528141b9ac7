//! Validation of programs.

use crate::limits::{MAX_AMOUNT, MAX_EVENTS};
use crate::matching::awaited_flows;
use crate::programs::{Event, Programs, TaskId};
use crate::programs_error::ProgramsError;

impl Programs {
    /// Verifies that all numbers are in range, that all tasks have the same number of barriers, and that each flow is sent once
    /// and received once.
    ///
    /// O(E log E) for `E` events. Valid programs may still deadlock.
    ///
    /// # Errors
    ///
    /// Returns the first [`ProgramsError`], in the order of the enum.
    pub fn check(&self) -> Result<(), ProgramsError> {
        self.check_events()?;
        awaited_flows(self).map(drop)
    }

    /// Verifies the number of events, the numbers in each event, and the number of barriers.
    pub(crate) fn check_events(&self) -> Result<(), ProgramsError> {
        let task_count = self.task_count();
        if task_count == 0 {
            return Err(ProgramsError::NoTask);
        }
        let events = self.tasks.iter().map(Vec::len).fold(task_count, usize::saturating_add);
        if events > MAX_EVENTS {
            return Err(ProgramsError::TooManyEvents { events });
        }
        for (task, events) in self.tasks.iter().enumerate() {
            let task = TaskId::from_index(task);
            for (event, action) in events.iter().enumerate() {
                let (field, other) = match *action {
                    Event::Send { to, .. } => ("to", Some(to)),
                    Event::Receive { from, .. } => ("from", Some(from)),
                    Event::Compute { .. } | Event::Barrier => ("", None),
                };
                if let Some(other) = other.filter(|other| other.index() >= task_count) {
                    return Err(ProgramsError::UnknownTask { task, event, field, other, task_count });
                }
                let (field, amount, least) = match *action {
                    Event::Send { size, .. } => ("size", size, 1),
                    Event::Receive { .. } | Event::Barrier => continue,
                    Event::Compute { time } => ("time", time, 0),
                };
                if !(least..=MAX_AMOUNT).contains(&amount) {
                    return Err(ProgramsError::Amount { task, event, field, amount, least });
                }
            }
        }
        let barriers = |events: &Vec<Event>| events.iter().filter(|event| matches!(event, Event::Barrier)).count();
        let mut counts = self.tasks.iter().map(barriers).enumerate();
        let expected = counts.next().map_or(0, |(_, count)| count);
        match counts.find(|&(_, count)| count != expected) {
            Some((task, barriers)) => {
                Err(ProgramsError::Barriers { task: TaskId::from_index(task), barriers, expected })
            }
            None => Ok(()),
        }
    }
}
