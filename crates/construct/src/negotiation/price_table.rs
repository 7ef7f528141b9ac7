//! Uses and prices of all slots in all steps.

use crate::kit::capacities::{Capacities, SlotId};

/// The price of a use above the capacity.
const OVERUSE_PRICE: u32 = 64;

/// By how much the price of an overused slot grows each time.
const PRICE_RISE: u32 = 12;

/// The highest rise of a price.
const MAX_RISE: u32 = 1 << 20;

/// How often each slot is used in each step, and the price of one more use. More uses than the capacity are allowed, but
/// expensive.
///
/// Memory: 8 bytes per slot and step.
pub(crate) struct PriceTable<'a> {
    capacities: &'a Capacities,
    steps: u32,
    /// By slot and step.
    cells: Vec<Cell>,
}

/// A slot in one step.
#[derive(Clone, Copy, Default)]
struct Cell {
    uses: u32,
    /// How much more expensive the cell has become because it was overused.
    rise: u32,
}

impl<'a> PriceTable<'a> {
    /// Returns the size of a table in bytes.
    pub(crate) fn bytes(capacities: &Capacities, steps: u32) -> u64 {
        (capacities.len() as u64 * size_of::<Cell>() as u64).saturating_mul(u64::from(steps))
    }

    /// Creates a table without uses.
    pub(crate) fn new(capacities: &'a Capacities, steps: u32) -> Self {
        Self { capacities, steps, cells: vec![Cell::default(); capacities.len() * steps as usize] }
    }

    #[inline]
    fn place(&self, slot: SlotId, step: u32) -> usize {
        slot as usize * self.steps as usize + step as usize
    }

    /// Returns the price of a transfer that uses these slots. It is at least the number of slots.
    #[inline]
    pub(crate) fn price(&self, slots: &[SlotId], step: u32) -> u32 {
        let of_slot = |price: u32, &slot: &SlotId| {
            let cell = self.cells[self.place(slot, step)];
            let overuse = (cell.uses + 1).saturating_sub(self.capacities.of(slot));
            price.saturating_add(1 + cell.rise).saturating_add(overuse.saturating_mul(OVERUSE_PRICE))
        };
        slots.iter().fold(0, of_slot)
    }

    /// Returns true if all slots have room for one more use.
    #[inline]
    pub(crate) fn is_free(&self, slots: &[SlotId], step: u32) -> bool {
        slots.iter().all(|&slot| self.cells[self.place(slot, step)].uses < self.capacities.of(slot))
    }

    pub(crate) fn add(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let place = self.place(slot, step);
            self.cells[place].uses += 1;
        }
    }

    pub(crate) fn remove(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let place = self.place(slot, step);
            self.cells[place].uses -= 1;
        }
    }

    /// Returns true if one of the slots has more uses than its capacity.
    #[inline]
    pub(crate) fn is_overused(&self, slots: &[SlotId], step: u32) -> bool {
        slots.iter().any(|&slot| self.cells[self.place(slot, step)].uses > self.capacities.of(slot))
    }

    /// Raises the prices of those of the slots that are overused.
    pub(crate) fn raise(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let (place, capacity) = (self.place(slot, step), self.capacities.of(slot));
            let cell = &mut self.cells[place];
            if cell.uses > capacity {
                cell.rise = (cell.rise + PRICE_RISE).min(MAX_RISE);
            }
        }
    }

    /// Takes back all rises of prices.
    pub(crate) fn reset_prices(&mut self) {
        self.cells.iter_mut().for_each(|cell| cell.rise = 0);
    }
}
