//! The file in which a sweep is written down as it goes: a recovery book, or one that is removed at the end.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::PathBuf;

use anyhow::{Context, ensure};
use lockstep::{Consequence, Degradation, SweepIdentity, SweepLog};

use crate::args::{SweepArgs, Verbosity};
use crate::{input, output};

/// A sweep on its way into a file, if there is a place for one.
pub(super) struct Journal {
    path: Option<PathBuf>,
    /// `None` where there is no file, and for a book that was whole before.
    log: Option<SweepLog<File>>,
    is_book: bool,
}

impl Journal {
    /// The file, and what an interrupted sweep has left there.
    pub(super) fn open(
        identity: &SweepIdentity<'_>,
        args: &SweepArgs,
        verbosity: Verbosity,
    ) -> anyhow::Result<(Self, Vec<Degradation>)> {
        let is_book = args.book.is_some();
        let wanted = args.book.clone().or_else(|| args.checkpoint.clone());
        let none = Self { path: None, log: None, is_book };
        let Some(path) = wanted.clone().or_else(|| cached(identity)) else { return Ok((none, Vec::new())) };
        let name = || path.display().to_string();
        let file = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.with_context(|| format!("{}: cannot be written", name()))?;
        if file.try_lock().is_err() {
            // The same sweep twice at once: the second one does without.
            ensure!(wanted.is_none(), "{}: another sweep writes it; wait, or give another file", name());
            return Ok((none, Vec::new()));
        }
        let bytes = input::bytes(&path)?;
        if bytes.is_empty() {
            let log = SweepLog::begin(identity, file).with_context(name)?;
            return Ok((Self { path: Some(path), log: Some(log), is_book }, Vec::new()));
        }
        let interrupted = identity
            .interrupted(&bytes)
            .with_context(|| format!("{}: cannot be gone on from; delete it, or give another file", name()))?;
        let state = if interrupted.is_ended { "all of it is in" } else { "going on from" };
        output::note(verbosity, &format!("{state} {}", name()));
        let log = if interrupted.is_ended {
            None
        } else {
            let end = interrupted.length as u64;
            file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).with_context(name)?;
            Some(SweepLog::go_on(identity, &interrupted, file))
        };
        Ok((Self { path: Some(path), log, is_book }, interrupted.rows))
    }

    /// Adds the next consequence.
    pub(super) fn add(&mut self, consequence: &Consequence) -> anyhow::Result<()> {
        match &mut self.log {
            Some(log) => log.add(consequence).with_context(|| self.name()),
            None => Ok(()),
        }
    }

    /// Ends a book, and removes what is of no more use.
    pub(super) fn end(self) -> anyhow::Result<()> {
        let name = self.name();
        match self {
            Self { log: Some(log), is_book: true, .. } => log.end().context(name),
            Self { path: Some(path), is_book: false, .. } => {
                fs::remove_file(path).with_context(|| format!("{name}: cannot be removed"))
            }
            _ => Ok(()),
        }
    }

    /// How an interrupted sweep goes on.
    pub(super) fn goes_on(&self) -> String {
        match &self.path {
            Some(path) => format!("; the same command goes on from {}", path.display()),
            None => {
                "; what was done is lost, as there is no folder to keep it in: give a file by --checkpoint".to_owned()
            }
        }
    }

    fn name(&self) -> String {
        self.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default()
    }
}

/// A file of this sweep's own in the user's cache folder, if there is one.
fn cached(identity: &SweepIdentity<'_>) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?.join("lockstep");
    fs::create_dir_all(&cache).ok()?;
    Some(cache.join(format!("sweep-{:016x}.lsb", identity.digest())))
}
