//! What the benchmarks measure with: known schedules of any size, and random individuals.
//!
//! Not here: the measurements, which are `benches/`, one file a subject. `cargo bench -p lockstep-bench` runs them all,
//! `cargo bench -p lockstep-bench --bench search` one of them.
//!
//! ```
//! use lockstep_bench::exclusive_or_exchange;
//! use lockstep_schedule::{Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let omega: Topology = "omega:16".parse()?;
//! let exchange = Collective::all_to_all_scatter();
//! let problem = Problem::new(&omega, &exchange, CommunicationModel::wormhole())?;
//! let schedule = exclusive_or_exchange(&problem)?;
//! assert_eq!(verify(&problem, &schedule)?.steps, 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod individual;
mod schedules;

pub use individual::random_genes;
pub use schedules::{exclusive_or_exchange, gray_code_all_gather};
