//! Checkpoints: an interrupted search continues with the same result.

use lockstep_files::FileError;
use serde::{Deserialize, Serialize};

use crate::evolution::{Algorithm, Evolution, FIRST_EFFORT, Individual, MAX_EFFORT};
use crate::space::SearchSpace;
use crate::state::Evaluator;

/// The reason why a checkpoint cannot be resumed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The bytes are truncated, altered, or not a checkpoint.
    #[error("the checkpoint cannot be read: {0}")]
    File(#[from] FileError),
    /// The checkpoint belongs to another problem, number of steps, seed or set of parameters.
    #[error("the checkpoint belongs to another {what}; delete it, or run the search that it belongs to")]
    Mismatch {
        /// The part that differs.
        what: &'static str,
    },
    /// The contents cannot come from a search.
    #[error("the checkpoint contradicts itself: {what}; delete it")]
    Inconsistent {
        /// The contradiction.
        what: &'static str,
    },
}

/// The contents of a checkpoint: everything on which the rest of the search depends.
#[derive(Serialize, Deserialize)]
struct CheckpointRecord<A> {
    fingerprint: u64,
    options: A,
    generation: u64,
    effort: u64,
    evaluations: u64,
    population: Vec<Individual>,
    offspring: Vec<Individual>,
}

impl<'a, A: Algorithm> Evolution<'a, A> {
    /// Returns the search as bytes for [`resume`](Self::resume).
    ///
    /// The size is 2 to 6 bytes per delivery and individual if there are fewer than 65,536 paths and steps, and at most
    /// 10.
    pub fn checkpoint(&self) -> Vec<u8> {
        let record = CheckpointRecord {
            fingerprint: self.space.fingerprint(),
            options: self.options,
            generation: self.generation,
            effort: self.effort,
            evaluations: self.evaluations,
            population: self.population.clone(),
            offspring: self.offspring.clone(),
        };
        A::CHECKPOINT_KIND.seal(&record)
    }

    /// Restores the search that [`checkpoint`](Self::checkpoint) saved. It finds the same schedule as without the
    /// interruption.
    ///
    /// # Errors
    ///
    /// [`CheckpointError`] if the bytes are not a checkpoint of this space with these options.
    pub fn resume(space: &'a SearchSpace<'a>, options: A, bytes: &[u8]) -> Result<Self, CheckpointError> {
        let record: CheckpointRecord<A> = A::CHECKPOINT_KIND.open(bytes)?;
        let fresh = Self::new(space, options);
        if record.fingerprint != space.fingerprint() {
            return Err(CheckpointError::Mismatch { what: "problem or number of steps" });
        }
        if record.options != fresh.options {
            return Err(CheckpointError::Mismatch { what: "seed or parameters" });
        }
        let size = fresh.options.population();
        let expected = if record.generation == 0 { [0, size] } else { [size, size / 2] };
        if record.population.len() != expected[0] || record.offspring.len() >= expected[1] {
            return Err(CheckpointError::Inconsistent { what: "the number of individuals" });
        }
        if !record.population.is_sorted_by_key(|individual| individual.conflicts) {
            return Err(CheckpointError::Inconsistent { what: "the order of individuals" });
        }
        if !(FIRST_EFFORT..=MAX_EFFORT).contains(&record.effort) {
            return Err(CheckpointError::Inconsistent { what: "the effort" });
        }
        let mut evaluator = Evaluator::new(space);
        for Individual { genes, conflicts } in record.population.iter().chain(&record.offspring) {
            if !space.is_admissible(genes) || evaluator.conflicts(genes) != *conflicts {
                return Err(CheckpointError::Inconsistent { what: "an individual" });
            }
        }
        let CheckpointRecord { generation, effort, evaluations, population, offspring, .. } = record;
        Ok(Self { generation, population, offspring, effort, evaluations, ..fresh })
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;

    use super::*;
    use crate::engine::candidate_paths;
    use crate::space::Gene;
    use crate::umda::{Umda, UmdaOptions};

    /// Resumes a checkpoint that `forge` has changed, with a correct checksum.
    fn forged(forge: impl FnOnce(&mut Umda)) -> Result<(), CheckpointError> {
        let omega: Topology = "omega:8".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&omega, &all_gather, CommunicationModel::wormhole()).unwrap();
        let table = candidate_paths(&problem).unwrap();
        let space = SearchSpace::new(problem, &table, 7).unwrap();
        let options = UmdaOptions::published(1);
        let mut umda = Umda::new(&space, options);
        // Cancelled during the fourth generation, so that there are parents and offspring.
        let budget = Budget::unlimited();
        umda.run(&budget, |umda| {
            if umda.generation == 3 && !umda.offspring.is_empty() {
                budget.cancel();
            }
        })
        .unwrap_err();
        forge(&mut umda);
        Umda::resume(&space, options, &umda.checkpoint()).map(drop)
    }

    fn inconsistent(what: &'static str) -> Result<(), CheckpointError> {
        Err(CheckpointError::Inconsistent { what })
    }

    #[test]
    fn an_unchanged_checkpoint_is_accepted() {
        assert_eq!(forged(|_| {}), Ok(()));
    }

    #[test]
    fn individuals_outside_the_space_are_refused() {
        let first = |gene: fn(Gene) -> Gene| {
            move |umda: &mut Umda| umda.offspring[0].genes[0] = gene(umda.offspring[0].genes[0])
        };
        let an_individual = inconsistent("an individual");
        assert_eq!(forged(first(|gene| Gene { path: u32::MAX, ..gene })), an_individual);
        assert_eq!(forged(first(|gene| Gene { step: 7, ..gene })), an_individual);
        assert_eq!(forged(|umda| umda.population[5].genes.clear()), an_individual);
        assert_eq!(forged(|umda| umda.population[5].genes.swap(0, 1)), an_individual);
        assert_eq!(forged(|umda| umda.population[0].conflicts = 0), an_individual);
    }

    #[test]
    fn messages_sent_before_they_arrive_are_refused() {
        // Every delivery takes place in the first step.
        let too_early = |umda: &mut Umda| {
            let mut evaluator = Evaluator::new(umda.space);
            let Individual { genes, conflicts } = &mut umda.offspring[0];
            for gene in genes.iter_mut() {
                gene.step = 0;
            }
            *conflicts = evaluator.conflicts(genes);
        };
        assert_eq!(forged(too_early), inconsistent("an individual"));
    }

    #[test]
    fn impossible_populations_are_refused() {
        assert_eq!(forged(|umda| umda.population.truncate(59)), inconsistent("the number of individuals"));
        assert_eq!(forged(|umda| umda.generation = 0), inconsistent("the number of individuals"));
        let grow = |umda: &mut Umda| umda.offspring = umda.population[..30].to_vec();
        assert_eq!(forged(grow), inconsistent("the number of individuals"));
        assert_eq!(forged(|umda| umda.population.reverse()), inconsistent("the order of individuals"));
    }

    #[test]
    fn efforts_out_of_range_are_refused() {
        assert_eq!(forged(|umda| umda.effort = u64::MAX), inconsistent("the effort"));
        assert_eq!(forged(|umda| umda.effort = 0), inconsistent("the effort"));
    }
}
