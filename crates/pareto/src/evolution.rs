//! The evolution of a population.

use std::ops::Range;

use rayon::prelude::*;

use crate::algorithm::SelectionAlgorithm;
use crate::buffer_pool::BufferPool;
use crate::costs::Costs;
use crate::error::EvolutionError;
use crate::nsga2::Nsga2;
use crate::nsga3::Nsga3;
use crate::offspring::{Child, Purpose, breed, evaluate, feasible, stream};
use crate::options::{Elites, EqualPoints, EvolutionOptions};
use crate::problem::MultiObjectiveProblem;
use crate::ranks::{distinct, front};
use crate::selection::Selection;
use crate::sms_emoa::SmsEmoa;

/// A genome and its scores, in the order of [`MultiObjectiveProblem::senses`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Individual<'a, G> {
    /// The genome.
    pub genome: &'a G,
    /// The scores.
    pub scores: &'a [f64],
}

/// The evolution of a population.
///
/// Each generation creates one child per individual. A child is a copy of a parent, crossed with another parent and
/// mutated, both with a given probability. An infeasible child is replaced by a child of other parents.
///
/// The random stream of a child depends only on the seed, the generation and its index, so the result does not depend
/// on the number of threads. Children are evaluated in parallel, except with
/// [`SelectionAlgorithm::SmsEmoa`](crate::SelectionAlgorithm::SmsEmoa), which creates one child at a time.
///
/// Memory: two populations, and one scratch buffer of the problem per thread.
pub struct Evolution<'a, P: MultiObjectiveProblem> {
    pub(crate) problem: &'a P,
    pub(crate) options: EvolutionOptions,
    pub(crate) selection: Box<dyn Selection>,
    pub(crate) scratch: BufferPool<P::Scratch>,
    pub(crate) generation: u64,
    pub(crate) evaluations: u64,
    pub(crate) discarded: u64,
    pub(crate) genomes: Vec<P::Genome>,
    /// One row per individual.
    pub(crate) scores: Vec<f64>,
}

impl<'a, P: MultiObjectiveProblem> Evolution<'a, P> {
    /// Creates an evolution with a random first population.
    ///
    /// # Errors
    ///
    /// Returns an [`EvolutionError`] if a parameter is out of range, the algorithm does not support the number of
    /// objectives, no feasible genome is found, or a score is invalid.
    pub fn new(problem: &'a P, options: EvolutionOptions) -> Result<Self, EvolutionError> {
        let mut evolution = Self::unpopulated(problem, options)?;
        let children = evolution.children(0..options.population)?;
        evolution.add(children);
        Ok(evolution)
    }

    /// Creates an evolution without a population.
    pub(crate) fn unpopulated(problem: &'a P, options: EvolutionOptions) -> Result<Self, EvolutionError> {
        let objectives = problem.senses().len();
        options.check(objectives)?;
        Ok(Self {
            problem,
            options,
            selection: selection(options.algorithm, objectives, options.population),
            scratch: BufferPool::new(),
            generation: 0,
            evaluations: 0,
            discarded: 0,
            genomes: Vec::new(),
            scores: Vec::new(),
        })
    }

    /// Computes the next generation.
    ///
    /// With `n` individuals and `m` objectives, selection takes O(m·n²) for NSGA-II and NSGA-III, and O(n² log n) per
    /// child for SMS-EMOA with up to three objectives, in addition to the evaluations.
    ///
    /// # Errors
    ///
    /// Returns [`EvolutionError::NoneFeasible`] or [`EvolutionError::Score`]. The generation is then incomplete, and
    /// the evolution cannot continue.
    pub fn advance(&mut self) -> Result<(), EvolutionError> {
        self.advance_with(Self::children)
    }

    /// Computes the next generation with children that `create` returns: those of
    /// [`children`](Self::children), computed in another way, such as in several processes.
    ///
    /// `create` gets the evolution and the numbers of some children, and must return these children in order.
    ///
    /// # Errors
    ///
    /// As [`advance`](Self::advance), and the errors of `create`.
    pub fn advance_with<E: From<EvolutionError>>(
        &mut self,
        mut create: impl FnMut(&Self, Range<usize>) -> Result<Vec<Child<P::Genome>>, E>,
    ) -> Result<(), E> {
        self.generation = self.generation.saturating_add(1);
        if self.options.elites == Elites::ReEvaluate {
            self.re_evaluate()?;
        }
        let population = self.options.population;
        let offspring_count = self.selection.offspring_count(population);
        for first in (0..population).step_by(offspring_count) {
            self.selection.observe(&self.costs());
            let children = create(self, first..population.min(first + offspring_count))?;
            self.add(children);
            self.select_survivors(first);
        }
        tracing::debug!(generation = self.generation, evaluations = self.evaluations, discarded = self.discarded);
        Ok(())
    }

    /// Returns the parameters.
    pub fn options(&self) -> &EvolutionOptions {
        &self.options
    }

    /// Returns the number of generations after the first population.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the number of evaluated genomes, including infeasible and repeated ones.
    pub fn evaluations(&self) -> u64 {
        self.evaluations
    }

    /// Returns the number of infeasible genomes, which were discarded.
    pub fn discarded(&self) -> u64 {
        self.discarded
    }

    /// Returns all individuals.
    pub fn population(&self) -> impl ExactSizeIterator<Item = Individual<'_, P::Genome>> {
        let scores = self.scores.chunks_exact(self.problem.senses().len());
        self.genomes.iter().zip(scores).map(|(genome, scores)| Individual { genome, scores })
    }

    /// Returns the non-dominated individuals, with all or only the first of those with equal scores.
    pub fn front(&self, equal_points: EqualPoints) -> impl Iterator<Item = Individual<'_, P::Genome>> {
        let objectives = self.problem.senses().len();
        front(&self.costs(), equal_points).into_iter().map(move |place| Individual {
            genome: &self.genomes[place],
            scores: &self.scores[place * objectives..][..objectives],
        })
    }

    pub(crate) fn costs(&self) -> Costs {
        Costs::of_scores(self.problem.senses(), &self.scores)
    }

    /// Computes the children of the current generation with these numbers. In generation 0, they are the first population.
    ///
    /// # Errors
    ///
    /// Returns [`EvolutionError::NoneFeasible`] or [`EvolutionError::Score`].
    pub fn children(&self, children: Range<usize>) -> Result<Vec<Child<P::Genome>>, EvolutionError> {
        let this = self;
        let scratch = || this.scratch.borrow(|| this.problem.scratch());
        let create = |scratch: &mut P::Scratch, number: usize| -> Result<Child<P::Genome>, EvolutionError> {
            let mut random = stream(this.options.seed, this.generation, number, Purpose::Birth);
            feasible(this.problem, scratch, &mut random, |random| match this.generation {
                0 => this.problem.random(random),
                _ => breed(this.problem, &this.options, &*this.selection, &this.genomes, random),
            })
        };
        // For one child, waking other threads takes longer than its evaluation.
        let children: Vec<_> = if children.len() == 1 {
            vec![create(&mut scratch(), children.start)]
        } else {
            children.into_par_iter().map_init(scratch, |scratch, number| create(scratch, number)).collect()
        };
        children.into_iter().collect()
    }

    /// Appends children to the population.
    fn add(&mut self, children: Vec<Child<P::Genome>>) {
        for Child { genome, scores, attempts } in children {
            self.genomes.push(genome);
            self.scores.extend(scores);
            self.evaluations = self.evaluations.saturating_add(u64::from(attempts));
            self.discarded = self.discarded.saturating_add(u64::from(attempts - 1));
        }
    }

    /// Reduces the population to its size. `number` is the index of the first child since the last selection.
    fn select_survivors(&mut self, number: usize) {
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

    /// Evaluates all individuals again. An individual that is now infeasible keeps its scores.
    fn re_evaluate(&mut self) -> Result<(), EvolutionError> {
        let this = &*self;
        let scratch = || this.scratch.borrow(|| this.problem.scratch());
        let objectives = this.problem.senses().len();
        let evaluate_again = |scratch: &mut P::Scratch, place: usize| -> Result<Option<Vec<f64>>, EvolutionError> {
            let mut random = stream(this.options.seed, this.generation, place, Purpose::ReEvaluation);
            let mut scores = vec![0.0; objectives];
            let is_feasible = evaluate(this.problem, &this.genomes[place], scratch, &mut random, &mut scores)?;
            Ok(is_feasible.then_some(scores))
        };
        let places = 0..self.genomes.len();
        let evaluated: Vec<_> =
            places.into_par_iter().map_init(scratch, |scratch, place| evaluate_again(scratch, place)).collect();
        for (old, new) in self.scores.chunks_exact_mut(objectives).zip(evaluated) {
            self.evaluations = self.evaluations.saturating_add(1);
            if let Some(new) = new? {
                old.copy_from_slice(&new);
            }
        }
        Ok(())
    }
}

/// Creates the selection of an algorithm.
fn selection(algorithm: SelectionAlgorithm, objectives: usize, population: usize) -> Box<dyn Selection> {
    match algorithm {
        SelectionAlgorithm::Nsga2 => Box::new(Nsga2::default()),
        SelectionAlgorithm::SmsEmoa => Box::new(SmsEmoa),
        SelectionAlgorithm::Nsga3 => Box::new(Nsga3::new(objectives, population)),
    }
}
