//! The file in which a sweep is written down as it goes: a recovery book, or one that is removed at the end.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::Context;
use lockstep::{Consequence, Degradation, Interrupted, SweepIdentity, SweepLog};

use crate::args::{SweepArgs, Talk};
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
        talk: Talk,
    ) -> anyhow::Result<(Self, Vec<Degradation>)> {
        let is_book = args.book.is_some();
        let Some(path) = args.book.clone().or_else(|| args.checkpoint.clone()).or_else(|| cached(identity)) else {
            return Ok((Self { path: None, log: None, is_book }, Vec::new()));
        };
        let name = || path.display().to_string();
        if !fs::exists(&path).with_context(name)? {
            let file = File::create_new(&path).with_context(|| format!("{}: cannot be written", name()))?;
            let log = SweepLog::begin(identity, file).with_context(name)?;
            return Ok((Self { path: Some(path), log: Some(log), is_book }, Vec::new()));
        }
        let interrupted = identity
            .interrupted(&input::bytes(&path)?)
            .with_context(|| format!("{}: cannot be gone on from; delete it, or give another file", name()))?;
        let Interrupted { ref rows, is_ended, .. } = interrupted;
        let state = if is_ended { "all of it is in" } else { "going on from" };
        output::note(talk, &format!("{state} {}", name()));
        let log = if is_ended { None } else { Some(go_on(identity, &interrupted, &path).with_context(name)?) };
        Ok((Self { path: Some(path), log, is_book }, rows.clone()))
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

/// The log behind its last whole page.
fn go_on(identity: &SweepIdentity<'_>, interrupted: &Interrupted, path: &Path) -> std::io::Result<SweepLog<File>> {
    let mut file = File::options().write(true).open(path)?;
    file.set_len(interrupted.length as u64)?;
    file.seek(SeekFrom::End(0))?;
    Ok(SweepLog::go_on(identity, interrupted, file))
}

/// A file of this sweep's own in the user's cache folder, if there is one.
fn cached(identity: &SweepIdentity<'_>) -> Option<PathBuf> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?.join("lockstep");
    fs::create_dir_all(&cache).ok()?;
    Some(cache.join(format!("sweep-{}.lsb", &identity.digest()[..16])))
}
