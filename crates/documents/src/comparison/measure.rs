//! Measured runs of our planner, each with its own random node numbers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::schedule::Switching;
use lockstep::{Budget, CommunicationModel, EngineChoice, Plan, PlanOptions, Planner, Problem, Topology};
use rayon::ThreadPoolBuilder;

use super::integer_programme::{self, Answer};
use super::rows::{Row, RowTable};
use super::seeds::Seeds;
use crate::process::{Cost, Program};
use crate::shuffle::shuffled;

/// Number of processes per row.
const PROCESSES: usize = 5;

/// Time limit of an integer programme.
pub(super) const PROGRAMME_LIMIT: Duration = Duration::from_mins(1);

/// One run of the planner.
#[derive(Clone, Copy)]
pub(super) struct MeasuredRun {
    pub(super) seed: u64,
    pub(super) steps: u32,
}

/// The measurements of one row.
pub(super) struct MeasuredRow<'a> {
    pub(super) row: &'a Row,
    pub(super) terminals: usize,
    /// The best lower bound of all runs, and its rule.
    pub(super) bound: u32,
    pub(super) rule: String,
    /// The verified runs.
    pub(super) runs: Vec<MeasuredRun>,
    /// The engine that found the first schedule.
    pub(super) engine: String,
    /// Mean time to plan, bound and verify on one thread.
    pub(super) time: Duration,
    /// Cost of whole processes on one thread.
    pub(super) process: Cost,
    /// Cost of whole processes on two threads.
    pub(super) two_threads: Cost,
    /// Answer and time of the integer programme, for an all-to-all.
    pub(super) programme: Option<(Answer, Duration)>,
}

/// Measures one row with these seeds, or with fewer if the row says so.
pub(super) fn measure<'a>(table: &RowTable, row: &'a Row, seeds: Seeds, program: &Program) -> Result<MeasuredRow<'a>> {
    let topology = row.topology()?;
    let model = table.model();
    let (mut runs, mut total, mut best) = (Vec::new(), Duration::ZERO, None::<Plan>);
    let mut engine = None;
    for seed in seeds.iter(row.seeds) {
        let shuffled = shuffled(&topology, seed);
        let started = Instant::now();
        let plan = planned(&shuffled, row, model, seed)?;
        total += started.elapsed();
        runs.push(MeasuredRun { seed, steps: plan.step_count() });
        engine.get_or_insert_with(|| plan.engine().to_owned());
        if best.as_ref().is_none_or(|best| best.lower_bound().steps < plan.lower_bound().steps) {
            best = Some(plan);
        }
    }
    let best = best.context("at least one seed is needed")?;
    let file = shuffled(&topology, seeds.first.into());
    let arguments = arguments(program, &file, row, model)?;
    let process = |threads| {
        let costs: Result<Vec<Cost>> =
            runs.iter().take(PROCESSES).map(|run| program.run(&arguments, run.seed, threads)).collect();
        costs.map(Cost::median)
    };
    Ok(MeasuredRow {
        row,
        terminals: topology.terminal_count(),
        bound: best.lower_bound().steps,
        rule: best.lower_bound().rule.to_string(),
        time: total / runs.len() as u32,
        process: process(1)?,
        two_threads: process(2)?,
        programme: (row.collective == "aas").then(|| programme(&topology, row, model)).transpose()?,
        engine: engine.context("at least one seed is needed")?,
        runs,
    })
}

/// Returns the mean times of all-gathers on square tori of these sides, by number of nodes.
pub(super) fn scaling(sides: &[u32], seeds: Seeds) -> Result<Vec<(usize, Duration)>> {
    let text = |side: u32| {
        format!(r#"{{"name": "{side}x{side} torus", "network": "torus:{side}x{side}", "collective": "aab"}}"#)
    };
    let measured = sides.iter().map(|&side| {
        let row: Row = serde_json::from_str(&text(side))?;
        let topology = row.topology()?;
        let (mut total, mut count) = (Duration::ZERO, 0);
        for seed in seeds.iter(Some(3)) {
            let shuffled = shuffled(&topology, seed);
            let started = Instant::now();
            planned(&shuffled, &row, CommunicationModel::store_and_forward(), seed)?;
            total += started.elapsed();
            count += 1;
        }
        Ok((topology.terminal_count(), total / count))
    });
    measured.collect()
}

/// Plans with the general engine on one thread.
fn planned(topology: &Topology, row: &Row, model: CommunicationModel, seed: u64) -> Result<Plan> {
    let collective = row.collective(topology)?;
    let problem = Problem::new(topology, &collective, model)?;
    let options = PlanOptions { engine: EngineChoice::Named("construct"), ..PlanOptions::auto(seed) };
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
    Ok(alone.install(|| Planner::new(problem, options).run(&Budget::seconds(row.budget), |_| {}))?)
}

/// Solves the integer programme of a row. Returns its answer and its time.
fn programme(topology: &Topology, row: &Row, model: CommunicationModel) -> Result<(Answer, Duration)> {
    let collective = row.collective(topology)?;
    let started = Instant::now();
    let answer = integer_programme::solve(&Problem::new(topology, &collective, model)?, PROGRAMME_LIMIT)?;
    Ok((answer, started.elapsed()))
}

/// Writes the network to a file and returns the arguments that plan the row with the general engine.
fn arguments(program: &Program, topology: &Topology, row: &Row, model: CommunicationModel) -> Result<Vec<String>> {
    let switching = if model.switching == Switching::Wormhole { "wormhole" } else { "sf" };
    let (file, output) = (program.write_network(topology)?, program.file("plan.lsb"));
    let budget = format!("{}s", row.budget);
    let (parts, count) = row.blocks.map_or(("--chunks", row.chunks), |blocks| ("--blocks", blocks));
    let count = count.to_string();
    let words = [
        "plan",
        &file,
        "--collective",
        &row.collective,
        "--switching",
        switching,
        parts,
        &count,
        "--engine",
        "construct",
        "--budget",
        &budget,
        "--output",
        &output,
        "--quiet",
    ];
    Ok(words.map(str::to_owned).to_vec())
}

/// Returns a row of 10 nodes for tests, whose bound is 4 steps, with these runs from seed 7 on.
#[cfg(test)]
pub(super) fn fake_row<'a>(row: &'a Row, steps: &[u32], programme: Option<Answer>) -> MeasuredRow<'a> {
    let cost = |milliseconds| Cost { time: Duration::from_millis(milliseconds), processor: None, peak: 5_000_000 };
    MeasuredRow {
        row,
        terminals: 10,
        bound: 4,
        rule: "volume".to_owned(),
        runs: (7..).zip(steps).map(|(seed, &steps)| MeasuredRun { seed, steps }).collect(),
        engine: "construct".to_owned(),
        time: Duration::from_millis(20),
        process: cost(300),
        two_threads: cost(225),
        programme: programme.map(|answer| (answer, Duration::from_millis(50))),
    }
}
