//! `SimGrid`: the simulated time of a schedule without conflicts is the time of its steps.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use super::steps;
use crate::process;

struct SimGrid {
    name: String,
}

/// Looks for `smpirun`.
pub(crate) fn find() -> Found {
    let Ok(output) = Command::new("smpirun").arg("-version").output() else {
        return Err(Missing { name: "SimGrid", install: "apt install libsimgrid-dev" });
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    Ok(Box::new(SimGrid { name: format!("SimGrid {}", version.unwrap_or_default()).trim_end().to_owned() }))
}

impl Consumer for SimGrid {
    fn name(&self) -> &str {
        &self.name
    }

    fn format(&self) -> &'static str {
        "simgrid"
    }

    fn options(&self, case: &Case) -> Vec<String> {
        vec!["--size".to_owned(), steps::size(case).to_string()]
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, case: &Case) -> bool {
        case.role != Role::Random
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        let mut replay = Command::new("sh");
        replay.arg(trial.file.join("run.sh")).arg("--log=root.fmt:%.12r_%m%n");
        let finished = process::run(&mut replay, trial.limit, trial.folder)?;
        let times = finished.text.lines().filter(|line| line.contains("Simulation time"));
        let seconds = times.filter_map(|line| line.split('_').next()?.trim().parse::<f64>().ok()).next_back();
        let Some(seconds) = seconds.filter(|_| finished.is_success) else {
            return Ok(Verdict::Refused(finished.reason("Deadlock")));
        };
        let total = steps::measure(trial)?.total;
        Ok(steps::verdict(trial, seconds, total, total))
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        match fault {
            // A trace has sizes only.
            Fault::SwappedOffsets => Ok(false),
            Fault::MissingDependency => merge_steps(trial),
            Fault::WrongPeer => wrong_peer(trial),
        }
    }
}

/// Returns the trace of each rank.
fn traces(trial: &Trial<'_>) -> Result<Vec<(PathBuf, String)>> {
    let read = |rank| {
        let path = trial.file.join(format!("rank-{rank}.txt"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path, text))
    };
    (0..trial.case.ranks).map(read).collect()
}

/// Removes the wait between the first two steps, on networks of equal channels where every rank works in every step.
fn merge_steps(trial: &Trial<'_>) -> Result<bool> {
    let traces = traces(trial)?;
    let waits = |text: &str| text.lines().filter(|line| line.ends_with(" waitall")).count() as u64;
    let steps = trial.case.steps;
    if steps < 2 || !trial.case.is_uniform || traces.iter().any(|(_, text)| waits(text) != steps) {
        return Ok(false);
    }
    for (path, text) in traces {
        let mut is_first = true;
        let keep = |line: &&str| !(line.ends_with(" waitall") && std::mem::take(&mut is_first));
        let lines: Vec<&str> = text.lines().filter(keep).collect();
        fs::write(path, lines.join("\n") + "\n")?;
    }
    Ok(true)
}

/// Sends the first transfer of a rank to another one.
fn wrong_peer(trial: &Trial<'_>) -> Result<bool> {
    for (rank, (path, text)) in traces(trial)?.into_iter().enumerate() {
        let Some(line) = text.lines().find(|line| line.contains(" isend ")) else { continue };
        let words: Vec<&str> = line.split(' ').collect();
        let [_, _, peer, tag, size] = words[..] else { continue };
        // Only ranks with a route exist: another peer of the same rank.
        let is_route = |other: &&str| other.contains(" isend ") && other.split(' ').nth(2) != Some(peer);
        let Some(other) = text.lines().find(is_route).and_then(|other| other.split(' ').nth(2)) else { continue };
        fs::write(path, text.replacen(line, &format!("{rank} isend {other} {tag} {size}"), 1))?;
        return Ok(true);
    }
    Ok(false)
}
