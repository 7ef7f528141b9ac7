//! Exhaustive search for tiny all-reduces: it finds a schedule of a given number of steps, or shows that there is none and
//! counts the states that it visited.
//!
//! ```
//! use lockstep_exhaustion::{Exhaustion, exhaust_all_reduce};
//! use lockstep_schedule::{Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let path: Topology = "mesh:1x3".parse()?;
//! let all_reduce = Collective::all_reduce();
//! let problem = Problem::new(&path, &all_reduce, CommunicationModel::wormhole())?;
//!
//! assert!(matches!(exhaust_all_reduce(&problem, 3)?, Exhaustion::Infeasible { .. }));
//! let Exhaustion::Schedule(schedule) = exhaust_all_reduce(&problem, 4)? else { panic!() };
//! assert_eq!(verify(&problem, &schedule)?.steps, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A *state* is what all terminals hold of all messages: for each of them, a set of contributions. It is a number of 128
//!   bits, so the terminals times the members of all messages must be at most 128.
//! - A step is tried with all sets of transfers that bring something new. States that cannot be better than another one, or
//!   from which the end is out of reach, are left out; `docs/bounds.md` of Lockstep has the proof.
//! - The work is limited by a constant, a fraction of a second. Larger problems are refused.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | search for an all-reduce of a number of steps | [`exhaust_all_reduce`] |

mod enumeration;
mod error;
mod routes;
mod search;
mod step;

pub use error::ExhaustionError;
pub use search::{Exhaustion, exhaust_all_reduce};
