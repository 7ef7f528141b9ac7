//! The log file of a sweep: a recovery book, or a temporary file that is removed at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, ensure};
use lockstep::files::LogFile;
use lockstep::{BOOK_KIND, BookError, InterruptedSweep, SweepIdentity, SweepLog, SweepPage};

use crate::args::{SweepArgs, Verbosity};
use crate::checkpoint_file::set_aside;
use crate::command_files::CommandFiles;
use crate::text::path_name;
use crate::{cache, input, output};

/// The place of the log file.
pub(super) enum LogPlace {
    /// A recovery book. Failures to write it are errors.
    Book(PathBuf),
    /// A temporary file at a requested place. Failures to write it are warnings.
    Checkpoint(PathBuf),
    /// A temporary file in the user's cache folder. Failures to use it are warnings.
    Cache,
    /// No log: a device such as `/dev/null` keeps no checkpoint.
    Nowhere,
}

impl LogPlace {
    /// Returns the place that the options give to the log, and adds it to the files of the command.
    pub(super) fn new(args: &SweepArgs, files: &mut CommandFiles) -> anyhow::Result<Self> {
        let (name, path) = match (&args.book, &args.checkpoint) {
            (Some(book), _) => ("--book", book),
            (None, Some(checkpoint)) => ("--checkpoint", checkpoint),
            (None, None) => return Ok(Self::Cache),
        };
        files.update(name, path)?;
        let is_book = args.book.is_some();
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            ensure!(!is_book && !path.is_dir(), "{name}: {} is not a regular file; use another file", path_name(path));
            return Ok(Self::Nowhere);
        }
        Ok(if is_book { Self::Book(path.clone()) } else { Self::Checkpoint(path.clone()) })
    }
}

/// The log file of a running sweep, if there is a place for it.
pub(super) struct Journal {
    /// The file, if it exists.
    path: Option<PathBuf>,
    /// `None` without a file, for a book that is already complete, and after a failure to write.
    log: Option<SweepLog<LogFile>>,
    is_book: bool,
}

impl Journal {
    /// Opens the file. Returns the pages of an interrupted sweep, too, which are not checked.
    pub(super) fn open(
        place: LogPlace,
        identity: &SweepIdentity<'_>,
        files: &mut CommandFiles,
        verbosity: Verbosity,
    ) -> anyhow::Result<(Self, Option<InterruptedSweep>)> {
        let (is_book, is_requested) = (matches!(place, LogPlace::Book(_)), !matches!(place, LogPlace::Cache));
        let path = match place {
            LogPlace::Book(path) | LogPlace::Checkpoint(path) => Some(path),
            LogPlace::Cache => cached(identity),
            LogPlace::Nowhere => None,
        };
        let mut journal = Self { path: None, log: None, is_book };
        let Some(path) = path else { return Ok((journal, None)) };
        if !is_requested {
            files.update("the log of the sweep", &path)?;
        }
        let begun = begin(&path, is_requested, identity, verbosity);
        let in_context = |error: anyhow::Error| {
            if error.is::<io::Error>() { error.context(cannot_write(&path)) } else { error }
        };
        let begun = journal.allow(begun.map_err(in_context))?;
        let (log, interrupted) = begun.unwrap_or_default();
        journal.path = Some(path).filter(|_| log.is_some() || is_book);
        journal.log = log;
        Ok((journal, interrupted))
    }

    /// Turns a failure to write a temporary file into a warning and `None`.
    fn allow<T>(&self, result: anyhow::Result<T>) -> anyhow::Result<Option<T>> {
        match result {
            Err(error) if !self.is_book && error.is::<io::Error>() => {
                output::warning(&format!("{error:#}; an interruption will lose the results"));
                Ok(None)
            }
            result => result.map(Some),
        }
    }

    /// Returns the error of a file with a page that is refused.
    pub(super) fn refused(&self, error: &BookError) -> anyhow::Error {
        cannot_resume(self.path.as_deref().unwrap_or(Path::new("-")), error)
    }

    /// Appends the next result.
    pub(super) fn add(&mut self, page: &SweepPage) -> anyhow::Result<()> {
        let Some(log) = &mut self.log else { return Ok(()) };
        let added = log.add_page(page).with_context(|| self.path.as_deref().map(cannot_write).unwrap_or_default());
        if self.allow(added)?.is_none() {
            self.log = None;
        }
        Ok(())
    }

    /// Completes a book, or removes a temporary file.
    pub(super) fn end(self) -> anyhow::Result<()> {
        match (self.path, self.log) {
            (Some(path), Some(log)) if self.is_book => {
                log.end().and_then(|file| file.sync()).with_context(|| cannot_write(&path))
            }
            (Some(path), _) if !self.is_book => {
                fs::remove_file(&path).with_context(|| format!("{}: cannot remove the file", path_name(&path)))
            }
            _ => Ok(()),
        }
    }

    /// Returns how to resume an interrupted sweep.
    pub(super) fn resume_note(&self) -> String {
        match &self.path {
            Some(path) => format!("; run the same command again to resume from {}", path_name(path)),
            None => "; the results are lost because there is no log file; use --checkpoint".to_owned(),
        }
    }
}

/// Opens the log file of a sweep, or resumes it. A complete one is not opened for writing.
///
/// A file that cannot be resumed is an error at a requested place, and is set aside otherwise. A torn file is written
/// again.
fn begin(
    path: &Path,
    is_requested: bool,
    identity: &SweepIdentity<'_>,
    verbosity: Verbosity,
) -> anyhow::Result<(Option<SweepLog<LogFile>>, Option<InterruptedSweep>)> {
    let mut file = LogFile::open(path)?;
    let note = |text: &str| output::note(verbosity, &format!("{}{text}", path_name(path)));
    let saved = input::sealed(path, BOOK_KIND)?.map_err(BookError::from);
    match saved.and_then(|bytes| identity.interrupted(&bytes)) {
        Ok(interrupted) if interrupted.is_ended => {
            output::note(verbosity, &format!("reading all rows from {}", path_name(path)));
            return Ok((None, Some(interrupted)));
        }
        Ok(interrupted) => {
            output::note(verbosity, &format!("resuming from {}", path_name(path)));
            file.truncate(interrupted.length as u64)?;
            return Ok((Some(SweepLog::resume(&interrupted, file)), Some(interrupted)));
        }
        Err(error) if error.is_torn() => {
            if fs::metadata(path)?.len() > 0 {
                note(": the file is incomplete; starting again");
            }
        }
        Err(error) if is_requested => {
            return Err(cannot_resume(path, &error));
        }
        Err(error) => {
            let aside = set_aside(path)?;
            note(&format!(": {error}; renamed to {}, starting again", path_name(&aside)));
            file = LogFile::open(path)?;
        }
    }
    file.truncate(0)?;
    Ok((Some(SweepLog::begin(identity, file)?), None))
}

fn cannot_resume(path: &Path, error: &BookError) -> anyhow::Error {
    anyhow!("{}: cannot be resumed; delete it, or use another file: {error}", path_name(path))
}

fn cannot_write(path: &Path) -> String {
    format!("{}: cannot write the log of the sweep", path_name(path))
}

/// Returns the path of the sweep's file in the user's cache folder, if there is such a folder.
fn cached(identity: &SweepIdentity<'_>) -> Option<PathBuf> {
    let cache = cache::folder()?;
    fs::create_dir_all(&cache).ok()?;
    Some(cache.join(format!("sweep-{:016x}.lsb", identity.digest())))
}
