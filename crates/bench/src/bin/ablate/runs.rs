//! Runs of the planner with and without parts, and the file that records them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use lockstep::schedule::{Part, Pattern};
use lockstep::{Budget, EngineRegistry, Event, PlanOptions, Planner};
use serde::{Deserialize, Serialize};

use crate::problems::NamedProblem;

/// The result of one run.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) problem: String,
    /// The parts that are left out, with commas between; empty for the baseline.
    pub(crate) without: String,
    pub(crate) budget: u64,
    pub(crate) seed: u64,
    /// The sum of the widths of the steps; `None` without a plan.
    pub(crate) steps: Option<u64>,
    pub(crate) bound: Option<u32>,
    pub(crate) optimal: bool,
    /// The evaluations of all methods until the last shorter schedule.
    pub(crate) work: u64,
    /// The time in milliseconds.
    pub(crate) ms: u64,
    /// The method or engine that found the schedule.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) finder: String,
    /// The rule of the bound.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) rule: String,
    /// The parts without which another result is possible: those that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) used: Vec<String>,
    /// Why there is no plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) error: String,
}

/// What decides the result of a run.
pub(crate) type Key = (String, String, u64, u64);

impl Run {
    pub(crate) fn key(&self) -> Key {
        (self.problem.clone(), self.without.clone(), self.budget, self.seed)
    }
}

/// Returns the parts that a plan can use.
pub(crate) fn parts() -> Vec<Part> {
    // A plan uses no combining algorithms.
    EngineRegistry::standard().parts().into_iter().filter(|part| part.owner != "combining").collect()
}

/// Returns the name of parts that are left out together.
pub(crate) fn name_of(parts: &[Part]) -> String {
    let names: Vec<String> = parts.iter().map(Part::to_string).collect();
    names.join(",")
}

/// Plans a problem without some parts.
pub(crate) fn run(problem: &NamedProblem, without: &[Part], budget: u64, seed: u64) -> Run {
    let mut used = Used::default();
    let options = PlanOptions::auto(seed).without(without);
    let started = Instant::now();
    let plan =
        Planner::new(problem.instance.problem(), options).run(&Budget::evaluations(budget), |event| used.see(&event));
    let ms = started.elapsed().as_millis() as u64;
    let mut run = Run {
        problem: problem.name.clone(),
        without: name_of(without),
        budget,
        seed,
        steps: None,
        bound: None,
        optimal: false,
        work: used.work_of_best,
        ms,
        finder: String::new(),
        rule: String::new(),
        used: Vec::new(),
        error: String::new(),
    };
    if without.is_empty() {
        run.used = used.names(problem.instance.collective.pattern());
    }
    match plan {
        Ok(plan) => {
            run.steps = Some(plan.schedule().width_sum());
            run.bound = Some(plan.lower_bound().steps);
            run.optimal = plan.is_optimal();
            plan.engine().clone_into(&mut run.finder);
            run.rule = plan.lower_bound().rule.to_string();
        }
        Err(error) => run.error = error.to_string(),
    }
    run
}

/// The parts that run during a plan.
#[derive(Default)]
struct Used {
    /// Names of engines, methods, constructions and rules.
    names: BTreeSet<String>,
    /// The best bound of a phase so far.
    bound: u32,
    work: u64,
    work_of_best: u64,
}

impl Used {
    fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Tried { engine, method, effort, .. } => {
                self.names.insert(format!("engine/{engine}"));
                self.names.extend(method.map(|method| format!("{engine}/{method}")));
                self.work += effort.evaluations;
            }
            Event::Found { .. } => self.work_of_best = self.work,
            // A smaller bound than one before changes nothing.
            Event::Bound { rule, steps: Some(steps) } if *steps >= self.bound => {
                self.bound = *steps;
                self.names.insert(rule.part().to_string());
            }
            // Another phase, or the whole.
            Event::Part { .. } => self.bound = 0,
            _ => {}
        }
    }

    /// Returns the names of the parts that ran. The events of an all-reduce do not name all of them, so all count there.
    fn names(&self, pattern: Pattern) -> Vec<String> {
        let is_all_reduce = pattern == Pattern::ReduceBroadcast;
        let is_used = |part: &Part| match part.owner {
            "bounds" | "all-reduce" | "planner" if is_all_reduce => true,
            // A construction, a method, an engine or a rule; or a part of a method.
            owner => self.names.contains(&part.to_string()) || self.names.contains(&format!("construct/{owner}")),
        };
        parts().iter().filter(|part| is_used(part)).map(Part::to_string).collect()
    }
}

/// The runs that are recorded in a folder, and the file that gets more.
pub(crate) struct Record {
    pub(crate) runs: BTreeMap<Key, Run>,
}

impl Record {
    /// Reads all files of a folder. A line that an interruption cut off is left out.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let mut runs = BTreeMap::new();
        if !folder.exists() {
            return Ok(Self { runs });
        }
        for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
                let lines = text.lines().filter_map(|line| serde_json::from_str::<Run>(line).ok());
                runs.extend(lines.map(|run| (run.key(), run)));
            }
        }
        Ok(Self { runs })
    }
}

/// A file to which runs are appended.
pub(crate) struct Log(File);

impl Log {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let mut file =
            OpenOptions::new().create(true).append(true).open(path).with_context(|| path.display().to_string())?;
        // Ends a line that an interruption cut off.
        if file.metadata()?.len() > 0 {
            file.write_all(b"\n")?;
        }
        Ok(Self(file))
    }

    pub(crate) fn push(&mut self, run: &Run) -> Result<()> {
        self.0.write_all(format!("{}\n", serde_json::to_string(run)?).as_bytes())?;
        Ok(())
    }
}
