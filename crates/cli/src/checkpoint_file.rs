//! The file that keeps the state of an interrupted search.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use lockstep::Event;
use lockstep::files::{FileIdentity, FileKind, Replacement, replace};

use crate::args::Verbosity;
use crate::command_files::CommandFiles;
use crate::input;
use crate::output::{self, Output};
use crate::text::path_name;

/// Minimum time between two checkpoints. A killed program loses this time at most, plus one batch of the search.
const MIN_INTERVAL: Duration = Duration::from_millis(500);

/// Minimum time between two checkpoints, in times to write one.
const MIN_WRITING_TIMES: u32 = 20;

/// The checkpoint file of a search.
///
/// It is removed only if this process wrote it, or resumed from it.
#[derive(Debug)]
pub(crate) struct CheckpointFile {
    path: PathBuf,
    /// Whether the user gave the path.
    is_requested: bool,
    /// End of the last writing, and its duration.
    written: (Instant, Duration),
    /// The file, if this process wrote it or resumes from it.
    own: Option<FileIdentity>,
    has_failed: bool,
}

impl CheckpointFile {
    /// Returns the file without writing it: the requested one, or one named after the output file. A device such as
    /// `/dev/null` keeps no checkpoint.
    pub(crate) fn new(
        requested: Option<&Path>,
        output: Option<&Output>,
        files: &mut CommandFiles,
    ) -> anyhow::Result<Option<Self>> {
        let Some(path) = requested.map(Path::to_owned).or_else(|| beside(output?)) else { return Ok(None) };
        files.update("--checkpoint", &path)?;
        let is_requested = requested.is_some();
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            ensure!(
                is_requested && !path.is_dir(),
                "{}: not a regular file; use another file with --checkpoint",
                path_name(&path)
            );
            return Ok(None);
        }
        // This also removes what a killed run left of a checkpoint. At the default place, a failure is a warning later.
        if let Err(error) = Replacement::begin(&path)
            && is_requested
        {
            bail!("{}: cannot write the file: {error}", path_name(&path));
        }
        let written = (Instant::now(), Duration::ZERO);
        Ok(Some(Self { path, is_requested, written, own: None, has_failed: false }))
    }

    /// Reads the state that an interrupted run saved, if any, and prints a note.
    pub(crate) fn read(&mut self, kind: FileKind, verbosity: Verbosity) -> anyhow::Result<Option<Vec<u8>>> {
        if matches!(fs::exists(&self.path), Ok(false)) {
            return Ok(None);
        }
        let saved = match input::sealed(&self.path, kind)? {
            Ok(saved) => saved,
            Err(error) => {
                self.start_again(&error, false, verbosity)?;
                return Ok(None);
            }
        };
        self.own = FileIdentity::of(&self.path).ok();
        output::note(verbosity, &format!("resuming from {}", path_name(&self.path)));
        Ok(Some(saved))
    }

    /// Prepares a search from the start, because the saved state cannot be resumed for this reason. A torn file is replaced
    /// later. Another file at the default place is set aside.
    ///
    /// # Errors
    ///
    /// The reason, if the user gave the path of a file that is not torn.
    pub(crate) fn start_again(
        &mut self,
        reason: &dyn Error,
        is_torn: bool,
        verbosity: Verbosity,
    ) -> anyhow::Result<()> {
        self.own = None;
        let path = path_name(&self.path);
        if is_torn {
            output::note(verbosity, &format!("{path}: the file is incomplete; starting again"));
            return Ok(());
        }
        if self.is_requested {
            bail!("{path}: {reason}; delete the file, or use another one with --checkpoint");
        }
        let aside = set_aside(&self.path).with_context(|| format!("{path}: cannot be renamed"))?;
        output::note(verbosity, &format!("{path}: {reason}; renamed to {}, starting again", path_name(&aside)));
        Ok(())
    }

    /// Returns true if the file should be written again.
    pub(crate) fn is_due(&self) -> bool {
        if cfg!(feature = "fault-injection") && std::env::var_os("LOCKSTEP_FAULT").is_some() {
            return true;
        }
        let (end, duration) = self.written;
        end.elapsed() >= MIN_INTERVAL.max(duration * MIN_WRITING_TIMES)
    }

    /// Saves the state of the search that an event reports, at most every half second, and at its end.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match event {
            Event::Search(search) if self.is_due() => self.write(&search.checkpoint.write()),
            Event::Stopped(checkpoint) => self.write(&checkpoint.write()),
            _ => {}
        }
    }

    /// Writes the file. Prints one warning if writing fails.
    pub(crate) fn write(&mut self, bytes: &[u8]) {
        let started = Instant::now();
        match replace(&self.path, bytes) {
            Ok(identity) => self.own = Some(identity),
            Err(error) if !self.has_failed => {
                self.has_failed = true;
                output::warning(&format!("{}: cannot write the checkpoint: {error}", path_name(&self.path)));
            }
            Err(_) => {}
        }
        self.written = (Instant::now(), started.elapsed());
    }

    /// Removes the file of a finished search; otherwise prints how to resume.
    pub(crate) fn settle(&mut self, is_finished: bool, verbosity: Verbosity) {
        let is_own = self.own.is_some() && FileIdentity::of(&self.path).ok() == self.own;
        let path = path_name(&self.path);
        if is_own && !is_finished {
            output::note(verbosity, &format!("run the same command again to resume from {path}"));
        } else if is_own && let Err(error) = fs::remove_file(&self.path) {
            output::warning(&format!("{path}: cannot remove the checkpoint: {error}"));
        }
    }
}

/// Returns the path of a checkpoint beside an output file.
fn beside(output: &Output) -> Option<PathBuf> {
    let mut name = OsString::from(output.path());
    name.push(".checkpoint");
    output.is_file().then(|| PathBuf::from(name))
}

/// Renames a file to its name with `.old`, or `.old2` and so on, and returns the new path.
pub(crate) fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let named = |number: u32| {
        let mut name = OsString::from(path);
        name.push(if number == 1 { ".old".to_owned() } else { format!(".old{number}") });
        PathBuf::from(name)
    };
    let free = (1..=u32::MAX)
        .map(named)
        .find(|new| matches!(fs::symlink_metadata(new), Err(error) if error.kind() == io::ErrorKind::NotFound));
    let free = free.ok_or_else(|| io::Error::other("all names of old files are in use"))?;
    fs::rename(path, &free)?;
    Ok(free)
}
