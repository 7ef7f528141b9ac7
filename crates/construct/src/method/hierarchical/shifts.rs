//! The shifts between groups and inside of groups, placed in steps by first fit.

use lockstep_model::{Slots, Timetable};
use lockstep_schedule::MessageId;

use super::groups::Groups;
use super::short_paths::{ShortPath, ShortPaths};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The transfers so far, and the channels and ports that they use.
pub(super) struct Shifts<'a> {
    task: &'a SchedulingTask<'a>,
    slots: &'a Slots,
    groups: &'a Groups,
    paths: &'a ShortPaths,
    table: Timetable<'a, u128>,
    log: TransferLog,
}

impl<'a> Shifts<'a> {
    pub(super) fn new(
        task: &'a SchedulingTask<'a>,
        slots: &'a Slots,
        groups: &'a Groups,
        paths: &'a ShortPaths,
    ) -> Self {
        let table = Timetable::<u128>::new(slots);
        Self { task, slots, groups, paths, table, log: TransferLog::default() }
    }

    /// Places the shifts of an all-gather and returns the transfers. `messages` are those of each terminal, by rank.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if a transfer is too late; [`MethodError::TooLarge`], if the schedule has too many channel
    /// uses; otherwise as [`MethodRequest::check_time`].
    pub(super) fn gather(
        mut self,
        messages: &[Vec<MessageId>],
        request: &MethodRequest<'_>,
    ) -> Result<TransferLog, MethodError> {
        let (count, size) = (self.groups.count(), self.groups.size());
        let members = || (0..count).flat_map(move |group| (0..size).map(move |column| (group, column)));
        // The members that hold a message first in their group, with the message and the step in which they may send it.
        let message = |shifts: &Self, (group, column), chunk: usize| messages[shifts.rank(group, column)][chunk];
        let mut holders = vec![Vec::new(); messages[0].len()];
        for (chunk, holders) in holders.iter_mut().enumerate() {
            holders.extend(members().map(|member| (member.0, member.1, message(&self, member, chunk), 0)));
        }
        for chunk in 0..messages[0].len() {
            for shift in 1..count {
                let arrive = |(group, column): (usize, usize)| {
                    let to_group = (group + shift) % count;
                    let message = message(&self, (group, column), chunk);
                    let step = self.send(message, self.paths.outer(group, column, to_group), 0)?;
                    Ok((to_group, column, message, step + 1))
                };
                holders.push(members().map(arrive).collect::<Result<_, MethodError>>()?);
            }
        }
        for holders in holders {
            request.check_time()?;
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

    /// Places the shifts of an all-to-all whose messages may be relayed, and returns the transfers. `messages` are those of
    /// each pair of terminals, at the rank of the source times the number of terminals plus that of the receiver.
    ///
    /// # Errors
    ///
    /// As [`gather`](Self::gather).
    pub(super) fn exchange(
        mut self,
        messages: &[Vec<MessageId>],
        request: &MethodRequest<'_>,
    ) -> Result<TransferLog, MethodError> {
        let (count, size) = (self.groups.count(), self.groups.size());
        let members = || (0..count).flat_map(move |group| (0..size).map(move |column| (group, column)));
        let between = |shifts: &Self, source: (usize, usize), receiver: (usize, usize)| {
            let [source, receiver] = [source, receiver].map(|(group, column)| shifts.rank(group, column));
            source * count * size + receiver
        };
        let chunks = messages.iter().map(Vec::len).max().unwrap_or(0);
        // A message goes first to the member of its group in the column of its receiver, then to the receiver.
        for (chunk, distance) in (0..chunks).flat_map(|chunk| (0..size).map(move |distance| (chunk, distance))) {
            for shift in 1..count {
                request.check_time()?;
                for (group, column) in members() {
                    let (own, to_group) = ((column + distance) % size, (group + shift) % count);
                    let message = messages[between(&self, (group, own), (to_group, column))][chunk];
                    let mut ready = 0;
                    if distance > 0 {
                        ready = self.send(message, self.paths.inner(group, own, column), 0)? + 1;
                    }
                    if self.send(message, self.paths.outer(group, column, to_group), ready)? >= request.below {
                        return Err(MethodError::NoShorter);
                    }
                }
            }
        }
        for (chunk, distance) in (0..chunks).flat_map(|chunk| (1..size).map(move |distance| (chunk, distance))) {
            for (group, column) in members() {
                let to_column = (column + distance) % size;
                let message = messages[between(&self, (group, column), (group, to_column))][chunk];
                if self.send(message, self.paths.inner(group, column, to_column), 0)? >= request.below {
                    return Err(MethodError::NoShorter);
                }
            }
        }
        Ok(self.log)
    }

    /// Returns the rank of a member.
    fn rank(&self, group: usize, column: usize) -> usize {
        self.task.rank(self.groups.member(group, column))
    }

    /// Sends a message in the first step from `ready` on in which one of the paths is free, and returns the step.
    fn send(&mut self, message: MessageId, paths: &[ShortPath], ready: u32) -> Result<u32, MethodError> {
        let Self { slots, table, log, .. } = self;
        let mut best: Option<(u32, &ShortPath)> = None;
        for path in paths {
            let step = table.first_free(slots.of_path(path.channels()), ready);
            if best.is_none_or(|(least, _)| step < least) {
                best = Some((step, path));
            }
            if step == ready {
                break;
            }
        }
        let (step, path) = best.expect("every row that is needed has a path");
        slots.of_path(path.channels()).for_each(|slot| table.occupy(slot, step));
        log.push(message, step, path.channels())?;
        Ok(step)
    }
}
