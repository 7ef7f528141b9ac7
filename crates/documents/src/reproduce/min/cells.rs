//! The cells of Tables 1 and 3: our schedules, each verified, beside the document's figures.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lockstep::evolve;
use lockstep::schedule::NotFound;
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, EngineChoice, PlanOptions, Planner, Problem, Topology,
    bounds, load, verify,
};

use super::figures::{Cell, Network};

/// The most that one run of the document's algorithm may take.
const RUN_LIMIT: Duration = Duration::from_mins(10);

/// Evaluations of each attempt below the document's figure, one step less at a time.
const BEATING_EVALUATIONS: u64 = 1 << 22;

/// Evaluations of one run of the planner, should it have to search.
const PLAN_EVALUATIONS: u64 = 1 << 20;

/// How cells are reproduced.
pub(super) struct Settings {
    pub(super) engine: EngineChoice,
    pub(super) runs: u32,
    pub(super) seed: u64,
    /// Larger networks are left out.
    pub(super) terminals: usize,
}

/// What came out for one figure of the document.
pub(super) struct Outcome<'a> {
    pub(super) network: &'a Network,
    pub(super) cell: &'a Cell,
    /// Which of the figures of a cell with several.
    pub(super) place: usize,
    /// The fewest steps of all runs; `None` if no run found a schedule.
    pub(super) steps: Option<u32>,
    pub(super) bound: u32,
    pub(super) rule: String,
    /// What found the shortest schedule.
    pub(super) finder: String,
    pub(super) runs: u32,
    /// Runs that reached the document's figure.
    pub(super) successes: u32,
    /// Mean time of those.
    pub(super) mean: Option<Duration>,
}

/// How a figure of ours compares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    Beaten,
    Reached,
    Short,
}

impl Outcome<'_> {
    /// The document's figure.
    pub(super) fn document(&self) -> u32 {
        self.cell.steps[self.place]
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self.steps {
            Some(steps) if steps < self.document() => Verdict::Beaten,
            Some(steps) if steps == self.document() => Verdict::Reached,
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

/// All figures of one row.
pub(super) fn reproduce<'a>(network: &'a Network, settings: &Settings) -> Result<Vec<Outcome<'a>>> {
    let topology = load(&network.spec)?;
    let mut outcomes = Vec::new();
    if topology.terminal_count() > settings.terminals {
        return Ok(outcomes);
    }
    for cell in &network.cells {
        for place in 0..cell.steps.len() {
            let collective = collective(&topology, cell, place)?;
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole())?;
            let outcome = figure(&problem, network, cell, place, settings)?;
            let steps = outcome.steps.map_or_else(|| "none".to_owned(), |steps| steps.to_string());
            eprintln!(
                "{} {}: document {}, ours {steps}, bound {}, {} of {} runs, {:?} each",
                network.name,
                cell.collective.to_uppercase(),
                outcome.document(),
                outcome.bound,
                outcome.successes,
                outcome.runs,
                outcome.mean.unwrap_or_default(),
            );
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// The collective of one figure. Where a cell has several, the root stands on the levels of the tree from leaf to root.
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
    let document = cell.steps[place];
    let bound = bounds::best(problem);
    bound.check(problem)?;
    let (mut fewest, mut successes, mut spent) = (None::<u32>, 0, Duration::ZERO);
    let mut finder = settings.engine.to_string();
    for run in 0..u64::from(settings.runs) {
        let begin = Instant::now();
        let Some((steps, by)) = attempt(problem, document, settings, settings.seed.wrapping_add(run))? else {
            continue;
        };
        if steps <= document {
            successes += 1;
            spent += begin.elapsed();
        }
        if fewest.is_none_or(|fewest| steps < fewest) {
            (fewest, finder) = (Some(steps), by);
        }
    }
    if settings.engine == EngineChoice::Named("umda") {
        let budget = Budget::evaluations(BEATING_EVALUATIONS);
        for steps in (bound.steps..document).rev() {
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

/// The verified number of steps of one run, and what found the schedule.
fn attempt(problem: &Problem, document: u32, settings: &Settings, seed: u64) -> Result<Option<(u32, String)>> {
    let engine = settings.engine;
    if engine == EngineChoice::Named("umda") {
        let steps = evolved(problem, document, seed, &Budget::time(RUN_LIMIT))?;
        return Ok(steps.map(|steps| (steps, engine.to_string())));
    }
    let options = PlanOptions { engine, ..PlanOptions::auto(seed) };
    let plan = Planner::new(*problem, options).run(&Budget::evaluations(PLAN_EVALUATIONS), |_| {})?;
    Ok(Some((plan.step_count(), plan.engine().to_owned())))
}

/// The document's algorithm at one number of steps.
fn evolved(problem: &Problem, steps: u32, seed: u64, budget: &Budget) -> Result<Option<u32>> {
    match evolve::schedule(problem, steps, seed, budget) {
        Ok(schedule) => {
            let verified = verify(problem, &schedule)?.steps as u32;
            ensure!(verified <= steps, "the search was asked for {steps} steps and made {verified}");
            Ok(Some(verified))
        }
        Err(NotFound::Stopped { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
