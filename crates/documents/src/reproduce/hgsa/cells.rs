//! Runs of the published algorithm with and without conflict prediction, and of the planner.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lockstep::evolve::{HgsaOptions, Prediction, schedule_by};
use lockstep::schedule::NotFound;
use lockstep::{Budget, Collective, CommunicationModel, PlanOptions, Planner, Problem, bounds, load, verify};

use super::figures::Row;
use crate::reproduce::tally::Tally;

/// Evaluations per run.
const EVALUATIONS: u64 = 1 << 20;

/// A variant of the search: its name, and its options for a seed.
type Variant = (&'static str, fn(u64) -> HgsaOptions);

/// The variants of the search, those of the paper first.
pub(super) const VARIANTS: [Variant; 4] = [
    ("no prediction", |seed| HgsaOptions { prediction: Prediction::None, ..HgsaOptions::published(seed) }),
    ("equations 1 to 5", HgsaOptions::published),
    ("matching", |seed| HgsaOptions { prediction: Prediction::Matching, ..HgsaOptions::published(seed) }),
    ("ours", HgsaOptions::directed),
];

/// Number of lines of progress per network: one per variant, and one for the planner.
pub(super) const PIECES: usize = VARIANTS.len() + 1;

/// The results on one network.
pub(super) struct HgsaOutcome<'a> {
    pub(super) table: u8,
    pub(super) row: &'a Row,
    pub(super) terminals: usize,
    /// Lower bound on the steps, and the number of steps that all runs search for.
    pub(super) bound: u32,
    pub(super) rule: String,
    /// By variant.
    pub(super) runs: [Runs; VARIANTS.len()],
    pub(super) planned: PlannerResult,
}

/// Runs of one variant with different seeds.
#[derive(Clone, Copy, Default)]
pub(super) struct Runs {
    pub(super) all: u32,
    /// Runs that found a schedule; each schedule is verified.
    pub(super) successes: u32,
    /// Time of all runs.
    pub(super) total: Duration,
    pub(super) longest: Duration,
}

/// The result of the planner.
pub(super) struct PlannerResult {
    pub(super) steps: u32,
    pub(super) finder: String,
    pub(super) time: Duration,
}

impl HgsaOutcome<'_> {
    /// Returns true if each run of our variant and the planner meet the bound and the steps of the paper.
    pub(super) fn holds(&self) -> bool {
        let Runs { all, successes, .. } = self.runs[VARIANTS.len() - 1];
        successes == all && self.planned.steps == self.bound && self.bound <= self.row.steps
    }
}

/// Runs all variants on one network; returns `None` if it has more than `most` terminals.
pub(super) fn reproduce<'a>(
    table: u8,
    row: &'a Row,
    (runs, seed): (u32, u64),
    most: usize,
    tally: &mut Tally,
) -> Result<Option<HgsaOutcome<'a>>> {
    let topology = load(&row.spec)?;
    let terminals = topology.terminal_count();
    if terminals > most {
        tally.skip(PIECES);
        return Ok(None);
    }
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward())?;
    let bound = bounds::best(&problem);
    bound.check(&problem)?;
    let mut by_variant = [Runs::default(); VARIANTS.len()];
    for ((name, options), results) in VARIANTS.into_iter().zip(&mut by_variant) {
        for run in 0..u64::from(runs) {
            let begin = Instant::now();
            let is_found = attempt(&problem, bound.steps, options(seed.wrapping_add(run)))?;
            let time = begin.elapsed();
            results.all += 1;
            results.successes += u32::from(is_found);
            results.total += time;
            results.longest = results.longest.max(time);
        }
        let Runs { all, successes, .. } = results;
        let best = (*successes > 0).then(|| format!("{} steps", bound.steps));
        let work = format!("{} {name}: {successes} of {all} runs", row.spec);
        tally.done(Some(&format!("{} steps", bound.steps)), best.as_deref(), &work);
    }
    let begin = Instant::now();
    let plan = Planner::new(problem, PlanOptions::auto(seed)).run(&Budget::evaluations(EVALUATIONS), |_| {})?;
    let planned = PlannerResult { steps: plan.step_count(), finder: plan.engine().to_owned(), time: begin.elapsed() };
    tally.done_steps(bound.steps.into(), planned.steps.into(), &format!("{} planned", row.spec));
    let (bound, rule) = (bound.steps, bound.rule.to_string());
    Ok(Some(HgsaOutcome { table, row, terminals, bound, rule, runs: by_variant, planned }))
}

/// Returns true if a run finds a schedule with at most `steps` steps.
fn attempt(problem: &Problem<'_>, steps: u32, options: HgsaOptions) -> Result<bool> {
    match schedule_by(options, problem, steps, &Budget::evaluations(EVALUATIONS)) {
        Ok(schedule) => {
            let verified = verify(problem, &schedule)?.steps as u32;
            ensure!(verified <= steps, "the search returned {verified} steps, expected at most {steps}");
            Ok(true)
        }
        Err(NotFound::Stopped { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
