//! Runs programs with a time limit and collects what they print.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Time for a run that should end: a longer one is a deadlock.
pub(crate) const TIME_LIMIT: Duration = Duration::from_mins(10);

/// Programs that ended, or that exceeded their time.
pub(crate) struct Finished {
    /// All programs ended with exit code 0.
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
    run_all(&mut [command], limit, folder)
}

/// Runs programs at the same time, all with their output in one file of the folder.
///
/// # Errors
///
/// If one of them cannot be started, or if the file cannot be written or read.
pub(crate) fn run_all(commands: &mut [&mut Command], limit: Duration, folder: &Path) -> Result<Finished> {
    let path = folder.join("output.txt");
    let file = File::create(&path).with_context(|| path.display().to_string())?;
    let mut children = Children(Vec::new());
    for command in commands {
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file.try_clone()?);
        let name = command.get_program().display().to_string();
        children.0.push(command.spawn().with_context(|| format!("{name} cannot be started"))?);
    }
    let (begin, mut is_success, mut is_timeout) = (Instant::now(), true, false);
    while !children.0.is_empty() {
        let mut running = Vec::new();
        for mut child in std::mem::take(&mut children.0) {
            match child.try_wait()? {
                Some(status) => is_success &= status.success(),
                None => running.push(child),
            }
        }
        children.0 = running;
        if !children.0.is_empty() && begin.elapsed() > limit {
            (is_success, is_timeout) = (false, true);
            break;
        }
        sleep(Duration::from_millis(5));
    }
    drop(children);
    let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
    Ok(Finished { is_success, is_timeout, text })
}

/// Programs that end with this value.
struct Children(Vec<Child>);

impl Drop for Children {
    /// Terminates the programs: with a signal first, because `mpirun` must end its ranks.
    fn drop(&mut self) {
        for child in &mut self.0 {
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
}
