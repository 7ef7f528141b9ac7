//! The times of several checks.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

/// The checks of a run with their times.
#[derive(Default)]
pub(crate) struct Summary {
    lines: Vec<String>,
    total: Duration,
}

/// A check that may run beside others.
pub(crate) struct Check<'a> {
    name: String,
    run: Box<dyn FnOnce() -> Result<Outcome> + Send + 'a>,
}

/// What a check without errors did.
pub(crate) enum Outcome {
    Passed,
    /// This machine cannot run the check, for this reason.
    Skipped(String),
}

impl<'a> Check<'a> {
    pub(crate) fn new(name: impl Into<String>, run: impl FnOnce() -> Result<Outcome> + Send + 'a) -> Self {
        Self { name: name.into(), run: Box::new(run) }
    }
}

impl Summary {
    /// Runs a check and adds its time.
    ///
    /// # Errors
    ///
    /// The error of the check.
    pub(crate) fn run<T>(&mut self, name: &str, check: impl FnOnce() -> Result<T>) -> Result<T> {
        let begin = Instant::now();
        let result = check()?;
        self.total += begin.elapsed();
        self.add(begin.elapsed(), name);
        Ok(result)
    }

    /// Runs checks, one per core at the same time, and adds their times. They start in this order, and all of them run.
    ///
    /// # Errors
    ///
    /// If a check fails.
    pub(crate) fn run_together(&mut self, checks: Vec<Check>) -> Result<()> {
        let begin = Instant::now();
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let waiting = Mutex::new(checks.into_iter());
        let ended = Mutex::new(Vec::new());
        thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    loop {
                        let Some(Check { name, run }) = waiting.lock().expect("no check panics").next() else { return };
                        let begin = Instant::now();
                        let result = run();
                        if let Err(error) = &result {
                            eprintln!("error: {name}: {error:#}");
                        }
                        ended.lock().expect("no check panics").push((name, begin.elapsed(), result));
                    }
                });
            }
        });
        self.total += begin.elapsed();
        let mut failed = Vec::new();
        for (name, time, result) in ended.into_inner().expect("no check panics") {
            match result {
                Ok(Outcome::Passed) => self.add(time, &name),
                Ok(Outcome::Skipped(reason)) => self.skip(&name, &reason),
                Err(_) => failed.push(name),
            }
        }
        ensure!(failed.is_empty(), "failed: {}", failed.join(", "));
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

    fn add(&mut self, time: Duration, name: &str) {
        self.lines.push(format!("{:6.0} s  {name}", time.as_secs_f64()));
    }
}
