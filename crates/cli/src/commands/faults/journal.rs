//! The log file of a sweep: a recovery book, or a temporary file that is removed at the end.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use lockstep::{Consequence, Degradation, SweepIdentity, SweepLog};

use crate::args::{SweepArgs, Verbosity};
use crate::{input, output};

/// The log file of a running sweep, if there is a place for it.
pub(super) struct Journal {
    path: Option<PathBuf>,
    /// `None` without a file, and for a book that is already complete.
    log: Option<SweepLog<File>>,
    is_book: bool,
}

impl Journal {
    /// Opens the file. Returns the rows of an interrupted sweep, too.
    pub(super) fn open(
        identity: &SweepIdentity<'_>,
        args: &SweepArgs,
        verbosity: Verbosity,
    ) -> anyhow::Result<(Self, Vec<Degradation>)> {
        let is_book = args.book.is_some();
        let requested = args.book.clone().or_else(|| args.checkpoint.clone());
        let none = Self { path: None, log: None, is_book };
        let Some(path) = requested.clone().or_else(|| cached(identity)) else { return Ok((none, Vec::new())) };
        let name = || path.display().to_string();
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.with_context(|| format!("{}: cannot open the file for writing", name()))?;
        if file.try_lock().is_err() {
            // The same sweep runs twice at once: the second one writes no file.
            ensure!(requested.is_none(), "{}: another sweep is writing this file; wait, or use another file", name());
            return Ok((none, Vec::new()));
        }
        let bytes = input::bytes(&path)?;
        if bytes.is_empty() {
            let log = SweepLog::begin(identity, file).with_context(name)?;
            return Ok((Self { path: Some(path), log: Some(log), is_book }, Vec::new()));
        }
        let interrupted = identity
            .interrupted(&bytes)
            .with_context(|| format!("{}: cannot be resumed; delete it, or use another file", name()))?;
        let state = if interrupted.is_ended { "reading all rows from" } else { "resuming from" };
        output::note(verbosity, &format!("{state} {}", name()));
        let log = if interrupted.is_ended {
            None
        } else {
            let end = interrupted.length as u64;
            file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).with_context(name)?;
            Some(SweepLog::resume(identity, &interrupted, file))
        };
        Ok((Self { path: Some(path), log, is_book }, interrupted.rows))
    }

    /// Appends the next result.
    pub(super) fn add(&mut self, consequence: &Consequence) -> anyhow::Result<()> {
        match &mut self.log {
            Some(log) => log.add(consequence).with_context(|| self.name()),
            None => Ok(()),
        }
    }

    /// Completes a book, or removes a temporary file.
    pub(super) fn end(self) -> anyhow::Result<()> {
        let name = self.name();
        match self {
            Self { log: Some(log), is_book: true, .. } => log.end().context(name),
            Self { path: Some(path), is_book: false, .. } => {
                fs::remove_file(path).with_context(|| format!("{name}: cannot remove the file"))
            }
            _ => Ok(()),
        }
    }

    /// Returns how to resume an interrupted sweep.
    pub(super) fn resume_note(&self) -> String {
        match &self.path {
            Some(path) => format!("; run the same command again to resume from {}", path.display()),
            None => "; the results are lost because there is no cache folder; use --checkpoint".to_owned(),
        }
    }

    fn name(&self) -> String {
        self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }
}

/// Returns the path of the sweep's file in the user's cache folder, if that folder exists.
fn cached(identity: &SweepIdentity<'_>) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?.join("lockstep");
    fs::create_dir_all(&cache).ok()?;
    Some(cache.join(format!("sweep-{:016x}.lsb", identity.digest())))
}
