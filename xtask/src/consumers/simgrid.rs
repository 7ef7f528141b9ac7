//! `SimGrid`: the simulated time of a schedule without conflicts is the time of its steps.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use crate::process;

/// The bytes of a chunk: its transmission takes more than ten times the latency of 1 us.
const SIZES: [(usize, &str); 3] = [(8, "128KiB"), (16, "256KiB"), (32, "4MiB")];

/// The latency per step on networks without latencies, in picoseconds.
const DEFAULT_LATENCY_PS: f64 = 1e6;

/// The largest difference of the simulated time from the time of the steps.
const TOLERANCE: f64 = 0.02;

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
        vec!["--size".to_owned(), size(case).to_owned()]
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
        // Two merged steps claim to be one.
        let steps = trial.case.steps - u64::from(trial.fault == Some(Fault::MissingDependency));
        #[expect(clippy::cast_precision_loss, reason = "a number of steps is small")]
        let expected = predicted_seconds(trial)? * steps as f64 / trial.case.steps as f64;
        let ratio = seconds / expected;
        // A transfer in SimGrid also uses the bandwidth that the schedule leaves free, where channels differ.
        let is_right = ratio < 1.0 + TOLERANCE && (ratio > 1.0 - TOLERANCE || !trial.case.is_uniform);
        Ok(if is_right {
            Verdict::Accepted
        } else {
            let (simulated, steps_time) = (1e6 * seconds, 1e6 * expected);
            Verdict::Refused(format!("simulated {simulated:.3} us, {steps} steps take {steps_time:.3} us"))
        })
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

/// Returns the size of the collective.
fn size(case: &Case) -> &'static str {
    let size = SIZES.iter().find(|(ranks, _)| *ranks == case.ranks);
    size.map_or("1MiB", |(_, size)| size)
}

/// Returns steps × (latency + size / bandwidth), from `lockstep time`.
fn predicted_seconds(trial: &Trial<'_>) -> Result<f64> {
    let mut time = Command::new(trial.program);
    time.args(["time", "--json", "--size", size(trial.case)]).arg(&trial.case.plan);
    if let Some(unit) = trial.case.unit {
        time.args(["--unit", unit]);
    }
    let finished = process::run(&mut time, trial.limit, trial.folder)?;
    ensure!(finished.is_success, "lockstep time: {}", finished.text);
    let (_, rest) = finished.text.split_once("\"synchronous_ps\": ").context("lockstep time prints the time")?;
    let digits = rest.split(|digit: char| !digit.is_ascii_digit()).next().unwrap_or_default();
    let picoseconds: f64 = digits.parse().with_context(|| finished.text.clone())?;
    #[expect(clippy::cast_precision_loss, reason = "a number of steps is small")]
    let latency = if trial.case.unit.is_some() { trial.case.steps as f64 * DEFAULT_LATENCY_PS } else { 0.0 };
    Ok((picoseconds + latency) * 1e-12)
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
