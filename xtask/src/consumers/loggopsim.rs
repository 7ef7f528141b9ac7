//! `LogGOPSim` without a network: every send meets its receive, and every operation of a rank runs.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use crate::process;

/// The most ranks whose times are printed one by one.
const MOST_HOSTS: usize = 16;

struct LogGopSim {
    name: &'static str,
    format: &'static str,
}

/// Looks for `LogGOPSim` and `txt2bin`.
pub(crate) fn find(format: &'static str) -> Found {
    check_installed()?;
    Ok(Box::new(LogGopSim { name: "LogGOPSim", format }))
}

/// Returns what to install if the programs cannot be started.
pub(super) fn check_installed() -> Result<(), Missing> {
    if ["LogGOPSim", "txt2bin"].iter().all(|name| Command::new(name).arg("--version").output().is_ok()) {
        return Ok(());
    }
    let install = "build github.com/spcl/LogGOPSim, and add LogGOPSim and txt2bin to PATH";
    Err(Missing { name: "LogGOPSim", install })
}

impl Consumer for LogGopSim {
    fn name(&self) -> &str {
        self.name
    }

    fn format(&self) -> &'static str {
        self.format
    }

    fn options(&self, _: &Case) -> Vec<String> {
        Vec::new()
    }

    fn effort(&self) -> Effort {
        Effort::Small
    }

    fn supports(&self, case: &Case) -> bool {
        case.role != Role::Random
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Verdict> {
        let mut binary = trial.file.to_owned();
        if self.format == "goal" {
            binary = trial.folder.join("plan.bin");
            if let Some(error) = convert_text(trial, trial.file, &binary)? {
                return Ok(Verdict::Refused(error));
            }
        }
        let mut simulator = Command::new("LogGOPSim");
        let finished = process::run(simulator.arg("-f").arg(&binary), trial.limit, trial.folder)?;
        let is_right = finished.is_success && is_complete(&finished.text, trial.case.ranks);
        Ok(if is_right { Verdict::Accepted } else { Verdict::Refused(finished.reason("queue on host")) })
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        // The format has neither offsets nor data, and the simulator runs fewer dependencies without an error.
        if fault != Fault::WrongPeer || self.format != "goal" {
            return Ok(false);
        }
        wrong_peer(trial)?;
        Ok(true)
    }
}

/// Converts the text of a program to its binary form. Returns the error if the text is refused.
pub(super) fn convert_text(trial: &Trial<'_>, text: &Path, binary: &Path) -> Result<Option<String>> {
    let mut txt2bin = Command::new("txt2bin");
    txt2bin.arg("-i").arg(text).arg("-o").arg(binary);
    let converted = process::run(&mut txt2bin, trial.limit, trial.folder)?;
    Ok((!converted.is_success).then(|| converted.last_line()))
}

/// Sends the first message to another rank.
pub(super) fn wrong_peer(trial: &Trial<'_>) -> Result<()> {
    let text = fs::read_to_string(trial.file)?;
    let (head, rest) = text.split_once("b to ").context("a program has a send")?;
    let (peer, tail) = rest.split_once(' ').context("a send has a tag")?;
    let peer: usize = peer.parse()?;
    fs::write(trial.file, format!("{head}b to {} {tail}", (peer + 1) % trial.case.ranks))?;
    Ok(())
}

/// Returns true if the output is that of a run without messages that are left. The exit code does not tell.
///
/// The simulator prints a time per rank, or the largest time of more than 16 ranks.
pub(super) fn is_complete(text: &str, ranks: usize) -> bool {
    let count = |word: &str| text.lines().filter(|line| line.starts_with(word)).count();
    let has_times = count("Host ") == ranks || (ranks > MOST_HOSTS && count("Maximum finishing time ") == 1);
    has_times && !text.contains("queue on host")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_complete_if_it_has_its_times_and_no_message_is_left() {
        let times = "Host 0: 100\nHost 1: 120\n";
        assert!(is_complete(times, 2));
        assert!(!is_complete(times, 3));
        assert!(!is_complete(&format!("{times}unexpected queue on host 1 contains 1 elements!\n"), 2));
        let most = "Maximum finishing time at host 29: 9486148 (0.00948615 s)\n";
        assert!(is_complete(most, 32));
        assert!(!is_complete(most, 16));
        assert!(!is_complete("", 32));
    }
}
