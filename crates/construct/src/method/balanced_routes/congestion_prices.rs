//! The price of one more use of a channel.

use super::terminal_graph::TerminalGraph;
use crate::kit::capacities::SlotId;

/// The price of a slot at its limit.
pub(super) const FULL: u64 = 1 << 32;

/// The minimum price.
const LEAST: u64 = 1 << 14;

/// The bits by which each step over the limit lengthens a price.
const OVER_BITS: u32 = 2;

/// The maximum number of bits by which a price is lengthened.
const MAX_OVER_BITS: u32 = 12;

/// The surcharge for a slot that is over the limit in one round.
const SURCHARGE: u64 = FULL / 4;

/// Each round, a surcharge decays by one part in this number.
const DECAY: u64 = 16;

/// The load of every slot, and prices that rise with it.
///
/// Invariant: `price` follows from `load`, `surcharge` and `limit` after each [`add`](Self::add),
/// [`remove`](Self::remove) and [`set_limit`](Self::set_limit).
#[derive(Debug)]
pub(super) struct CongestionPrices<'a> {
    graph: &'a TerminalGraph,
    load: Vec<u32>,
    /// The price of each slot. The price of the unlimited slot stays 0.
    price: Vec<u64>,
    /// The surcharge of slots that were over the limit before.
    surcharge: Vec<u64>,
    /// The limit of the load, in steps.
    limit: u32,
    /// The price by the number of steps below the limit.
    table: Vec<u64>,
}

impl<'a> CongestionPrices<'a> {
    pub(super) fn new(graph: &'a TerminalGraph) -> Self {
        let slots = graph.slot_count() + 1;
        Self {
            graph,
            load: vec![0; slots],
            price: vec![0; slots],
            surcharge: vec![0; slots],
            limit: 0,
            table: vec![FULL],
        }
    }

    /// Sets the limit in steps. `width` steps below the limit, a price is less than half.
    pub(super) fn set_limit(&mut self, limit: u32, width: u32) {
        self.limit = limit;
        let fall = |price: &u64| Some(price - price / u64::from(width + 1) - 1).filter(|&price| price > LEAST);
        self.table.clear();
        self.table.extend(std::iter::successors(Some(FULL), fall).take(limit as usize + 1));
        (0..self.graph.slot_count() as SlotId).for_each(|slot| self.update(slot));
    }

    /// Raises the surcharge of overloaded slots and decays old surcharges.
    pub(super) fn update_surcharges(&mut self) {
        for slot in 0..self.graph.slot_count() {
            self.surcharge[slot] -= self.surcharge[slot] / DECAY;
            self.surcharge[slot] += if self.is_over(slot as SlotId) { SURCHARGE } else { 0 };
        }
    }

    fn update(&mut self, slot: SlotId) {
        let (load, capacity) = (self.load[slot as usize], self.graph.capacity(slot));
        let steps = load / capacity;
        let price = match self.limit.checked_sub(steps) {
            Some(left) => self.table[(left as usize).min(self.table.len() - 1)],
            None => FULL << (OVER_BITS * (steps - self.limit).min(MAX_OVER_BITS / OVER_BITS)),
        };
        self.price[slot as usize] = (price + self.surcharge[slot as usize]) / u64::from(capacity);
    }

    /// Returns the price of a channel with the ports at its ends.
    #[inline]
    pub(super) fn of(&self, channel: u32) -> u64 {
        self.graph.slots(channel).iter().map(|&slot| self.price[slot as usize]).sum()
    }

    /// Adds one use of a channel.
    pub(super) fn add(&mut self, channel: u32) {
        for slot in self.graph.slots(channel) {
            if self.graph.is_limited(slot) {
                self.load[slot as usize] += 1;
                self.update(slot);
            }
        }
    }

    /// Removes one use of a channel.
    pub(super) fn remove(&mut self, channel: u32) {
        for slot in self.graph.slots(channel) {
            if self.graph.is_limited(slot) {
                self.load[slot as usize] -= 1;
                self.update(slot);
            }
        }
    }

    /// Returns true if a slot takes more steps than the limit.
    #[inline]
    fn is_over(&self, slot: SlotId) -> bool {
        u64::from(self.load[slot as usize]) > u64::from(self.limit) * u64::from(self.graph.capacity(slot))
    }

    /// Returns true if a channel or a port at its ends takes more steps than the limit.
    #[inline]
    pub(super) fn is_congested(&self, channel: u32) -> bool {
        self.graph.slots(channel).iter().any(|&slot| self.is_over(slot))
    }

    /// Returns the number of slots that take more steps than the limit.
    pub(super) fn over_count(&self) -> usize {
        (0..self.graph.slot_count() as SlotId).filter(|&slot| self.is_over(slot)).count()
    }

    /// Returns the number of steps that the most loaded slot takes.
    pub(super) fn steps(&self) -> u32 {
        let slots = 0..self.graph.slot_count() as SlotId;
        slots.map(|slot| self.load[slot as usize].div_ceil(self.graph.capacity(slot))).max().unwrap_or(0)
    }
}
