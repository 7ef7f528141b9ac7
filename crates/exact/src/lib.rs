//! Exact decisions: a schedule of a given number of steps, or a proof that there is none, by a solver of propositional
//! formulas.
//!
//! [`decide`] writes down, as a propositional formula, that a schedule exists. Then a solver searches for a model of the
//! formula. If there is none, it returns a proof. [`check_refutation`] checks the proof without the solver.
//!
//! ```
//! use lockstep_exact::{Decision, check_refutation, decide};
//! use lockstep_schedule::{Collective, CommunicationModel, Problem, verify};
//! use lockstep_topology::Topology;
//!
//! let path: Topology = "mesh:1x3".parse()?;
//! let all_reduce = Collective::all_reduce();
//! let problem = Problem::new(&path, &all_reduce, CommunicationModel::wormhole())?;
//!
//! let mut work = 1_000_000;
//! let Decision::Infeasible { proof, size } = decide(&problem, 3, &mut work, &|| false)? else { panic!() };
//! check_refutation(&problem, 3, size, &proof)?;
//! let Decision::Schedule(schedule) = decide(&problem, 4, &mut work, &|| false)? else { panic!() };
//! assert_eq!(verify(&problem, &schedule)?.steps, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - The *formula* has a variable for every transfer of a message over a path in a step, and variables for what every
//!   terminal holds after every step. `docs/bounds.md` of Lockstep states its clauses.
//! - A *proof* is a list of clauses. Each follows from the formula and those before it by unit propagation, and the last one
//!   is empty.
//! - Problems are distributions or all-reduces. A collecting phase is time-reversed first.
//! - The work is limited by the number of literals that the solver assigns. Large problems are refused.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | decide whether a schedule has a number of steps | [`decide`], with the feature `solver` |
//! | check a proof that none has | [`check_refutation`] |
//! | state another formula, and search for its models | [`Formula`], [`Solver`], [`check_proof`] |

mod all_reduce;
mod clausal_core;
#[cfg(feature = "solver")]
mod decision;
mod distribution;
mod encoding;
mod error;
mod formula;
mod formula_size;
mod literal;
mod network;
mod propagation;
mod refutation;
mod routes;
#[cfg(feature = "solver")]
mod solver;
mod transfers;

#[cfg(feature = "solver")]
pub use decision::{Decision, decide};
pub use error::ExactError;
pub use formula::Formula;
pub use formula_size::FormulaSize;
pub use literal::Literal;
pub use refutation::{check_proof, check_refutation};
#[cfg(feature = "solver")]
pub use solver::{Solver, SolverAnswer};
