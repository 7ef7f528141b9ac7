//! Checkpoints of a search: stop anywhere, go on as if nothing had happened.

use lockstep_envelope::{EnvelopeError, decode, encode, open, seal};
use serde::{Deserialize, Serialize};

use crate::space::SearchSpace;
use crate::state::Evaluator;
use crate::umda::{Individual, Umda, UmdaOptions};

const MAGIC: [u8; 8] = *b"lockumda";
const VERSION: u32 = 1;

/// Why a checkpoint cannot be gone on from.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// Truncated, altered, or no checkpoint at all.
    #[error("the checkpoint cannot be read: {0}")]
    Envelope(#[from] EnvelopeError),
    /// It belongs to another problem, number of steps, seed or other parameters.
    #[error("the checkpoint belongs to another {what}; delete it, or ask for what it was made for")]
    Mismatch {
        /// What differs.
        what: &'static str,
    },
    /// Its contents cannot come from a search.
    #[error("the checkpoint contradicts itself: {what}; delete it")]
    Inconsistent {
        /// The contradiction.
        what: &'static str,
    },
}

/// Everything that decides how a search goes on.
#[derive(Serialize, Deserialize)]
struct Record {
    fingerprint: u64,
    options: UmdaOptions,
    generation: u64,
    effort: u64,
    evaluations: u64,
    population: Vec<Individual>,
    offspring: Vec<Individual>,
}

impl<'a> Umda<'a> {
    /// The search as bytes, to be given to [`resume`](Self::resume). About 6 bytes a delivery and individual.
    pub fn checkpoint(&self) -> Vec<u8> {
        let record = Record {
            fingerprint: self.space.fingerprint(),
            options: self.options,
            generation: self.generation,
            effort: self.effort,
            evaluations: self.evaluations,
            population: self.population.clone(),
            offspring: self.offspring.clone(),
        };
        seal(MAGIC, VERSION, &encode(&record))
    }

    /// The search that [`checkpoint`](Self::checkpoint) wrote; it ends in the very schedule that it would have found
    /// without the interruption.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`], if the bytes are not a checkpoint of this space with these options.
    pub fn resume(space: &'a SearchSpace<'a>, options: UmdaOptions, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let record: Record = decode(open(MAGIC, VERSION, bytes)?)?;
        let fresh = Self::new(space, options);
        if record.fingerprint != space.fingerprint() {
            return Err(CheckpointError::Mismatch { what: "problem or number of steps" });
        }
        if record.options != fresh.options {
            return Err(CheckpointError::Mismatch { what: "seed or parameters" });
        }
        let size = fresh.options.population;
        let expected = if record.generation == 0 { [0, size] } else { [size, size / 2] };
        if record.population.len() != expected[0] || record.offspring.len() >= expected[1] {
            return Err(CheckpointError::Inconsistent { what: "the number of individuals" });
        }
        let mut evaluator = Evaluator::new(space);
        for individual in record.population.iter().chain(&record.offspring) {
            let genes = &individual.genes;
            let legal = genes.len() == space.delivery_count()
                && genes.iter().enumerate().all(|(delivery, gene)| {
                    gene.step < space.step_count() && space.candidates(delivery).contains(&gene.path)
                });
            if !legal || evaluator.conflicts(genes) != individual.conflicts {
                return Err(CheckpointError::Inconsistent { what: "an individual" });
            }
        }
        let Record { generation, effort, evaluations, population, offspring, .. } = record;
        Ok(Self { generation, population, offspring, effort, evaluations, ..fresh })
    }
}
