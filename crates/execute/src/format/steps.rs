//! Programs of formats with synchronized steps: all sends of a step begin before any of them arrives.

use std::collections::{BTreeMap, BTreeSet};

use crate::error::{FilePlace, LoadError};
use crate::program::{
    Address, BufferName, Contribution, Contributors, CountedTwice, FileStep, Instruction, Names, Output,
    ParallelProgram, Place, Queue, Thread,
};

pub(super) const NAMES: Names = Names { thread: "", place: "step" };

/// Maximum size of the sets of contributors of all sums, in words of 64 ranks.
const MAX_WORDS: usize = 1 << 24;

/// One value that moves from one rank to another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Send {
    pub(super) address: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

/// The sends of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Step {
    /// The number in the file, and the width.
    pub(super) step: FileStep,
    pub(super) sends: Vec<Send>,
}

/// A schedule in steps. An address is a value; in a sum, the contributions of all ranks have the same one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct StepSchedule {
    pub(super) title: String,
    pub(super) rank_count: u32,
    pub(super) steps: Vec<Step>,
    /// The values before the first step, by rank and address.
    pub(super) inputs: BTreeMap<(u32, u32), Contribution>,
    /// The values after the last step, by rank and address.
    pub(super) outputs: BTreeMap<(u32, u32), Contributors>,
}

impl StepSchedule {
    /// Returns the program: one thread per rank, which sends before it receives in every step.
    pub(super) fn program(self, place: impl Into<FilePlace>) -> Result<ParallelProgram, LoadError> {
        let mut program = ParallelProgram::new(self.title.clone(), NAMES, self.rank_count);
        let addresses = self.memory(&mut program);
        let mut sums = self.sums(&addresses, place.into())?;
        program.steps = self.steps.iter().map(|step| step.step).collect();
        program.threads = (0..self.rank_count).map(|rank| Thread::new(rank, 0)).collect();
        let mut queues = BTreeMap::new();
        for (number, step) in (0..).zip(&self.steps) {
            let (mut queues_of_step, mut sent) = (Vec::with_capacity(step.sends.len()), Vec::new());
            for &Send { address, from, to } in &step.sends {
                let queue = *queues.entry((from, to)).or_insert_with(|| {
                    let (sender, receiver) = (Some(from), Some(to));
                    program.queues.push(Queue { from, to, sender, receiver, capacity: usize::MAX });
                    program.queues.len() as u32 - 1
                });
                let source = addresses[&(from, address)];
                let reads = [Some(source), None];
                let instruction =
                    Instruction { place: number, reads, send: Some(queue), size: 1, ..Instruction::default() };
                program.threads[from as usize].push(instruction, &[]);
                queues_of_step.push(queue);
                sent.push(Sent { target: addresses[&(to, address)], set: sums.of(source) });
            }
            let Arrivals { effects, twice } = sums.receive(&sent);
            if let (None, Some((arrival, rank))) = (&program.counted_twice, twice) {
                let Send { address, to, .. } = step.sends[arrival];
                program.counted_twice = Some(CountedTwice {
                    thread: to,
                    // All receives of the step have the same place.
                    instruction: program.threads[to as usize].instructions().len() as u32,
                    address: sent[arrival].target,
                    contribution: Contribution { rank, chunk: address },
                });
            }
            for (((&Send { to, .. }, queue), &Sent { target, .. }), effect) in
                step.sends.iter().zip(queues_of_step).zip(&sent).zip(effects)
            {
                let (write, adds) = match effect {
                    Effect::Replaces => (Some(target), false),
                    Effect::Adds => (Some(target), true),
                    Effect::BringsNothing => (None, false),
                };
                let reads = [write.filter(|_| adds), None];
                let instruction = Instruction {
                    place: number,
                    receive: Some(queue),
                    reads,
                    write,
                    size: 1,
                    ..Instruction::default()
                };
                program.threads[to as usize].push(instruction, &[]);
            }
        }
        Ok(program)
    }

    /// Adds the memory, in the order of ranks and addresses, and returns its addresses.
    fn memory(&self, program: &mut ParallelProgram) -> BTreeMap<(u32, u32), Address> {
        let mut slots: BTreeSet<(u32, u32)> = self.inputs.keys().chain(self.outputs.keys()).copied().collect();
        let sends = self.steps.iter().flat_map(|step| &step.sends);
        slots.extend(sends.flat_map(|send| [(send.from, send.address), (send.to, send.address)]));
        for (start, &(rank, number)) in (0..).zip(&slots) {
            program.memory.push(self.inputs.get(&(rank, number)).copied());
            program.places.push(Place { rank, buffer: BufferName::Address, start, size: 1, number });
            if let Some(&contributors) = self.outputs.get(&(rank, number)) {
                program.outputs.push(Output { address: start, contributors });
            }
        }
        slots.into_iter().zip(0..).collect()
    }

    /// Returns the sets of contributors at the start.
    fn sums(&self, addresses: &BTreeMap<(u32, u32), Address>, place: FilePlace) -> Result<Sums, LoadError> {
        let is_sum = self.outputs.values().any(|one| matches!(one, Contributors::AllRanks { .. }));
        if !is_sum {
            return Ok(Sums { words: 0, sets: Vec::new() });
        }
        let words = (self.rank_count as usize).div_ceil(64);
        let amount = words.saturating_mul(addresses.len());
        if amount > MAX_WORDS {
            let runtime = ("this program", "use fewer ranks or addresses");
            return Err(LoadError::limit(place, runtime, "words of sets of contributors", amount, MAX_WORDS));
        }
        let mut sets = vec![0; amount];
        for (slot, contribution) in &self.inputs {
            sets[addresses[slot] as usize * words + contribution.rank as usize / 64] |= 1 << (contribution.rank % 64);
        }
        Ok(Sums { words, sets })
    }
}

/// A value that arrives in a step: its address at the receiver, and its set of contributors.
struct Sent {
    target: Address,
    set: Vec<u64>,
}

/// The effect of an arriving value.
#[derive(Clone, Copy)]
enum Effect {
    Replaces,
    Adds,
    BringsNothing,
}

/// What the arrivals of a step do.
struct Arrivals {
    effects: Vec<Effect>,
    /// An arrival that counts a contribution twice, and the rank of the contribution.
    twice: Option<(usize, u32)>,
}

/// The contributors of the values of all addresses; without sums, no value has a set.
struct Sums {
    words: usize,
    sets: Vec<u64>,
}

impl Sums {
    fn of(&self, source: Address) -> Vec<u64> {
        self.sets[source as usize * self.words..][..self.words].to_vec()
    }

    /// Takes the arrivals of a step, in any order. At each address, the arriving sums and the present one are added if no two
    /// of them share a contribution. Otherwise, an arriving sum that contains all others replaces the present one. Anything
    /// else counts a contribution twice. These are the rules of `lockstep_schedule::verify`.
    fn receive(&mut self, sent: &[Sent]) -> Arrivals {
        let mut arrivals = Arrivals { effects: vec![Effect::Replaces; sent.len()], twice: None };
        if self.words == 0 {
            return arrivals;
        }
        let mut of_target: BTreeMap<Address, Vec<usize>> = BTreeMap::new();
        for (arrival, Sent { target, .. }) in sent.iter().enumerate() {
            of_target.entry(*target).or_default().push(arrival);
        }
        for (target, group) in of_target {
            let present = &mut self.sets[target as usize * self.words..][..self.words];
            let is_empty = present.iter().all(|&word| word == 0);
            let (mut union, mut repeated) = (present.to_vec(), vec![0; self.words]);
            for &arrival in &group {
                for ((union, repeated), &word) in union.iter_mut().zip(&mut repeated).zip(&sent[arrival].set) {
                    *repeated |= *union & word;
                    *union |= word;
                }
            }
            let first_repeated = repeated.iter().position(|&word| word != 0);
            let containing = group.iter().find(|&&arrival| sent[arrival].set == union);
            match (first_repeated, containing) {
                (Some(_), Some(&containing)) => {
                    for &arrival in &group {
                        arrivals.effects[arrival] = Effect::BringsNothing;
                    }
                    arrivals.effects[containing] = Effect::Replaces;
                }
                (found, _) => {
                    // Nothing is added to memory that nothing has written.
                    for &arrival in group.iter().skip(usize::from(is_empty)) {
                        arrivals.effects[arrival] = Effect::Adds;
                    }
                    let rank = found.map(|word| word as u32 * 64 + repeated[word].trailing_zeros());
                    arrivals.twice = arrivals.twice.or(rank.map(|rank| (group[0], rank)));
                }
            }
            present.copy_from_slice(&union);
        }
        arrivals
    }
}
