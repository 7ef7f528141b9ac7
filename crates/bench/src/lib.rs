//! Helpers of the benchmarks: problems from specs, schedules by construction, and random individuals.
//!
//! The measurements are in `benches/`, one file per subject. `cargo bench -p lockstep-bench` runs all of them, and
//! `cargo bench -p lockstep-bench --bench search` runs one.
//!
//! ```
//! use lockstep_bench::{ProblemInstance, constructed};
//! use lockstep_schedule::{CommunicationModel, verify};
//!
//! let instance = ProblemInstance::new("omega:16", "aas", CommunicationModel::wormhole());
//! let problem = instance.problem();
//! assert_eq!(verify(&problem, &constructed(&problem))?.steps, 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod problem_instance;
mod random_genes;

pub use problem_instance::{ProblemInstance, constructed};
pub use random_genes::random_genes;
