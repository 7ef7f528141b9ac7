//! Runs programs with a time limit and collects what they print.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Time for a run that should end: a longer one is a deadlock.
pub(crate) const TIME_LIMIT: Duration = Duration::from_mins(10);

/// A program that ended, or that exceeded its time.
pub(crate) struct Finished {
    /// The program ended with exit code 0.
    pub(crate) is_success: bool,
    pub(crate) is_timeout: bool,
    /// Standard output and standard error.
    pub(crate) text: String,
}

impl Finished {
    /// Returns the last line that is not empty.
    pub(crate) fn last_line(&self) -> String {
        let line = self.text.lines().rev().find(|line| !line.trim().is_empty());
        line.unwrap_or("no output").trim().to_owned()
    }

    /// Returns the reason of a failure: the first line with this word, a deadlock, or the last line.
    pub(crate) fn reason(&self, word: &str) -> String {
        if self.is_timeout {
            return "deadlock: it does not end".to_owned();
        }
        let line = self.text.lines().find(|line| line.contains(word));
        line.map_or_else(|| self.last_line(), |line| line.trim().to_owned())
    }
}

/// Runs a program, with its output in a file of the folder.
///
/// # Errors
///
/// If it cannot be started, or if the file cannot be written or read.
pub(crate) fn run(command: &mut Command, limit: Duration, folder: &Path) -> Result<Finished> {
    let path = folder.join("output.txt");
    let file = File::create(&path).with_context(|| path.display().to_string())?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    let name = command.get_program().display().to_string();
    let mut running = Running(command.spawn().with_context(|| format!("{name} cannot be started"))?);
    let begin = Instant::now();
    let status = loop {
        let status = running.0.try_wait()?;
        if status.is_some() || begin.elapsed() > limit {
            break status;
        }
        sleep(Duration::from_millis(5));
    };
    drop(running);
    let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
    Ok(Finished { is_success: status.is_some_and(|status| status.success()), is_timeout: status.is_none(), text })
}

/// A program that ends with this value.
struct Running(Child);

impl Drop for Running {
    /// Terminates the program: with a signal first, because `mpirun` must end its ranks.
    fn drop(&mut self) {
        let child = &mut self.0;
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        let mut terminate = Command::new("kill");
        let _ = terminate.arg(child.id().to_string()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let begin = Instant::now();
        while matches!(child.try_wait(), Ok(None)) && begin.elapsed() < Duration::from_secs(5) {
            sleep(Duration::from_millis(5));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}
