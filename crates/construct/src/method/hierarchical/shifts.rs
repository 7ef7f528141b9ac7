//! The shifts between groups and inside of groups, placed in steps by first fit.

use lockstep_schedule::MessageId;

use super::groups::Groups;
use super::short_paths::{ShortPath, ShortPaths};
use crate::kit::capacities::{Capacities, PortPair, SlotId, resource_slot};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::reservation_table::ReservationTable;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The transfers so far, and the channels and ports that they use.
pub(super) struct Shifts<'a> {
    task: &'a SchedulingTask<'a>,
    capacities: &'a Capacities,
    groups: &'a Groups,
    paths: &'a ShortPaths,
    /// The messages of each terminal, by rank.
    of_source: &'a [Vec<MessageId>],
    table: ReservationTable<'a>,
    log: TransferLog,
}

impl<'a> Shifts<'a> {
    pub(super) fn new(
        task: &'a SchedulingTask<'a>,
        capacities: &'a Capacities,
        groups: &'a Groups,
        paths: &'a ShortPaths,
        of_source: &'a [Vec<MessageId>],
    ) -> Self {
        let table = ReservationTable::new(capacities);
        Self { task, capacities, groups, paths, of_source, table, log: TransferLog::default() }
    }

    /// Places all shifts and returns the transfers.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if a transfer is too late; [`MethodError::Stopped`], if the budget ended and there is
    /// another schedule; [`MethodError::TooLarge`], if the schedule has too many channel uses.
    pub(super) fn run(mut self, request: &MethodRequest<'_>) -> Result<TransferLog, MethodError> {
        let (count, size) = (self.groups.count(), self.groups.size());
        let members = || (0..count).flat_map(move |group| (0..size).map(move |column| (group, column)));
        // The members that hold a message first in their group, with the message and the step in which they may send it.
        let mut holders = vec![Vec::new(); self.of_source[0].len()];
        for (chunk, holders) in holders.iter_mut().enumerate() {
            holders.extend(members().map(|(group, column)| (group, column, self.message(group, column, chunk), 0)));
        }
        for chunk in 0..self.of_source[0].len() {
            for shift in 1..count {
                let arrive = |(group, column): (usize, usize)| {
                    let to_group = (group + shift) % count;
                    let message = self.message(group, column, chunk);
                    let step = self.send(message, self.paths.outer(group, column, to_group), 0)?;
                    Ok((to_group, column, message, step + 1))
                };
                holders.push(members().map(arrive).collect::<Result<_, MethodError>>()?);
            }
        }
        for holders in holders {
            if let Some(reason) = request.stop_reason().filter(|_| request.below < u32::MAX) {
                return Err(MethodError::Stopped(reason));
            }
            for shift in 1..size {
                for &(group, column, message, ready) in &holders {
                    let paths = self.paths.inner(group, column, (column + shift) % size);
                    if self.send(message, paths, ready)? >= request.below {
                        return Err(MethodError::NoShorter);
                    }
                }
            }
        }
        Ok(self.log)
    }

    /// Returns a message of a member.
    fn message(&self, group: usize, column: usize, chunk: usize) -> MessageId {
        self.of_source[self.task.rank(self.groups.member(group, column))][chunk]
    }

    /// Sends a message in the first step from `ready` on in which one of the paths is free, and returns the step.
    fn send(&mut self, message: MessageId, paths: &[ShortPath], ready: u32) -> Result<u32, MethodError> {
        let Self { task, capacities, table, log, .. } = self;
        let mut best: Option<(u32, &ShortPath)> = None;
        for path in paths {
            let ports = PortPair::of(task, capacities, path.channels());
            let step = table.first_free(|| slots(task, path, ports), ready);
            if best.is_none_or(|(least, _)| step < least) {
                best = Some((step, path));
            }
            if step == ready {
                break;
            }
        }
        let (step, path) = best.expect("every row that is needed has a path");
        let ports = PortPair::of(task, capacities, path.channels());
        slots(task, path, ports).for_each(|slot| table.reserve(step, slot));
        log.push(message, step, path.channels())?;
        Ok(step)
    }
}

/// Returns the slots that a transfer uses.
fn slots(task: &SchedulingTask<'_>, path: &ShortPath, ports: PortPair) -> impl Iterator<Item = SlotId> {
    path.channels().iter().map(|&channel| resource_slot(task, channel)).chain(ports.iter())
}
