//! The choices of a library on a network.

use lockstep_schedule::CollectiveName;

use crate::cost::AlgorithmCost;
use crate::curve::{Curve, lowest};
use crate::library::{Library, LibraryCollective, NcclMachine};
use crate::network::Network;

/// The most ranks of a communicator: some algorithms have a message for every ordered pair.
pub const MAX_RANKS: u32 = 2048;

/// The segment sizes that a table can choose: powers of two from 1 KiB to 4 MiB.
const SEGMENTS: std::ops::RangeInclusive<u32> = 10..=22;

/// What to choose, and for which sizes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TuneOptions {
    /// The library.
    pub library: Library,
    /// The collectives. Those that the library has no choices for are left out. Empty for all.
    pub collectives: Vec<CollectiveName>,
    /// The smallest and the largest size in bytes, as nccl-tests counts them. The first and the last choice also hold for smaller
    /// and larger sizes.
    pub sizes: [u64; 2],
    /// The root of broadcasts, reductions, gathers and scatters, as a rank.
    pub root: u32,
    /// The number of channels that a table for NCCL, RCCL or torchcomms gives every choice.
    pub channels: u32,
}

/// Why there is no table.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// A communicator that is too large.
    #[error("{ranks} ranks are too many; tables are computed for up to {MAX_RANKS}; give fewer")]
    ManyRanks {
        /// Number of ranks.
        ranks: u32,
    },
    /// A root that is no rank.
    #[error("the root {root} is no rank; the ranks are 0 to {}", .ranks - 1)]
    Root {
        /// The root.
        root: u32,
        /// Number of ranks.
        ranks: u32,
    },
    /// No algorithm of the library works on the network.
    #[error("{collective}: {library} has no algorithm for these ranks: {why}")]
    NoAlgorithm {
        /// The collective.
        collective: CollectiveName,
        /// The library.
        library: Library,
        /// Why the last one does not work.
        why: String,
    },
    /// No collective is left.
    #[error("{library} has no choices for these collectives; choose {}", collectives_of(*.library))]
    NoCollective {
        /// The library.
        library: Library,
    },
}

fn collectives_of(library: Library) -> String {
    let mut names: Vec<&str> = library.collectives().iter().map(|collective| collective.collective.word()).collect();
    names.dedup();
    names.join(", ")
}

/// The choices of a library for a communicator.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuning {
    /// The library.
    pub library: Library,
    /// Number of ranks.
    pub ranks: u32,
    /// Number of hosts of the ranks; 1 for a network without hosts.
    pub hosts: u32,
    /// The smallest and the largest size that was compared.
    pub sizes: [u64; 2],
    /// One per collective of the library, in its order.
    pub tables: Vec<ChoiceTable>,
}

/// The choices for a collective.
#[derive(Clone, Debug)]
pub struct ChoiceTable {
    /// The collective in the library.
    pub of: &'static LibraryCollective,
    /// Everything that was compared.
    pub choices: Vec<Choice>,
    /// The best choices by ascending size, at least one.
    pub ranges: Vec<ChoiceRange>,
    /// Algorithms of the library that do not work for these ranks.
    pub unsupported: Vec<Unsupported>,
}

/// An algorithm that does not work.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unsupported {
    /// The name of the algorithm in the library.
    pub algorithm: &'static str,
    /// Why it does not work.
    pub why: String,
}

impl PartialEq for ChoiceTable {
    fn eq(&self, other: &Self) -> bool {
        (self.of.name, &self.choices, &self.ranges) == (other.of.name, &other.choices, &other.ranges)
    }
}

/// An algorithm with its parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Choice {
    /// The name of the algorithm in the library.
    pub algorithm: &'static str,
    /// The number of the algorithm in the library, if it has numbers.
    pub number: u32,
    /// The fan-out, if the table can choose it.
    pub fan_out: Option<u32>,
    /// Bytes of a segment, if messages are cut.
    pub segment_bytes: Option<u64>,
    /// The protocol and the number of channels of NCCL.
    pub protocol: Option<(&'static str, u32)>,
    /// The time.
    pub time: Curve,
}

/// The sizes of a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ChoiceRange {
    /// The smallest size in bytes. The range ends before the next one.
    pub from: u64,
    /// The place of the choice.
    pub choice: usize,
}

impl ChoiceTable {
    /// Returns the best choice of a size.
    pub fn best(&self, bytes: u64) -> &Choice {
        let after = self.ranges.partition_point(|range| range.from <= bytes);
        &self.choices[self.ranges[after.saturating_sub(1)].choice]
    }

    /// Returns the best choice of a size with another algorithm or protocol than the best one.
    pub fn next_best(&self, bytes: u64) -> Option<&Choice> {
        let best = self.best(bytes);
        let differs = |choice: &&Choice| (choice.algorithm, choice.protocol) != (best.algorithm, best.protocol);
        self.choices.iter().filter(differs).min_by_key(|choice| choice.time.picoseconds(bytes))
    }

    /// Returns the sizes of the ranges as first and last byte, from 0 to `largest`.
    pub fn whole_ranges(&self, largest: u64) -> impl Iterator<Item = ([u64; 2], &Choice)> {
        let ends = self.ranges.iter().skip(1).map(|next| next.from - 1).chain([largest]);
        self.ranges.iter().zip(ends).enumerate().map(|(place, (range, end))| {
            let from = if place == 0 { 0 } else { range.from };
            ([from, end], &self.choices[range.choice])
        })
    }
}

/// Computes the choices of a library for the ranks of a network.
///
/// The time of an algorithm is the sum of the times of its rounds. In a round, all messages take shortest paths at the same time:
/// its time is the greatest latency of a path, the start-up times of the rank with most messages, and the time of the channel or port
/// that has most data for its bandwidth. Messages in segments form a pipeline: the time of the first segment, and for each further one
/// the time of a round with all messages. NCCL, RCCL and torchcomms have their own model. The sizes at which choices change are
/// exact for these times.
///
/// # Errors
///
/// [`TuneError`].
pub fn tune(network: &Network<'_>, options: &TuneOptions) -> Result<Tuning, TuneError> {
    let (ranks, library) = (network.ranks(), options.library);
    if ranks > MAX_RANKS {
        return Err(TuneError::ManyRanks { ranks });
    }
    if options.root >= ranks {
        return Err(TuneError::Root { root: options.root, ranks });
    }
    let is_chosen =
        |of: &&LibraryCollective| options.collectives.is_empty() || options.collectives.contains(&of.collective);
    let machine = NcclMachine::of(network);
    let table = |of: &'static LibraryCollective| {
        let (choices, unsupported) = if library.is_nccl() {
            (nccl_choices(machine, of.collective, options.channels), Vec::new())
        } else {
            choices(network, options, of)
        };
        if choices.is_empty() {
            let why = unsupported.last().map(|last| last.why.clone()).unwrap_or_default();
            return Err(TuneError::NoAlgorithm { collective: of.collective, library, why });
        }
        let curves: Vec<&Curve> = choices.iter().map(|choice| &choice.time).collect();
        let ranges = lowest(&curves, options.sizes).into_iter().map(|(choice, from)| ChoiceRange { from, choice });
        Ok(ChoiceTable { of, ranges: ranges.collect(), choices, unsupported })
    };
    let tables: Vec<ChoiceTable> =
        library.collectives().iter().filter(is_chosen).map(table).collect::<Result<_, _>>()?;
    if tables.is_empty() {
        return Err(TuneError::NoCollective { library });
    }
    Ok(Tuning { library, ranks, hosts: machine.hosts, sizes: options.sizes, tables })
}

fn nccl_choices(machine: NcclMachine, collective: CollectiveName, channels: u32) -> Vec<Choice> {
    let choice = |(algorithm, protocol, time)| Choice {
        algorithm,
        number: 0,
        fan_out: None,
        segment_bytes: None,
        protocol: Some((protocol, channels)),
        time,
    };
    machine.curves(collective).into_iter().map(choice).collect()
}

/// Returns the choices for a collective, and the algorithms that do not work.
fn choices(network: &Network<'_>, options: &TuneOptions, of: &LibraryCollective) -> (Vec<Choice>, Vec<Unsupported>) {
    let (mut choices, mut unsupported) = (Vec::new(), Vec::new());
    let root = if of.collective.has_root() { options.root } else { 0 };
    let can_cut = options.library.has_segments();
    for algorithm in of.algorithms {
        let is_chosen = algorithm.fans.len() > 1;
        for &fan in algorithm.fans.iter().filter(|&&fan| !is_chosen || fan < network.ranks()) {
            let Some(phases) = (algorithm.algorithm.phases)(network.ranks(), fan) else {
                let why = format!("it does not support {} ranks", network.ranks());
                unsupported.push(Unsupported { algorithm: algorithm.name, why });
                continue;
            };
            let cost = match AlgorithmCost::new(network, root, &phases) {
                Ok(cost) => cost,
                Err(ends) => {
                    let [from, to] = ends.map(|node| network.topology().node_name(node));
                    let why = format!("there is no path from '{from}' to '{to}' that passes no other terminal");
                    unsupported.push(Unsupported { algorithm: algorithm.name, why });
                    continue;
                }
            };
            let has_segments = algorithm.has_segments && can_cut && cost.has_segments();
            let segments = SEGMENTS.filter(|_| has_segments).map(|power| Some(1_u64 << power));
            choices.extend([None].into_iter().chain(segments).map(|segment_bytes| Choice {
                algorithm: algorithm.name,
                number: algorithm.number,
                fan_out: is_chosen.then_some(fan),
                segment_bytes,
                protocol: None,
                time: cost.curve(segment_bytes),
            }));
        }
    }
    (choices, unsupported)
}
