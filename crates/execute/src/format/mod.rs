//! The formats, one file or folder each.

mod chakra;
mod csv;
mod goal;
mod goal_binary;
mod htsim;
mod json;
mod messages;
mod msccl_json;
mod msccl_xml;
mod mscclpp_json;
mod steps;
mod teccl;
mod text;

use std::fmt;

pub use self::csv::TableCollective;
use self::text::text;
use crate::error::{LoadError, LoadProblem};
use crate::program::ParallelProgram;
use crate::runtime::Runtime;

/// A format of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Algorithms of RCCL of ROCm before 7.13, and of the MSCCL executor.
    MscclXml,
    /// Execution plans of MSCCL++.
    MscclppJson,
    /// Algorithms of msccl-tools.
    MscclJson,
    /// Results of TE-CCL.
    Teccl,
    /// Sends, receives and computations of `LogGOPSim` and ATLAHS, as text.
    Goal,
    /// The binary form of GOAL.
    GoalBinary,
    /// Execution traces of ASTRA-sim, one file per rank.
    Chakra,
    /// Connection matrices of htsim.
    Htsim,
    /// Tables of operations or messages, read with a collective.
    Csv,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 9] = [
        Self::MscclXml,
        Self::MscclppJson,
        Self::MscclJson,
        Self::Teccl,
        Self::Goal,
        Self::GoalBinary,
        Self::Chakra,
        Self::Htsim,
        Self::Csv,
    ];

    /// Returns the name of the format; the same as in `lockstep export`, if that writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::MscclXml => "msccl-xml",
            Self::MscclppJson => "mscclpp-json",
            Self::MscclJson => "msccl-json",
            Self::Teccl => "te-ccl",
            Self::Goal => "goal",
            Self::GoalBinary => "goal-binary",
            Self::Chakra => "chakra",
            Self::Htsim => "htsim",
            Self::Csv => "csv",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns the format of a file by its contents.
pub fn detect(bytes: &[u8]) -> Option<Format> {
    if bytes.starts_with(&goal_binary::COOKIE.to_le_bytes()) {
        return Some(Format::GoalBinary);
    }
    if chakra::is_trace(bytes) {
        return Some(Format::Chakra);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    if csv::is_table(&start) {
        return Some(Format::Csv);
    }
    let text = goal::without_comments(&start);
    let first = text.lines().map(str::trim_start).find(|line| !line.is_empty() && !line.starts_with('#'))?;
    match first.split_whitespace().next()? {
        word if word.starts_with('<') => is_algorithm(&start).then_some(Format::MscclXml),
        word if word.starts_with('{') => detect_json(&start),
        "num_ranks" => Some(Format::Goal),
        "Nodes" => Some(Format::Htsim),
        _ => None,
    }
}

/// Returns true if the first element of an XML file, after declarations and comments, is an algorithm of MSCCL.
fn is_algorithm(start: &str) -> bool {
    let mut tags = start.split('<').skip(1);
    let root = tags.find(|tag| tag.starts_with(|first: char| first.is_alphabetic()));
    root.is_some_and(|root| root.starts_with("algo"))
}

/// Returns the format of a JSON file by its first names.
fn detect_json(start: &str) -> Option<Format> {
    if teccl::is_result(start) {
        return Some(Format::Teccl);
    }
    let names = [("\"msccl_type\"", Format::MscclJson), ("\"gpus\"", Format::MscclppJson)];
    names.into_iter().find(|(name, _)| start.contains(name)).map(|(_, format)| format)
}

/// Reads a file. An algorithm in MSCCL XML that supports both placements of its buffers gives two programs; all other
/// files give one.
///
/// Time and memory are linear in the size of the file.
///
/// # Errors
///
/// If the runtime would not load the file.
pub fn load(bytes: &[u8], format: Format, runtime: Runtime) -> Result<Vec<ParallelProgram>, LoadError> {
    match format {
        Format::MscclXml => msccl_xml::load(bytes, runtime),
        Format::MscclppJson => Ok(vec![mscclpp_json::load(bytes)?]),
        Format::MscclJson => Ok(vec![msccl_json::load(bytes)?]),
        Format::Teccl => Ok(vec![teccl::load(bytes)?]),
        Format::Goal => Ok(vec![goal::load(text(bytes)?)?]),
        Format::GoalBinary => Ok(vec![goal_binary::load(bytes)?]),
        Format::Chakra => load_traces(&[bytes]),
        Format::Htsim => Ok(vec![htsim::load(text(bytes)?)?]),
        Format::Csv => Err(LoadError { place: 1.into(), problem: LoadProblem::Collective }),
    }
}

/// Reads the Chakra traces of all ranks, in the order of the ranks.
///
/// # Errors
///
/// If ASTRA-sim would not load a file.
pub fn load_traces(files: &[&[u8]]) -> Result<Vec<ParallelProgram>, LoadError> {
    Ok(vec![chakra::load(files)?])
}

/// Reads a table in CSV that computes a collective.
///
/// # Errors
///
/// If the table is not valid.
pub fn load_table(bytes: &[u8], collective: TableCollective<'_>) -> Result<Vec<ParallelProgram>, LoadError> {
    Ok(vec![csv::load(text(bytes)?, collective)?])
}
