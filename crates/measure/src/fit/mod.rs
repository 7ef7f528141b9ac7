//! The fit of a network to measurements.

mod bandwidth;
mod devices;
mod kind_fit;
mod latency;
mod network;
mod probe;
mod routes;
mod slow;
mod trials;
mod wires;

use std::fmt::Write as _;

use lockstep_topology::{ChannelId, Measured, NodeId, Quantity, RateError, Topology};
use sha2::{Digest, Sha256};

pub use self::latency::{LatencyFit, LatencyPart, LatencyTerm};
use self::wires::Wires;
use crate::format::{ReadError, ReadOptions, Reading};
use crate::sweep::all_reduce_times;
use crate::{SizeLine, TimeModel, TransferKind, size_lines};

/// The kinds of transfers in the order in which collectives need them.
const PREFERRED: [TransferKind; 3] = [TransferKind::Kernel, TransferKind::Message, TransferKind::Copy];

/// A file with measurements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasuredFile {
    /// Its name in messages.
    pub name: String,
    /// The SHA-256 digest of its text in hexadecimal digits.
    pub sha256: String,
    /// What it says.
    pub reading: Reading,
}

/// How a network is fitted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FitOptions {
    /// The kind of transfers that gives the bandwidths. `None` chooses kernels, then messages, then copies.
    pub kind: Option<TransferKind>,
    /// The terminals of the devices, in the order of the devices in the files. Empty for all terminals.
    pub ranks: Vec<NodeId>,
}

/// The reason measurements do not fit a network.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// A run with more or fewer devices than terminals.
    #[error(
        "{test}: {devices} devices were measured, but there are {terminals} terminals; name the terminals of the devices with --group, \
         for example --group 0-{}", devices.saturating_sub(1)
    )]
    DeviceCount {
        /// The test.
        test: String,
        /// Number of devices.
        devices: usize,
        /// Number of terminals.
        terminals: usize,
    },
    /// A device whose node is no terminal, or a terminal of two devices.
    #[error("--group: {node} is no terminal, or it is given twice; give each device a terminal of its own")]
    Rank {
        /// The name of the node.
        node: String,
    },
    /// No run has a transfer or a latency.
    #[error("no file has bandwidths or latencies of transfers between devices; measure for example all pairs: {how}")]
    NoTransfers {
        /// The commands.
        how: &'static str,
    },
    /// No run of the kind that is asked for.
    #[error("no file has bandwidths of the kind {wanted}; the files have {present}")]
    NoKind {
        /// The kind.
        wanted: TransferKind,
        /// The kinds of the files.
        present: String,
    },
    /// Bandwidths that a network cannot have.
    #[error(transparent)]
    Rates(#[from] RateError),
}

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
    /// Probes of links whose slowness no test shows, at most 64. None for links that their ends together cannot fill, and for links
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
    /// Other links that explain the same tests.
    pub or: Vec<(String, Vec<ChannelId>)>,
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

/// Fits a network to measurements.
///
/// Takes `O(S M)` time for `S` terminals that send in tests and `M` channels, and `O(T log T)` for `T` measured values.
///
/// # Errors
///
/// [`FitError`], if the devices of a run are not the terminals, or nothing was measured.
///
/// # Source
///
/// The bandwidths are the principal solution of a max-linear system: Butkovic, *Max-linear Systems* (2010).
pub fn fit(topology: &Topology, files: &[MeasuredFile], options: &FitOptions) -> Result<Fit, FitError> {
    let ranks = if options.ranks.is_empty() { topology.terminals() } else { &options.ranks };
    let mut is_taken = vec![false; topology.node_count()];
    let is_wrong =
        |node: &&NodeId| !topology.is_terminal(**node) || std::mem::replace(&mut is_taken[node.index()], true);
    if let Some(&node) = ranks.iter().find(is_wrong) {
        return Err(FitError::Rank { node: topology.node_name(node).to_owned() });
    }
    let wires = Wires::new(topology);
    let runs = files.iter().flat_map(|file| &file.reading.runs);
    let gathered = trials::gather(&wires, ranks, runs)?;
    let mut notes: Vec<String> = Vec::new();
    for file in files {
        notes.extend(file.reading.notes.iter().map(|note| format!("{}: {note}", file.name)));
    }
    notes.extend(gathered.notes);
    let mut kinds = Vec::new();
    for (kind, trials) in &gathered.kinds {
        if !(trials.list.is_empty() && trials.pings.is_empty() && trials.limits.is_empty()) {
            kinds.push(kind_fit::fit(&wires, *kind, trials, &gathered.profiles));
        }
    }
    if kinds.is_empty() {
        let how = "nvbandwidth, p2pBandwidthLatencyTest, TransferBench, or sendrecv_perf of nccl-tests";
        return Err(FitError::NoTransfers { how });
    }
    let names = |kinds: &[KindFit]| kinds.iter().map(|fit| fit.kind.to_string()).collect::<Vec<_>>().join(", ");
    kinds.sort_by_key(|fit: &KindFit| {
        (fit.trials == 0, !fit.has_bandwidths(), PREFERRED.iter().position(|&kind| kind == fit.kind))
    });
    match options.kind {
        Some(wanted) => match kinds.iter().position(|fit| fit.kind == wanted) {
            Some(place) => kinds[..=place].rotate_right(1),
            None => return Err(FitError::NoKind { wanted, present: names(&kinds) }),
        },
        None if kinds.iter().filter(|fit| fit.has_bandwidths()).count() > 1 => {
            let kind = kinds[0].kind;
            notes.push(format!(
                "the network has the bandwidths of the kind {kind}, of {}; choose with --kind",
                names(&kinds)
            ));
        }
        None => {}
    }
    let (network, measured) = network::build(&wires, &kinds, files)?;
    notes.extend(network::notes(&wires, &kinds[0], &measured));
    let runs = || files.iter().flat_map(|file| &file.reading.runs);
    let collectives = runs().flat_map(size_lines).collect();
    let rows: Vec<_> = runs().flat_map(all_reduce_times).collect();
    Ok(Fit { network, measured, kinds, collectives, algorithms: TimeModel::fit(&rows), notes })
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

impl std::fmt::Display for TransferKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Copy => "copy",
            Self::Kernel => "kernel",
            Self::Message => "message",
        })
    }
}

impl MeasuredFile {
    /// Reads the output of a benchmark.
    ///
    /// # Errors
    ///
    /// Those of [`read`](crate::format::read).
    pub fn read(name: impl Into<String>, text: &str, options: &ReadOptions) -> Result<Self, ReadError> {
        let mut sha256 = String::new();
        for byte in Sha256::digest(text.as_bytes()) {
            write!(sha256, "{byte:02x}").expect("writing to a string never fails");
        }
        Ok(Self { name: name.into(), sha256, reading: crate::format::read(text, options)? })
    }
}

/// Returns a bandwidth in bytes per second with four digits, such as `22.63GB/s`.
pub fn rounded_bandwidth(bytes_per_second: u64) -> String {
    Quantity::Bandwidth.format(rounded(bytes_per_second, 4))
}

/// Returns a number rounded to some decimal digits.
pub(crate) fn rounded(number: u64, digits: u32) -> u64 {
    let length = number.checked_ilog10().map_or(1, |log| log + 1);
    let step = 10u64.pow(length.saturating_sub(digits));
    (number.saturating_add(step / 2) / step).saturating_mul(step)
}
