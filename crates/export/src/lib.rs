//! Collective communication schedules as files and programs for runtimes and simulators.
//!
//! [`lower`] converts a verified schedule to a [`Program`]: for every rank its buffers and an ordered list of sends, receives
//! and local operations, with their dependencies. All formats are written from it. This crate does not find schedules.
//!
//! ```
//! use lockstep_export::{Connections, Export, ExportOptions, Placement, Runtime, format_named};
//! use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
//! use lockstep_topology::Topology;
//!
//! let pair: Topology = "ring:2".parse()?;
//! let all_gather = Collective::all_gather();
//! let problem = Problem::new(&pair, &all_gather, CommunicationModel::store_and_forward())?;
//! let mut schedule = Schedule::new();
//! schedule.begin_step();
//! for (message, channel) in [0, 1].into_iter().zip(pair.channels()) {
//!     schedule.push(MessageId::new(message), &[channel]);
//! }
//! let options = ExportOptions {
//!     placement: Placement::InPlace,
//!     connections: Connections::Direct,
//!     runtime: Runtime::Rccl,
//!     bytes: 4096,
//!     sizes: [0, 0],
//! };
//! let goal = format_named("goal").expect("a format");
//! let files = goal.write(&Export { problem, schedule: &schedule, options })?;
//! assert!(files[0].contents.starts_with(b"// all-gather on ring:2, 2048 bytes per chunk"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Ranks
//!
//! The ranks are the working terminals of the network in ascending node number. Switches and failed nodes have no rank.
//!
//! # Buffers
//!
//! Every rank has an input, an output and scratch memory, in chunks of the same size. `P` is the number of ranks, `c` the
//! number of chunks of a message, `q` a chunk, `i` the rank that sends it and `j` the rank that receives it. All formats
//! have the same layout:
//!
//! | collective | input | output | in place |
//! |---|---|---|---|
//! | broadcast | root: `i[q]` | `o[q]` | input is the output |
//! | scatter | root: `i[j·c+q]` | `o[q]` | root: output is its part of the input |
//! | gather | `i[q]` | root: `o[i·c+q]` | root: input is its part of the output |
//! | reduce | `i[q]` | root: `o[q]` | root: input is the output |
//! | all-gather | `i[q]` | `o[i·c+q]` | input is the own part of the output |
//! | all-to-all | `i[j·c+q]` | `o[i·c+q]` | input is the output |
//! | reduce-scatter | `i[j·c+q]` | `o[q]` | output is the own part of the input |
//! | all-reduce | `i[m]` | `o[m]` | input is the output |
//!
//! An all-reduce has `P·c` messages `m`, or one per block. A list of messages has no name: its input contains the
//! messages that the rank sends, its output those that it receives, in ascending order. It is always out of place.
//!
//! In place, the two buffers are one: the larger one, or the output if they are equal. The other one has size 0. Only the
//! input of a program out of place is never written. Scratch memory holds relayed messages and partial sums for other ranks;
//! its slots are used again from the step after their last use.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | write a format | [`format_named`], [`Format::write`] |
//! | list the formats | [`FORMATS`] |
//! | get the operations of all ranks | [`lower`] |
//! | fill and check buffers | [`contents`] |
//! | find the collective of a library | [`standard_collective`] |

mod contents;
mod dependencies;
mod error;
mod export;
mod format;
mod layout;
mod lower;
mod program;
mod scratch;
mod timeline;
mod trace;

pub use contents::{Contents, Place, contents};
pub use error::{ExportError, LowerError};
pub use export::{Export, ExportFile, ExportOptions, Format, Runtime, standard_collective};
pub use format::{CollectionPlan, FORMATS, format_chosen, format_named};
pub use lower::{Connections, LowerOptions, lower};
pub use program::{
    Action, Buffer, BufferSizes, Combine, Operation, Placement, Program, ProgramTransfer, RankProgram, Receives, Slot,
};
