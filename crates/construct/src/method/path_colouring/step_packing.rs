//! A first colouring of large problems: the steps are filled one after the other.

use std::ops::Range;

use lockstep_model::{Routes, SlotId, Slots, UserTable};
use rand::{Rng, RngExt};

use super::path_dag::PathDags;
use crate::kit::accepted_loss::accepted_loss;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;

/// Marks a message without a step, a slot that displaces no message, and the end of a row.
const NONE: u32 = u32::MAX;

/// The number of exchanges per slot and step.
const EXCHANGES: u64 = 6;

/// The minimum number of exchanges per step.
const MIN_EXCHANGES: u64 = 256;

/// The maximum number of exchanges in all steps, in an attempt of the first round; later rounds make more.
const MAX_EXCHANGES: u64 = 1 << 23;

/// The number of messages that compete for a free slot: at the beginning of a step, and at its end.
const FEWEST_CANDIDATES: u64 = 4;
const MOST_CANDIDATES: u64 = 24;

/// Units of work per candidate and slot of its path.
const WORK: u64 = 1;

/// The value of a slot with the largest load.
const UNIT: i32 = 1 << 10;

/// The value of a slot with a small load.
const LEAST_VALUE: i32 = UNIT / 20;

/// The powers `2^(-n/8)`, in parts of [`UNIT`].
const POWERS: [i32; 8] = [1024, 939, 861, 790, 724, 664, 609, 558];

/// Units of load per use of a slot of capacity one.
const LOAD_UNITS: u64 = 64;

/// The mean loss that is accepted at the beginning of a step.
const FIRST_LOSS: u64 = UNIT as u64 / 3;

/// A slot in the current step.
#[derive(Clone, Copy)]
struct SlotState {
    value: i32,
    /// The user that a further message displaces: one of least worth if the slot is full, [`NONE`] otherwise.
    displaced: u32,
    /// The worth of that user.
    worth: i32,
}

/// Fills the steps of a schedule one after the other.
///
/// Every message has one path. A step begins empty. An exchange takes a slot with a free entry at random, and among some
/// messages that need it the one that gains most: the values of its slots, less those of the messages that it displaces.
/// A loss is accepted with a probability that falls to zero during the step. The value of a slot falls exponentially with
/// the distance of its remaining load to the largest load, so that the loads remain balanced. A message gains more if too
/// many messages of its length remain.
///
/// Memory: 8 bytes per message and slot of the longest path.
pub(super) struct StepPacker<'a> {
    slots: &'a Slots,
    /// A row per message: its step, or [`NONE`]; then the slots of its path, and [`NONE`] behind them.
    rows: Vec<u32>,
    /// The length of a row.
    stride: usize,
    /// The messages of the current step.
    occupancy: UserTable<'a, u8>,
    /// The messages that need each slot; some may be placed in earlier steps.
    needs: Vec<Vec<u32>>,
    /// The number of remaining messages that need each slot.
    load: Vec<u32>,
    /// The slots with a free entry in the current step, and the place of each slot among them.
    open: Vec<SlotId>,
    open_place: Vec<u32>,
    /// The state of each slot in the current step.
    states: Vec<SlotState>,
    /// What a message gains by the number of its slots alone.
    bonus: Vec<i32>,
    /// The number of messages of each length, and of those that remain.
    all_of_length: Vec<u64>,
    left_of_length: Vec<u64>,
}

impl<'a> StepPacker<'a> {
    /// Returns the packer of messages with these paths, before the first step.
    ///
    /// # Errors
    ///
    /// [`MethodError::Unsupported`], if a table would be too large.
    pub(super) fn new(dags: &PathDags, slots: &'a Slots, routes: &Routes) -> Result<Self, MethodError> {
        let stride = dags.longest() + 2;
        let mut rows = vec![NONE; routes.len() * stride];
        let (mut trail, mut needs) = (Vec::new(), vec![Vec::new(); slots.len()]);
        let mut all_of_length = vec![0; dags.longest() + 1];
        for message in 0..routes.len() as u32 {
            let is_known = dags.trace(message, routes.path(message), &mut trail);
            debug_assert!(is_known, "the path of message {message} is in its graph");
            let row = &mut rows[message as usize * stride + 1..];
            for (entry, &arc) in row.iter_mut().zip(&trail) {
                *entry = dags.arc(arc).slot;
                needs[*entry as usize].push(message);
            }
            all_of_length[trail.len()] += 1;
        }
        Ok(Self {
            slots,
            rows,
            stride,
            occupancy: UserTable::new(slots, 1, routes.len() as u32).ok_or(MethodError::Unsupported)?,
            load: needs.iter().map(|messages| messages.len() as u32).collect(),
            needs,
            open: Vec::with_capacity(slots.len()),
            open_place: vec![0; slots.len()],
            states: vec![SlotState { value: 0, displaced: NONE, worth: 0 }; slots.len()],
            bonus: vec![0; all_of_length.len()],
            left_of_length: all_of_length.clone(),
            all_of_length,
        })
    }

    /// Fills steps until all messages are placed. Returns the number of steps.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if more than `last` steps are necessary; [`MethodError::Stopped`], if the budget ends.
    pub(super) fn pack(
        &mut self,
        last: u32,
        effort: u64,
        rng: &mut impl Rng,
        context: &AttemptContext<'_>,
    ) -> Result<u32, MethodError> {
        let mut left = self.all_of_length.iter().sum::<u64>();
        let expected = self.most_load().div_ceil(LOAD_UNITS).max(1);
        let mut step = 0;
        while left > 0 {
            let most = self.most_load();
            if u64::from(step) + most.div_ceil(LOAD_UNITS) > u64::from(last) {
                return Err(MethodError::NoShorter);
            }
            context.check(step)?;
            self.begin_step(most);
            let exchanges =
                (EXCHANGES * self.open.len() as u64).min(MAX_EXCHANGES / expected).max(MIN_EXCHANGES) * effort;
            let work = self.fill_step(step, exchanges, left, rng);
            context.count(work);
            left -= self.end_step();
            step += 1;
        }
        Ok(step)
    }

    /// Returns the load of a slot per use in a step.
    fn scaled_load(&self, slot: usize) -> u64 {
        u64::from(self.load[slot]) * LOAD_UNITS / u64::from(self.slots.capacity(slot as SlotId))
    }

    fn most_load(&self) -> u64 {
        (0..self.load.len()).map(|slot| self.scaled_load(slot)).max().unwrap_or(0)
    }

    /// Opens all slots that remaining messages need, and computes the values of slots and lengths.
    fn begin_step(&mut self, most: u64) {
        self.open.clear();
        for slot in 0..self.load.len() {
            if self.load[slot] > 0 {
                self.open_place[slot] = self.open.len() as u32;
                self.open.push(slot as SlotId);
            }
            // The value is halved at a distance of 7 uses for a load of 1,000, and of 1 use for a load of 100.
            let eighths = 18 * (most - self.scaled_load(slot)) / (50 + most / LOAD_UNITS);
            let power = POWERS[(eighths % 8) as usize] >> (eighths / 8).min(31);
            self.states[slot] = SlotState { value: power.max(LEAST_VALUE), displaced: NONE, worth: 0 };
        }
        // Parts of 2^20.
        let share = |left: u64, all: u64| ((left << 20) / all.max(1)).cast_signed();
        let of_all = share(self.left_of_length.iter().sum(), self.all_of_length.iter().sum());
        let lengths = self.left_of_length.iter().zip(&self.all_of_length);
        for (bonus, (&left, &all)) in self.bonus.iter_mut().zip(lengths) {
            *bonus = ((3 * i64::from(UNIT) * (share(left, all) - of_all)) >> 20) as i32;
        }
    }

    /// Makes exchanges in an empty step, until `left` messages are placed. Returns the units of work.
    fn fill_step(&mut self, step: u32, exchanges: u64, left: u64, rng: &mut impl Rng) -> u64 {
        let (mut work, mut placed, mut displaced) = (0, 0, Vec::new());
        for number in 0..exchanges {
            if self.open.is_empty() || placed == left {
                break;
            }
            let slot = self.open[rng.random_range(0..self.open.len())];
            let candidates = FEWEST_CANDIDATES + (MOST_CANDIDATES - FEWEST_CANDIDATES) * number / exchanges;
            work += WORK * candidates * self.stride as u64;
            let Some((gain, message)) = self.best_candidate(slot, step, candidates, rng, &mut displaced) else {
                continue;
            };
            if -i64::from(gain) > accepted_loss(FIRST_LOSS * (exchanges - number) / exchanges, rng) {
                continue;
            }
            self.gain(message, &mut displaced);
            for &other in &displaced {
                self.remove(other);
            }
            self.place(message, step);
            placed = placed + 1 - displaced.len() as u64;
        }
        work
    }

    /// Returns the largest gain among some messages that need a slot, and the message.
    fn best_candidate(
        &mut self,
        slot: SlotId,
        step: u32,
        candidates: u64,
        rng: &mut impl Rng,
        displaced: &mut Vec<u32>,
    ) -> Option<(i32, u32)> {
        let mut best = None;
        for _ in 0..candidates {
            let needs = &mut self.needs[slot as usize];
            if needs.is_empty() {
                break;
            }
            let place = rng.random_range(0..needs.len());
            let message = needs[place];
            match self.rows[message as usize * self.stride] {
                NONE => {
                    let gain = self.gain(message, displaced);
                    if best.is_none_or(|(most, _)| gain > most) {
                        best = Some((gain, message));
                    }
                }
                placed if placed < step => drop(needs.swap_remove(place)),
                _ => {}
            }
        }
        best
    }

    /// Returns the slots of a message.
    #[inline]
    fn slots(&self, message: u32) -> impl Iterator<Item = SlotId> + use<'_, 'a> {
        let start = message as usize * self.stride;
        let row = &self.rows[start + 1..start + self.stride];
        row.iter().copied().take_while(|&slot| slot != NONE)
    }

    /// Returns the places of a message's slots in all rows.
    fn places_of_slots(&self, message: u32) -> Range<usize> {
        let start = message as usize * self.stride + 1;
        start..start + self.slots(message).count()
    }

    /// Returns the value of a message.
    fn worth(&self, message: u32) -> i32 {
        let values = self.slots(message).map(|slot| self.states[slot as usize].value);
        let (sum, length) = values.fold((0, 0), |(sum, length), value| (sum + value, length + 1));
        sum + self.bonus[length]
    }

    /// Returns the worth of a message less that of the messages that it displaces, and lists these.
    #[inline]
    fn gain(&self, message: u32, displaced: &mut Vec<u32>) -> i32 {
        displaced.clear();
        let (mut gain, mut length) = (0, 0);
        for slot in self.slots(message) {
            let state = self.states[slot as usize];
            gain += state.value;
            length += 1;
            if state.displaced != NONE && !displaced.contains(&state.displaced) {
                displaced.push(state.displaced);
                gain -= state.worth;
            }
        }
        gain + self.bonus[length]
    }

    /// Returns true if the slot has a free entry in the current step.
    #[inline]
    fn is_free(&self, slot: SlotId) -> bool {
        self.occupancy.timetable().is_free(slot, 0)
    }

    /// Finds again the user of a slot that a further message displaces.
    fn update(&mut self, slot: SlotId) {
        let users = if self.is_free(slot) { &[] } else { self.occupancy.users(slot, 0) };
        let of_user = |&user: &u32| (self.worth(user), user);
        let least = users.iter().map(of_user).min_by_key(|&(worth, _)| worth);
        let state = &mut self.states[slot as usize];
        (state.worth, state.displaced) = least.unwrap_or((0, NONE));
    }

    /// Places a message whose slots are not full.
    fn place(&mut self, message: u32, step: u32) {
        for place in self.places_of_slots(message) {
            let slot = self.rows[place];
            self.occupancy.add(slot, 0, message);
            if !self.is_free(slot) {
                let place = self.open_place[slot as usize] as usize;
                self.open.swap_remove(place);
                if let Some(&moved) = self.open.get(place) {
                    self.open_place[moved as usize] = place as u32;
                }
            }
            self.update(slot);
        }
        self.rows[message as usize * self.stride] = step;
    }

    /// Removes a message from the current step.
    fn remove(&mut self, message: u32) {
        for place in self.places_of_slots(message) {
            let slot = self.rows[place];
            if !self.is_free(slot) {
                self.open_place[slot as usize] = self.open.len() as u32;
                self.open.push(slot);
            }
            self.occupancy.remove(slot, 0, message);
            self.update(slot);
        }
        self.rows[message as usize * self.stride] = NONE;
    }

    /// Ends the current step: its messages no longer count. Returns their number.
    fn end_step(&mut self) -> u64 {
        let mut ended = 0;
        for slot in 0..self.load.len() as SlotId {
            while let Some(message) = self.occupancy.users(slot, 0).first().copied() {
                let places = self.places_of_slots(message);
                self.left_of_length[places.len()] -= 1;
                for place in places {
                    let slot = self.rows[place];
                    self.occupancy.remove(slot, 0, message);
                    self.load[slot as usize] -= 1;
                }
                ended += 1;
            }
        }
        ended
    }

    /// Returns the step of each message.
    pub(super) fn steps(&self) -> impl Iterator<Item = u32> {
        self.rows.iter().step_by(self.stride).copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;
    use crate::kit::balanced_paths::balanced_paths;
    use crate::kit::request::MethodRequest;
    use crate::kit::task::SchedulingTask;
    use crate::kit::testing::any_network;
    use crate::method::path_colouring::path_dag::Detours;

    /// Packs an all-to-all on shortest paths, and counts the uses of every slot. Returns the largest load and the number of
    /// steps.
    fn pack(topology: &Topology, model: CommunicationModel, last: u32) -> (u32, Result<u32, MethodError>) {
        let (collective, budget) = (Collective::all_to_all(), Budget::unlimited());
        let problem = Problem::new(topology, &collective, model).unwrap();
        let (task, request) = (SchedulingTask::new(&problem).unwrap(), MethodRequest::first(&problem, &budget));
        let slots = task.slots();
        let dags = PathDags::new(&task, &slots, &Detours::new()).unwrap();
        let outcome = Mutex::new(None);
        let _ = request.best_attempt(|rng, context| {
            let paths = balanced_paths(&task, &slots, 8, rng, context)?;
            let mut packer = StepPacker::new(&dags, &slots, &paths)?;
            let load = packer.most_load().div_ceil(LOAD_UNITS) as u32;
            let steps = packer.pack(last, 1, rng, context);
            let mut uses = vec![0; slots.len() * steps.unwrap_or(0) as usize];
            for (message, step) in (0..).zip(packer.steps()).filter(|_| steps.is_ok()) {
                for slot in packer.slots(message) {
                    let uses = &mut uses[step as usize * slots.len() + slot as usize];
                    *uses += 1;
                    assert!(*uses <= slots.capacity(slot), "message {message} in step {step}");
                }
            }
            *outcome.lock().unwrap() = Some((load, steps));
            Err(MethodError::NoShorter)
        });
        outcome.into_inner().unwrap().unwrap()
    }

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(64))]

        #[test]
        fn no_slot_is_overloaded(topology in any_network(9), ports in 1..=3u32) {
            let model = CommunicationModel { ports: Ports::limit(ports).unwrap(), ..CommunicationModel::wormhole() };
            let (load, packed) = pack(&topology, model, u32::MAX);
            let steps = packed.unwrap();
            prop_assert!(steps >= load);
            prop_assert_eq!(pack(&topology, model, steps), (load, Ok(steps)));
            prop_assert_eq!(pack(&topology, model, steps - 1), (load, Err(MethodError::NoShorter)));
        }
    }

    #[test]
    fn the_steps_of_a_random_network_are_nearly_full() {
        let network: Topology = "random-regular:64,4,1".parse().unwrap();
        let (load, packed) = pack(&network, CommunicationModel::wormhole(), u32::MAX);
        let steps = packed.unwrap();
        assert!(100 * steps <= 106 * load, "{steps} steps for a load of {load}");
    }
}
