//! The times of several checks.

use std::time::{Duration, Instant};

use anyhow::Result;

/// The checks of a run with their times.
#[derive(Default)]
pub(crate) struct Summary {
    lines: Vec<String>,
    total: Duration,
}

impl Summary {
    /// Runs a check and adds its time.
    ///
    /// # Errors
    ///
    /// The error of the check.
    pub(crate) fn run(&mut self, name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
        let begin = Instant::now();
        check()?;
        let time = begin.elapsed();
        self.total += time;
        self.lines.push(format!("{:6.0} s  {name}", time.as_secs_f64()));
        Ok(())
    }

    /// Adds a check that this machine cannot run, with the reason.
    pub(crate) fn skip(&mut self, name: &str, reason: &str) {
        let line = format!(" SKIPPED  {name}: {reason}");
        eprintln!("{line}");
        self.lines.push(line);
    }

    /// Prints a line per check, and the total time.
    pub(crate) fn print(&self) {
        println!("{}\n{:6.0} s  in total", self.lines.join("\n"), self.total.as_secs_f64());
    }
}
