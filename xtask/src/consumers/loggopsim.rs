//! `LogGOPSim`: every send meets its receive, and every operation of a rank runs.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::cases::{Case, Role};
use super::consumer::{Consumer, Effort, Fault, Found, Missing, Trial, Verdict};
use crate::process;

struct LogGopSim {
    name: &'static str,
    format: &'static str,
}

/// Looks for `LogGOPSim` and `txt2bin`.
pub(crate) fn find(format: &'static str) -> Found {
    let is_installed = ["LogGOPSim", "txt2bin"].iter().all(|name| Command::new(name).arg("--version").output().is_ok());
    if is_installed {
        Ok(Box::new(LogGopSim { name: "LogGOPSim", format }))
    } else {
        let install = "build github.com/spcl/LogGOPSim, and add LogGOPSim and txt2bin to PATH";
        Err(Missing { name: "LogGOPSim", install })
    }
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
            let mut txt2bin = Command::new("txt2bin");
            txt2bin.arg("-i").arg(trial.file).arg("-o").arg(&binary);
            let converted = process::run(&mut txt2bin, trial.limit, trial.folder)?;
            if !converted.is_success {
                return Ok(Verdict::Refused(converted.last_line()));
            }
        }
        let mut simulator = Command::new("LogGOPSim");
        let finished = process::run(simulator.arg("-f").arg(&binary), trial.limit, trial.folder)?;
        // The simulator ends with exit code 0 even if messages are left; it prints a time per rank if not.
        let hosts = finished.text.lines().filter(|line| line.starts_with("Host ")).count();
        let is_right = finished.is_success && hosts == trial.case.ranks && !finished.text.contains("queue on host");
        Ok(if is_right { Verdict::Accepted } else { Verdict::Refused(finished.reason("queue on host")) })
    }

    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool> {
        // The format has neither offsets nor data, and the simulator runs fewer dependencies without an error.
        if fault != Fault::WrongPeer || self.format != "goal" {
            return Ok(false);
        }
        let text = fs::read_to_string(trial.file)?;
        let (head, rest) = text.split_once("b to ").context("a program has a send")?;
        let (peer, tail) = rest.split_once(' ').context("a send has a tag")?;
        let peer: usize = peer.parse()?;
        fs::write(trial.file, format!("{head}b to {} {tail}", (peer + 1) % trial.case.ranks))?;
        Ok(true)
    }
}
