//! Tables of choices for communication libraries: which of the algorithms of a library is best on a network, for every size.
//!
//! MPI and NCCL libraries have several algorithms per collective, and choose one by the size and the number of ranks. They do not
//! know the network. This crate computes the times of their algorithms on a network, and writes the table that the library reads.
//! It does not find new schedules.
//!
//! ```
//! use lockstep_schedule::{CollectiveName, Ports};
//! use lockstep_topology::Topology;
//! use lockstep_tune::{Library, Network, RoundCosts, TuneOptions, tune};
//!
//! let torus: Topology = "torus:4x4".parse()?;
//! let torus = torus.with_times(25_000_000_000, 1_000_000)?; // 25 GB/s and 1 us
//! let costs = RoundCosts { start_up_ps: 1_000_000, ports: Ports::All };
//! let network = Network::new(&torus, torus.terminals(), costs)?;
//! let options = TuneOptions {
//!     library: Library::OpenMpi,
//!     collectives: vec![CollectiveName::AllReduce],
//!     sizes: [1 << 10, 1 << 30],
//!     root: 0,
//!     channels: 16,
//! };
//! let tuning = tune(&network, &options)?;
//! assert_eq!(tuning.tables[0].best(1 << 10).algorithm, "recursive_doubling");
//! print!("{}", lockstep_tune::write(&tuning));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *round* is messages that are sent at the same time. An [`Algorithm`](algorithm::Algorithm) is rounds, in one or more parts.
//! - A *choice* is an algorithm of a library with its parameters: segment size, fan-out, or protocol and channels.
//! - A *range* is the sizes for which one choice takes the least time.

mod agreement;
pub mod algorithm;
mod blocks;
mod cost;
#[cfg(test)]
mod cost_tests;
mod curve;
mod library;
mod library_times;
mod network;
mod reader;
mod rounds;
mod rule_time;
mod table;
mod tuning;

pub use agreement::{ComparedCell, MeasuredCell, compare};
pub use blocks::Blocks;
pub use curve::{Curve, MAX_BYTES};
pub use library::{Library, LibraryAlgorithm, LibraryCollective, UnknownLibrary};
pub use library_times::{AlgorithmPrediction, LibraryTimes, LibraryTimesError, Ranks};
pub use network::{Network, NetworkError, RoundCosts};
pub use reader::{Communicator, ReadCollective, ReadRange, Rule, TableError, TableReading};
pub use rounds::{Effect, Message, Phase, Round, Rounds, Segments};
pub use rule_time::rule_time;
pub use table::{MergeError, merge_into_mpich, write};
pub use tuning::{Choice, ChoiceRange, ChoiceTable, MAX_RANKS, TuneError, TuneOptions, Tuning, Unsupported, tune};
