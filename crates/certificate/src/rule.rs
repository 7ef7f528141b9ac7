//! The rules that prove lower bounds, by name.

use std::fmt;

use lockstep_schedule::Part;
use serde::{Deserialize, Serialize};

/// The argument that proves a bound. The order breaks ties: of two equal bounds, the one by the earlier rule is
/// preferred.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// One terminal sends or receives all its messages through its channels and ports.
    Ports,
    /// The number of terminals that hold a message grows by at most the ports of the holders per step.
    Growth,
    /// A dynamic program over the subtrees of a tree finds no broadcast that is fast enough.
    TreeBroadcast,
    /// Every terminal of a tree forwards a packet to its neighbours one after the other.
    TreePackets,
    /// A message crosses one channel per step.
    Eccentricity,
    /// Messages cross from one part of the network to the other.
    Cut,
    /// All deliveries to some terminals pass the channels that lead to them.
    Reception,
    /// Messages cross a cut of the time-expanded network, or enter a part of the network before the last step.
    TimedCut,
    /// All messages together cross all channels of their paths.
    DistanceSum,
    /// All deliveries together pass all ports.
    Volume,
    /// Even the best fractional routing of all messages gives some resource or port this load.
    ArcForwarding,
    /// Even the best fractional packing of trees of transfers gives some resource or port this load.
    TreePacking,
    /// Even the best fractional packing of gossips gives some resource or port this load.
    Gossip,
    /// An all-reduce contains the reductions of all messages to one terminal, and their broadcasts from it.
    CommonRoot,
    /// Messages must enter a part of the network, not before they can reach it, and early enough to go on.
    TimedEntries,
    /// The propositional formula which states that a schedule exists is unsatisfiable.
    Satisfiability,
}

impl Rule {
    /// All rules, in the order of their variants.
    pub const ALL: [Self; 16] = [
        Self::Ports,
        Self::Growth,
        Self::TreeBroadcast,
        Self::TreePackets,
        Self::Eccentricity,
        Self::Cut,
        Self::Reception,
        Self::TimedCut,
        Self::DistanceSum,
        Self::Volume,
        Self::ArcForwarding,
        Self::TreePacking,
        Self::Gossip,
        Self::CommonRoot,
        Self::TimedEntries,
        Self::Satisfiability,
    ];

    /// Returns the argument of the rule in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Ports => "the messages that one terminal can send or receive per step",
            Self::Growth => "the number of terminals that can receive a message per step, by the ports of its holders",
            Self::TreeBroadcast => "the fewest steps of a broadcast on a tree, exactly",
            Self::TreePackets => "the time in which a packet passes from node to node of a tree",
            Self::Eccentricity => "the distance of a store-and-forward message, one channel per step",
            Self::Cut => "the messages that must cross a cut of the network",
            Self::Reception => "the messages that the terminals behind few channels must receive",
            Self::TimedCut => "the messages that must cross a cut that moves in time",
            Self::DistanceSum => "the channels that all messages use",
            Self::Volume => "the messages that all terminals can send or receive per step",
            Self::ArcForwarding => "the channels that all messages use, with the best length for every channel",
            Self::TreePacking => {
                "the resources and ports that the transfers of all messages use, with the best lengths"
            }
            Self::Gossip => "the resources and ports that the transfers of an all-reduce use, with the best lengths",
            Self::CommonRoot => {
                "an all-reduce contains the reductions of all messages to any one terminal, and broadcasts"
            }
            Self::TimedEntries => {
                "the messages that must enter a part of the network, not before they can reach it, and early enough to go on"
            }
            Self::Satisfiability => {
                "all schedules of a small problem, by a proof that a propositional formula has no model"
            }
        }
    }

    /// Returns the rule as a part of the search for bounds that a budget can
    /// [leave out](lockstep_schedule::Budget::without).
    pub const fn part(self) -> Part {
        Part { owner: "bounds", name: self.name(), about: self.about() }
    }

    /// Returns the name of the rule, in lower case with hyphens.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ports => "ports",
            Self::Growth => "growth",
            Self::TreeBroadcast => "tree-broadcast",
            Self::TreePackets => "tree-packets",
            Self::Eccentricity => "eccentricity",
            Self::Cut => "cut",
            Self::Reception => "reception",
            Self::TimedCut => "timed-cut",
            Self::DistanceSum => "distance-sum",
            Self::Volume => "volume",
            Self::ArcForwarding => "arc-forwarding",
            Self::TreePacking => "tree-packing",
            Self::Gossip => "gossip",
            Self::CommonRoot => "common-root",
            Self::TimedEntries => "timed-entries",
            Self::Satisfiability => "satisfiability",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
