//! Tables II and III: fronts of the published algorithms, by number of links.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::design::{
    CablingCode, DesignProblem, DesignRules, InitialSlots, Machine, Network, OddLinks, PUBLISHED_OBJECTIVES, objective,
    published_generations,
};
use lockstep::pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, Points, SelectionAlgorithm, Sense};
use rayon::prelude::*;

use super::figures::Column;

/// The number of generations of a run, and its start.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Budget {
    /// Fitted to the published figures.
    Effective,
    /// As the text of the paper states it.
    Stated,
}

impl Budget {
    pub(super) const ALL: [Self; 2] = [Self::Effective, Self::Stated];

    /// Returns the number of generations of 100 children.
    pub(super) fn generations(self, algorithm: SelectionAlgorithm) -> u32 {
        match self {
            Self::Effective => published_generations(algorithm),
            Self::Stated => 100,
        }
    }

    /// Returns the number of runs per cell.
    ///
    /// The runs that are compared with Table II are short and scatter, so there are more of them.
    fn runs(self, table: u8, runs: u32) -> u32 {
        if (self, table) == (Self::Effective, 2) && runs > 1 { runs.saturating_mul(6) } else { runs }
    }

    fn rules(self, external: f64) -> DesignRules {
        let published = DesignRules { external, ..DesignRules::PUBLISHED };
        match self {
            Self::Effective => published,
            Self::Stated => DesignRules { start: InitialSlots::Uniform, odd_links: OddLinks::Keep, ..published },
        }
    }
}

/// Returns the parameters that the paper states.
pub(super) fn options(algorithm: SelectionAlgorithm, seed: u64) -> EvolutionOptions {
    EvolutionOptions {
        algorithm,
        population: 100,
        crossover: 0.8,
        mutation: 0.8,
        seed,
        elites: Elites::Keep,
        equal_points: EqualPoints::Keep,
    }
}

/// A design of a front.
pub(super) struct FrontDesign {
    pub(super) links: u32,
    /// The value during the search.
    pub(super) cut: f64,
    pub(super) paths: f64,
    pub(super) distance: f64,
    pub(super) diameter: f64,
    pub(super) code: CablingCode,
}

/// Runs of one column with one budget.
pub(super) struct Runs<'a> {
    pub(super) column: &'a Column,
    pub(super) budget: Budget,
    /// The fronts by run.
    pub(super) fronts: Vec<Vec<FrontDesign>>,
    /// Time of the longest run.
    pub(super) longest: Duration,
}

/// A mean with its standard deviation.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub(super) count: usize,
    pub(super) mean: f64,
    pub(super) deviation: f64,
}

impl Sample {
    /// Returns mean and standard deviation, or `None` for an empty sample.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = values.clone().count();
        let mean = values.clone().sum::<f64>() / count as f64;
        let square = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count.saturating_sub(1).max(1) as f64;
        (count > 0).then_some(Self { count, mean, deviation: square.sqrt() })
    }
}

impl Runs<'_> {
    /// Iterates over the designs of all fronts.
    pub(super) fn designs(&self) -> impl Iterator<Item = &FrontDesign> + Clone {
        self.fronts.iter().flatten()
    }

    /// Returns f1 of the designs with this number of links.
    pub(super) fn cut(&self, links: u32) -> Option<Sample> {
        Sample::of(self.designs().filter(|found| found.links == links).map(|found| found.cut))
    }

    /// Returns f2 of the designs with this number of links.
    pub(super) fn paths(&self, links: u32) -> Option<Sample> {
        Sample::of(self.designs().filter(|found| found.links == links).map(|found| found.paths))
    }

    /// Returns the hypervolume of the fronts; f1 is scaled by 128, f2 by 35 and f3 by 17.
    pub(super) fn hypervolume(&self) -> Result<Option<Sample>> {
        let of = |front: &Vec<FrontDesign>| -> Result<f64> {
            let scaled = |found: &FrontDesign| {
                [found.cut / 128.0, found.paths.min(35.0) / 35.0, (17.0 - f64::from(found.links)) / 17.0]
            };
            Ok(Points::new(&[Sense::Maximise; 3], front.iter().map(scaled))?.hypervolume(&[0.0; 3])?)
        };
        let volumes = self.fronts.iter().map(of).collect::<Result<Vec<_>>>()?;
        Ok(Sample::of(volumes.iter().copied()))
    }
}

/// Runs all columns with all budgets, in parallel.
pub(super) fn reproduce<'a>(columns: &[&'a Column], budgets: &[Budget], runs: u32, seed: u64) -> Result<Vec<Runs<'a>>> {
    let searches: Vec<_> =
        columns.iter().flat_map(|&column| budgets.iter().map(move |&budget| (column, budget))).collect();
    let runs_of = |(column, budget): (&Column, Budget)| budget.runs(column.table, runs);
    let all: Vec<_> =
        searches.iter().flat_map(|&search| (0..u64::from(runs_of(search))).map(move |run| (search, run))).collect();
    let fronts = all
        .into_par_iter()
        .map(|((column, budget), run)| {
            let begin = Instant::now();
            let front = evolve(column, budget, seed.wrapping_add(run))?;
            Ok((front, begin.elapsed()))
        })
        .collect::<Result<Vec<_>>>()?;
    let mut fronts = fronts.into_iter();
    let gather = |(column, budget)| {
        let runs = runs_of((column, budget)) as usize;
        let (fronts, times): (Vec<_>, Vec<_>) = fronts.by_ref().take(runs).unzip();
        Runs { column, budget, fronts, longest: times.into_iter().max().unwrap_or_default() }
    };
    Ok(searches.into_iter().map(gather).collect())
}

/// Returns the front of one run.
fn evolve(column: &Column, budget: Budget, seed: u64) -> Result<Vec<FrontDesign>> {
    let objectives = PUBLISHED_OBJECTIVES.map(objective).into_iter().collect::<Result<Vec<_>, _>>()?;
    let problem = DesignProblem::new(column.machine, objectives, budget.rules(column.external))?;
    let mut evolution = Evolution::new(&problem, options(column.algorithm, seed))?;
    for _ in 0..budget.generations(column.algorithm) {
        evolution.advance()?;
    }
    let front = evolution.front(EqualPoints::Keep);
    front.map(|one| front_design(column.machine, one.genome, one.scores)).collect()
}

/// Returns a design with f1, f2 and f3 from the search.
fn front_design(machine: Machine, code: &CablingCode, scores: &[f64]) -> Result<FrontDesign> {
    let distances = Network::of_code(&machine, code)?.distances().context("a front has connected networks")?;
    Ok(FrontDesign {
        links: code.links() as u32,
        cut: scores[0],
        paths: scores[1],
        distance: distances.mean(),
        diameter: f64::from(distances.diameter),
        code: code.clone(),
    })
}
