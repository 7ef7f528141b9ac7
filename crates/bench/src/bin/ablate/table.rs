//! The page `docs/ablation.md` and the committed results.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lockstep::schedule::Part;
use lockstep_report::Table;
use serde::{Deserialize, Serialize};

use crate::runs::{Record, Run, parts};

const INTRODUCTION: &str = "\
# The use of every part of the search

Every problem of `data/ablation/` is planned with all parts of the search, and then without each part that ran. The other parts then get
its share of the budget, so a plan can also become shorter. `cargo xtask ablate` makes the runs, and `cargo xtask ablate --table` writes this page.
`lockstep plan --without PART` makes one of the plans.

- *lines*: the lines of the source of the part with its tests, `-` if it has no file of its own.
- *runs*: the number of plans without the part: one per problem, budget and seed where it ran. In all others, the plan is the same.
- *longer*, *steps lost*: the number of plans that become longer, and their additional steps; *shorter*, *steps gained*: the reverse.
- *bounds*: the number of lower bounds that become smaller. *optima*: plans whose optimality is no longer proved, and those where it is new.
- *none*: the number of problems without any plan.

Parts that are deleted have the section *Deleted*, with their runs and lines from before.
";

/// A decision about a part, from `data/ablation/decisions.jsonl`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decision {
    part: String,
    /// `kept` or `deleted`, with the reason.
    outcome: String,
    /// The lines of a deleted part.
    lines: Option<usize>,
}

/// What changes without some parts.
#[derive(Clone, Copy, Default, Serialize)]
struct Change {
    runs: u64,
    longer: u64,
    steps_lost: u64,
    shorter: u64,
    steps_gained: u64,
    bounds_lost: u64,
    optima_lost: u64,
    optima_gained: u64,
    none: u64,
}

impl Change {
    fn add(&mut self, with: &Run, without: &Run) {
        self.runs += 1;
        match (with.steps, without.steps) {
            (Some(before), Some(after)) => {
                self.longer += u64::from(after > before);
                self.steps_lost += after.saturating_sub(before);
                self.shorter += u64::from(after < before);
                self.steps_gained += before.saturating_sub(after);
            }
            (Some(_), None) => self.none += 1,
            _ => {}
        }
        self.bounds_lost += u64::from(without.bound.is_some() && without.bound < with.bound);
        self.optima_lost += u64::from(with.optimal && !without.optimal);
        self.optima_gained += u64::from(!with.optimal && without.optimal);
    }
}

/// A run that differs from the baseline, or a baseline, in the committed results.
#[derive(Serialize)]
struct ResultLine<'r> {
    problem: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    without: &'r str,
    budget: u64,
    seed: u64,
    steps: Option<u64>,
    bound: Option<u32>,
}

/// Writes the page and the results.
pub(crate) fn write(root: &Path, record: &Record) -> Result<()> {
    let (mut changes, mut by_budget) = (BTreeMap::<&str, Change>::new(), BTreeMap::<u64, BTreeSet<&str>>::new());
    let mut results = Vec::new();
    for run in record.runs.values() {
        let baseline = (run.problem.clone(), String::new(), run.budget, run.seed);
        let Some(with) = record.runs.get(&baseline) else { continue };
        if run.without.is_empty() {
            by_budget.entry(run.budget).or_default().insert(&run.problem);
        } else {
            changes.entry(&run.without).or_default().add(with, run);
        }
        if run.without.is_empty() || (run.steps, run.bound) != (with.steps, with.bound) {
            let Run { problem, without, budget, seed, steps, bound, .. } = run;
            let (budget, seed, steps, bound) = (*budget, *seed, *steps, *bound);
            results.push(serde_json::to_string(&ResultLine { problem, without, budget, seed, steps, bound })?);
        }
    }
    write_file(&root.join("data/ablation/results.jsonl"), &(results.join("\n") + "\n"))?;
    let decisions = decisions(&root.join("data/ablation/decisions.jsonl"))?;
    let mut page = INTRODUCTION.to_owned();
    let budgets: Vec<String> = by_budget
        .iter()
        .map(|(budget, problems)| format!("{} problems with {budget} evaluations", problems.len()))
        .collect();
    let problems_of = |is_group: bool| {
        let runs = record.runs.values().filter(|run| !run.without.is_empty() && run.without.contains(',') == is_group);
        runs.map(|run| &run.problem).collect::<BTreeSet<_>>().len()
    };
    let [single, groups] = [false, true].map(problems_of);
    writeln!(page, "\nMeasured: {}.", budgets.join(", "))?;
    writeln!(page, "Single parts are left out of {single} problems, several parts together of {groups}.")?;
    let known = parts();
    let mut owners: Vec<&str> = Vec::new();
    for part in &known {
        if !owners.contains(&part.owner) {
            owners.push(part.owner);
        }
    }
    for owner in owners {
        let of_owner = known.iter().filter(|part| part.owner == owner);
        let rows = of_owner.map(|part| (part.to_string(), lines_of(root, part)));
        write!(page, "\n## {owner}\n\n{}", table(rows, &changes, &decisions).to_markdown())?;
    }
    let names: BTreeSet<String> = known.iter().map(Part::to_string).collect();
    let is_deleted = |name: &&String| !name.contains(',') && !names.contains(*name);
    let deleted = decisions.keys().filter(is_deleted).map(|name| (name.clone(), decisions[name].lines));
    write!(page, "\n## Deleted\n\n{}", table(deleted, &changes, &decisions).to_markdown())?;
    let together = changes.keys().filter(|name| name.contains(',')).map(|name| ((*name).to_owned(), None));
    write!(page, "\n## Left out together\n\n{}", table(together, &changes, &decisions).to_markdown())?;
    write_file(&root.join("docs/ablation.md"), &page)
}

fn table(
    rows: impl Iterator<Item = (String, Option<usize>)>,
    changes: &BTreeMap<&str, Change>,
    decisions: &BTreeMap<String, Decision>,
) -> Table {
    let mut table = Table::new([
        "part",
        "lines",
        "runs",
        "longer",
        "steps lost",
        "shorter",
        "steps gained",
        "bounds",
        "optima",
        "none",
        "decision",
    ]);
    for (name, lines) in rows {
        let change = changes.get(name.as_str()).copied().unwrap_or_default();
        let optima = match (change.optima_lost, change.optima_gained) {
            (0, 0) => "0".to_owned(),
            (lost, gained) => format!("-{lost} +{gained}"),
        };
        table.push([
            name.split_once('/').filter(|_| !name.contains(',')).map_or(name.clone(), |(_, name)| name.to_owned()),
            lines.map_or_else(|| "-".to_owned(), |lines| lines.to_string()),
            change.runs.to_string(),
            change.longer.to_string(),
            change.steps_lost.to_string(),
            change.shorter.to_string(),
            change.steps_gained.to_string(),
            change.bounds_lost.to_string(),
            optima,
            change.none.to_string(),
            decisions.get(&name).map(|decision| decision.outcome.clone()).unwrap_or_default(),
        ]);
    }
    table
}

fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| path.display().to_string())
}

fn decisions(path: &Path) -> Result<BTreeMap<String, Decision>> {
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    let text = fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let decision = |line: &str| -> Result<(String, Decision)> {
        let decision: Decision = serde_json::from_str(line).with_context(|| path.display().to_string())?;
        Ok((decision.part.clone(), decision))
    };
    text.lines().map(decision).collect()
}

/// Returns the number of lines of the file or folder of a part: the one whose name is that of the part, or begins like it.
fn lines_of(root: &Path, part: &Part) -> Option<usize> {
    let word = part.name.replace('-', "_");
    let words = [word.clone(), word.trim_end_matches('s').to_owned()];
    let folder = match part.owner {
        "engine" => return None,
        "planner" => "lockstep/src/planner".to_owned(),
        "analytic" => "analytic/src/construction".to_owned(),
        "construct" => "construct/src/method".to_owned(),
        "bounds" => "bounds/src".to_owned(),
        "all-reduce" => "construct/src/all_reduce".to_owned(),
        method => format!("construct/src/method/{}", method.replace('-', "_")),
    };
    let place = find(&root.join("crates").join(folder), &words)?;
    let mut files = Vec::new();
    list(&place, &mut files);
    Some(files.iter().filter_map(|file| fs::read_to_string(file).ok()).map(|text| text.lines().count()).sum())
}

/// Returns the first file or folder of one of the names, the nearest to the folder first.
fn find(folder: &Path, words: &[String]) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let is_named = |path: &&PathBuf| path.file_stem().is_some_and(|stem| words.iter().any(|word| **word == *stem));
    if let Some(found) = entries.iter().find(is_named) {
        return Some(found.clone());
    }
    entries.iter().filter(|path| path.is_dir()).find_map(|folder| find(folder, words))
}

fn list(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        list(&entry.path(), files);
    }
}
