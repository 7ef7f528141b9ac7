//! `lockstep faults`: plans for every fault set, before faults happen.

mod book_page;
mod journal;
mod lookup;
pub(super) mod rows;

use anyhow::Context;
use lockstep::faults::{FaultClasses, FaultKind, FaultSpace, Faults};
use lockstep::{
    Budget, Degradation, FaultOutcome, PlanFigures, PlanOptions, Planner, Problem, SweepIdentity, Workers, sweep_with,
};

use self::journal::{Journal, LogPlace};
use self::rows::Rows;
use crate::args::{FaultsArgs, KindArgs, SweepArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::plan_progress::PlanProgress;
use crate::problem_input::{self, ProblemInput};
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::counted;

/// Maximum width of the column of faults, in characters; longer cells shift the other columns.
const MAX_WIDTH: usize = 60;

pub(crate) fn run(args: &FaultsArgs, verbosity: Verbosity, workers: &dyn Workers) -> anyhow::Result<ExitStatus> {
    match args {
        FaultsArgs::Lookup(args) => lookup::run(args),
        FaultsArgs::Sweep(args) => run_sweep(args, verbosity, workers),
    }
}

fn run_sweep(args: &SweepArgs, verbosity: Verbosity, workers: &dyn Workers) -> anyhow::Result<ExitStatus> {
    let mut files = CommandFiles::new();
    problem_input::add_files(&args.problem, &mut files)?;
    let log_place = LogPlace::new(args, &mut files)?;
    let output = files.write_to("--output", args.output.as_deref())?;
    let format = rows::format_of(args)?;
    let input = ProblemInput::new(&args.problem, verbosity)?;
    let problem = input.problem()?;
    let space = FaultSpace::new(problem.topology(), args.kind.kind(), args.at_once);
    let sets = FaultSets::new(&space, &problem, args)?;
    let budget = Budget::evaluations(args.budget);
    let progress = Progress::new(verbosity, &budget);
    let unfinished = cancel_on_signal(&budget, "the sweep", &progress)?;

    let options = PlanOptions { engine: args.engine, ..PlanOptions::auto(args.seed) };
    let mut shown = PlanProgress::new(&progress, &budget);
    let before = Planner::new(problem, options).run(&budget, |event| shown.see(&event))?;
    drop(unfinished);
    if budget.stop_after(0).is_some() {
        drop(progress);
        return Ok(interrupted(None, verbosity));
    }
    let words = sets.describe(&space, args);
    let identity = SweepIdentity { before: &before, options, evaluations: args.budget, sets: &words };
    let (mut journal, logged) = progress.aside(|| Journal::open(log_place, &identity, &mut files, verbosity))?;
    let longest = space.faults().iter().map(|fault| fault.name(space.topology()).chars().count()).max();
    let widest = args.at_once.saturating_mul(longest.unwrap_or(0) + 2).saturating_sub(2).min(MAX_WIDTH);
    let mut rows = progress.aside(|| Rows::begin(&before.problem(), widest, output, format, args))?;
    let whole =
        Degradation { faults: Faults::default(), outcome: FaultOutcome::Planned(PlanFigures::new(&before, None)) };
    progress.aside(|| rows.push(&whole, None))?;

    let mut table = Table::new(&progress, &budget, &sets, rows);
    let stopped = logged.map(|logged| logged.check(&before, sets.iter(), &budget, |row| table.add(&row, || Ok(()))));
    let stopped = stopped.transpose().map_err(|error| journal.refused(&error))?.flatten();
    let ended = match stopped {
        Some(_) => stopped,
        None => sweep_with(workers, &identity, table.done, sets.iter().skip(table.done), &budget, |page| {
            table.add(&page.degradation, || journal.add(&page));
        })?,
    };
    let Table { rows, failed, done, total, .. } = table;
    drop(progress);
    if let Some(error) = failed {
        return Err(error);
    }
    if ended.is_some() {
        return Ok(interrupted(Some((&journal, done, total)), verbosity));
    }
    journal.end()?;
    rows.end()?;
    Ok(ExitStatus::Success)
}

/// The rows so far, with the largest bound and the largest number of steps of all fault sets.
struct Table<'a, 'r> {
    progress: &'a Progress,
    budget: &'a Budget,
    sets: &'a FaultSets<'a>,
    rows: Rows<'r>,
    /// The first error.
    failed: Option<anyhow::Error>,
    bound: u32,
    steps: u32,
    done: usize,
    total: Option<usize>,
}

impl<'a, 'r> Table<'a, 'r> {
    fn new(progress: &'a Progress, budget: &'a Budget, sets: &'a FaultSets<'a>, rows: Rows<'r>) -> Self {
        let total = sets.count();
        progress.set_done(0, total.unwrap_or(0) as u64);
        Self { progress, budget, sets, rows, failed: None, bound: 0, steps: 0, done: 0, total }
    }

    /// Adds the row of the next fault set, after `log` has stored it. An error cancels the budget, and later rows are dropped.
    fn add(&mut self, row: &Degradation, log: impl FnOnce() -> anyhow::Result<()>) {
        let place = self.done;
        self.done += 1;
        if self.failed.is_some() {
            return;
        }
        self.show(row);
        let (progress, rows, times) = (self.progress, &mut self.rows, self.sets.size(place));
        if let Err(error) = log().and_then(|()| progress.aside(|| rows.push(row, times))) {
            self.failed = Some(error);
            self.budget.cancel();
        }
    }

    /// Shows the progress.
    fn show(&mut self, row: &Degradation) {
        if let FaultOutcome::Planned(figures) = &row.outcome {
            (self.bound, self.steps) = (self.bound.max(figures.bound), self.steps.max(figures.steps));
            let steps = |steps: u32| Some(counted(steps as usize, "step"));
            self.progress.set_bound(steps(self.bound));
            self.progress.set_best(steps(self.steps));
        }
        self.progress.set_done(self.done as u64, self.total.unwrap_or(0) as u64);
        let of = self.total.map(|total| format!(" of {total}")).unwrap_or_default();
        self.progress.set_work(format!("worst of {}{of} fault sets", self.done));
    }
}

/// Prints that the sweep is incomplete, and how to resume it.
fn interrupted(state: Option<(&Journal, usize, Option<usize>)>, verbosity: Verbosity) -> ExitStatus {
    match state {
        Some((journal, place, total)) => {
            let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
            output::note(verbosity, &format!("interrupted after {place}{of}{}", journal.resume_note()));
        }
        None => output::note(verbosity, "interrupted before the first fault"),
    }
    ExitStatus::Negative
}

impl KindArgs {
    fn kind(self) -> FaultKind {
        match self {
            Self { links: true, .. } => FaultKind::Link,
            Self { nodes: true, .. } => FaultKind::Node,
            _ => FaultKind::Channel,
        }
    }
}

/// The fault sets of a sweep, in order.
enum FaultSets<'a> {
    All(&'a FaultSpace<'a>),
    Sampled(Vec<Faults>),
    /// The first fault set of each symmetry class, and the size of the class.
    Classes(Vec<(Faults, usize)>),
}

impl<'a> FaultSets<'a> {
    fn new(space: &'a FaultSpace<'a>, problem: &Problem<'_>, args: &SweepArgs) -> anyhow::Result<Self> {
        let network = || problem.topology().name().to_owned();
        if let Some(count) = args.sample {
            return Ok(Self::Sampled(space.sample(count, args.seed).with_context(network)?));
        }
        if args.classes {
            let fixed = problem.collective().named_terminals();
            let classes = FaultClasses::new(space, &fixed).with_context(network)?;
            return Ok(Self::Classes(classes.iter().map(|class| (class.representative.clone(), class.size)).collect()));
        }
        Ok(Self::All(space))
    }

    fn iter(&self) -> Box<dyn Iterator<Item = Faults> + '_> {
        match self {
            Self::All(space) => Box::new(space.iter()),
            Self::Sampled(sets) => Box::new(sets.iter().cloned()),
            Self::Classes(classes) => Box::new(classes.iter().map(|(faults, _)| faults.clone())),
        }
    }

    /// Returns the number of fault sets, if it fits into a `usize`.
    fn count(&self) -> Option<usize> {
        match self {
            Self::All(space) => usize::try_from(space.count()?).ok(),
            Self::Sampled(sets) => Some(sets.len()),
            Self::Classes(classes) => Some(classes.len()),
        }
    }

    /// Returns the size of the symmetry class at a place, if there are classes.
    fn size(&self, place: usize) -> Option<usize> {
        match self {
            Self::Classes(classes) => classes.get(place).map(|&(_, size)| size),
            Self::All(_) | Self::Sampled(_) => None,
        }
    }

    /// Describes the fault sets in one line, which identifies the sweep in its file.
    fn describe(&self, space: &FaultSpace<'_>, args: &SweepArgs) -> String {
        let SweepArgs { at_once, seed, .. } = args;
        let kind = args.kind.kind();
        let sets = match at_once {
            1 => format!("every {kind}"),
            _ => format!("every set of {}", counted(*at_once, &kind.to_string())),
        };
        let (single, network) = (space.faults().len(), space.topology().name());
        match self {
            Self::All(_) => format!("{sets} of {single}, {network}"),
            Self::Sampled(sampled) => format!("{} of {sets} of {single}, seed {seed}, {network}", sampled.len()),
            Self::Classes(_) => format!("the first of each class of {sets} of {single}, {network}"),
        }
    }
}
