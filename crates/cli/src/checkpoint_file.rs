//! The file that keeps the state of an interrupted search.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::args::Verbosity;
use crate::{input, output};

/// Minimum time between two checkpoints. A killed program loses this time at most, plus one batch of the search.
const CHECKPOINT_INTERVAL: Duration = Duration::from_millis(500);

/// The checkpoint file of a search.
#[derive(Debug)]
pub(crate) struct CheckpointFile {
    path: PathBuf,
    written: Instant,
    /// Whether the file exists and may be removed.
    exists: bool,
    failed: bool,
}

impl CheckpointFile {
    /// Returns the file without writing it: the requested one, or one named after the output file.
    pub(crate) fn new(requested: Option<&Path>, output: Option<&Path>) -> Option<Self> {
        let beside = || {
            let mut name = OsString::from(output.filter(|output| !input::is_standard(output))?);
            name.push(".checkpoint");
            Some(PathBuf::from(name))
        };
        let path = requested.map(Path::to_owned).or_else(beside)?;
        Some(Self { path, written: Instant::now(), exists: false, failed: false })
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the state that an interrupted run saved, if any, and prints a note.
    pub(crate) fn read(&mut self, verbosity: Verbosity) -> anyhow::Result<Option<Vec<u8>>> {
        self.exists = fs::exists(&self.path).unwrap_or(true);
        let saved = self.exists.then(|| input::bytes(&self.path)).transpose()?;
        if saved.is_some() {
            output::note(verbosity, &format!("resuming from {}", self.path.display()));
        }
        Ok(saved)
    }

    /// Returns true if the file should be written again.
    pub(crate) fn is_due(&self) -> bool {
        self.written.elapsed() >= CHECKPOINT_INTERVAL
    }

    /// Writes the file. Prints one warning if writing fails.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        match output::replace(&self.path, bytes) {
            Ok(()) => self.exists = true,
            Err(error) if !self.failed => {
                self.failed = true;
                output::eprint_line(
                    "warning",
                    &format!("{}: cannot write the checkpoint: {error}", self.path.display()),
                );
            }
            Err(_) => {}
        }
        self.written = Instant::now();
    }

    /// Removes the file of a finished search; otherwise prints how to resume.
    pub(crate) fn settle(&mut self, is_finished: bool, verbosity: Verbosity) {
        let path = self.path.display();
        if self.exists && !is_finished {
            output::note(verbosity, &format!("run the same command again to resume from {path}"));
        } else if self.exists
            && let Err(error) = fs::remove_file(&self.path)
        {
            output::eprint_line("warning", &format!("{path}: cannot remove the checkpoint: {error}"));
        }
    }
}
