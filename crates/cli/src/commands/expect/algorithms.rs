//! The algorithms that a library has for a collective on a network, with their times.

use std::num::NonZeroU64;
use std::path::Path;

use anyhow::{Context, bail, ensure};
use lockstep::files::{is_same_name, name_advice};
use lockstep::topology::Sizes;
use lockstep::{CollectiveName, NodeId, Topology};
use lockstep_measure::Prediction;
use lockstep_rings::format::{Devices, Format, tree_cost};
use lockstep_rings::{
    RingCost, RingCount, RingFile, RingKind, RingLoad, RingSet, route_orders, server_count, server_trees, verify,
};
use lockstep_tune::algorithm::tree::nccl_double_tree;
use lockstep_tune::{Choice, Curve, Library, Network, RoundCosts, TuneOptions};

use super::super::rings::{OnNetwork, RingText, search_within};
use super::super::rivals::Rival;
use super::super::times;
use super::super::tune::ChoiceRecord;
use crate::args::{ExpectArgs, Verbosity};
use crate::units::BudgetArg;
use crate::{input, output};

/// The most rings that are searched, as in `lockstep rings`.
const MAX_RINGS: u32 = 16;

/// A size whose time is that of the data: 1 TiB.
const LARGE: u64 = 1 << 40;

/// The collective of some ranks.
#[derive(Clone, Copy)]
pub(super) struct RankedCollective<'a> {
    pub(super) topology: &'a Topology,
    /// The terminals in the order of the ranks.
    pub(super) members: &'a [NodeId],
    /// The rank of the root.
    pub(super) root: usize,
    pub(super) costs: RoundCosts,
    pub(super) name: CollectiveName,
}

/// The algorithms of a library or file.
pub(super) struct Algorithms {
    /// The library, or the file with rings.
    pub(super) source: String,
    list: Vec<Algorithm>,
}

/// An algorithm with its time.
struct Algorithm {
    name: String,
    /// The algorithm with its parameters.
    text: String,
    time: AlgorithmTime,
}

enum AlgorithmTime {
    /// A pipeline over rings or trees, on units of this bandwidth.
    Ring(RingCost, NonZeroU64),
    Rounds(Curve),
}

impl Algorithm {
    fn of_rings(name: &str, text: String, cost: RingCost, unit: NonZeroU64) -> Self {
        Self { name: name.to_owned(), text, time: AlgorithmTime::Ring(cost, unit) }
    }

    fn prediction(&self, bytes: u64) -> Prediction {
        match &self.time {
            AlgorithmTime::Ring(cost, unit) => {
                Prediction::of_schedule(cost.latency_ps.into(), cost.transmission_ps(bytes, *unit))
            }
            AlgorithmTime::Rounds(curve) => {
                let (latency, time) = (curve.picoseconds(0), curve.picoseconds(bytes));
                Prediction::of_schedule(latency.min(time), time.saturating_sub(latency))
            }
        }
    }
}

impl Algorithms {
    /// Returns the algorithms of the library or of the file with rings; `None` without such options.
    pub(super) fn new(
        args: &ExpectArgs,
        of: &RankedCollective<'_>,
        rival: &Rival,
        verbosity: Verbosity,
    ) -> anyhow::Result<Option<Self>> {
        let (source, mut list) = match (args.library, &args.rings) {
            (Some(library), _) if library.is_nccl() => {
                let needs_trees = args.algorithm.as_ref().is_some_and(|name| is_same_name("tree", name));
                let bound = Some(rival).filter(|_| !needs_trees);
                (library.name().to_owned(), nccl(library, of, bound)?)
            }
            (Some(library), _) => (library.name().to_owned(), mpi(library, of, args)?),
            (None, Some(path)) => (input::name(path), of_file(path, of, verbosity)?),
            (None, None) => return Ok(None),
        };
        if let Some(name) = &args.algorithm {
            let mut names: Vec<String> = list.iter().map(|algorithm| algorithm.name.clone()).collect();
            names.dedup();
            list.retain(|algorithm| is_same_name(&algorithm.name, name));
            let advice = || name_advice(name, names.iter().map(String::as_str));
            ensure!(!list.is_empty(), "--algorithm: {source} has no algorithm '{name}' here; {}", advice());
        }
        Ok(Some(Self { source, list }))
    }

    /// Returns the fastest parameters of every algorithm for a size, with their prediction: the fastest algorithm first.
    pub(super) fn all(&self, bytes: u64) -> Vec<(&str, Prediction)> {
        let of_name = self.list.chunk_by(|one, other| one.name == other.name);
        let fastest = of_name.filter_map(|same| {
            let all = same.iter().map(|algorithm| (&algorithm.text[..], algorithm.prediction(bytes)));
            all.min_by_key(|(_, prediction)| prediction.time_ps)
        });
        let mut all: Vec<(&str, Prediction)> = fastest.collect();
        all.sort_by_key(|(_, prediction)| prediction.time_ps);
        all
    }

    /// Returns the name and the prediction of the fastest algorithm for a size.
    pub(super) fn best(&self, bytes: u64) -> Option<(&str, Prediction)> {
        self.all(bytes).first().copied()
    }

    /// Returns the names of all algorithms.
    pub(super) fn names(&self) -> String {
        let mut names: Vec<&str> = self.list.iter().map(|algorithm| &algorithm.name[..]).collect();
        names.dedup();
        names.join(", ")
    }
}

/// Returns the ring and the tree of NCCL: the best rings, and for all-reduces trees over the servers, or chains in one server.
///
/// Rings that meet the bound need no chains.
fn nccl(library: Library, of: &RankedCollective<'_>, bound: Option<&Rival>) -> anyhow::Result<Vec<Algorithm>> {
    let RankedCollective { topology, members, name, .. } = *of;
    ensure!(
        library.collectives().iter().any(|known| known.collective == name),
        "--library: {library} sends {name} as single messages, without an algorithm; remove the option to compare with the bound"
    );
    let unit = times::unit(topology, None)?;
    let search = |kind| {
        let budget = BudgetArg::DEFAULT.begin();
        search_within(topology, members, (kind, RingCount::AtMost(MAX_RINGS)), (0, 1), &budget)
    };
    let rings = search(RingKind::Ring)?.answer.set;
    let mut list = Vec::new();
    if let Some((set, load)) = &rings
        && let Some(cost) = RingCost::of_rings(topology, set, load, name)
    {
        list.push(Algorithm::of_rings("ring", "ring".to_owned(), cost, unit));
    }
    if name == CollectiveName::AllReduce {
        let of_servers = rings.as_ref().and_then(|(set, _)| trees(topology, set));
        let meets_bound = |bound: &Rival| {
            let rings = list.first().map(|rings| rings.prediction(LARGE).transmission_ps);
            // Both are rounded to picoseconds at different places.
            rings.is_some_and(|rings| {
                rings.saturating_mul(9_999) <= bound.bound(LARGE).transmission_ps.saturating_mul(10_000)
            })
        };
        let cost = match of_servers {
            Some(cost) => Some(cost),
            None if bound.is_some_and(meets_bound) => None,
            None => search(RingKind::Chain)?
                .answer
                .set
                .and_then(|(set, load)| RingCost::of_rings(topology, &set, &load, name)),
        };
        list.extend(cost.map(|cost| Algorithm::of_rings("tree", "tree".to_owned(), cost, unit)));
    }
    if list.is_empty() {
        bail!(
            "--library: no rings for {library} were found on {}; remove the option to compare with the bound, or see lockstep rings",
            topology.name()
        );
    }
    Ok(list)
}

/// Returns the cost of NCCL's double trees over the servers that the rings visit.
fn trees(topology: &Topology, rings: &RingSet) -> Option<RingCost> {
    let trees = server_trees(topology, rings, &nccl_double_tree(server_count(topology, rings)?))?;
    tree_cost(topology, &trees, rings.relay()).ok()
}

/// Returns the algorithms of a library of messages, with all parameters that its table can choose.
fn mpi(library: Library, of: &RankedCollective<'_>, args: &ExpectArgs) -> anyhow::Result<Vec<Algorithm>> {
    let network = Network::new(of.topology, of.members, of.costs).with_context(|| args.spec.clone())?;
    let options =
        TuneOptions { library, collectives: vec![of.name], sizes: Sizes::DEFAULT, root: of.root as u32, channels: 1 };
    let tuning = lockstep_tune::tune(&network, &options).with_context(|| args.spec.clone())?;
    let choices = tuning.tables.iter().flat_map(|table| &table.choices);
    let algorithm = |choice: &Choice| Algorithm {
        name: choice.algorithm.to_owned(),
        text: ChoiceRecord::new(choice).to_text(),
        time: AlgorithmTime::Rounds(choice.time.clone()),
    };
    Ok(choices.map(algorithm).collect())
}

/// Returns the rings and trees of a file on the network.
fn of_file(path: &Path, of: &RankedCollective<'_>, verbosity: Verbosity) -> anyhow::Result<Vec<Algorithm>> {
    let RankedCollective { topology, members, name, .. } = *of;
    let unit = times::unit(topology, None)?;
    let (rings, trees) = match RingText::detect(&input::program(path)?) {
        Some(file) => {
            let mut orders = file.read(1).with_context(|| input::name(path))?;
            let devices = Devices::new(topology, members);
            if file.format == Format::RcclEnvironment {
                orders.leave_out_other_sizes(devices.len());
            }
            for note in &orders.notes {
                output::note(verbosity, note);
            }
            let placed = OnNetwork::new(&orders, topology, &devices, (0, None));
            let placed = placed.map_err(|violation| anyhow::anyhow!("{}: {violation}", input::name(path)))?;
            (placed.rings, placed.trees)
        }
        None => (Some(own_rings(path, topology)?), None),
    };
    let mut list = Vec::new();
    if let Some((set, load)) = &rings
        && let Some(cost) = RingCost::of_rings(topology, set, load, name)
    {
        list.push(Algorithm::of_rings(set.kind().name(), set.kind().name().to_owned(), cost, unit));
    }
    if name == CollectiveName::AllReduce {
        list.extend(trees.map(|cost| Algorithm::of_rings("tree", "tree".to_owned(), cost, unit)));
    }
    ensure!(!list.is_empty(), "{}: the file has no rings or trees for {name}; remove --rings", input::name(path));
    Ok(list)
}

/// Returns the rings of a file of `lockstep rings` on the network, by the names of its terminals.
fn own_rings(path: &Path, topology: &Topology) -> anyhow::Result<(RingSet, RingLoad)> {
    let text = input::text(path, "rings of lockstep rings, or a file or log of NCCL or RCCL")?;
    let file = RingFile::from_json(&text).with_context(|| {
        format!("{}: expected rings of lockstep rings, or a file or log of NCCL or RCCL", input::name(path))
    })?;
    let here = |&node: &NodeId| {
        let name = file.topology.node_name(node);
        let found = topology.node_named(name).filter(|&node| topology.is_terminal(node));
        found.with_context(|| format!("{}: {} has no terminal '{name}'", input::name(path), topology.name()))
    };
    let orders = file.set.orders().map(|order| order.iter().map(here).collect()).collect::<anyhow::Result<Vec<_>>>()?;
    let set = if file.topology == *topology {
        file.set.clone()
    } else {
        route_orders(topology, file.set.kind(), &orders, file.set.relay()).with_context(|| input::name(path))?
    };
    let load = verify(topology, &set).with_context(|| input::name(path))?;
    Ok((set, load))
}
