//! The state of an evolution between two generations.

use serde::{Deserialize, Serialize};

use crate::error::EvolutionError;
use crate::evolution::Evolution;
use crate::offspring::Child;
use crate::options::EvolutionOptions;
use crate::problem::MultiObjectiveProblem;
use crate::score::invalid_score;

/// The complete state of an [`Evolution`] between two generations.
///
/// Plain data, which may be inconsistent; [`Evolution::resume`] verifies it. It does not identify its problem: a
/// program that writes it to a file must do so.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionState<G> {
    /// The parameters.
    pub options: EvolutionOptions,
    /// Number of generations after the first population.
    pub generation: u64,
    /// Number of evaluated genomes.
    pub evaluations: u64,
    /// Number of infeasible genomes among them.
    pub discarded: u64,
    /// The individuals.
    pub genomes: Vec<G>,
    /// Their scores, one row per individual.
    pub scores: Vec<f64>,
    /// The part of the algorithm's state that depends on earlier generations.
    pub memory: Vec<f64>,
}

impl<'a, P: MultiObjectiveProblem> Evolution<'a, P> {
    /// Returns the state, as an argument of [`resume`](Self::resume). O(size of the population).
    pub fn state(&self) -> EvolutionState<P::Genome> {
        EvolutionState {
            options: self.options,
            generation: self.generation,
            evaluations: self.evaluations,
            discarded: self.discarded,
            genomes: self.genomes.clone(),
            scores: self.scores.clone(),
            memory: self.selection.memory().to_vec(),
        }
    }

    /// Restores the evolution that [`advance_with`](Self::advance_with) passes to `create` from its state there: its
    /// [`children`](Self::children) are the same.
    ///
    /// # Errors
    ///
    /// As [`resume`](Self::resume).
    pub fn resume_within(problem: &'a P, state: EvolutionState<P::Genome>) -> Result<Self, EvolutionError> {
        let mut evolution = Self::resume(problem, state)?;
        evolution.selection.observe(&evolution.costs());
        Ok(evolution)
    }

    /// Returns the reason why a child cannot come from this evolution, if there is one.
    pub fn refusal(&self, child: &Child<P::Genome>) -> Option<String> {
        if child.scores.len() != self.problem.senses().len() || invalid_score(&child.scores).is_some() {
            return Some(format!("scores: {:?}", child.scores));
        }
        if child.attempts == 0 {
            return Some("attempts: 0".to_owned());
        }
        self.problem.check(&child.genome).err()
    }

    /// Resumes an evolution from its [`state`](Self::state).
    ///
    /// The next generations are bit for bit those of the uninterrupted evolution. Scores are not computed again.
    ///
    /// # Errors
    ///
    /// Returns an [`EvolutionError`] if a parameter is out of range or the state is not a state of this problem.
    pub fn resume(problem: &'a P, state: EvolutionState<P::Genome>) -> Result<Self, EvolutionError> {
        let EvolutionState { options, generation, evaluations, discarded, genomes, scores, memory } = state;
        let mut evolution = Self::unpopulated(problem, options)?;
        let inconsistency = |what: String| Err(EvolutionError::State { what });
        let (population, objectives) = (options.population, problem.senses().len());
        if genomes.len() != population {
            return inconsistency(format!("genomes: {} of a population of {population}", genomes.len()));
        }
        if scores.len() != population * objectives {
            return inconsistency(format!(
                "scores: {} of {population} individuals in {objectives} objectives",
                scores.len()
            ));
        }
        if let Some((place, value)) = invalid_score(&scores) {
            return inconsistency(format!("scores: {value} at index {place}"));
        }
        if discarded > evaluations {
            return inconsistency(format!("discarded: {discarded} of {evaluations} evaluations"));
        }
        for (place, genome) in genomes.iter().enumerate() {
            if let Err(reason) = problem.check(genome) {
                return inconsistency(format!("genome {place}: {reason}"));
            }
        }
        if !evolution.selection.restore(&memory) {
            return inconsistency(format!("memory: not a memory of {}", options.algorithm));
        }
        Ok(Self { generation, evaluations, discarded, genomes, scores, ..evolution })
    }
}
