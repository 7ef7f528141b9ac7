//! Uses and prices of all slots in all steps.

use lockstep_model::{SlotId, Slots};

/// The price of a use above the capacity.
const OVERUSE_PRICE: u32 = 64;

/// By how much the price of an overused slot grows each time.
const PRICE_RISE: u32 = 12;

/// The highest rise of a price.
const MAX_RISE: u32 = 1 << 20;

/// The highest price of a slot, and the highest cost of the steps to a root.
const MAX_PRICE: u32 = 1 << 30;

/// Number of steps whose prices are added together.
const STEPS_AT_ONCE: u32 = 16;

/// How often each slot is used in each step, and the price of one more use. More uses than the capacity are allowed, but
/// expensive.
///
/// Memory: 12 bytes per slot and step.
pub(crate) struct PriceTable<'a> {
    slots: &'a Slots,
    steps: u32,
    /// By slot and step, as all tables here.
    uses: Vec<u32>,
    /// How much more expensive a slot has become in each step because it was overused.
    rises: Vec<u32>,
    /// The price of one more use.
    prices: Vec<u32>,
}

/// The steps in which a transfer may take place, and their costs.
#[derive(Clone, Copy)]
pub(crate) struct StepChoice {
    /// The steps before this one in a tree towards the root, otherwise those from this one on.
    pub(crate) time: u32,
    pub(crate) is_towards_root: bool,
    /// The time at the root. Each step between it and the transfer costs `step_cost`.
    pub(crate) root_time: u32,
    pub(crate) step_cost: u32,
    /// Higher costs are of no interest.
    pub(crate) limit: u32,
}

impl<'a> PriceTable<'a> {
    /// Returns the size of a table in bytes.
    pub(crate) fn bytes(slots: &Slots, steps: u32) -> u64 {
        (slots.len() as u64 * 3 * size_of::<u32>() as u64).saturating_mul(u64::from(steps))
    }

    /// Creates a table without uses.
    pub(crate) fn new(slots: &'a Slots, steps: u32) -> Self {
        let cells = slots.len() * steps as usize;
        let mut table = Self { slots, steps, uses: vec![0; cells], rises: vec![0; cells], prices: vec![0; cells] };
        table.reset_prices();
        table
    }

    #[inline]
    fn place(&self, slot: SlotId, step: u32) -> usize {
        slot as usize * self.steps as usize + step as usize
    }

    /// Computes the price of one more use of a slot at this place.
    #[inline]
    fn set_price(&mut self, slot: SlotId, place: usize) {
        let overuse = (self.uses[place] + 1).saturating_sub(self.slots.capacity(slot));
        self.prices[place] =
            (1 + self.rises[place]).saturating_add(overuse.saturating_mul(OVERUSE_PRICE)).min(MAX_PRICE);
    }

    /// Returns the price of a transfer that uses these slots. It is at least the number of slots.
    #[inline]
    pub(crate) fn price(&self, slots: &[SlotId], step: u32) -> u32 {
        slots.iter().fold(0, |price: u32, &slot| price.saturating_add(self.prices[self.place(slot, step)]))
    }

    /// Returns the smallest cost of a transfer that uses these slots, and the first step at this cost; `None` if there is no
    /// step at the limit or below. The cost is the price and that of the steps to the root. A step may cost
    /// [this](Self::highest_step_cost) at most.
    pub(crate) fn cheapest(&self, slots: &[SlotId], choice: StepChoice) -> Option<(u32, u32)> {
        let StepChoice { time, is_towards_root, root_time, step_cost, limit } = choice;
        let steps = if is_towards_root { 0..time } else { time..self.steps };
        let mut best: Option<(u32, u32)> = None;
        let mut left = steps;
        while !left.is_empty() {
            // The nearest steps to the root first.
            let count = STEPS_AT_ONCE.min(left.end - left.start);
            let first = if is_towards_root { left.end - count } else { left.start };
            let nearest = if is_towards_root { left.end - 1 } else { left.start };
            let lowest = slots.len() as u32 + step_cost * nearest.abs_diff(root_time);
            if lowest > limit || best.is_some_and(|(least, _)| lowest > least) {
                break;
            }
            let mut costs = [0u32; STEPS_AT_ONCE as usize];
            let costs = &mut costs[..count as usize];
            for (cost, step) in costs.iter_mut().zip(first..) {
                *cost = step_cost * step.abs_diff(root_time);
            }
            for &slot in slots {
                let row = &self.prices[self.place(slot, first)..][..count as usize];
                costs.iter_mut().zip(row).for_each(|(cost, &price)| *cost = cost.saturating_add(price));
            }
            let least = costs.iter().copied().min().unwrap_or(u32::MAX);
            let is_better = |&(before, step): &(u32, u32)| (least, first) < (before, step);
            if best.as_ref().is_none_or(is_better) {
                best = costs.iter().position(|&cost| cost == least).map(|place| (least, first + place as u32));
            }
            left = if is_towards_root { left.start..first } else { first + count..left.end };
        }
        best.filter(|&(cost, _)| cost <= limit)
    }

    /// Returns the highest cost of a step to the root: all steps together are no more expensive than a slot may be.
    pub(crate) fn highest_step_cost(&self) -> u32 {
        MAX_PRICE / self.steps.max(1)
    }

    pub(crate) fn add(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let place = self.place(slot, step);
            self.uses[place] += 1;
            self.set_price(slot, place);
        }
    }

    pub(crate) fn remove(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let place = self.place(slot, step);
            self.uses[place] -= 1;
            self.set_price(slot, place);
        }
    }

    /// Returns true if one of the slots has more uses than its capacity.
    #[inline]
    pub(crate) fn is_overused(&self, slots: &[SlotId], step: u32) -> bool {
        slots.iter().any(|&slot| self.uses[self.place(slot, step)] > self.slots.capacity(slot))
    }

    /// Raises the prices of those of the slots that are overused.
    pub(crate) fn raise(&mut self, slots: &[SlotId], step: u32) {
        for &slot in slots {
            let place = self.place(slot, step);
            if self.uses[place] > self.slots.capacity(slot) {
                self.rises[place] = (self.rises[place] + PRICE_RISE).min(MAX_RISE);
                self.set_price(slot, place);
            }
        }
    }

    /// Takes back all rises of prices.
    pub(crate) fn reset_prices(&mut self) {
        self.rises.fill(0);
        for slot in 0..self.slots.len() as SlotId {
            for step in 0..self.steps {
                self.set_price(slot, self.place(slot, step));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;
    use crate::kit::task::SchedulingTask;

    proptest! {
        /// The cheapest step is that of a scan of all steps, across the rows of steps that are added at once.
        #[test]
        fn the_cheapest_step_is_that_of_a_scan(
            uses in prop::collection::vec((0..4u32, 0..50u32), 0..300), time in 0..=50u32,
            is_towards_root: bool, step_cost in 0..100u32, delay in 0..50u32, limit in prop_oneof![0..500u32, Just(u32::MAX)],
        ) {
            let ring: Topology = "ring:4".parse().unwrap();
            let all_gather = Collective::all_gather();
            let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
            let task = SchedulingTask::new(&problem).unwrap();
            let slots = task.slots();
            let mut table = PriceTable::new(&slots, 50);
            for (slot, step) in uses {
                table.add(&[slot], step);
                table.raise(&[slot], step);
            }
            let (slots, root_time) = ([0, 2, 3], if is_towards_root { (time + delay).min(50) } else { time.saturating_sub(delay) });
            let steps = if is_towards_root { 0..time } else { time..50 };
            let cost = |step: u32| table.price(&slots, step) + step_cost * step.abs_diff(root_time);
            let expected = steps.map(|step| (cost(step), step)).min().filter(|&(cost, _)| cost <= limit);
            let choice = StepChoice { time, is_towards_root, root_time, step_cost, limit };
            prop_assert_eq!(table.cheapest(&slots, choice), expected);
        }
    }
}
