//! The transfers placed so far, and the steps that they occupy.

use lockstep_schedule::MessageId;
use lockstep_topology::ChannelId;

use crate::kit::capacities::{Capacities, PortPair, SlotId, resource_slot};
use crate::kit::method_error::MethodError;
use crate::kit::reservation_table::ReservationTable;
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// The transfers placed so far.
///
/// Invariant: `table` has a reservation for each resource and port of each transfer in `log`, in its step.
pub(super) struct PartialSchedule<'a> {
    task: &'a SchedulingTask<'a>,
    capacities: &'a Capacities,
    table: ReservationTable<'a>,
    log: TransferLog,
}

impl<'a> PartialSchedule<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, capacities: &'a Capacities) -> Self {
        Self { task, capacities, table: ReservationTable::new(capacities), log: TransferLog::default() }
    }

    pub(super) fn table(&self) -> &ReservationTable<'a> {
        &self.table
    }

    pub(super) fn step_count(&self) -> u32 {
        self.log.step_count()
    }

    pub(super) fn into_log(self) -> TransferLog {
        self.log
    }

    /// Adds a transfer in a step in which its resources and ports are free.
    pub(super) fn add(&mut self, message: MessageId, step: u32, path: &[ChannelId]) -> Result<(), MethodError> {
        let ports = PortPair::of(self.task, self.capacities, path);
        let resources = path.iter().map(|&channel| resource_slot(self.task, channel));
        resources.chain(ports.iter()).for_each(|slot| self.table.reserve(step, slot));
        self.log.push(message, step, path)
    }

    /// Adds a transfer whose resources and ports are these slots, which are free in the step.
    pub(super) fn add_in_slots(
        &mut self,
        message: MessageId,
        step: u32,
        path: &[ChannelId],
        slots: &[SlotId],
    ) -> Result<(), MethodError> {
        for &slot in slots {
            self.table.reserve(step, slot);
        }
        self.log.push(message, step, path)
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;

    use super::*;
    use crate::kit::capacities::with_capacities;

    #[test]
    fn a_transfer_reserves_its_channels_and_both_ports() {
        with_capacities("ring:4", Ports::limit(1).unwrap(), |task, capacities| {
            let topology = task.topology();
            let first = topology.out_channels(topology.terminals()[0])[0];
            let next = topology.out_channels(topology.head(first));
            let second = *next.iter().find(|&&channel| topology.head(channel) != topology.terminals()[0]).unwrap();
            let path = [first, second];
            let mut partial = PartialSchedule::new(task, capacities);
            partial.add(MessageId::new(5), 3, &path).unwrap();
            let ports = PortPair::of(task, capacities, &path);
            let slots = path.iter().map(|&channel| resource_slot(task, channel)).chain(ports.iter());
            assert!(slots.into_iter().all(|slot| partial.table().free_steps(0, slot) >> 3 & 1 == 0));
            assert_eq!((ports.iter().count(), partial.step_count(), partial.into_log().len()), (2, 4, 1));
        });
    }
}
