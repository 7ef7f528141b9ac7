//! Generations of individuals.

use rayon::prelude::*;

use crate::algorithm::Selection;
use crate::breeding::{Newborn, Purpose, child, evaluate, feasible, stream};
use crate::costs::Costs;
use crate::error::EvolutionError;
use crate::options::{Elites, EqualPoints, EvolutionOptions};
use crate::pool::Pool;
use crate::problem::Problem;
use crate::ranks::{distinct, front};

/// A genome and its scores, in the order of [`Problem::senses`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Individual<'a, G> {
    /// The genome.
    pub genome: &'a G,
    /// The scores.
    pub scores: &'a [f64],
}

/// The evolution of a population, generation by generation.
///
/// In each generation as many children are born as there are individuals. A child is a copy of a parent, crossed with
/// another one and mutated by probability; an infeasible one is discarded, and another one born of other parents. The
/// random stream of a child depends on seed, generation and place alone, so threads change nothing. Children of one
/// offspring_count are evaluated in parallel, those of [`Algorithm::SmsEmoa`](crate::Algorithm::SmsEmoa), which has broods of
/// one, on the calling thread.
///
/// Memory: the population and as many children, and a scratch buffer of the problem for each thread.
pub struct Evolution<'a, P: Problem> {
    pub(crate) problem: &'a P,
    pub(crate) options: EvolutionOptions,
    pub(crate) selection: Box<dyn Selection>,
    pub(crate) scratch: Pool<P::Scratch>,
    pub(crate) generation: u64,
    pub(crate) evaluations: u64,
    pub(crate) discarded: u64,
    pub(crate) genomes: Vec<P::Genome>,
    /// Individual by individual.
    pub(crate) scores: Vec<f64>,
}

impl<'a, P: Problem> Evolution<'a, P> {
    /// The evolution with its first, random population.
    ///
    /// # Errors
    ///
    /// [`EvolutionError`], if a parameter is out of range, the algorithm is not made for so many objectives, no
    /// feasible genome turns up or a score cannot be compared.
    pub fn new(problem: &'a P, options: EvolutionOptions) -> Result<Self, EvolutionError> {
        let mut evolution = Self::unborn(problem, options)?;
        evolution.bear(0..options.population)?;
        Ok(evolution)
    }

    /// An evolution without population.
    pub(crate) fn unborn(problem: &'a P, options: EvolutionOptions) -> Result<Self, EvolutionError> {
        let objectives = problem.senses().len();
        options.check(objectives)?;
        Ok(Self {
            problem,
            options,
            selection: options.algorithm.selection(objectives, options.population),
            scratch: Pool::new(),
            generation: 0,
            evaluations: 0,
            discarded: 0,
            genomes: Vec::new(),
            scores: Vec::new(),
        })
    }

    /// Goes on to the next generation. Beside evaluations, time as the algorithm's selection.
    ///
    /// # Errors
    ///
    /// [`EvolutionError::NoneFeasible`] or [`EvolutionError::Score`]. The generation is then not whole, and there is no
    /// going on from it.
    pub fn advance(&mut self) -> Result<(), EvolutionError> {
        self.generation = self.generation.saturating_add(1);
        if self.options.elites == Elites::ReEvaluate {
            self.evaluate_again()?;
        }
        let population = self.options.population;
        let offspring_count = self.selection.offspring_count(population);
        for first in (0..population).step_by(offspring_count) {
            self.selection.observe(&self.costs());
            self.bear(first..population.min(first + offspring_count))?;
            self.survive(first);
        }
        tracing::debug!(generation = self.generation, evaluations = self.evaluations, discarded = self.discarded);
        Ok(())
    }

    /// The parameters.
    pub fn options(&self) -> &EvolutionOptions {
        &self.options
    }

    /// Number of generations after the first population.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Number of genomes evaluated, infeasible ones and repetitions included.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Number of genomes that were evaluated and discarded, because they are infeasible.
    pub fn discarded(&self) -> u64 {
        self.discarded
    }

    /// All individuals.
    pub fn population(&self) -> impl ExactSizeIterator<Item = Individual<'_, P::Genome>> {
        let scores = self.scores.chunks_exact(self.problem.senses().len());
        self.genomes.iter().zip(scores).map(|(genome, scores)| Individual { genome, scores })
    }

    /// The individuals that no other dominates; of those with equal scores all, or the first.
    pub fn front(&self, equal_points: EqualPoints) -> impl Iterator<Item = Individual<'_, P::Genome>> {
        let objectives = self.problem.senses().len();
        front(&self.costs(), equal_points).into_iter().map(move |place| Individual {
            genome: &self.genomes[place],
            scores: &self.scores[place * objectives..][..objectives],
        })
    }

    fn costs(&self) -> Costs {
        Costs::of_scores(self.problem.senses(), &self.scores)
    }

    /// Adds the children with these numbers, or individuals of the first population, behind the population.
    fn bear(&mut self, children: std::ops::Range<usize>) -> Result<(), EvolutionError> {
        let this = &*self;
        let scratch = || this.scratch.borrow(|| this.problem.scratch());
        let bear = |scratch: &mut P::Scratch, number: usize| -> Result<Newborn<P::Genome>, EvolutionError> {
            let mut random = stream(this.options.seed, this.generation, number, Purpose::Birth);
            feasible(this.problem, scratch, &mut random, |random| match this.generation {
                0 => this.problem.random(random),
                _ => child(this.problem, &this.options, &*this.selection, &this.genomes, random),
            })
        };
        // Waking the other threads would cost more than a child does.
        let born: Vec<_> = if children.len() == 1 {
            vec![bear(&mut scratch(), children.start)]
        } else {
            children.into_par_iter().map_init(scratch, |scratch, number| bear(scratch, number)).collect()
        };
        for newborn in born {
            let Newborn { genome, scores, attempts } = newborn?;
            self.genomes.push(genome);
            self.scores.extend(scores);
            self.evaluations = self.evaluations.saturating_add(u64::from(attempts));
            self.discarded = self.discarded.saturating_add(u64::from(attempts - 1));
        }
        Ok(())
    }

    /// Lets as many survive as the population has; `number` is that of the first child since the last time.
    fn survive(&mut self, number: usize) {
        let count = self.options.population;
        let candidates = self.costs();
        let mut random = stream(self.options.seed, self.generation, number, Purpose::Survival);
        let mut select = |candidates: &Costs| self.selection.survivors(candidates, count, &mut random);
        let survivors = match self.options.equal_points {
            EqualPoints::Keep => select(&candidates),
            EqualPoints::Remove => {
                let mut distinct = distinct(&candidates);
                if distinct.len() > count {
                    select(&candidates.select(&distinct)).into_iter().map(|place| distinct[place]).collect()
                } else {
                    let others = (0..candidates.len()).filter(|place| distinct.binary_search(place).is_err());
                    let filling: Vec<usize> = others.take(count - distinct.len()).collect();
                    distinct.extend(filling);
                    distinct.sort_unstable();
                    distinct
                }
            }
        };
        let objectives = candidates.dimension();
        for (to, &from) in survivors.iter().enumerate() {
            self.genomes.swap(to, from);
            self.scores.copy_within(from * objectives..(from + 1) * objectives, to * objectives);
        }
        self.genomes.truncate(count);
        self.scores.truncate(count * objectives);
    }

    /// Gives all individuals new scores. A random evaluation that calls one infeasible leaves it as it was.
    fn evaluate_again(&mut self) -> Result<(), EvolutionError> {
        let this = &*self;
        let scratch = || this.scratch.borrow(|| this.problem.scratch());
        let objectives = this.problem.senses().len();
        let again = |scratch: &mut P::Scratch, place: usize| -> Result<Option<Vec<f64>>, EvolutionError> {
            let mut random = stream(this.options.seed, this.generation, place, Purpose::ReEvaluation);
            let mut scores = vec![0.0; objectives];
            let is_feasible = evaluate(this.problem, &this.genomes[place], scratch, &mut random, &mut scores)?;
            Ok(is_feasible.then_some(scores))
        };
        let places = 0..self.genomes.len();
        let evaluated: Vec<_> =
            places.into_par_iter().map_init(scratch, |scratch, place| again(scratch, place)).collect();
        for (old, new) in self.scores.chunks_exact_mut(objectives).zip(evaluated) {
            self.evaluations = self.evaluations.saturating_add(1);
            if let Some(new) = new? {
                old.copy_from_slice(&new);
            }
        }
        Ok(())
    }
}
