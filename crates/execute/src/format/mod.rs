//! The formats, one file or folder each.

mod goal;
mod goal_binary;
mod htsim;
mod messages;
mod msccl_xml;
mod text;

use std::fmt;

use self::text::text;
use crate::error::LoadError;
use crate::program::ParallelProgram;
use crate::runtime::Runtime;

/// A format of programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Algorithms of RCCL and of the MSCCL executor.
    MscclXml,
    /// Sends, receives and computations of `LogGOPSim` and ATLAHS, as text.
    Goal,
    /// The binary form of GOAL.
    GoalBinary,
    /// Connection matrices of htsim.
    Htsim,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::MscclXml, Self::Goal, Self::GoalBinary, Self::Htsim];

    /// Returns the name of the format, which is also its name in `lockstep export`.
    pub fn name(self) -> &'static str {
        match self {
            Self::MscclXml => "msccl-xml",
            Self::Goal => "goal",
            Self::GoalBinary => "goal-binary",
            Self::Htsim => "htsim",
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
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let mut words =
        goal::without_comments(&start).split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter();
    match words.next()?.as_str() {
        word if word.starts_with('<') => Some(Format::MscclXml),
        "num_ranks" => Some(Format::Goal),
        "Nodes" => Some(Format::Htsim),
        _ => None,
    }
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
        Format::Goal => Ok(vec![goal::load(text(bytes)?)?]),
        Format::GoalBinary => Ok(vec![goal_binary::load(bytes)?]),
        Format::Htsim => Ok(vec![htsim::load(text(bytes)?)?]),
    }
}
