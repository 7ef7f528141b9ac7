//! Multi-objective evolution of anything: Pareto fronts, hypervolume, NSGA-II, SMS-EMOA and NSGA-III.
//!
//! A [`Problem`] says what a genome is, how it varies and what it is worth; an [`Evolution`] looks for the genomes that
//! no other beats in all objectives. [`Points`] are for those who have scores and want their front, ranks or
//! hypervolume. Not here: any particular problem, files, and budgets; who runs an evolution decides when it is enough.
//!
//! ```
//! use lockstep_pareto::{Algorithm, Elites, EqualPoints, Evolution, EvolutionOptions, Problem, Sense};
//! use rand::RngExt;
//! use rand_chacha::ChaCha8Rng;
//!
//! /// Boxes of few litres that hold many things: which of eight things are packed?
//! struct Packing;
//!
//! const WORTH: [f64; 8] = [9.0, 4.0, 7.0, 1.0, 8.0, 3.0, 5.0, 6.0];
//! const LITRES: [f64; 8] = [5.0, 2.0, 3.0, 1.0, 9.0, 2.0, 2.0, 4.0];
//!
//! impl Problem for Packing {
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
//!         (scores[0], scores[1]) = (total(&WORTH), total(&LITRES));
//!         scores[1] <= 20.0
//!     }
//! }
//!
//! let options = EvolutionOptions {
//!     algorithm: Algorithm::Nsga2,
//!     population: 30,
//!     crossover: 0.8,
//!     mutation: 0.8,
//!     seed: 1,
//!     elites: Elites::Keep,
//!     equal_points: EqualPoints::Remove,
//! };
//! let mut evolution = Evolution::new(&Packing, options)?;
//! for _ in 0..50 {
//!     evolution.advance()?;
//! }
//! let fullest = evolution.front(EqualPoints::Remove).map(|one| one.scores[0]).fold(0.0, f64::max);
//! assert_eq!(fullest, 35.0);
//! # Ok::<(), lockstep_pareto::EvolutionError>(())
//! ```

mod algorithm;
mod breeding;
mod costs;
mod crowding;
mod error;
mod evolution;
mod hypervolume;
mod nsga2;
mod nsga3;
mod options;
mod points;
mod pool;
mod problem;
mod ranks;
mod sense;
mod sms_emoa;
mod stairs;
mod state;
#[cfg(test)]
mod strategy;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use error::EvolutionError;
pub use evolution::{Evolution, Individual};
pub use options::{Elites, EqualPoints, EvolutionOptions, MAX_OBJECTIVES, MAX_POPULATION};
pub use points::{MAX_SCORE, Points, PointsError};
pub use problem::{MAX_ATTEMPTS, Problem};
pub use sense::Sense;
pub use sms_emoa::MAX_HYPERVOLUME_OBJECTIVES;
pub use state::State;
