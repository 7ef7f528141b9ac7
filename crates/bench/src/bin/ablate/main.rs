//! `cargo xtask ablate`: the use of every part of the search, by plans without it.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the output of a program is its purpose")]

mod draw;
mod problems;
mod runs;
mod table;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Parser;
use lockstep::EngineRegistry;
use lockstep::schedule::Part;

use crate::problems::{NamedProblem, SETS};
use crate::runs::{Key, Log, Record};

/// Leave out each part of the search in turn, and record the plans
///
/// Plans every problem of data/ablation with all parts, and then without each part that ran. Runs that are recorded in DIR are
/// skipped, so an interrupted study continues with the same command. Several processes can share the work by --shard.
#[derive(Parser)]
#[command(name = "cargo xtask ablate", bin_name = "cargo xtask ablate")]
struct Arguments {
    /// Evaluations per plan; repeatable
    #[arg(long, value_name = "EVALUATIONS", default_value = "65536")]
    budget: Vec<u64>,
    /// Number of seeds, from 1
    #[arg(long, value_name = "N", default_value_t = 1)]
    seeds: u64,
    /// Set of problems: documents, random or large [default: all]; repeatable
    #[arg(long, value_name = "SET")]
    set: Vec<String>,
    /// Leave out only these parts, such as rarest-first,bounds/cut [default: every part]
    #[arg(long, value_name = "PARTS", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave out these parts together, such as arborescences,flooding, and no others alone; repeatable
    #[arg(long, value_name = "PARTS", conflicts_with = "only")]
    group: Vec<String>,
    /// Leave nothing out of problems whose plan with all parts takes more than this number of seconds
    #[arg(long, value_name = "SECONDS")]
    patience: Option<u64>,
    /// The part of the problems for this process, such as 1/2 and 2/2
    #[arg(long, value_name = "I/N", default_value = "1/1", value_parser = shard)]
    shard: Shard,
    /// Folder of the records [default: target/ablation]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder of the problems [default: data/ablation]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Write docs/ablation.md and data/ablation/results.jsonl from the records, and run nothing
    #[arg(long, conflicts_with = "draw")]
    table: bool,
    /// Draw the random problems again, with this seed, and run nothing
    #[arg(long, value_name = "SEED")]
    draw: Option<u32>,
}

/// One of several parts of the problems, from 0.
#[derive(Clone, Copy)]
struct Shard {
    place: usize,
    count: usize,
}

fn shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(place, count)| Some((place.parse().ok()?, count.parse().ok()?)));
    match numbers {
        Some((place @ 1.., count)) if place <= count => Ok(Shard { place: place - 1, count }),
        _ => Err("expected I/N with 1 <= I <= N, such as 1/2".to_owned()),
    }
}

/// Returns the root folder of the repository.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("the package is at crates/bench").to_owned()
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let data = arguments.data.clone().unwrap_or_else(|| root().join("data/ablation"));
    let out = arguments.out.clone().unwrap_or_else(|| root().join("target/ablation"));
    if let Some(seed) = arguments.draw {
        let path = data.join("random.jsonl");
        return fs::write(&path, draw::lines(seed)?.join("\n") + "\n").with_context(|| path.display().to_string());
    }
    if arguments.table {
        return table::write(&root(), &Record::read(&out)?);
    }
    // One thread, so that shards share the cores. The results do not depend on it.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
    let study = Study::new(&arguments, &data)?;
    fs::create_dir_all(&out).with_context(|| out.display().to_string())?;
    let Shard { place, count } = arguments.shard;
    let mut log = Log::open(&out.join(format!("runs-{}-of-{count}.jsonl", place + 1)))?;
    let mut record = Record::read(&out)?;
    study.run_all(&study.baselines(), "with all parts", &mut record, &mut log)?;
    study.run_all(&study.others(&record), "without parts", &mut record, &mut log)
}

/// The problems and parts of a study.
struct Study {
    problems: Vec<NamedProblem>,
    /// The parts to leave out, together.
    left_out: Vec<Vec<Part>>,
    budgets: Vec<u64>,
    seeds: u64,
    patience: Option<u64>,
}

/// One run: the number of the problem, the parts that are left out, the budget and the seed.
type Task = (usize, Vec<Part>, u64, u64);

impl Study {
    fn new(arguments: &Arguments, data: &Path) -> Result<Self> {
        let mut problems = Vec::new();
        for set in &arguments.set {
            ensure!(SETS.contains(&set.as_str()), "there is no set '{set}'; choose {}", SETS.join(", "));
        }
        for set in SETS.iter().filter(|set| arguments.set.is_empty() || arguments.set.iter().any(|one| one == *set)) {
            problems.extend(problems::read(data, set)?);
        }
        let Shard { place, count } = arguments.shard;
        let problems = problems.into_iter().enumerate().filter(|(number, _)| number % count == place);
        let parts = |names: &mut dyn Iterator<Item = &str>| -> Result<Vec<Part>> {
            names.map(|name| Ok(EngineRegistry::standard().part(name)?)).collect()
        };
        let mut left_out: Vec<Vec<Part>> = Vec::new();
        for group in &arguments.group {
            left_out.push(parts(&mut group.split(','))?);
        }
        if left_out.is_empty() {
            let only = parts(&mut arguments.only.iter().map(String::as_str))?;
            let is_chosen = |part: &Part| only.is_empty() || only.contains(part);
            left_out = runs::parts().into_iter().filter(is_chosen).map(|part| vec![part]).collect();
        }
        if left_out.is_empty() {
            bail!("a plan uses none of these parts");
        }
        Ok(Self {
            problems: problems.map(|(_, problem)| problem).collect(),
            left_out,
            budgets: arguments.budget.clone(),
            seeds: arguments.seeds,
            patience: arguments.patience,
        })
    }

    /// Returns the runs with all parts.
    fn baselines(&self) -> Vec<Task> {
        let mut tasks = Vec::new();
        for seed in 1..=self.seeds {
            for &budget in &self.budgets {
                tasks.extend((0..self.problems.len()).map(|problem| (problem, Vec::new(), budget, seed)));
            }
        }
        tasks
    }

    /// Returns the runs without parts that ran in the baseline. Without another part, the plan is the same.
    fn others(&self, record: &Record) -> Vec<Task> {
        let mut tasks = Vec::new();
        for (problem, _, budget, seed) in self.baselines() {
            let baseline = record.runs.get(&self.key(&(problem, Vec::new(), budget, seed)));
            let is_short = |ms: u64| self.patience.is_none_or(|seconds| ms <= seconds.saturating_mul(1000));
            let Some(baseline) = baseline.filter(|run| run.steps.is_some() && is_short(run.ms)) else { continue };
            let is_used = |part: &Part| baseline.used.contains(&part.to_string());
            let used = self.left_out.iter().filter(|parts| parts.iter().any(is_used));
            tasks.extend(used.map(|parts| (problem, parts.clone(), budget, seed)));
        }
        tasks
    }

    fn key(&self, (problem, without, budget, seed): &Task) -> Key {
        (self.problems[*problem].name.clone(), runs::name_of(without), *budget, *seed)
    }

    /// Makes the runs that are not recorded.
    fn run_all(&self, tasks: &[Task], what: &str, record: &mut Record, log: &mut Log) -> Result<()> {
        let open: Vec<&Task> = tasks.iter().filter(|task| !record.runs.contains_key(&self.key(task))).collect();
        eprintln!("{} of {} runs {what} are left", open.len(), tasks.len());
        let (started, mut shown) = (Instant::now(), Instant::now());
        for (done, task) in open.iter().enumerate() {
            if shown.elapsed() >= Duration::from_secs(10) {
                shown = Instant::now();
                let left = started.elapsed().as_secs_f64() / done.max(1) as f64 * (open.len() - done) as f64;
                eprintln!("{done} of {} runs {what}; about {:.1} hours left", open.len(), left / 3600.0);
            }
            let (problem, without, budget, seed) = task;
            let run = runs::run(&self.problems[*problem], without, *budget, *seed);
            log.push(&run)?;
            record.runs.insert(run.key(), run);
        }
        Ok(())
    }
}
