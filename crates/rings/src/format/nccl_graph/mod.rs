//! `NCCL_GRAPH_FILE`: the rings and trees of one server in XML, which NCCL and RCCL use in place of their own search.
//!
//! # Grammar
//!
//! `<graphs version="1">` contains `<graph>` elements, a graph contains `<channel>` elements, and a channel contains the
//! `<gpu dev="0x0"/>` of a ring or chain in their order. Between servers, the first element of a channel is the `<net dev="0x0"/>` at
//! the entry of the server, and the last one that at its exit. `NCCL_GRAPH_DUMP_FILE` writes the same format.
//!
//! # Source
//!
//! `src/graph/xml.cc`, `src/graph/search.cc` and `src/graph/connect.cc` of github.com/NVIDIA/nccl, release 2.30.

mod reader;
mod scanner;
mod writer;

use std::fmt;

pub use self::reader::read;
pub use self::writer::write;
use super::order::Order;

/// The maximum number of channels of a graph.
pub const MAX_CHANNELS: usize = 64;

/// The maximum number of elements in an element.
pub const MAX_CHILDREN: usize = 640;

/// The maximum number of elements of a file.
const MAX_ELEMENTS: usize = 65_536;

/// The purpose of a graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GraphId {
    /// Rings.
    Ring,
    /// Chains, which become the trees of all-reduces.
    Tree,
    /// Chains of `CollNet`.
    CollNetChain,
    /// Heads of NVLS.
    Nvls,
    /// Heads of `CollNet`.
    CollNetDirect,
}

impl GraphId {
    /// All graphs, by their numbers from 0 on.
    pub const ALL: [Self; 5] = [Self::Ring, Self::Tree, Self::CollNetChain, Self::Nvls, Self::CollNetDirect];

    /// Returns the value of the attribute `id`.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the values of the attribute `pattern` that suit the graph.
    fn patterns(self) -> &'static [u8] {
        match self {
            Self::Ring => &[4],
            Self::Tree | Self::CollNetChain => &[1, 2, 3],
            Self::Nvls => &[5],
            Self::CollNetDirect => &[6],
        }
    }

    /// Returns true if each channel has all GPUs of the server.
    pub fn has_all_gpus(self) -> bool {
        matches!(self, Self::Ring | Self::Tree)
    }
}

impl fmt::Display for GraphId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "graph {}", self.number())
    }
}

/// The kind of a path between two GPUs, or between a GPU and a network card; better kinds come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PathType {
    /// The same device.
    Loc,
    /// `NVLink` or XGMI.
    Nvl,
    /// `NVLink` through another GPU.
    Nvb,
    /// One PCIe switch.
    Pix,
    /// Several PCIe switches.
    Pxb,
    /// A PCIe switch below a chip-to-chip link.
    P2c,
    /// The network card of another GPU.
    Pxn,
    /// One processor.
    Phb,
    /// The link between processors.
    Sys,
}

impl PathType {
    /// All kinds, better ones first.
    pub const ALL: [Self; 9] =
        [Self::Loc, Self::Nvl, Self::Nvb, Self::Pix, Self::Pxb, Self::P2c, Self::Pxn, Self::Phb, Self::Sys];

    /// Returns the word of NCCL.
    pub fn word(self) -> &'static str {
        match self {
            Self::Loc => "LOC",
            Self::Nvl => "NVL",
            Self::Nvb => "NVB",
            Self::Pix => "PIX",
            Self::Pxb => "PXB",
            Self::P2c => "P2C",
            Self::Pxn => "PXN",
            Self::Phb => "PHB",
            Self::Sys => "SYS",
        }
    }
}

impl fmt::Display for PathType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The rings, chains or heads of one purpose.
#[derive(Clone, PartialEq, Debug)]
pub struct NcclGraph {
    /// The purpose.
    pub id: GraphId,
    /// The kind of the tree between servers: 1 balanced, 2 split, 3 plain; 4 for rings, 5 for NVLS, 6 for `CollNet`.
    pub pattern: u8,
    /// Whether the network cards at the entry and the exit differ: 0 no, 1 yes, 2 exchanged in pairs on odd servers.
    pub cross_nic: u8,
    /// Bandwidth per channel and direction inside of the server, in GB/s (10⁹ bytes).
    pub speed_intra: f32,
    /// Bandwidth per channel and direction between servers, in GB/s.
    pub speed_inter: f32,
    /// Latency between servers in µs.
    pub latency_inter: f32,
    /// The worst path between GPUs.
    pub type_intra: PathType,
    /// The worst path between a GPU and a network card.
    pub type_inter: PathType,
    /// Whether all channels are equal.
    pub same_channels: bool,
    /// The rings or chains, by the numbers of devices.
    pub channels: Vec<Order>,
}

impl NcclGraph {
    /// Returns the places in a chain to which NCCL attaches the chains of the first and of the second child server in its trees of servers.
    pub fn child_places(&self) -> [usize; 2] {
        match self.pattern {
            1 => [1, 0],
            2 => [1, 1],
            _ => [0, 0],
        }
    }
}

/// A graph file.
#[derive(Clone, PartialEq, Debug)]
pub struct NcclGraphs {
    /// The graphs, in the order of the file.
    pub graphs: Vec<NcclGraph>,
}

impl NcclGraphs {
    /// Returns the graph of a purpose.
    pub fn graph(&self, id: GraphId) -> Option<&NcclGraph> {
        self.graphs.iter().find(|graph| graph.id == id)
    }

    /// Returns the number of rings that NCCL uses before it copies them: the smaller number of channels of the graphs 0 and 1. `None`
    /// if one of the graphs is not in the file, because NCCL then searches it.
    pub fn used_channels(&self) -> Option<usize> {
        let count = |id| self.graph(id).map(|graph| graph.channels.len());
        Some(count(GraphId::Ring)?.min(count(GraphId::Tree)?))
    }
}

#[cfg(test)]
mod tests;
