//! An evolution at rest: stop after any generation, go on as if nothing had happened.

use serde::{Deserialize, Serialize};

use crate::error::EvolutionError;
use crate::evolution::Evolution;
use crate::options::EvolutionOptions;
use crate::points::unusable;
use crate::problem::Problem;

/// Everything that decides how an evolution goes on, between two generations.
///
/// Plain data: it may be wrong. Only [`Evolution::resume`] says that it is not. It does not say what problem it belongs
/// to; whoever writes it to a file does.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State<G> {
    /// The parameters.
    pub options: EvolutionOptions,
    /// Number of generations after the first population.
    pub generation: u64,
    /// Number of genomes evaluated.
    pub evaluations: u64,
    /// Number of those that were infeasible.
    pub discarded: u64,
    /// The individuals.
    pub genomes: Vec<G>,
    /// Their scores, individual by individual.
    pub scores: Vec<f64>,
    /// What the algorithm knows of earlier generations.
    pub memory: Vec<f64>,
}

impl<'a, P: Problem> Evolution<'a, P> {
    /// The evolution at rest, to be given to [`resume`](Self::resume).
    pub fn state(&self) -> State<P::Genome> {
        State {
            options: self.options,
            generation: self.generation,
            evaluations: self.evaluations,
            discarded: self.discarded,
            genomes: self.genomes.clone(),
            scores: self.scores.clone(),
            memory: self.selection.memory().to_vec(),
        }
    }

    /// The evolution whose [`state`](Self::state) this is; it goes on bit for bit as the first one would have.
    ///
    /// # Errors
    ///
    /// [`EvolutionError`], if the parameters are out of range or the state is none of an evolution of the problem.
    /// Scores are not computed again.
    pub fn resume(problem: &'a P, state: State<P::Genome>) -> Result<Self, EvolutionError> {
        let State { options, generation, evaluations, discarded, genomes, scores, memory } = state;
        let mut evolution = Self::unborn(problem, options)?;
        let contradiction = |what: String| Err(EvolutionError::State { what });
        let (population, objectives) = (options.population, problem.senses().len());
        if genomes.len() != population {
            return contradiction(format!("genomes: {} of a population of {population}", genomes.len()));
        }
        if scores.len() != population * objectives {
            return contradiction(format!(
                "scores: {} of {population} individuals in {objectives} objectives",
                scores.len()
            ));
        }
        if let Some((place, value)) = unusable(&scores) {
            return contradiction(format!("scores: {value} in place {place}"));
        }
        if discarded > evaluations {
            return contradiction(format!("discarded: {discarded} of {evaluations} evaluations"));
        }
        for (place, genome) in genomes.iter().enumerate() {
            if let Err(reason) = problem.check(genome) {
                return contradiction(format!("genome {place}: {reason}"));
            }
        }
        if !evolution.selection.restore(&memory) {
            return contradiction(format!("memory: it is none of {}", options.algorithm));
        }
        Ok(Self { generation, evaluations, discarded, genomes, scores, ..evolution })
    }
}
