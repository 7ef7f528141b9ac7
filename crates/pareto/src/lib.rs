//! Multi-objective evolutionary optimisation: Pareto fronts, hypervolume, NSGA-II, SMS-EMOA and NSGA-III.
//!
//! This crate contains no particular problem, no file formats and no stopping rule. The caller decides how many
//! generations to run.
//!
//! ```
//! use lockstep_pareto::{
//!     Elites, EqualPoints, Evolution, EvolutionOptions, MultiObjectiveProblem, SelectionAlgorithm, Sense,
//! };
//! use rand::RngExt;
//! use rand_chacha::ChaCha8Rng;
//!
//! /// A knapsack: the most valuable of eight items in the least volume, at most 20 litres.
//! struct Knapsack;
//!
//! const VALUES: [f64; 8] = [9.0, 4.0, 7.0, 1.0, 8.0, 3.0, 5.0, 6.0];
//! const LITRES: [f64; 8] = [5.0, 2.0, 3.0, 1.0, 9.0, 2.0, 2.0, 4.0];
//!
//! impl MultiObjectiveProblem for Knapsack {
//!     type Genome = [bool; 8];
//!     type Scratch = ();
//!
//!     fn senses(&self) -> &[Sense] {
//!         &[Sense::Maximise, Sense::Minimise]
//!     }
//!     fn scratch(&self) {}
//!     fn random(&self, random: &mut ChaCha8Rng) -> Self::Genome {
//!         random.random()
//!     }
//!     fn cross(&self, child: &mut Self::Genome, mate: &Self::Genome, random: &mut ChaCha8Rng) {
//!         let cut = random.random_range(0..8);
//!         child[cut..].copy_from_slice(&mate[cut..]);
//!     }
//!     fn mutate(&self, genome: &mut Self::Genome, random: &mut ChaCha8Rng) {
//!         genome[random.random_range(0..8)] ^= true;
//!     }
//!     fn evaluate(&self, genome: &Self::Genome, (): &mut (), _: &mut ChaCha8Rng, scores: &mut [f64]) -> bool {
//!         let total = |of: &[f64; 8]| of.iter().zip(genome).filter(|(_, packed)| **packed).map(|(value, _)| value).sum();
//!         (scores[0], scores[1]) = (total(&VALUES), total(&LITRES));
//!         scores[1] <= 20.0
//!     }
//! }
//!
//! let options = EvolutionOptions {
//!     algorithm: SelectionAlgorithm::Nsga2,
//!     population: 30,
//!     crossover: 0.8,
//!     mutation: 0.8,
//!     seed: 1,
//!     elites: Elites::Keep,
//!     equal_points: EqualPoints::Remove,
//! };
//! let mut evolution = Evolution::new(&Knapsack, options)?;
//! for _ in 0..50 {
//!     evolution.advance()?;
//! }
//! let most_valuable = evolution.front(EqualPoints::Remove).map(|one| one.scores[0]).fold(0.0, f64::max);
//! assert_eq!(most_valuable, 35.0);
//! # Ok::<(), lockstep_pareto::EvolutionError>(())
//! ```
//!
//! # Concepts
//!
//! - A point *dominates* another if it is not worse in any objective and better in at least one. The *front* is the set
//!   of non-dominated points.
//! - The *hypervolume* is the volume that the points dominate, bounded by a reference point.
//! - Results depend only on the seed, not on the number of threads.
//!
//! # Entry points
//!
//! - [`MultiObjectiveProblem`] defines genomes, their variation and their scores.
//! - [`Evolution`] searches for the front of a problem. [`EvolutionState`] saves and resumes it.
//! - [`Points`] computes the front, ranks, crowding distances and hypervolume of given scores.

mod algorithm;
mod buffer_pool;
mod costs;
mod crowding;
mod error;
mod evolution;
mod evolution_state;
mod hypervolume;
mod limits;
mod nsga2;
mod nsga3;
mod offspring;
mod options;
mod points;
mod problem;
mod ranks;
mod score;
mod selection;
mod sms_emoa;
mod staircase;
#[cfg(test)]
mod strategy;

pub use algorithm::{SelectionAlgorithm, UnknownAlgorithm};
pub use error::EvolutionError;
pub use evolution::{Evolution, Individual};
pub use evolution_state::EvolutionState;
pub use limits::{MAX_ATTEMPTS, MAX_HYPERVOLUME_OBJECTIVES, MAX_OBJECTIVES, MAX_POPULATION};
pub use offspring::Child;
pub use options::{Elites, EqualPoints, EvolutionOptions};
pub use points::{Points, PointsError};
pub use problem::MultiObjectiveProblem;
pub use score::{MAX_SCORE, Sense};
