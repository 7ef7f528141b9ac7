//! The measurements that the numbers of a network come from.

use serde::{Deserialize, Serialize};

use crate::ChannelId;

/// The source of the bandwidths and latencies of a network: the field `measured` of a [`TopologyDocument`].
///
/// It explains the numbers and does not change them. A [`Topology`] does not keep it.
///
/// [`Topology`]: crate::Topology
/// [`TopologyDocument`]: crate::TopologyDocument
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What moved the data: `kernel`, `message` or `copy`. Missing if only latencies were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The classes of channels.
    pub classes: Vec<MeasuredClass>,
    /// Channels that are slower than their class.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slow: Vec<MeasuredLink>,
    /// The start-up time of a message in picoseconds, which the latencies of the channels out of terminals contain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_up_ps: Option<u64>,
    /// The greatest relative error of a bandwidth by rounding to whole capacities.
    pub rounding: f64,
    /// The files.
    pub sources: Vec<MeasuredSource>,
}

/// A class of channels with equal bandwidth.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeasuredClass {
    /// What the channels connect, in words.
    pub name: String,
    /// The number of channels.
    pub channels: u32,
    /// The bandwidth of a channel in the network.
    pub bytes_per_second: u64,
    /// The most that a channel of the class carried in a test; 0 if no test used one.
    pub lower_limit: u64,
    /// No channel carries more. Missing if no test limits the bandwidth.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper_limit: Option<u64>,
    /// True if the tests determine the bandwidth. Otherwise it is the nominal one, or the lower limit.
    pub identified: bool,
    /// True if both directions of a link share the bandwidth.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub half_duplex: bool,
    /// The number of tests whose paths use the class.
    pub tests: u64,
    /// The latency of a channel without the start-up time, if it was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ps: Option<u64>,
}

/// Channels between two nodes that are slower than their class.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeasuredLink {
    /// The channels.
    pub channels: Vec<ChannelId>,
    /// The bandwidth of each of them.
    pub bytes_per_second: u64,
    /// The bandwidth as a part of that of the class.
    pub part: f64,
    /// The number of tests that the channels limit.
    pub tests: u64,
    /// Other channels that explain the same tests, as lists of channels between two nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub or: Vec<Vec<ChannelId>>,
}

/// A file with measurements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct MeasuredSource {
    /// The name of the file.
    pub file: String,
    /// The SHA-256 digest of its text in hexadecimal digits.
    pub sha256: String,
    /// The benchmark and its tests, such as `nvbandwidth device_to_device_memcpy_read_ce`.
    pub runs: Vec<String>,
    /// What its reader assumed, such as a unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
