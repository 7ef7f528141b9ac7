//! The cells of Tables 1 and 3: our verified schedules and the published figures.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lockstep::evolve;
use lockstep::schedule::NotFound;
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, EngineChoice, PlanOptions, Planner, Problem, Topology,
    bounds, load, verify,
};

use super::figures::{Cell, Network};
use crate::reproduce::tally::Tally;

/// Time limit of one run of the published algorithm.
const RUN_LIMIT: Duration = Duration::from_mins(10);

/// Evaluations per attempt at a scatter with fewer steps than published.
pub(super) const SCATTER_EVALUATIONS: u64 = 1 << 22;

/// The same for a broadcast. A chain examines more paths and counts as several evaluations: this is about as many chains.
pub(super) const BROADCAST_EVALUATIONS: u64 = 1 << 25;

/// Evaluations per run of the planner.
const PLAN_EVALUATIONS: u64 = 1 << 20;

/// The settings of a reproduction.
pub(super) struct Settings {
    pub(super) engine: EngineChoice,
    pub(super) runs: u32,
    pub(super) seed: u64,
    /// Networks with more terminals are left out.
    pub(super) terminals: usize,
}

/// The result for one published figure.
pub(super) struct Outcome<'a> {
    pub(super) network: &'a Network,
    pub(super) cell: &'a Cell,
    /// Index of the figure within its cell.
    pub(super) place: usize,
    /// The fewest steps of all runs; `None` if no run found a schedule.
    pub(super) steps: Option<u32>,
    pub(super) bound: u32,
    pub(super) rule: String,
    /// The engine that found the shortest schedule.
    pub(super) finder: String,
    pub(super) runs: u32,
    /// Runs that reached the published figure.
    pub(super) successes: u32,
    /// Mean time of the successful runs.
    pub(super) mean: Option<Duration>,
}

/// Comparison of our figure with the published one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Beaten,
    Reached,
    Short,
}

impl Outcome<'_> {
    /// Returns the published number of steps.
    pub(super) fn published(&self) -> u32 {
        self.cell.steps[self.place]
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self.steps {
            Some(steps) if steps < self.published() => Verdict::Beaten,
            Some(steps) if steps == self.published() => Verdict::Reached,
            _ => Verdict::Short,
        }
    }

    pub(super) fn is_optimal(&self) -> bool {
        self.steps == Some(self.bound)
    }

    pub(super) fn success_percent(&self) -> u32 {
        100 * self.successes / self.runs
    }
}

/// Returns the number of figures of one row.
pub(super) fn count(network: &Network) -> usize {
    network.cells.iter().map(|cell| cell.steps.len()).sum()
}

/// Reproduces all figures of one row.
pub(super) fn reproduce<'a>(network: &'a Network, settings: &Settings, tally: &mut Tally) -> Result<Vec<Outcome<'a>>> {
    let topology = load(&network.spec)?;
    let mut outcomes = Vec::new();
    if topology.terminal_count() > settings.terminals {
        tally.skip(count(network));
        return Ok(outcomes);
    }
    for cell in &network.cells {
        for place in 0..cell.steps.len() {
            let collective = collective(&topology, cell, place)?;
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole())?;
            let outcome = figure(&problem, network, cell, place, settings)?;
            let best = outcome.steps.map(|steps| format!("{steps} steps"));
            let work = format!(
                "{} {}: {} of {} runs",
                network.name,
                cell.collective.to_uppercase(),
                outcome.successes,
                outcome.runs
            );
            tally.done(Some(&format!("{} steps", outcome.bound)), best.as_deref(), &work);
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// Returns the collective of one figure. The figures of a cell have their roots on the levels of the tree, from leaf to
/// root.
fn collective(topology: &Topology, cell: &Cell, place: usize) -> Result<Collective> {
    let name: CollectiveName = cell.collective.parse()?;
    let level = cell.steps.len() - 1 - place;
    let root = topology.terminals()[(1 << level) - 1];
    Ok(name.with_root(name.has_root().then_some(root))?)
}

fn figure<'a>(
    problem: &Problem,
    network: &'a Network,
    cell: &'a Cell,
    place: usize,
    settings: &Settings,
) -> Result<Outcome<'a>> {
    let published = cell.steps[place];
    let bound = bounds::best(problem);
    bound.check(problem)?;
    let (mut fewest, mut successes, mut spent) = (None::<u32>, 0, Duration::ZERO);
    let mut finder = settings.engine.to_string();
    for run in 0..u64::from(settings.runs) {
        let begin = Instant::now();
        let Some((steps, by)) = attempt(problem, published, settings, settings.seed.wrapping_add(run))? else {
            continue;
        };
        if steps <= published {
            successes += 1;
            spent += begin.elapsed();
        }
        if fewest.is_none_or(|fewest| steps < fewest) {
            (fewest, finder) = (Some(steps), by);
        }
    }
    if settings.engine == EngineChoice::Named("umda") {
        let is_scatter = problem.messages().is_scatter();
        let budget = Budget::evaluations(if is_scatter { SCATTER_EVALUATIONS } else { BROADCAST_EVALUATIONS });
        for steps in (bound.steps..published).rev() {
            let Some(steps) = evolved(problem, steps, settings.seed, &budget)? else { break };
            fewest = Some(steps);
        }
    }
    Ok(Outcome {
        network,
        cell,
        place,
        steps: fewest,
        bound: bound.steps,
        rule: bound.rule.to_string(),
        finder,
        runs: settings.runs,
        successes,
        mean: (successes > 0).then(|| spent / successes),
    })
}

/// Returns the verified number of steps of one run and the engine, or `None` if the run found no schedule.
fn attempt(problem: &Problem, published: u32, settings: &Settings, seed: u64) -> Result<Option<(u32, String)>> {
    let engine = settings.engine;
    if engine == EngineChoice::Named("umda") {
        let steps = evolved(problem, published, seed, &Budget::time(RUN_LIMIT))?;
        return Ok(steps.map(|steps| (steps, engine.to_string())));
    }
    let options = PlanOptions { engine, ..PlanOptions::auto(seed) };
    let plan = Planner::new(*problem, options).run(&Budget::evaluations(PLAN_EVALUATIONS), |_| {})?;
    Ok(Some((plan.step_count(), plan.engine().to_owned())))
}

/// Runs the published algorithm with a given number of steps.
fn evolved(problem: &Problem, steps: u32, seed: u64, budget: &Budget) -> Result<Option<u32>> {
    match evolve::schedule(problem, steps, seed, budget) {
        Ok(schedule) => {
            let verified = verify(problem, &schedule)?.steps as u32;
            ensure!(verified <= steps, "the search returned {verified} steps, expected at most {steps}");
            Ok(Some(verified))
        }
        Err(NotFound::Stopped { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
