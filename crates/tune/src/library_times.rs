//! The times of the algorithms that a library has for a collective on a network.

use std::num::NonZeroU64;

use lockstep_files::{is_same_name, name_advice};
use lockstep_rings::format::tree_cost;
use lockstep_rings::{
    RingCost, RingCount, RingError, RingKind, RingLoad, RingRequest, RingSet, search, server_count, server_trees,
};
use lockstep_schedule::CollectiveName;
use lockstep_topology::{NodeId, Sizes, Topology};

use crate::algorithm::tree::nccl_double_tree;
use crate::library::Library;
use crate::network::{Network, NetworkError, RoundCosts};
use crate::tuning::{Choice, TuneError, TuneOptions, tune};

/// The largest number of rings.
const MAX_RINGS: u32 = 16;

/// The amount of work of a search for rings: a few seconds, unless the bound is met before.
const WORK: u64 = 4_000_000;

/// A size whose time is that of the data: 1 TiB.
const LARGE: u64 = 1 << 40;

/// The ranks of a collective on a network.
#[derive(Clone, Copy, Debug)]
pub struct Ranks<'a> {
    /// The network.
    pub topology: &'a Topology,
    /// The terminals in the order of the ranks.
    pub members: &'a [NodeId],
    /// The rank of the root.
    pub root: usize,
    /// The costs of messages.
    pub costs: RoundCosts,
}

/// Why a library has no times for a collective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryTimesError {
    /// The library has no algorithm for the collective.
    #[error("{library} sends {collective} as single messages, without an algorithm")]
    SingleMessages {
        /// The library.
        library: Library,
        /// The collective.
        collective: CollectiveName,
    },
    /// The network has no rings.
    #[error("no rings for {library} were found on {network}")]
    NoRings {
        /// The library.
        library: Library,
        /// The name of the network.
        network: String,
    },
    /// No algorithm has this name.
    #[error("no algorithm '{name}'; {advice}")]
    NoAlgorithm {
        /// The name.
        name: String,
        /// The names that there are.
        advice: String,
    },
    /// The search for rings failed.
    #[error(transparent)]
    Rings(#[from] RingError),
    /// The ranks have no times.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The library has no table.
    #[error(transparent)]
    Tune(#[from] TuneError),
}

/// The algorithms of a library, or of a file with rings, for one collective.
#[derive(Clone, Debug)]
pub struct LibraryTimes {
    /// Algorithms of the same name follow each other.
    list: Vec<Algorithm>,
}

#[derive(Clone, Debug)]
struct Algorithm {
    name: String,
    time: AlgorithmTime,
}

#[derive(Clone, Debug)]
enum AlgorithmTime {
    /// A pipeline over rings or trees, on units of this bandwidth.
    Pipeline(RingCost, NonZeroU64),
    Rounds(Choice),
}

/// The time of an algorithm for one size.
#[derive(Clone, Copy, Debug)]
pub struct AlgorithmPrediction<'a> {
    /// The name of the algorithm in the library.
    pub name: &'a str,
    /// Its parameters; `None` for rings and trees.
    pub choice: Option<&'a Choice>,
    /// The time of no data, in picoseconds.
    pub latency_ps: u128,
    /// The time of the data, in picoseconds.
    pub transmission_ps: u128,
}

impl AlgorithmPrediction<'_> {
    /// Returns the whole time in picoseconds.
    pub fn time_ps(&self) -> u128 {
        self.latency_ps.saturating_add(self.transmission_ps)
    }
}

impl Algorithm {
    fn of_rings(name: &str, cost: RingCost, unit: NonZeroU64) -> Self {
        Self { name: name.to_owned(), time: AlgorithmTime::Pipeline(cost, unit) }
    }

    fn prediction(&self, bytes: u64) -> AlgorithmPrediction<'_> {
        let (choice, latency_ps, transmission_ps) = match &self.time {
            AlgorithmTime::Pipeline(cost, unit) => (None, cost.latency_ps.into(), cost.transmission_ps(bytes, *unit)),
            AlgorithmTime::Rounds(choice) => {
                let (latency, time) = (choice.time.picoseconds(0), choice.time.picoseconds(bytes));
                (Some(choice), latency.min(time), time.saturating_sub(latency))
            }
        };
        AlgorithmPrediction { name: &self.name, choice, latency_ps, transmission_ps }
    }
}

impl LibraryTimes {
    /// Returns the algorithms of a library.
    ///
    /// NCCL and RCCL have the best rings, and for all-reduces trees over the servers, or chains in one server. `least_ps` is a lower bound
    /// of the time of the data of 1 TiB: rings that meet it need no chains. The other libraries have the algorithms of their tables
    /// with all parameters that these can choose.
    ///
    /// ```
    /// use lockstep_schedule::{CollectiveName, Ports};
    /// use lockstep_topology::Topology;
    /// use lockstep_tune::{Library, LibraryTimes, Ranks, RoundCosts};
    ///
    /// let server: Topology = "dgx-a100:1".parse()?;
    /// let costs = RoundCosts { start_up_ps: 0, ports: Ports::All };
    /// let ranks = Ranks { topology: &server, members: server.terminals(), root: 0, costs };
    /// let times = LibraryTimes::of_library(Library::Nccl, &ranks, CollectiveName::AllGather, None)?;
    /// assert_eq!(times.names(), ["ring"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LibraryTimesError`].
    pub fn of_library(
        library: Library,
        ranks: &Ranks<'_>,
        collective: CollectiveName,
        least_ps: Option<u128>,
    ) -> Result<Self, LibraryTimesError> {
        let list = if library.is_nccl() {
            nccl(library, ranks, collective, least_ps)?
        } else {
            of_table(library, ranks, collective)?
        };
        Ok(Self { list })
    }

    /// Returns the algorithms over given rings or chains and trees; without any if the collective takes none of them.
    ///
    /// # Errors
    ///
    /// [`NetworkError::NoUnit`].
    pub fn of_rings(
        topology: &Topology,
        rings: Option<&(RingSet, RingLoad)>,
        trees: Option<RingCost>,
        collective: CollectiveName,
    ) -> Result<Self, NetworkError> {
        let unit = unit(topology)?;
        let mut list = Vec::new();
        if let Some((set, load)) = rings
            && let Some(cost) = RingCost::of_rings(topology, set, load, collective)
        {
            list.push(Algorithm::of_rings(set.kind().name(), cost, unit));
        }
        if collective == CollectiveName::AllReduce {
            list.extend(trees.map(|cost| Algorithm::of_rings("tree", cost, unit)));
        }
        Ok(Self { list })
    }

    /// Returns the size to which the lower bound of [`of_library`](Self::of_library) refers.
    pub const fn large() -> u64 {
        LARGE
    }

    /// Returns true if there is no algorithm.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the names of the algorithms.
    pub fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.list.iter().map(|algorithm| &algorithm.name[..]).collect();
        names.dedup();
        names
    }

    /// Returns the algorithms of one name.
    ///
    /// # Errors
    ///
    /// [`LibraryTimesError::NoAlgorithm`].
    pub fn only(mut self, name: &str) -> Result<Self, LibraryTimesError> {
        let advice = name_advice(name, self.names());
        self.list.retain(|algorithm| is_same_name(&algorithm.name, name));
        if self.is_empty() {
            return Err(LibraryTimesError::NoAlgorithm { name: name.to_owned(), advice });
        }
        Ok(self)
    }

    /// Returns the fastest parameters of every algorithm for a size, the fastest algorithm first.
    pub fn all(&self, bytes: u64) -> Vec<AlgorithmPrediction<'_>> {
        let of_name = self.list.chunk_by(|one, other| one.name == other.name);
        let fastest = of_name.filter_map(|same| {
            same.iter().map(|algorithm| algorithm.prediction(bytes)).min_by_key(AlgorithmPrediction::time_ps)
        });
        let mut all: Vec<AlgorithmPrediction<'_>> = fastest.collect();
        all.sort_by_key(AlgorithmPrediction::time_ps);
        all
    }

    /// Returns the fastest algorithm for a size.
    pub fn best(&self, bytes: u64) -> Option<AlgorithmPrediction<'_>> {
        self.all(bytes).first().copied()
    }
}

fn unit(topology: &Topology) -> Result<NonZeroU64, NetworkError> {
    topology.unit_bytes_per_second().and_then(NonZeroU64::new).ok_or(NetworkError::NoUnit)
}

/// Returns the ring and the tree of NCCL.
fn nccl(
    library: Library,
    ranks: &Ranks<'_>,
    collective: CollectiveName,
    least_ps: Option<u128>,
) -> Result<Vec<Algorithm>, LibraryTimesError> {
    let Ranks { topology, members, .. } = *ranks;
    if library.collectives().iter().all(|known| known.collective != collective) {
        return Err(LibraryTimesError::SingleMessages { library, collective });
    }
    let unit = unit(topology)?;
    let cost = |rings: Option<&(RingSet, RingLoad)>| {
        rings.and_then(|(set, load)| RingCost::of_rings(topology, set, load, collective))
    };
    let rings = best_rings(topology, members, RingKind::Ring)?;
    let mut list: Vec<Algorithm> =
        cost(rings.as_ref()).map(|cost| Algorithm::of_rings("ring", cost, unit)).into_iter().collect();
    if collective == CollectiveName::AllReduce {
        // Both are rounded to picoseconds at different places.
        let meets_bound = |rings: &Algorithm| {
            let transmission = rings.prediction(LARGE).transmission_ps;
            least_ps.is_some_and(|least| transmission.saturating_mul(9_999) <= least.saturating_mul(10_000))
        };
        let trees = match rings.as_ref().and_then(|(set, _)| trees(topology, set)) {
            Some(trees) => Some(trees),
            None if list.first().is_some_and(meets_bound) => None,
            None => cost(best_rings(topology, members, RingKind::Chain)?.as_ref()),
        };
        list.extend(trees.map(|cost| Algorithm::of_rings("tree", cost, unit)));
    }
    if list.is_empty() {
        return Err(LibraryTimesError::NoRings { library, network: topology.name().to_owned() });
    }
    Ok(list)
}

/// Returns the best rings or chains that the search finds.
fn best_rings(
    topology: &Topology,
    terminals: &[NodeId],
    kind: RingKind,
) -> Result<Option<(RingSet, RingLoad)>, RingError> {
    let request = RingRequest {
        terminals: Some(terminals),
        kind,
        channels: RingCount::AtMost(MAX_RINGS),
        relay: 0,
        gateway: None,
        seed: 1,
        work: WORK,
        is_stopped: &|| false,
    };
    Ok(search(topology, &request)?.set)
}

/// Returns the cost of NCCL's double trees over the servers that the rings visit.
fn trees(topology: &Topology, rings: &RingSet) -> Option<RingCost> {
    let trees = server_trees(topology, rings, &nccl_double_tree(server_count(topology, rings)?))?;
    tree_cost(topology, &trees, rings.relay()).ok()
}

/// Returns the algorithms of a library of messages, with all parameters that its table can choose.
fn of_table(
    library: Library,
    ranks: &Ranks<'_>,
    collective: CollectiveName,
) -> Result<Vec<Algorithm>, LibraryTimesError> {
    let network = Network::new(ranks.topology, ranks.members, ranks.costs)?;
    let options = TuneOptions {
        library,
        collectives: vec![collective],
        sizes: Sizes::DEFAULT,
        root: ranks.root as u32,
        channels: 1,
    };
    let tables = tune(&network, &options)?.tables;
    let algorithm =
        |choice: Choice| Algorithm { name: choice.algorithm.to_owned(), time: AlgorithmTime::Rounds(choice) };
    Ok(tables.into_iter().flat_map(|table| table.choices).map(algorithm).collect())
}
