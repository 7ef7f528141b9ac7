//! What the benchmarks measure with: problems from specs, schedules without search, and random individuals.
//!
//! Not here: the measurements, which are `benches/`, one file a subject. `cargo bench -p lockstep-bench` runs them all,
//! `cargo bench -p lockstep-bench --bench search` one of them.
//!
//! ```
//! use lockstep_bench::{Question, constructed};
//! use lockstep_schedule::{CommunicationModel, verify};
//!
//! let question = Question::new("omega:16", "aas", CommunicationModel::wormhole());
//! let problem = question.problem();
//! assert_eq!(verify(&problem, &constructed(&problem))?.steps, 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod individual;
mod question;

pub use individual::random_genes;
pub use question::{Question, constructed};
