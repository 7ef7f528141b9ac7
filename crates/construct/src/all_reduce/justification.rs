//! Justification: transfers move to later steps, and then to earlier ones.

use lockstep_model::{Routes, Slots, Timetable};

use crate::negotiation::transfers::{BlockTransfer, Transfers};

/// Number of transfers placed between two looks at the clock.
const TRANSFERS_PER_CHECK: usize = 1 << 14;

/// Moves all transfers as far as possible to the end of the schedule, the last ones first, and then as far as possible to
/// its beginning. No pass makes the schedule longer: a transfer may always stay in its step.
///
/// # Source
///
/// Valls, Ballestín and Quintanilla, *Justification and RCPSP: a technique that pays*, European Journal of Operational
/// Research 165 (2005).
pub(super) struct Justification<'a> {
    slots: &'a Slots,
    terminals: usize,
    /// By block and terminal: the first step in which everything has arrived that arrives before the next transfer.
    ready: Vec<u32>,
}

impl<'a> Justification<'a> {
    pub(super) fn new(slots: &'a Slots, blocks: usize, terminals: usize) -> Self {
        Self { slots, terminals, ready: vec![0; blocks * terminals] }
    }

    /// Runs both passes. Transfers of the same step move in the order of their `keys`. With `delays`, the first pass is
    /// skipped. `None` once `is_stopped`: then the transfers are no schedule.
    pub(super) fn run(
        &mut self,
        routes: &Routes,
        transfers: &mut Transfers,
        keys: &[u32],
        delays: bool,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<()> {
        if !delays {
            reverse(transfers);
            self.pass(routes, transfers, keys, true, is_stopped)?;
            reverse(transfers);
        }
        self.pass(routes, transfers, keys, false, is_stopped)
    }

    /// Moves all transfers to the earliest step that their inputs allow. `backwards`: time and routes are reversed.
    fn pass(
        &mut self,
        routes: &Routes,
        transfers: &mut Transfers,
        keys: &[u32],
        backwards: bool,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<()> {
        self.ready.fill(0);
        let mut table = Timetable::<u128>::new(self.slots);
        let mut order: Vec<(u32, u32, u32)> =
            (0u32..).zip(&transfers.0).map(|(index, transfer)| (transfer.step, keys[index as usize], index)).collect();
        order.sort_unstable();
        let mut place = 0;
        for at_once in order.chunk_by(|(step, ..), (next, ..)| step == next) {
            for &(_, _, index) in at_once {
                if place % TRANSFERS_PER_CHECK == 0 && is_stopped() {
                    return None;
                }
                place += 1;
                let transfer = &mut transfers.0[index as usize];
                let [from, _] = self.places(routes, transfer, backwards);
                let slots = routes.slots(transfer.route);
                transfer.step = table.first_free(slots.iter().copied(), self.ready[from]);
                for &slot in slots {
                    table.occupy(slot, transfer.step);
                }
            }
            // Two terminals that exchange their sums do not wait for each other.
            for &(_, _, index) in at_once {
                let transfer = &transfers.0[index as usize];
                let [_, to] = self.places(routes, transfer, backwards);
                self.ready[to] = self.ready[to].max(transfer.step + 1);
            }
        }
        Some(())
    }

    /// Returns the places of the ends of a transfer in `ready`.
    fn places(&self, routes: &Routes, transfer: &BlockTransfer, backwards: bool) -> [usize; 2] {
        let [mut from, mut to] = routes.ends(transfer.route);
        if backwards {
            (from, to) = (to, from);
        }
        [from, to].map(|rank| transfer.block as usize * self.terminals + rank as usize)
    }
}

/// Reverses the steps.
fn reverse(transfers: &mut Transfers) {
    let steps = transfers.step_count();
    for transfer in &mut transfers.0 {
        transfer.step = steps - 1 - transfer.step;
    }
}
