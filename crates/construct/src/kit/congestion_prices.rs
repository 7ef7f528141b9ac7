//! The price of one more use of a slot.

use lockstep_model::SlotId;
use rand::{Rng, RngExt};

/// The price of a slot at its limit.
pub(crate) const FULL: u64 = 1 << 32;

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

/// The number of bits of the noise that breaks ties among prices.
const NOISE_BITS: u32 = 12;

/// The capacity of a slot without a limit. Its load and its price stay 0.
pub(crate) const UNLIMITED: u32 = u32::MAX;

/// The load of every slot, and prices that rise with it.
///
/// Invariant: `price` follows from `load`, `surcharge` and `limit` after each [`add`](Self::add),
/// [`remove`](Self::remove) and [`set_limit`](Self::set_limit).
#[derive(Debug)]
pub(crate) struct CongestionPrices<'a> {
    /// The uses per step of each slot, or [`UNLIMITED`].
    capacity: &'a [u32],
    load: Vec<u32>,
    price: Vec<u64>,
    /// The surcharge of slots that were over the limit before.
    surcharge: Vec<u64>,
    /// The limit of the load, in steps.
    limit: u32,
    /// The price by the number of steps below the limit.
    table: Vec<u64>,
}

impl<'a> CongestionPrices<'a> {
    pub(crate) fn new(capacity: &'a [u32]) -> Self {
        let slots = capacity.len();
        Self {
            capacity,
            load: vec![0; slots],
            price: vec![0; slots],
            surcharge: vec![0; slots],
            limit: 0,
            table: vec![FULL],
        }
    }

    /// Sets the limit in steps. `width` steps below the limit, a price is less than half.
    pub(crate) fn set_limit(&mut self, limit: u32, width: u32) {
        self.limit = limit;
        let fall = |price: &u64| Some(price - price / u64::from(width + 1) - 1).filter(|&price| price > LEAST);
        self.table.clear();
        self.table.extend(std::iter::successors(Some(FULL), fall).take(limit as usize + 1));
        (0..self.capacity.len()).for_each(|slot| self.update(slot));
    }

    /// Raises the surcharge of overloaded slots and decays old surcharges.
    pub(crate) fn update_surcharges(&mut self) {
        for slot in 0..self.capacity.len() {
            self.surcharge[slot] -= self.surcharge[slot] / DECAY;
            self.surcharge[slot] += if self.is_over(slot as SlotId) { SURCHARGE } else { 0 };
        }
    }

    #[inline]
    fn update(&mut self, slot: usize) {
        let (load, capacity) = (self.load[slot], self.capacity[slot]);
        if capacity == UNLIMITED {
            return;
        }
        let steps = if capacity == 1 { load } else { load / capacity };
        let price = match self.limit.checked_sub(steps) {
            Some(left) => self.table[(left as usize).min(self.table.len() - 1)],
            None => FULL << (OVER_BITS * (steps - self.limit).min(MAX_OVER_BITS / OVER_BITS)),
        };
        let price = price + self.surcharge[slot];
        self.price[slot] = if capacity == 1 { price } else { price / u64::from(capacity) };
    }

    /// Returns the price of one more use of a slot.
    #[inline]
    pub(crate) fn of(&self, slot: SlotId) -> u64 {
        self.price[slot as usize]
    }

    /// Adds one use of a slot.
    #[inline]
    pub(crate) fn add(&mut self, slot: SlotId) {
        if self.capacity[slot as usize] != UNLIMITED {
            self.load[slot as usize] += 1;
            self.update(slot as usize);
        }
    }

    /// Removes one use of a slot.
    #[inline]
    pub(crate) fn remove(&mut self, slot: SlotId) {
        if self.capacity[slot as usize] != UNLIMITED {
            self.load[slot as usize] -= 1;
            self.update(slot as usize);
        }
    }

    /// Returns true if a slot takes more steps than the limit.
    #[inline]
    pub(crate) fn is_over(&self, slot: SlotId) -> bool {
        u64::from(self.load[slot as usize]) > u64::from(self.limit) * u64::from(self.capacity[slot as usize])
    }

    /// Returns the number of slots that take more steps than the limit.
    pub(crate) fn over_count(&self) -> usize {
        (0..self.capacity.len() as SlotId).filter(|&slot| self.is_over(slot)).count()
    }

    /// Returns the number of steps that the most loaded slot takes.
    pub(crate) fn steps(&self) -> u32 {
        self.load.iter().zip(self.capacity).map(|(load, &capacity)| load.div_ceil(capacity)).max().unwrap_or(0)
    }
}

/// Random extra costs of the channels in one search, which break ties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TieNoise {
    salt: u64,
}

impl TieNoise {
    pub(crate) fn new(rng: &mut impl Rng) -> Self {
        Self { salt: rng.random() }
    }

    #[inline]
    pub(crate) fn of(self, channel: u32) -> u64 {
        // Fibonacci hashing.
        (self.salt ^ u64::from(channel)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - NOISE_BITS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_rise_with_the_load() {
        let capacity = [1, 2, UNLIMITED];
        let mut prices = CongestionPrices::new(&capacity);
        prices.set_limit(3, 1);
        for _ in 0..5 {
            let before = [0, 1, 2].map(|slot| prices.of(slot));
            (0..3).for_each(|slot| prices.add(slot));
            assert!(prices.of(0) > before[0] && prices.of(1) >= before[1] && prices.of(2) == 0, "{before:?}");
        }
        assert_eq!((prices.steps(), prices.over_count()), (5, 1));
        assert!(prices.is_over(0) && !prices.is_over(1) && !prices.is_over(2));
        (0..3).for_each(|slot| prices.remove(slot));
        assert_eq!(prices.steps(), 4);
    }

    #[test]
    fn surcharges_rise_while_a_slot_is_over_its_limit_and_decay_afterwards() {
        let capacity = [1];
        let mut prices = CongestionPrices::new(&capacity);
        let price_over = |prices: &mut CongestionPrices<'_>, limit| {
            prices.update_surcharges();
            prices.set_limit(limit, 1);
            prices.of(0)
        };
        prices.add(0);
        let first = price_over(&mut prices, 0);
        let second = price_over(&mut prices, 0);
        assert!(second > first);
        let free = price_over(&mut prices, 1);
        assert!(price_over(&mut prices, 1) < free);
    }
}
