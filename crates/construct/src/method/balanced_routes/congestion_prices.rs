//! What one more use of a channel costs.

use super::terminal_graph::TerminalGraph;
use crate::kit::capacities::SlotId;

/// The price of a slot that is used as often as it may be.
pub(super) const FULL: u64 = 1 << 32;

/// The least price.
const LEAST: u64 = 1 << 14;

/// Each use past the limit makes a price so many bits longer, up to a number of bits.
const OVER_BITS: u32 = 2;
const MOST_BITS: u32 = 12;

/// What a slot past the limit pays more from now on, and which part of that is forgiven each time.
const GRUDGE: u64 = FULL / 4;
const FORGIVEN: u64 = 16;

/// Uses of all slots, and prices that rise with them.
#[derive(Debug)]
pub(super) struct CongestionPrices<'a> {
    network: &'a TerminalGraph,
    load: Vec<u32>,
    /// The last one, of what never runs out, stays 0.
    price: Vec<u64>,
    /// What was past the limit before is dearer.
    grudge: Vec<u64>,
    /// The steps to stay within.
    limit: u32,
    /// CongestionPrices by the steps that are left to the limit.
    table: Vec<u64>,
}

impl<'a> CongestionPrices<'a> {
    pub(super) fn new(network: &'a TerminalGraph) -> Self {
        let slots = network.slot_count() + 1;
        Self {
            network,
            load: vec![0; slots],
            price: vec![0; slots],
            grudge: vec![0; slots],
            limit: 0,
            table: vec![FULL],
        }
    }

    /// Sets the steps to stay within; so many steps below, prices are less than half.
    pub(super) fn aim(&mut self, limit: u32, width: u32) {
        self.limit = limit;
        let fall = |price: &u64| Some(price - price / u64::from(width + 1) - 1).filter(|&price| price > LEAST);
        self.table.clear();
        self.table.extend(std::iter::successors(Some(FULL), fall).take(limit as usize + 1));
        (0..self.network.slot_count() as SlotId).for_each(|slot| self.update(slot));
    }

    /// Makes what is past the limit dearer, and forgives some of what was.
    pub(super) fn remember(&mut self) {
        for slot in 0..self.network.slot_count() {
            self.grudge[slot] -= self.grudge[slot] / FORGIVEN;
            self.grudge[slot] += if self.is_over(slot as SlotId) { GRUDGE } else { 0 };
        }
    }

    fn update(&mut self, slot: SlotId) {
        let (load, capacity) = (self.load[slot as usize], self.network.capacity(slot));
        let steps = load / capacity;
        let price = match self.limit.checked_sub(steps) {
            Some(left) => self.table[(left as usize).min(self.table.len() - 1)],
            None => FULL << (OVER_BITS * (steps - self.limit).min(MOST_BITS / OVER_BITS)),
        };
        self.price[slot as usize] = (price + self.grudge[slot as usize]) / u64::from(capacity);
    }

    /// The price of a channel with the ports at its ends.
    #[inline]
    pub(super) fn of(&self, channel: u32) -> u64 {
        self.network.slots(channel).iter().map(|&slot| self.price[slot as usize]).sum()
    }

    pub(super) fn add(&mut self, channel: u32) {
        for slot in self.network.slots(channel) {
            if self.network.is_limit(slot) {
                self.load[slot as usize] += 1;
                self.update(slot);
            }
        }
    }

    pub(super) fn remove(&mut self, channel: u32) {
        for slot in self.network.slots(channel) {
            if self.network.is_limit(slot) {
                self.load[slot as usize] -= 1;
                self.update(slot);
            }
        }
    }

    /// Whether a slot takes more steps than the limit.
    #[inline]
    fn is_over(&self, slot: SlotId) -> bool {
        u64::from(self.load[slot as usize]) > u64::from(self.limit) * u64::from(self.network.capacity(slot))
    }

    /// Whether a channel or a port at its ends takes more steps than the limit.
    #[inline]
    pub(super) fn is_crowded(&self, channel: u32) -> bool {
        self.network.slots(channel).iter().any(|&slot| self.is_over(slot))
    }

    /// Number of slots that take more steps than the limit.
    pub(super) fn over_count(&self) -> usize {
        (0..self.network.slot_count() as SlotId).filter(|&slot| self.is_over(slot)).count()
    }

    /// The steps that the fullest slot takes.
    pub(super) fn steps(&self) -> u32 {
        let slots = 0..self.network.slot_count() as SlotId;
        slots.map(|slot| self.load[slot as usize].div_ceil(self.network.capacity(slot))).max().unwrap_or(0)
    }
}
