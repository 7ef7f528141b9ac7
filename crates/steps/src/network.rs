//! Networks: the given one or that of the pairs of ranks that talk, and the paths of transfers.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_execute::ParallelProgram;
use lockstep_paths::{PathId, PathTable, ShortestPaths};
use lockstep_schedule::{CommunicationModel, Ports, Routing, ScatterRule, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology, TopologyBuilder};

use crate::error::ConvertError;

/// Maximum number of paths that are tried for a transfer over switches.
const MAX_PATHS: usize = 16;

/// Number of ranks without transfers, at most.
const MAX_IDLE_RANKS: u64 = 1 << 16;

/// Seed of the choice among more paths.
const PATH_SEED: u64 = 1;

/// A network, and the terminal of each rank of a program.
#[derive(Clone, PartialEq, Debug)]
pub struct RankNetwork {
    topology: Topology,
    terminals: Vec<NodeId>,
}

impl RankNetwork {
    /// Places rank `r` on the node `terminals[r]`.
    ///
    /// # Errors
    ///
    /// [`ConvertError::Terminal`] if a node is no working terminal, or is given twice.
    pub fn new(topology: Topology, terminals: Vec<NodeId>) -> Result<Self, ConvertError> {
        let mut ranks = vec![false; topology.terminal_count()];
        for &node in &terminals {
            let is_node = node.index() < topology.node_count();
            let place = if is_node { topology.terminal_rank(node) } else { None };
            let name = || if is_node { topology.node_name(node).to_owned() } else { node.number().to_string() };
            let place = place.ok_or_else(|| ConvertError::Terminal { name: name(), why: "is no working terminal" })?;
            if std::mem::replace(&mut ranks[place], true) {
                return Err(ConvertError::Terminal { name: name(), why: "is given twice" });
            }
        }
        Ok(Self { topology, terminals })
    }

    /// Returns the terminal of each rank of a program.
    pub(crate) fn terminals_of(&self, program: &ParallelProgram) -> Result<&[NodeId], ConvertError> {
        let (ranks, terminals) = (program.rank_count, self.terminals.len());
        if terminals == ranks as usize { Ok(&self.terminals) } else { Err(ConvertError::Ranks { ranks, terminals }) }
    }
}

impl From<Topology> for RankNetwork {
    /// Places the ranks on all terminals, ascending.
    fn from(topology: Topology) -> Self {
        Self { terminals: topology.terminals().to_vec(), topology }
    }
}

/// A network with the paths of the pairs of ranks.
pub(crate) struct Network {
    pub(crate) topology: Topology,
    /// The terminal of each rank.
    pub(crate) terminals: Vec<NodeId>,
    pub(crate) model: CommunicationModel,
    /// True if different pairs of ranks can use the same resource.
    pub(crate) shares: bool,
    paths: Paths,
}

enum Paths {
    /// The channels from one rank to another one.
    Direct(BTreeMap<[u32; 2], Vec<ChannelId>>),
    /// Shortest paths.
    Table(PathTable),
}

impl Network {
    /// Returns the given network, or the network of the pairs that talk: one channel each, of the capacity that the
    /// file states, or 1.
    pub(crate) fn new(
        program: &ParallelProgram,
        pairs: &BTreeSet<[u32; 2]>,
        given: Option<RankNetwork>,
    ) -> Result<Self, ConvertError> {
        let network = match given {
            Some(network) => {
                network.terminals_of(program)?;
                network
            }
            None => derived(program, pairs)?.into(),
        };
        Self::of_ranks(network, pairs)
    }

    fn of_ranks(network: RankNetwork, pairs: &BTreeSet<[u32; 2]>) -> Result<Self, ConvertError> {
        let RankNetwork { topology, terminals } = network;
        let rank_of: BTreeMap<NodeId, u32> = terminals.iter().copied().zip(0..).collect();
        let mut direct: BTreeMap<[u32; 2], Vec<ChannelId>> = BTreeMap::new();
        for channel in topology.channels() {
            let ends = [topology.tail(channel), topology.head(channel)].map(|node| rank_of.get(&node).copied());
            if let [Some(from), Some(to)] = ends {
                direct.entry([from, to]).or_default().push(channel);
            }
        }
        let stored = CommunicationModel::store_and_forward().on(&topology);
        if stored.switching == Switching::StoreAndForward && pairs.iter().all(|pair| direct.contains_key(pair)) {
            let shares = topology.resource_count() < topology.channel_count();
            return Ok(Self { topology, terminals, model: stored, shares, paths: Paths::Direct(direct) });
        }
        let model = CommunicationModel {
            switching: Switching::Wormhole,
            ports: Ports::All,
            routing: Routing::Minimal,
            scatter: ScatterRule::Relay,
        };
        let table = {
            let paths = ShortestPaths::all_pairs(&topology).map_err(lockstep_paths::TableError::from)?;
            PathTable::shortest(&paths, MAX_PATHS, PATH_SEED)?
        };
        for &[from, to] in pairs {
            let [tail, head] = [from, to].map(|rank| terminals[rank as usize]);
            if table.between(tail, head).is_empty() {
                let [tail, head] = [tail, head].map(|node| topology.node_name(node).to_owned());
                return Err(ConvertError::NoPath { from, to, tail, head });
            }
        }
        Ok(Self { topology, terminals, model, shares: true, paths: Paths::Table(table) })
    }

    /// Returns the paths from one rank to another one, in the order in which they are tried.
    pub(crate) fn paths(&self, [from, to]: [u32; 2]) -> Vec<&[ChannelId]> {
        match &self.paths {
            Paths::Direct(channels) => {
                channels.get(&[from, to]).map_or(Vec::new(), |channels| channels.chunks(1).collect())
            }
            Paths::Table(table) => {
                let [tail, head] = [from, to].map(|rank| self.terminals[rank as usize]);
                table.between(tail, head).map(|path| table.channels(PathId::new(path))).collect()
            }
        }
    }
}

/// Returns the network of the links of the file, or else with a channel of capacity 1 for each pair.
fn derived(program: &ParallelProgram, pairs: &BTreeSet<[u32; 2]>) -> Result<Topology, ConvertError> {
    let is_stated = !program.links.is_empty();
    // A file can state more ranks than it uses.
    let limit = MAX_IDLE_RANKS + 2 * pairs.len() as u64;
    if u64::from(program.rank_count) > limit {
        return Err(ConvertError::TooLarge { amount: program.rank_count.into(), what: "ranks", limit });
    }
    let mut builder = TopologyBuilder::new(if is_stated { "links of the file" } else { "pairs of ranks that talk" });
    let nodes: Vec<_> = (0..program.rank_count).map(|rank| builder.terminal(rank.to_string())).collect();
    for &[from, to, capacity] in &program.links {
        let channel = builder.channel(nodes[from as usize], nodes[to as usize]);
        builder.set_capacity([channel], capacity.into());
    }
    for &[from, to] in pairs.iter().filter(|_| !is_stated) {
        builder.channel(nodes[from as usize], nodes[to as usize]);
    }
    Ok(builder.build()?)
}

/// The use of resources in units.
type Used = BTreeMap<ResourceId, u64>;

/// The use of all resources in one step.
#[derive(Clone, Default)]
pub(crate) struct StepLoad {
    /// The width of the step; 0 before its first transfer.
    pub(crate) width: u32,
    used: Used,
}

impl StepLoad {
    /// Begins a step of a width.
    pub(crate) fn of_width(width: u32) -> Self {
        Self { width, used: Used::new() }
    }

    /// Places a number of units from one rank to another one. Returns the path of each, or `None` if they do not fit. If
    /// `widens`, units that no step of this width can carry make the step wider.
    pub(crate) fn place<'n>(
        &mut self,
        network: &'n Network,
        pair: [u32; 2],
        units: u32,
        widens: bool,
    ) -> Option<Vec<&'n [ChannelId]>> {
        let (topology, paths) = (&network.topology, network.paths(pair));
        let width = self.width.max(1);
        let resources = paths.iter().copied().flatten().map(|&channel| topology.resource(channel));
        let before: Used = resources.filter_map(|resource| Some((resource, *self.used.get(&resource)?))).collect();
        let fill = |mut used: Used, width: u32| {
            let mut placed = Vec::new();
            for &path in &paths {
                while placed.len() < units as usize && take(topology, &mut used, path, width) {
                    placed.push(path);
                }
            }
            (placed, used)
        };
        let (mut placed, mut used) = fill(before.clone(), width);
        if placed.len() < units as usize {
            let per_width = fill(Used::new(), 1).0.len() as u32;
            let wider = units.checked_div(per_width)? + u32::from(!units.is_multiple_of(per_width));
            if wider <= width || !widens {
                return None;
            }
            (placed, used) = fill(before, wider);
            if placed.len() < units as usize {
                return None;
            }
            self.width = wider;
        }
        self.width = self.width.max(1);
        self.used.extend(used);
        Some(placed)
    }
}

/// Uses a path for one unit, if all its resources have capacity left.
fn take(topology: &Topology, used: &mut Used, path: &[ChannelId], width: u32) -> bool {
    let is_free = path.iter().all(|&channel| {
        let resource = topology.resource(channel);
        let capacity = u64::from(topology.resource_capacity(resource)) * u64::from(width);
        used.get(&resource).copied().unwrap_or(0) < capacity
    });
    if is_free {
        for &channel in path {
            *used.entry(topology.resource(channel)).or_default() += 1;
        }
    }
    is_free
}
