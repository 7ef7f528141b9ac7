//! `cargo xtask optima`: plans and bounds of random problems, compared with exact optima.

#![allow(clippy::print_stdout, reason = "the output of a program is its purpose")]

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use lockstep::{Budget, Plan, PlanOptions, Planner};
use lockstep_report::Table;
use lockstep_schedule::strategy::{Instance, fastest_schedule, instance};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rayon::prelude::*;

/// Compare plans and bounds of random problems with exact optima.
#[derive(Parser)]
#[command(name = "cargo xtask optima", bin_name = "cargo xtask optima")]
struct Arguments {
    /// Number of small problems, on networks of 3 to 7 nodes, which an exhaustive search solves.
    #[arg(long, value_name = "N", default_value_t = 5000)]
    small: u32,
    /// Number of medium problems, on networks of 8 to 20 nodes, which are compared with their bounds only.
    #[arg(long, value_name = "N", default_value_t = 300)]
    medium: u32,
    /// Seed of the random problems.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Search budget of each plan, in evaluations.
    #[arg(long, value_name = "AMOUNT", default_value_t = 4_000_000)]
    budget: u64,
    /// Write the plan of every open problem to the folder OUT.
    #[arg(long)]
    out: Option<PathBuf>,
}

/// The largest number of partial steps of an exhaustive search: about 10 seconds.
const EFFORT: u64 = 20_000_000;

/// The sizes of the networks of one table, in nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Sizes {
    name: &'static str,
    least: usize,
    most: usize,
    /// Whether an exhaustive search looks for the optimum.
    is_solved: bool,
}

const SMALL: Sizes = Sizes { name: "small", least: 3, most: 7, is_solved: true };
const MEDIUM: Sizes = Sizes { name: "medium", least: 8, most: 20, is_solved: false };

/// The plan of one random problem.
struct Outcome {
    number: u32,
    plan: Plan,
    /// The smallest number of steps, if it is known.
    optimum: Option<u32>,
    /// The time that the planner took.
    time: Duration,
}

/// Plans random problems, and prints how many plans and bounds are exact. It is an error if a problem has no plan, or if a bound
/// exceeds the optimum.
fn main() -> Result<()> {
    let arguments = &Arguments::parse();
    for (sizes, count) in [(SMALL, arguments.small), (MEDIUM, arguments.medium)] {
        let outcomes: Result<Vec<Outcome>> =
            (0..count).into_par_iter().map(|number| outcome(arguments, sizes, number)).collect();
        let outcomes = outcomes?;
        println!("## {count} {} problems of {} to {} nodes\n", sizes.name, sizes.least, sizes.most);
        for table in
            [table("collective", &outcomes, collective), table("model", &outcomes, model), open_problems(&outcomes)]
        {
            println!("{}", table.to_markdown());
        }
        if let Some(longest) = outcomes.iter().max_by_key(|outcome| outcome.time) {
            println!("Longest time: {:.2?} (problem {}).\n", longest.time, longest.number);
        }
        if let Some(folder) = &arguments.out {
            write_open(folder, sizes, &outcomes)?;
        }
    }
    Ok(())
}

/// Returns the random problem of a number.
fn problem(sizes: Sizes, seed: u32, number: u32) -> Result<Instance> {
    let mut bytes = [0; 32];
    for (place, word) in [seed, number, sizes.most as u32].into_iter().enumerate() {
        bytes[4 * place..][..4].copy_from_slice(&word.to_le_bytes());
    }
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let config = Config { max_local_rejects: u32::MAX, max_global_rejects: u32::MAX, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let problems = instance(sizes.most).prop_filter("another size", |instance| {
        let nodes = instance.topology.node_count();
        (sizes.least..=sizes.most).contains(&nodes) && !instance.problem().messages().is_empty()
    });
    let tree = problems.new_tree(&mut runner).map_err(|reason| anyhow::anyhow!("no problem: {reason}"))?;
    Ok(tree.current())
}

fn outcome(arguments: &Arguments, sizes: Sizes, number: u32) -> Result<Outcome> {
    let instance = problem(sizes, arguments.seed, number)?;
    let budget = Budget::evaluations(arguments.budget);
    let start = Instant::now();
    let plan = Planner::new(instance.problem(), PlanOptions::auto(1)).run(&budget, |_| {});
    let time = start.elapsed();
    let plan = plan.with_context(|| format!("{} problem {number}", sizes.name))?;
    let steps = plan.step_count();
    let optimum = if sizes.is_solved {
        let shorter = fastest_schedule(&plan.problem(), steps as usize - 1, &mut EFFORT.clone());
        let known = plan.is_optimal().then_some(steps);
        shorter.map_or(known, |shorter| Some(shorter.map_or(steps, |schedule| schedule.step_count() as u32)))
    } else {
        plan.is_optimal().then_some(steps)
    };
    let bound = plan.lower_bound();
    ensure!(optimum.is_none_or(|optimum| bound.steps <= optimum), "{} problem {number}: {bound} is false", sizes.name);
    Ok(Outcome { number, plan, optimum, time })
}

/// Returns the collective of a plan, with the pattern of a list of messages.
fn collective(plan: &Plan) -> String {
    let collective = plan.collective();
    match collective.name() {
        Some(name) => name.to_string(),
        None => format!("listed {}", collective.pattern().plural()),
    }
}

/// Returns the model of a plan, with the kinds of shared resources.
fn model(plan: &Plan) -> String {
    let topology = plan.topology();
    let sharing = if topology.has_buses() {
        ", buses"
    } else if topology.resource_count() < topology.channel_count() {
        ", half duplex"
    } else {
        ""
    };
    format!("{}{sharing}", plan.model())
}

/// Returns one row per group of problems, and one for all.
fn table(name: &str, outcomes: &[Outcome], group: impl Fn(&Plan) -> String) -> Table {
    let mut groups: BTreeMap<String, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        groups.entry(group(&outcome.plan)).or_default().push(outcome);
    }
    let mut table = Table::new([name, "problems", "solved", "plan = optimum", "bound = optimum", "bound = steps"]);
    for (name, outcomes) in groups.into_iter().chain([("all".to_owned(), outcomes.iter().collect())]) {
        let count = |is_counted: &dyn Fn(&Outcome) -> bool| {
            outcomes.iter().filter(|outcome| is_counted(outcome)).count().to_string()
        };
        table.push([
            name,
            outcomes.len().to_string(),
            count(&|outcome| outcome.optimum.is_some()),
            count(&|outcome| outcome.optimum == Some(outcome.plan.step_count())),
            count(&|outcome| outcome.optimum == Some(outcome.plan.lower_bound().steps)),
            count(&|outcome| outcome.plan.is_optimal()),
        ]);
    }
    table
}

/// Returns one row per plan that does not meet its bound.
fn open_problems(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new(["open problem", "network", "collective", "model", "bound", "optimum", "plan"]);
    for Outcome { number, plan, optimum, .. } in outcomes.iter().filter(|outcome| !outcome.plan.is_optimal()) {
        let topology = plan.topology();
        let chunks = plan.collective().chunks();
        table.push([
            number.to_string(),
            format!("{}, {} nodes, {} channels", topology.name(), topology.node_count(), topology.channel_count()),
            if chunks.get() == 1 { collective(plan) } else { format!("{} in {chunks} chunks", collective(plan)) },
            model(plan),
            plan.lower_bound().to_string(),
            optimum.map_or_else(|| "?".to_owned(), |optimum| optimum.to_string()),
            plan.step_count().to_string(),
        ]);
    }
    table
}

/// Writes the plans that do not meet their bounds, as `SIZE-NUMBER.json`.
fn write_open(folder: &std::path::Path, sizes: Sizes, outcomes: &[Outcome]) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for outcome in outcomes.iter().filter(|outcome| !outcome.plan.is_optimal()) {
        let path = folder.join(format!("{}-{}.json", sizes.name, outcome.number));
        fs::write(&path, outcome.plan.to_file(None).to_json()).with_context(|| path.display().to_string())?;
    }
    Ok(())
}
