//! The result of a fit.

use lockstep_topology::{ChannelId, Measured, NodeId, Topology};

use super::latency::LatencyFit;
use crate::{SizeLine, TimeModel, TransferKind};

/// A network with the bandwidths and latencies that measurements show.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The network with these bandwidths and latencies. Nodes, channels and their numbers are those of the given one.
    pub network: Topology,
    /// What the measurements say about the network, for its file.
    pub measured: Measured,
    /// The fit of each kind of transfer that was measured. The first one gives the numbers of the network.
    pub kinds: Vec<KindFit>,
    /// The times of collectives over their sizes.
    pub collectives: Vec<SizeLine>,
    /// The constants of all-reduces with forced algorithms, if there are any.
    pub algorithms: Option<TimeModel>,
    /// The notes of the readers and of the fit.
    pub notes: Vec<String>,
}

/// The bandwidths of one kind of transfer.
#[derive(Clone, PartialEq, Debug)]
pub struct KindFit {
    /// The kind.
    pub kind: TransferKind,
    /// The number of measured rates.
    pub trials: usize,
    /// The standard deviation of a rate, as a part of it.
    pub deviation: f64,
    /// The classes of channels, in the same order for every kind.
    pub classes: Vec<ClassFit>,
    /// The links that are slower than their class, the slowest part first.
    pub slow: Vec<SlowLink>,
    /// Slow transfers that no slow link explains, the slowest part first.
    pub slow_transfers: Vec<SlowTransfer>,
    /// Transfers to measure again, if more values would tell slow links apart.
    pub repeats: Option<Repeats>,
    /// Classes whose channels have different bandwidths.
    pub mixed: Vec<MixedClass>,
    /// The latencies, if they were measured.
    pub latency: Option<LatencyFit>,
}

/// How the bandwidth of a class is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Evidence {
    /// The class alone limits some test.
    Identified,
    /// Nothing was measured, or less than the nominal bandwidth; the class has its nominal bandwidth.
    Nominal,
    /// The class carried all that its ends can send at the same time. It may be wider, but it limits no transfer.
    NotLimiting,
    /// The class has the most that was measured. It may be wider.
    LowerLimit,
    /// Nothing was measured, and no bandwidth is known: as wide per unit of capacity as the widest measured class.
    Assumed,
}

/// A class of channels: channels of the same kind of ends and the same nominal bandwidth.
#[derive(Clone, PartialEq, Debug)]
pub struct ClassFit {
    /// What the class is, such as `terminal to switch, 450GB/s, such as g0->V0 (16 channels)`.
    pub name: String,
    /// Its channels, ascending.
    pub channels: Vec<ChannelId>,
    /// The bandwidth of a channel in bytes per second.
    pub bandwidth: u64,
    /// How the bandwidth is known.
    pub evidence: Evidence,
    /// The most that a channel carried in a test; 0 without tests.
    pub lower_limit: u64,
    /// The bandwidth with its tolerance if it is identified, otherwise the nominal bandwidth, if it is known.
    pub upper_limit: Option<u64>,
    /// What both directions of a link carry together, if they share it.
    pub half_duplex: Option<u64>,
    /// The number of tests whose paths use the class.
    pub tests: u64,
    /// The number of channels whose slowness a test would show.
    pub visible: u32,
    /// Probes of links whose slowness no test shows, at most 64. None for links that carried all that their ends can send, and for links
    /// beside other shortest paths.
    pub probes: Vec<Probe>,
}

/// Transfers at the same time that would show the bandwidth of a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    /// The name of the link.
    pub link: String,
    /// The sender and the receiver of each transfer.
    pub flows: Vec<[NodeId; 2]>,
    /// The number of times to measure them, so that noise hardly changes the bandwidth of the class.
    pub times: u32,
}

/// Transfers to measure again, each alone.
///
/// Each transfer takes one of several shortest paths. Some of these paths have a slow link, and more values tell which one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeats {
    /// The sender and the receiver of each transfer.
    pub pairs: Vec<[NodeId; 2]>,
    /// The number of times to measure each of them.
    pub times: u32,
}

/// Channels between two nodes that are slower than their class.
#[derive(Clone, PartialEq, Debug)]
pub struct SlowLink {
    /// Its name, such as `g3->g5`.
    pub name: String,
    /// Its channels.
    pub channels: Vec<ChannelId>,
    /// The place of its class.
    pub class: usize,
    /// The bandwidth of a channel in bytes per second: the median of the tests that the link limits.
    pub bandwidth: u64,
    /// The bandwidth as a part of that of the class.
    pub part: f64,
    /// The number of tests that the link limits.
    pub tests: u32,
    /// The number of tests that may use the link: it is on some of their shortest paths.
    pub possible_tests: u32,
    /// The number of slow links among this one and the others.
    pub count: u32,
    /// Other links that explain the same tests: one of all is slow, or more of them by `count`.
    pub or: Vec<(String, Vec<ChannelId>)>,
}

impl SlowLink {
    /// Returns the link in words: `g3->g5`, or `one of the 4 links L3->S0, L3->S1 and 2 more` with at most this number of names.
    pub fn subject(&self, most: usize) -> String {
        let all = 1 + self.or.len();
        if all == 1 {
            return self.name.clone();
        }
        let names: Vec<&str> = [&self.name]
            .into_iter()
            .chain(self.or.iter().map(|(name, _)| name))
            .map(|name| &name[..])
            .take(most)
            .collect();
        let more = if all > names.len() { format!(" and {} more", all - names.len()) } else { String::new() };
        let count = if self.count == 1 { "one".to_owned() } else { self.count.to_string() };
        format!("{count} of the {all} links {}{more}", names.join(", "))
    }
}

/// Transfers that are slower than their path.
#[derive(Clone, PartialEq, Debug)]
pub struct SlowTransfer {
    /// The sender and the receiver of each transfer.
    pub flows: Vec<[NodeId; 2]>,
    /// The measured rate in bytes per second.
    pub rate: u64,
    /// The rate that the classes allow.
    pub expected: u64,
    /// True if the transfers have several shortest paths, so that a slow link on one of them cannot be named.
    pub has_several_paths: bool,
}

/// A class whose tests contradict each other: a part of its channels has another bandwidth.
#[derive(Clone, PartialEq, Debug)]
pub struct MixedClass {
    /// The place of the class.
    pub class: usize,
    /// Its slower links.
    pub links: Vec<SlowLink>,
    /// The bandwidth of a channel of these links.
    pub bandwidth: u64,
}

impl KindFit {
    /// Returns true if there is a measured bandwidth or a lower limit.
    pub fn has_bandwidths(&self) -> bool {
        self.classes.iter().any(|class| class.lower_limit > 0)
    }

    /// Returns the slow links and transfers below this part of their class, or of the expected rate.
    pub fn below(&self, part: f64) -> usize {
        let transfers =
            self.slow_transfers.iter().filter(|transfer| (transfer.rate as f64) < part * transfer.expected as f64);
        self.slow.iter().filter(|link| link.part < part).count() + transfers.count()
    }
}
