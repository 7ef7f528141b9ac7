//! Input files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail, ensure};
use lockstep::files::{FileError, FileKind, SealError, decode_text, first_binary_byte};
use lockstep::schedule::{ScheduleFileError, SymmetricScheduleFile};
use lockstep::topology::GraphFile;
use lockstep::{LoadError, LoadOptions, PlanFile, PlanFileError, ScheduleFile};

use crate::standard_streams::is_standard;

/// Maximum size of a schedule, plan or checkpoint file: 8 GiB.
const MAX_BYTES: u64 = 8 << 30;

/// Number of bytes that decide whether a file is read to its end.
const FIRST_BYTES: u64 = 4096;

/// Name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Returns the name of a path in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}

/// Reads a network from a spec, a file or standard input.
pub(crate) fn network(spec: &str, options: &LoadOptions) -> anyhow::Result<GraphFile> {
    let file = if spec == "-" {
        lockstep::read_network_with(STANDARD_INPUT, io::stdin(), options)
    } else {
        lockstep::load_with(spec, options)
    };
    Ok(file?)
}

/// A schedule file, a plan file or a symmetric schedule file.
#[derive(Debug)]
pub(crate) enum Saved {
    Schedule(Box<ScheduleFile>),
    Plan(Box<PlanFile>),
    Symmetric(Box<SymmetricScheduleFile>),
}

impl Saved {
    /// Returns the schedule with its problem; `None` for a symmetric schedule.
    pub(crate) fn schedule(&self) -> Option<&ScheduleFile> {
        match self {
            Self::Schedule(file) => Some(file),
            Self::Plan(file) => Some(&file.schedule),
            Self::Symmetric(_) => None,
        }
    }
}

/// Error of a file that is neither a schedule nor a plan.
const NOT_SAVED: &str = "expected a schedule or plan file, JSON or binary; create one with lockstep plan";

/// Reads a schedule or plan file, JSON or binary.
pub(crate) fn saved(path: &Path) -> anyhow::Result<Saved> {
    let bytes = bytes(path, |first| match read_saved(first) {
        Ok(None) => Err(anyhow!("{}: {NOT_SAVED}", name(path))),
        _ => Ok(()),
    })?;
    read_saved(&bytes).and_then(|saved| saved.context(NOT_SAVED)).with_context(|| name(path))
}

/// Reads the schedule of a schedule or plan file, JSON or binary.
///
/// # Errors
///
/// If the file cannot be read, or has the schedule of one source only.
pub fn schedule(path: &Path) -> anyhow::Result<ScheduleFile> {
    match saved(path)? {
        Saved::Schedule(file) => Ok(*file),
        Saved::Plan(file) => Ok(Arc::unwrap_or_clone(file.schedule)),
        Saved::Symmetric(_) => {
            bail!("{}: a symmetric schedule holds one source only; plan without --symmetric", name(path))
        }
    }
}

/// Returns `None` if the bytes are neither JSON nor of a known binary kind.
fn read_saved(bytes: &[u8]) -> anyhow::Result<Option<Saved>> {
    match PlanFile::read(bytes) {
        Err(PlanFileError::File(error)) if error.is_other_kind() => {}
        plan => return Ok(Some(Saved::Plan(plan?.into()))),
    }
    match SymmetricScheduleFile::read(bytes) {
        Err(ScheduleFileError::File(error)) if error.is_other_kind() => {}
        file => return Ok(Some(Saved::Symmetric(file?.into()))),
    }
    match ScheduleFile::read(bytes) {
        Err(ScheduleFileError::File(FileError::Sealed(SealError::Magic { .. }))) => Ok(None),
        file => Ok(Some(Saved::Schedule(file?.into()))),
    }
}

/// Reads a binary file of one kind. A file of another kind is not read to its end.
pub(crate) fn sealed(path: &Path, kind: FileKind) -> anyhow::Result<Result<Vec<u8>, FileError>> {
    match bytes(path, |first| kind.check_first(first)) {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error) => error.downcast().map(Err),
    }
}

/// Reads a text file. A binary file is not read to its end. `expected` is the advice for a file that is no text.
pub(crate) fn text(path: &Path, expected: &str) -> anyhow::Result<String> {
    let refused = |byte| anyhow!("{}: byte {byte} is not UTF-8 or UTF-16 text; give {expected}", name(path));
    let bytes = bytes(path, |first| first_binary_byte(first).map_or(Ok(()), |byte| Err(refused(byte))))?;
    decode_text(bytes).map_err(refused)
}

/// Reads all bytes of a file or of standard input.
pub(crate) fn all(path: &Path) -> anyhow::Result<Vec<u8>> {
    bytes(path, |_| Ok::<_, anyhow::Error>(()))
}

/// Reads all bytes of a file or of standard input, unless `check` refuses the first ones.
fn bytes<E: Into<anyhow::Error>>(path: &Path, check: impl FnOnce(&[u8]) -> Result<(), E>) -> anyhow::Result<Vec<u8>> {
    let refused = |error| LoadError::File { file: name(path), error };
    let stream: Box<dyn Read> =
        if is_standard(path) { Box::new(io::stdin()) } else { Box::new(File::open(path).map_err(refused)?) };
    let mut stream = stream.take(MAX_BYTES + 1);
    let mut bytes = Vec::new();
    stream.by_ref().take(FIRST_BYTES).read_to_end(&mut bytes).map_err(refused)?;
    check(&bytes).map_err(Into::into)?;
    stream.read_to_end(&mut bytes).map_err(refused)?;
    ensure!(bytes.len() as u64 <= MAX_BYTES, "{}: the file is longer than {MAX_BYTES} bytes, the limit", name(path));
    Ok(bytes)
}
