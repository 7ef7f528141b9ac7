//! Executions in many orders.

use crate::clocks::Clocks;
use crate::error::Violation;
use crate::machine::{Observers, Order, run};
use crate::program::ParallelProgram;
use crate::trace::{Recorder, Trace};
use crate::values::Values;

/// What to execute.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecuteOptions {
    /// Number of orders of the threads, at least 1: first thread first, last thread first, then random orders. In every second
    /// one of them, a random thread runs only if no other thread can.
    pub orders: u32,
    /// Seed of the random orders and of the data.
    pub seed: u64,
}

/// Whether data races were searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaceCheck {
    /// All accesses to memory are ordered.
    NoRace,
    /// The program has no memory.
    NoMemory,
    /// The program has too many threads for vector clocks.
    TooManyThreads,
}

/// A right execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Execution {
    /// Number of instructions.
    pub instructions: usize,
    /// Number of orders in which they ran.
    pub orders: u32,
    /// Number of chunks of all outputs. Each was compared after every order.
    pub outputs: usize,
    /// Whether data races were searched.
    pub races: RaceCheck,
}

/// Executes a program in several orders of its threads.
///
/// Each order takes `O(I log T + C)` time for `I` instructions of `T` threads on `C` chunks. The search for races takes
/// `O(I T)` time once, because the queues order the same events in every execution.
///
/// # Errors
///
/// The first violation: of the first order, then a data race, then of the other orders.
pub fn execute(program: &ParallelProgram, options: ExecuteOptions) -> Result<Execution, Violation> {
    execute_until(program, options, &|| false)
}

/// Executes as [`execute`], until `is_over` returns true before an order. The first order is always executed, so that every
/// program has a verdict; [`Execution::orders`] is the number of those that were.
///
/// # Errors
///
/// As [`execute`].
pub fn execute_until(
    program: &ParallelProgram,
    options: ExecuteOptions,
    is_over: &dyn Fn() -> bool,
) -> Result<Execution, Violation> {
    let (mut races, mut orders) = (RaceCheck::NoMemory, 0);
    for index in 0..options.orders.max(1) {
        if index > 0 && is_over() {
            break;
        }
        orders = index + 1;
        let mut values = Values::new(program.rank_count, options.seed);
        let mut clocks = (index == 0 && !program.memory.is_empty()).then(|| Clocks::new(program)).flatten();
        if index == 0 && !program.memory.is_empty() {
            races = if clocks.is_some() { RaceCheck::NoRace } else { RaceCheck::TooManyThreads };
        }
        let observers = Observers { clocks: clocks.as_mut(), recorder: None };
        run(program, order(program, index, options.seed), &mut values, observers)?;
        let late = clocks.as_ref().and_then(|clocks| clocks.late_output(program));
        if let Some(race) = clocks.and_then(|clocks| clocks.race()) {
            return Err(Violation::Race {
                address: program.address_name(race.address),
                first: program.instruction_name(race.first.thread, race.first.instruction),
                second: program.instruction_name(race.second.thread, race.second.instruction),
            });
        }
        if let Some((address, write)) = late {
            return Err(Violation::Race {
                address: program.address_name(address),
                first: program.instruction_name(write.thread, write.instruction),
                second: "the end of its rank".to_owned(),
            });
        }
    }
    let (instructions, outputs) = (program.instruction_count(), program.outputs.len());
    Ok(Execution { instructions, orders, outputs, races })
}

/// Executes a program once, first thread first, and returns its transfers.
///
/// Takes the time and memory of one order of [`execute`].
///
/// # Errors
///
/// The first violation.
pub fn trace(program: &ParallelProgram) -> Result<Trace, Violation> {
    let mut values = Values::new(program.rank_count, 0);
    let mut recorder = Recorder::new(program);
    run(program, Order::First, &mut values, Observers { clocks: None, recorder: Some(&mut recorder) })?;
    Ok(recorder.into_trace(program, values.origins()))
}

/// Returns the order of a number.
fn order(program: &ParallelProgram, index: u32, seed: u64) -> Order {
    let seed = seed.wrapping_add(u64::from(index));
    match index {
        0 => Order::First,
        1 => Order::Last,
        _ if index.is_multiple_of(2) => Order::Random { seed },
        // Consecutive multiples of an odd constant visit threads far apart.
        _ => Order::Starved { seed, thread: index.wrapping_mul(0x9E37_79B1) % (program.threads.len() as u32).max(1) },
    }
}
