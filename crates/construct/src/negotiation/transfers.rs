//! The transfers of an all-reduce, each of a block along a route.

use std::collections::BTreeMap;

use lockstep_model::{Routes, Slots};
use lockstep_schedule::{MessageId, Schedule};
use lockstep_topology::ChannelId;

/// One block that moves along one route in one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlockTransfer {
    pub(crate) block: u32,
    pub(crate) route: u32,
    pub(crate) step: u32,
}

/// All transfers of an all-reduce. Memory: 12 bytes each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers(pub(crate) Vec<BlockTransfer>);

impl Transfers {
    /// Returns the transfers of a schedule, and adds their paths to a table. `None` once `is_stopped`.
    pub(crate) fn of_schedule(
        slots: &Slots,
        schedule: &Schedule,
        routes: &mut Routes,
        is_stopped: impl Fn() -> bool,
    ) -> Option<Self> {
        let mut numbers = BTreeMap::<&[ChannelId], u32>::new();
        let mut transfers = Vec::with_capacity(schedule.transfer_count());
        for (step, at_once) in schedule.steps() {
            if is_stopped() {
                return None;
            }
            for transfer in at_once.iter() {
                let route = *numbers.entry(transfer.path).or_insert_with(|| routes.push(slots, transfer.path));
                transfers.push(BlockTransfer { block: transfer.message.number(), route, step: step as u32 });
            }
        }
        Some(Self(transfers))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn step_count(&self) -> u32 {
        self.0.iter().map(|transfer| transfer.step + 1).max().unwrap_or(0)
    }

    /// Returns the schedule of the transfers, which are sorted by step.
    pub(crate) fn schedule(mut self, routes: &Routes) -> Schedule {
        self.0.sort_by_key(|transfer| transfer.step);
        let uses = self.0.iter().map(|transfer| routes.path(transfer.route).len()).sum();
        let mut schedule = Schedule::with_capacity(self.len(), uses);
        for transfer in &self.0 {
            while schedule.step_count() <= transfer.step as usize {
                schedule.begin_step();
            }
            schedule.push(MessageId::new(transfer.block), routes.path(transfer.route));
        }
        schedule
    }
}
