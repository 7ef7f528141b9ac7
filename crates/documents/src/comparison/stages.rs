//! The time of long runs by stage, measured in this process on one thread.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::Result;
use lockstep::schedule::Switching;
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, DEFAULT_EVALUATIONS, Event, Plan, PlanFile, PlanOptions,
    Planner, Problem, Topology, verify,
};
use lockstep_report::Table;
use rayon::ThreadPoolBuilder;

use super::amounts::{percent, time};
use super::functions::{self, FunctionShares};
use super::selection::Selection;
use crate::process::Program;

/// Stages with a smaller part of the time are added up.
const SMALLEST_PERCENT: f64 = 2.0;

/// A run that is measured by stage. The template has a block of the same name that says what is left.
struct StagedRun {
    block: &'static str,
    title: &'static str,
    network: &'static str,
    collective: &'static str,
    model: CommunicationModel,
    limit: Option<Duration>,
}

/// Name of the run whose plan file is verified, too, and that of the verification.
const PLANNED: &str = "stages of an all-gather";
const VERIFIED: &str = "stages of a verification";

fn runs() -> [StagedRun; 3] {
    let (packets, wormhole) = (CommunicationModel::store_and_forward(), CommunicationModel::wormhole());
    let run =
        |block, title, network, collective, model, limit| StagedRun { block, title, network, collective, model, limit };
    let limit = Some(Duration::from_secs(20));
    [
        run(PLANNED, "all-gather, 64x64 torus, store-and-forward", "torus:64x64", "aab", packets, None),
        run("stages of a broadcast", "broadcast, 20-cube, wormhole", "hypercube:20", "oab", wormhole, None),
        run(
            "stages of an all-to-all",
            "all-to-all, random 4-regular of 1024 nodes, wormhole",
            "random-regular:1024,4,1",
            "aas",
            wormhole,
            limit,
        ),
    ]
}

/// The stages of one run with their times, in the order of their first begin.
pub(super) struct StageTimes {
    /// Name of the block of the template.
    pub(super) block: &'static str,
    pub(super) title: &'static str,
    stages: Vec<(String, Duration)>,
    /// The largest functions, if the profiler is installed.
    pub(super) functions: Option<FunctionShares>,
}

/// A clock that adds the time since its last mark to a stage.
struct StageClock {
    last: Instant,
    stages: Vec<(String, Duration)>,
}

impl StagedRun {
    /// Returns the arguments of the same run of the program.
    fn arguments(&self, file: &str) -> Vec<String> {
        let is_wormhole = self.model.switching == Switching::Wormhole;
        let switching = if is_wormhole { "wormhole" } else { "sf" };
        let words =
            ["plan", self.network, "-c", self.collective, "--switching", switching, "--quiet", "--output", file];
        let budget = self.limit.map(|limit| ["--budget".to_owned(), format!("{}s", limit.as_secs())]);
        words.map(str::to_owned).into_iter().chain(budget.into_iter().flatten()).collect()
    }
}

impl StageClock {
    fn start() -> Self {
        Self { last: Instant::now(), stages: Vec::new() }
    }

    fn mark(&mut self, stage: &str) {
        let taken = self.last.elapsed();
        match self.stages.iter_mut().find(|(name, _)| name == stage) {
            Some((_, time)) => *time += taken,
            None => self.stages.push((stage.to_owned(), taken)),
        }
        self.last = Instant::now();
    }
}

/// Measures the runs that are wanted.
pub(super) fn measure(program: &Program, selection: &Selection) -> Result<Vec<StageTimes>> {
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
    let mut measured = Vec::new();
    for run in runs().iter().filter(|run| selection.wants(run.title)) {
        eprintln!("Where the time goes: {}", run.title);
        let file = program.file("stages.lsb");
        let mut clock = StageClock::start();
        alone.install(|| plan(run, &file, &mut clock))?;
        let functions = functions::measure(program, &run.arguments(&file));
        measured.push(StageTimes { block: run.block, title: run.title, stages: clock.stages, functions });
        if run.block == PLANNED {
            let mut clock = StageClock::start();
            alone.install(|| check(&file, &mut clock))?;
            let title = "verification of the plan of this all-gather";
            let functions = functions::measure(program, &["verify", &file].map(str::to_owned));
            measured.push(StageTimes { block: VERIFIED, title, stages: clock.stages, functions });
        }
    }
    Ok(measured)
}

/// Plans as `lockstep plan` does, and writes the plan to a file.
fn plan(run: &StagedRun, file: &str, clock: &mut StageClock) -> Result<()> {
    let topology: Topology = run.network.parse()?;
    clock.mark("network");
    let name: CollectiveName = run.collective.parse()?;
    let root = name.has_root().then(|| topology.terminals()[0]);
    let collective: Collective = name.with_root(root)?;
    let problem = Problem::new(&topology, &collective, run.model)?;
    clock.mark("problem");
    let budget = run.limit.map_or(Budget::evaluations(DEFAULT_EVALUATIONS), Budget::time);
    let plan: Plan = Planner::new(problem, PlanOptions::auto(1)).run(&budget, |event| match event {
        Event::Bound { rule, .. } => clock.mark(&format!("bound {rule}")),
        Event::Tried { engine, method, .. } => {
            clock.mark(&method.map_or(engine.to_owned(), |method| format!("{engine} ({method})")));
        }
        Event::Found { .. } => clock.mark("verification"),
        Event::Search(_) | Event::Stopped(_) => clock.mark("evolutionary search"),
        _ => clock.mark("planner"),
    })?;
    clock.mark("check of the certificate");
    let bytes = plan.to_file(None).to_bytes();
    clock.mark("encoding");
    fs::write(file, bytes)?;
    clock.mark("write");
    Ok(())
}

/// Checks a plan file as `lockstep verify` does.
fn check(file: &str, clock: &mut StageClock) -> Result<()> {
    let bytes = fs::read(file)?;
    clock.mark("read");
    let plan = PlanFile::read(&bytes)?;
    clock.mark("decoding");
    let problem = plan.schedule.problem();
    verify(&problem, plan.schedule.schedule())?;
    clock.mark("verification");
    plan.lower_bound.check(&problem)?;
    clock.mark("check of the certificate");
    Ok(())
}

impl StageTimes {
    fn total(&self) -> Duration {
        self.stages.iter().map(|stage| stage.1).sum()
    }

    /// Returns one row per large stage, the longest first, one for the others, and the sum.
    pub(super) fn table(&self) -> Table {
        let mut table = Table::new(["stage", "time", "share"]);
        let total = self.total();
        let share = |part: Duration| percent(part.as_secs_f64(), total.as_secs_f64());
        let mut push = |name: &str, taken| table.push([name.to_owned(), time(taken), format!("{:.0} %", share(taken))]);
        let mut stages: Vec<&(String, Duration)> = self.stages.iter().collect();
        stages.sort_by_key(|stage| std::cmp::Reverse(stage.1));
        let (large, small): (Vec<_>, Vec<_>) = stages.into_iter().partition(|stage| share(stage.1) >= SMALLEST_PERCENT);
        for (name, taken) in large {
            push(name, *taken);
        }
        if !small.is_empty() {
            push(&format!("other stages ({})", small.len()), small.iter().map(|stage| stage.1).sum());
        }
        push("sum", total);
        table
    }
}

/// Returns stages of all runs for tests.
#[cfg(test)]
pub(super) fn fake_stages() -> Vec<StageTimes> {
    let stages = || {
        let stage = |name: &str, milliseconds| (name.to_owned(), Duration::from_millis(milliseconds));
        vec![stage("problem", 1), stage("bound ports", 300), stage("write", 4), stage("construct", 695)]
    };
    let named = |block, title| StageTimes { block, title, stages: stages(), functions: None };
    let planned = runs().iter().map(|run| named(run.block, run.title)).collect::<Vec<_>>();
    planned.into_iter().chain([named(VERIFIED, "verification")]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_stages_are_listed_from_the_longest_on() {
        let text = fake_stages()[0].table().to_markdown();
        let rows: Vec<&str> = text.lines().skip(2).collect();
        let expected = [("construct", "70 %"), ("bound ports", "30 %"), ("other stages (2)", "0 %"), ("sum", "100 %")];
        assert_eq!(rows.len(), expected.len(), "{text}");
        for (row, (stage, share)) in rows.iter().zip(expected) {
            assert!(row.contains(stage) && row.contains(share), "{row}");
        }
    }

    #[test]
    fn a_clock_adds_the_parts_of_a_stage() {
        let mut clock = StageClock::start();
        for stage in ["bound", "method", "bound"] {
            clock.mark(stage);
        }
        let names: Vec<&str> = clock.stages.iter().map(|stage| stage.0.as_str()).collect();
        assert_eq!(names, ["bound", "method"]);
    }
}
