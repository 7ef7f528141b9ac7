//! What a reader of graph files tells its user besides the network.

use std::collections::BTreeSet;
use std::fmt;

use crate::text::excerpt;
use crate::{NodeId, Topology};

/// The most names of attributes in a note.
const MAX_NAMES: usize = 16;

/// A note on a graph file that was read. Its text has one line.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ReadNote {
    /// Attributes that mean nothing for a network, as far as Lockstep knows.
    IgnoredAttributes {
        /// Their names, such as `edge weight`, ascending, at most 16.
        names: Vec<String>,
        /// The number of further names.
        more: usize,
    },
    /// Attributes of edges that are not used, although they may be bandwidths, numbers of links or latencies.
    PossibleRates {
        /// Their names, such as `edge weight`, ascending, at most 16.
        names: Vec<String>,
        /// The number of further names.
        more: usize,
    },
    /// The file was read as an edge list, because neither its name nor its text tells its format.
    UnknownFormat,
    /// No node is marked as a switch, although some nodes have one neighbor only, like the hosts of a switch.
    NoSwitch {
        /// The number of nodes with one neighbor.
        leaves: usize,
        /// The name of a node with more neighbors.
        hub: String,
    },
    /// What the reader took for granted, because the file does not state it.
    Assumed {
        /// The assumption, without a full stop.
        text: String,
    },
    /// What the file states, but the network does not contain.
    LeftOut {
        /// The thing left out and the reason, without a full stop.
        text: String,
    },
}

impl ReadNote {
    /// Returns the note on attributes that were not understood.
    pub(super) fn ignored_attributes(names: &BTreeSet<String>) -> Option<Self> {
        let (names, more) = shortened(names)?;
        Some(Self::IgnoredAttributes { names, more })
    }

    /// Returns the note on attributes that may be bandwidths or latencies.
    pub(super) fn possible_rates(names: &BTreeSet<String>) -> Option<Self> {
        let (names, more) = shortened(names)?;
        Some(Self::PossibleRates { names, more })
    }

    /// Returns the hint on missing switches.
    pub(super) fn no_switch(topology: &Topology) -> Option<Self> {
        if !topology.is_direct() {
            return None;
        }
        let has_one_neighbor = |node: NodeId| {
            let mut heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
            heads.next().is_some_and(|first| heads.all(|head| head == first))
        };
        let (leaves, hubs): (Vec<_>, Vec<_>) = topology.terminals().iter().partition(|&&node| has_one_neighbor(node));
        let hub = hubs.into_iter().max_by_key(|&node| (topology.out_channels(node).len(), std::cmp::Reverse(node)))?;
        (!leaves.is_empty()).then(|| Self::NoSwitch { leaves: leaves.len(), hub: excerpt(topology.node_name(hub)) })
    }
}

/// Returns the first names and the number of further ones; `None` if there are no names.
fn shortened(names: &BTreeSet<String>) -> Option<(Vec<String>, usize)> {
    let first: Vec<String> = names.iter().take(MAX_NAMES).map(|name| excerpt(name)).collect();
    (!first.is_empty()).then_some((first, names.len().saturating_sub(MAX_NAMES)))
}

/// Names with commas between, and the number of further ones.
struct NameList<'a>(&'a [String], usize);

impl fmt::Display for NameList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(names, more) = self;
        write!(f, "{}", names.join(", "))?;
        if *more > 0 { write!(f, " and {more} more") } else { Ok(()) }
    }
}

impl fmt::Display for ReadNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IgnoredAttributes { names, more } => write!(f, "ignored attributes: {}", NameList(names, *more)),
            Self::PossibleRates { names, more } => write!(
                f,
                "not used: {}; if it is a bandwidth, a number of links or a latency, rename it to 'bandwidth', 'capacity' or 'latency'",
                NameList(names, *more)
            ),
            Self::UnknownFormat => {
                f.write_str("format unknown: read as an edge list; if it is none, choose one by --from")
            }
            Self::Assumed { text } => write!(f, "assumed: {text}"),
            Self::LeftOut { text } => write!(f, "left out: {text}"),
            Self::NoSwitch { leaves: 1, hub } => write!(
                f,
                "no node is a switch, but a node has only one neighbor; mark the switches if there are any, such as '{hub}'"
            ),
            Self::NoSwitch { leaves, hub } => write!(
                f,
                "no node is a switch, but {leaves} nodes have only one neighbor; mark the switches if there are any, such as '{hub}'"
            ),
        }
    }
}
