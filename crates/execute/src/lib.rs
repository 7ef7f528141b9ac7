//! Executes collective communication programs of other tools: data races, deadlocks, wrong results.
//!
//! [`load`] reads a program with the grammar and the limits of the runtime that will load it. [`execute`] runs its threads
//! with real data, in many orders, and compares every chunk of every output. This crate needs no GPU, and shares no code
//! with the crate that writes these formats.
//!
//! ```
//! use lockstep_execute::{ExecuteOptions, Format, Runtime, execute, load};
//!
//! let goal = "num_ranks 2\nrank 0 {\nsend 8b to 1 tag 0\n}\nrank 1 {\nrecv 8b from 0 tag 0\n}\n";
//! let programs = load(goal.as_bytes(), Format::Goal, Runtime::Rccl)?;
//! let execution = execute(&programs[0], ExecuteOptions { orders: 8, seed: 1 })?;
//! assert_eq!(execution.instructions, 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Model
//!
//! A [`ParallelProgram`] has threads with instructions, which run in order. An instruction receives a message from a queue,
//! reads chunks, adds them, writes the sum and sends it, or does some of this. It waits while its queue is empty or full, and
//! for other threads. A queue has one sender, one receiver and a capacity in messages: two in MSCCL XML.
//!
//! # What is checked
//!
//! - The file: syntax, indexes and the limits of the runtime.
//! - The order: every program runs in several orders of its threads. If all threads wait, the error lists who waits for whom.
//! - Races: vector clocks find two accesses to a chunk, one of them a write, that nothing orders.
//! - Data: a chunk is a sum of contributions `(rank, chunk)`. After the end, every chunk of every output must be the right sum.
//! - Messages: sizes agree, and every message is received.
//!
//! GOAL and htsim have messages without contents; only order and messages are checked there.
//!
//! [`trace`] returns the transfers of an execution, with the values that they carry and what each instruction waits for.

mod clocks;
mod collective;
mod error;
mod execute;
mod format;
mod machine;
mod program;
mod runtime;
mod trace;
mod values;

pub use error::{FilePlace, LoadError, LoadProblem, Violation, Waiting};
pub use execute::{ExecuteOptions, Execution, RaceCheck, execute, execute_until, trace};
pub use format::{Format, TableCollective, detect, load, load_table, load_traces};
pub use program::{
    Address, BufferName, Contribution, Contributors, FileStep, Instruction, Names, Output, ParallelProgram, Place,
    Queue, Thread, Wait,
};
pub use runtime::Runtime;
pub use trace::{Event, Trace, TracedTransfer};
pub use values::TracedValue;
