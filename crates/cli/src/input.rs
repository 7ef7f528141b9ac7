//! Input files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use lockstep::files::{FileError, SealError};
use lockstep::schedule::{ScheduleFileError, SymmetricScheduleFile};
use lockstep::{LoadError, PlanFile, PlanFileError, ScheduleFile, Topology};

/// Maximum size of a schedule, plan or checkpoint file: 8 GiB.
const MAX_BYTES: u64 = 8 << 30;

/// Name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Returns true if the path is `-`: standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns the name of a path in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { STANDARD_INPUT.to_owned() } else { path.display().to_string() }
}

/// Reads a network from a spec, a file or standard input.
pub(crate) fn topology(spec: &str) -> anyhow::Result<Topology> {
    Ok(if spec == "-" { lockstep::read_network(STANDARD_INPUT, io::stdin())? } else { lockstep::load(spec)? })
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

/// Reads a schedule or plan file, JSON or binary.
pub(crate) fn saved(path: &Path) -> anyhow::Result<Saved> {
    read_saved(&bytes(path)?).with_context(|| name(path))
}

fn read_saved(bytes: &[u8]) -> anyhow::Result<Saved> {
    match PlanFile::read(bytes) {
        Err(PlanFileError::File(error)) if error.is_other_kind() => {}
        plan => return Ok(Saved::Plan(plan?.into())),
    }
    match SymmetricScheduleFile::read(bytes) {
        Err(ScheduleFileError::File(error)) if error.is_other_kind() => {}
        file => return Ok(Saved::Symmetric(file?.into())),
    }
    match ScheduleFile::read(bytes) {
        Err(ScheduleFileError::File(FileError::Sealed(SealError::Magic { .. }))) => {
            bail!("expected a schedule or plan file, JSON or binary; create one with lockstep plan")
        }
        file => Ok(Saved::Schedule(file?.into())),
    }
}

/// Reads all bytes of a file or of standard input.
pub(crate) fn bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let length = if is_standard(path) {
        io::stdin().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    let length = length.map_err(|error| LoadError::File { file: name(path), error })?;
    ensure!(length as u64 <= MAX_BYTES, "{}: the file is longer than {MAX_BYTES} bytes, the limit", name(path));
    Ok(bytes)
}
