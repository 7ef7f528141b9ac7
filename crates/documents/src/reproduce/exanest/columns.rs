//! Tables II and III: fronts of the document's algorithms, by number of links.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::design::{
    CablingCode, DesignProblem, DesignRules, InitialSlots, Machine, Network, OddLinks, objective, published_generations,
};
use lockstep::pareto::{Elites, EqualPoints, Evolution, EvolutionOptions, Points, SelectionAlgorithm, Sense};
use rayon::prelude::*;

use super::figures::Column;

/// How long a run searches, and what it starts from.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Budget {
    /// What reproduces the document's figures.
    Effective,
    /// What the document states.
    Stated,
}

impl Budget {
    pub(super) const ALL: [Self; 2] = [Self::Effective, Self::Stated];

    /// Generations of a hundred children.
    pub(super) fn generations(self, algorithm: SelectionAlgorithm) -> u32 {
        match self {
            Self::Effective => published_generations(algorithm),
            Self::Stated => 100,
        }
    }

    /// Runs of a cell. Those that are compared with Table II are short, and their designs of four links come in two kinds, so that a
    /// few runs say little.
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

/// The parameters that the document states.
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
pub(super) struct Found {
    pub(super) links: u32,
    /// As the search has it.
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
    /// The fronts, run by run.
    pub(super) fronts: Vec<Vec<Found>>,
    /// The longest run.
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
    /// That of some numbers, or of none.
    pub(super) fn of(values: impl Iterator<Item = f64> + Clone) -> Option<Self> {
        let count = values.clone().count();
        let mean = values.clone().sum::<f64>() / count as f64;
        let square = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count.saturating_sub(1).max(1) as f64;
        (count > 0).then_some(Self { count, mean, deviation: square.sqrt() })
    }
}

impl Runs<'_> {
    /// All designs of all fronts.
    pub(super) fn designs(&self) -> impl Iterator<Item = &Found> + Clone {
        self.fronts.iter().flatten()
    }

    /// f1 of the designs with so many links.
    pub(super) fn cut(&self, links: u32) -> Option<Sample> {
        Sample::of(self.designs().filter(|found| found.links == links).map(|found| found.cut))
    }

    /// f2 of the designs with so many links.
    pub(super) fn paths(&self, links: u32) -> Option<Sample> {
        Sample::of(self.designs().filter(|found| found.links == links).map(|found| found.paths))
    }

    /// Hypervolume of the fronts, f1 as a share of 128, f2 of 35 and f3 of 17.
    pub(super) fn hypervolume(&self) -> Result<Option<Sample>> {
        let of = |front: &Vec<Found>| -> Result<f64> {
            let scaled = |found: &Found| {
                [found.cut / 128.0, found.paths.min(35.0) / 35.0, (17.0 - f64::from(found.links)) / 17.0]
            };
            Ok(Points::new(&[Sense::Maximise; 3], front.iter().map(scaled))?.hypervolume(&[0.0; 3])?)
        };
        let volumes = self.fronts.iter().map(of).collect::<Result<Vec<_>>>()?;
        Ok(Sample::of(volumes.iter().copied()))
    }
}

/// The runs of some columns with some budgets, all at once on all threads.
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

/// The front of one run.
fn evolve(column: &Column, budget: Budget, seed: u64) -> Result<Vec<Found>> {
    let objectives = ["kernighan-lin", "paths", "links"].map(objective).into_iter().collect::<Result<Vec<_>, _>>()?;
    let problem = DesignProblem::new(column.machine, objectives, budget.rules(column.external))?;
    let mut evolution = Evolution::new(&problem, options(column.algorithm, seed))?;
    for _ in 0..budget.generations(column.algorithm) {
        evolution.advance()?;
    }
    let front = evolution.front(EqualPoints::Keep);
    front.map(|one| found(column.machine, one.genome, one.scores)).collect()
}

/// A design with f1, f2 and f3 as the search has them.
fn found(machine: Machine, code: &CablingCode, scores: &[f64]) -> Result<Found> {
    let distances = Network::of_code(&machine, code)?.distances().context("a front has connected networks")?;
    Ok(Found {
        links: code.links() as u32,
        cut: scores[0],
        paths: scores[1],
        distance: distances.mean(),
        diameter: f64::from(distances.diameter),
        code: code.clone(),
    })
}
