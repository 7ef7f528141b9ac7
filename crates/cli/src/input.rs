//! Input files and standard input.

use std::io;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use lockstep::files::{
    FileError, FileKind, InputError, SealError, decode_text, first_binary_byte, read_file, read_input,
};
use lockstep::schedule::{Routing, ScheduleFileError, SymmetricScheduleFile};
use lockstep::topology::GraphFile;
use lockstep::{CommunicationModel, LoadError, LoadOptions, PlanFile, PlanFileError, Problem, ScheduleFile};

use lockstep_rings::{RINGS_KIND, RingFile, all_gather};

use crate::standard_streams::is_standard;
use crate::text::path_name;

/// Maximum size of a schedule, plan, checkpoint or recovery book: 8 GiB.
const MAX_PLAN_BYTES: u64 = 8 << 30;

/// Maximum size of a program, or of a text: 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

/// Number of bytes in which a ring file names its format.
const HEADER_BYTES: usize = 200;

/// Name of standard input in messages.
const STANDARD_INPUT: &str = "standard input";

/// Returns the name of a path in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_standard(path) { STANDARD_INPUT.to_owned() } else { path_name(path) }
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

/// A schedule file, a plan file, a symmetric schedule file or a ring file.
#[derive(Debug)]
pub(crate) enum Saved {
    Schedule(Box<ScheduleFile>),
    Plan(Box<PlanFile>),
    Symmetric(Box<SymmetricScheduleFile>),
    Rings(Box<RingFile>),
}

impl Saved {
    /// Returns the schedule with its problem; `None` for a symmetric schedule and for rings.
    pub(crate) fn schedule(&self) -> Option<&ScheduleFile> {
        match self {
            Self::Schedule(file) => Some(file),
            Self::Plan(file) => Some(&file.schedule),
            Self::Symmetric(_) | Self::Rings(_) => None,
        }
    }

    /// Returns the all-gather around rings, and other contents as they are.
    ///
    /// # Errors
    ///
    /// If the rings are invalid, or they are chains.
    pub(crate) fn in_steps(self) -> anyhow::Result<Self> {
        match self {
            Self::Rings(file) => Ok(Self::Schedule(all_gather_around(&file)?.into())),
            saved => Ok(saved),
        }
    }
}

/// Reads a schedule or plan file, JSON or binary. Rings become the all-gather around them.
pub(crate) fn saved_steps(path: &Path) -> anyhow::Result<Saved> {
    saved(path)?.in_steps().with_context(|| name(path))
}

/// Reads a schedule, plan or ring file, JSON or binary.
pub(crate) fn saved(path: &Path) -> anyhow::Result<Saved> {
    let bytes = bytes(path, MAX_PLAN_BYTES, |first| match read_saved(first) {
        Ok(None) => Err(not_saved(path, first)),
        _ => Ok(()),
    })?;
    match read_saved(&bytes) {
        Ok(Some(saved)) => Ok(saved),
        Ok(None) => Err(not_saved(path, &bytes)),
        Err(_) if lockstep_execute::detect(&bytes).is_some() => Err(not_saved(path, &bytes)),
        Err(error) => Err(error.context(name(path))),
    }
}

/// Returns the error of a file that is neither a schedule nor a plan. The first bytes tell a program.
fn not_saved(path: &Path, first: &[u8]) -> anyhow::Error {
    if let Some(format) = decode_text(first.to_vec()).ok().and_then(|text| lockstep_rings::format::detect(&text)) {
        let (name, path) = (name(path), path_name(path));
        return anyhow!(
            "{name}: this is a file of NCCL or RCCL ({format}); compare it with lockstep judge {path} --network NETWORK"
        );
    }
    if first.trim_ascii_start().starts_with(b"<!DOCTYPE html>") {
        return anyhow!("{}: this is a page; give the plan or schedule file from which it was made", name(path));
    }
    match lockstep_execute::detect(first) {
        Some(format) => anyhow!(
            "{}: this is a program ({format}) without steps; find its steps first: lockstep judge {} -o steps.json",
            name(path),
            path_name(path)
        ),
        None => {
            anyhow!("{}: expected a schedule or plan file, JSON or binary; create one with lockstep plan", name(path))
        }
    }
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
        Saved::Rings(file) => Ok(all_gather_around(&file).with_context(|| name(path))?),
        Saved::Symmetric(_) => {
            bail!("{}: a symmetric schedule holds one source only; plan without --symmetric", name(path))
        }
    }
}

/// Returns the all-gather around the rings of a file, in steps.
///
/// # Errors
///
/// If the rings are invalid, or they are chains.
pub(crate) fn all_gather_around(file: &RingFile) -> anyhow::Result<ScheduleFile> {
    let RingFile { topology, set } = file;
    let (collective, schedule) = all_gather(topology, set)?;
    let has_long_hops = (0..set.len()).flat_map(|ring| set.hops(ring)).any(|hop| hop.len() > 1);
    let model = if has_long_hops {
        CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() }
    } else {
        CommunicationModel::store_and_forward()
    };
    Ok(ScheduleFile::new(&Problem::new(topology, &collective, model)?, schedule))
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
    if String::from_utf8_lossy(&bytes[..bytes.len().min(HEADER_BYTES)]).contains(RINGS_KIND.format) {
        return Ok(Some(Saved::Rings(RingFile::from_json(std::str::from_utf8(bytes)?)?.into())));
    }
    match ScheduleFile::read(bytes) {
        Err(ScheduleFileError::File(FileError::Sealed(SealError::Magic { .. }))) => Ok(None),
        file => Ok(Some(Saved::Schedule(file?.into()))),
    }
}

/// Reads a binary file of one kind. A file of another kind is not read to its end.
pub(crate) fn sealed(path: &Path, kind: FileKind) -> anyhow::Result<Result<Vec<u8>, FileError>> {
    match bytes(path, MAX_PLAN_BYTES, |first| kind.check_first(first)) {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(error) => error.downcast().map(Err),
    }
}

/// Reads a text file. A binary file is not read to its end. `expected` is the advice for a file that is no text.
pub(crate) fn text(path: &Path, expected: &str) -> anyhow::Result<String> {
    let refused = |byte| anyhow!("{}: byte {byte} is not UTF-8 or UTF-16 text; give {expected}", name(path));
    let check = |first: &[u8]| first_binary_byte(first).map_or(Ok(()), |byte| Err(refused(byte)));
    decode_text(bytes(path, MAX_BYTES, check)?).map_err(refused)
}

/// Reads all bytes of a program.
pub(crate) fn program(path: &Path) -> anyhow::Result<Vec<u8>> {
    bytes(path, MAX_BYTES, |_| Ok::<_, anyhow::Error>(()))
}

/// Reads all bytes of a file or of standard input, `limit` at most, unless `check` refuses the first ones.
fn bytes<E: Into<anyhow::Error>>(
    path: &Path,
    limit: u64,
    check: impl FnOnce(&[u8]) -> Result<(), E>,
) -> anyhow::Result<Vec<u8>> {
    let unread = |error| LoadError::File { file: name(path), error };
    let bytes = if is_standard(path) { read_input(io::stdin(), limit, check) } else { read_file(path, limit, check) };
    bytes.map_err(|error| match error {
        InputError::Io(error) => unread(error).into(),
        InputError::TooLong => anyhow!("{}: the file is longer than {limit} bytes, the limit", name(path)),
        InputError::Refused(error) => error.into(),
    })
}
