//! One server of a cluster: the chains between its entries and its exits.

use lockstep_topology::{ChannelId, MAX_CAPACITY, NodeId, Topology, TopologyBuilder};

use crate::exact::{ExactAnswer, decide};
use crate::merging::merged;
use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};
use crate::verify::verify;
use crate::work::Work;

/// Visits that take the time of an assignment of the solver.
const VISITS_PER_ASSIGNMENT: u64 = 32;

/// Attempts to merge cycles.
const MERGINGS: u64 = 4;

/// Larger formulas are not tried: the number of terminals, times itself and the number of chains.
const MAX_VARIABLES: usize = 1 << 14;

/// A server with one more terminal, which stands for all other servers. It is joined to a switch per class of network cards, and these to
/// the ends of the channels that leave and enter the server.
///
/// # Source
///
/// NCCL searches rings of many servers as chains of one server, from a network card to a network card (`graph/search.cc`).
#[derive(Clone, Debug)]
pub(crate) struct Server {
    topology: Topology,
    /// The terminal for all other servers.
    outside: NodeId,
    /// The switches of the classes.
    classes: Vec<NodeId>,
    /// The nodes of the server, in the order of the nodes of `topology`.
    nodes: Vec<NodeId>,
    /// The channels of the network, in the order of the first channels of `topology`.
    channels: Vec<ChannelId>,
}

/// A chain of a server: its terminals, and the paths before, between and behind them, in channels of the server.
#[derive(Clone, Debug)]
pub(crate) struct Chain {
    pub(crate) entry_class: usize,
    exit_class: usize,
    pub(crate) terminals: Vec<NodeId>,
    /// One more than terminals. The first one begins, and the last one ends, outside the server.
    pub(crate) paths: Vec<Vec<ChannelId>>,
}

impl Chain {
    /// Returns the chain in the other direction. `None` if a channel has no opposite one.
    pub(crate) fn reversed(&self, opposite: &[Option<ChannelId>]) -> Option<Self> {
        let back = |path: &Vec<ChannelId>| -> Option<Vec<ChannelId>> {
            path.iter().rev().map(|channel| opposite[channel.index()]).collect()
        };
        Some(Self {
            entry_class: self.exit_class,
            exit_class: self.entry_class,
            terminals: self.terminals.iter().rev().copied().collect(),
            paths: self.paths.iter().rev().map(back).collect::<Option<_>>()?,
        })
    }
}

impl Server {
    /// Returns the server of some nodes. `class_of` returns the class of a node outside, if it has one. `class_capacity` is that of the
    /// channels between a class and the terminal for all other servers.
    pub(crate) fn new(
        topology: &Topology,
        nodes: Vec<NodeId>,
        is_inside: impl Fn(NodeId) -> bool,
        class_of: impl Fn(NodeId) -> Option<usize>,
        class_count: usize,
        class_capacity: u64,
    ) -> Option<Self> {
        let mut builder = TopologyBuilder::new("server");
        let mut local = vec![None; topology.node_count()];
        for (place, &node) in nodes.iter().enumerate() {
            local[node.index()] =
                Some(builder.node(place.to_string(), topology.is_terminal(node), Some(topology.routes(node))));
        }
        let classes: Vec<NodeId> = (0..class_count).map(|class| builder.switch(format!("class {class}"))).collect();
        let outside = builder.terminal("outside");
        let place = |node: NodeId| local[node.index()].or_else(|| class_of(node).map(|class| classes[class]));
        let mut channels: Vec<ChannelId> = Vec::new();
        for &node in &nodes {
            let leaving = topology.out_channels(node).iter().copied();
            let entering =
                topology.in_channels(node).iter().copied().filter(|&channel| !is_inside(topology.tail(channel)));
            for channel in leaving.chain(entering) {
                if let (Some(tail), Some(head)) = (place(topology.tail(channel)), place(topology.head(channel))) {
                    let new = builder.channel(tail, head);
                    builder.set_capacity([new], topology.capacity(channel).into());
                    channels.push(channel);
                }
            }
        }
        let mut by_resource: Vec<usize> = (0..channels.len()).collect();
        by_resource.sort_by_key(|&place| (topology.resource(channels[place]), place));
        for group in by_resource.chunk_by(|&a, &b| topology.resource(channels[a]) == topology.resource(channels[b])) {
            if group.len() > 1 {
                builder.share(group.iter().map(|&place| ChannelId::from_index(place)));
            }
        }
        for &class in &classes {
            let link = builder.link(class, outside);
            builder.set_capacity(link, class_capacity.clamp(1, MAX_CAPACITY));
        }
        Some(Self { topology: builder.build().ok()?, outside, classes, nodes, channels })
    }

    /// Returns true if both servers have the same chains, with other nodes and channels.
    pub(crate) fn is_equal_to(&self, other: &Self) -> bool {
        self.topology == other.topology && self.classes == other.classes
    }

    /// Returns the chains of a server that [is equal](Self::is_equal_to), with the nodes and channels of this one.
    pub(crate) fn translated(&self, chains: &[Chain], from: &Self) -> Vec<Chain> {
        let place = |sorted: &[NodeId], node: NodeId| sorted.binary_search(&node).unwrap_or(0);
        let mut order: Vec<usize> = (0..from.channels.len()).collect();
        order.sort_by_key(|&place| from.channels[place]);
        let channel = |&channel: &ChannelId| {
            let found = order.binary_search_by_key(&channel, |&place| from.channels[place]).unwrap_or(0);
            self.channels[order[found]]
        };
        let of_chain = |chain: &Chain| Chain {
            entry_class: chain.entry_class,
            exit_class: chain.exit_class,
            terminals: chain.terminals.iter().map(|&node| self.nodes[place(&from.nodes, node)]).collect(),
            paths: chain.paths.iter().map(|path| path.iter().map(channel).collect()).collect(),
        };
        chains.iter().map(of_chain).collect()
    }

    /// Finds chains with at most this `rho` by the merging of cycles, between any classes. An equal number of chains enters, and leaves, over
    /// each class.
    pub(crate) fn merged_chains(&self, rings: u32, rho: Rational, work: &mut Work<'_>) -> Option<Vec<Chain>> {
        let problem = RingProblem::new(&self.topology, RingKind::Ring, None, 0).ok()?;
        let per_class = rings as usize / self.classes.len();
        for attempt in 0..MERGINGS {
            let set = work.lend(work.left / MERGINGS, |work| merged(&problem, rings, rho, [0, attempt], work));
            let Some(chains) = set.and_then(|set| self.split(&set)) else { continue };
            let is_even = (0..self.classes.len()).all(|class| {
                chains.iter().filter(|chain| chain.entry_class == class).count() == per_class
                    && chains.iter().filter(|chain| chain.exit_class == class).count() == per_class
            });
            if is_even {
                return Some(chains);
            }
        }
        None
    }

    /// Finds chains with at most this `rho`. The chains that enter over class `c` leave over class `c + shift`; an equal number of chains
    /// enters over each class.
    pub(crate) fn chains(&self, rings: u32, rho: Rational, shift: usize, work: &mut Work<'_>) -> Option<Vec<Chain>> {
        let count = self.classes.len();
        let pair = |class: usize| [self.classes[class], self.classes[(class + shift) % count]];
        let pairs = (0..count).map(pair).collect();
        let problem = RingProblem::new(&self.topology, RingKind::Ring, None, 0).ok()?;
        let problem = problem.with_gateway_pairs(self.outside, pairs).ok()?;
        if let Some(set) = self.ordered(rings, shift)
            && verify(&self.topology, &set).is_ok_and(|load| load.rho() <= rho)
        {
            return self.split(&set);
        }
        let terminals = problem.terminals().len();
        if terminals * terminals * rings as usize > MAX_VARIABLES {
            return None;
        }
        let mut assignments = work.left / VISITS_PER_ASSIGNMENT;
        let answer = decide(&problem, rings, Some(rho), &mut assignments, work.is_stopped);
        work.left = assignments * VISITS_PER_ASSIGNMENT;
        match answer {
            ExactAnswer::Set(set) => self.split(&set),
            _ => None,
        }
    }

    /// Returns rings whose terminals between the first and the last one have the order of their numbers, rotated from ring to ring.
    fn ordered(&self, rings: u32, shift: usize) -> Option<RingSet> {
        let topology = &self.topology;
        let terminals: Vec<NodeId> =
            topology.terminals().iter().copied().filter(|&node| node != self.outside).collect();
        let count = self.classes.len();
        let mut search = PathSearch::new(topology, 0);
        let is_class = |node: NodeId| self.classes.contains(&node);
        // Hops between terminals of the server cross no class, and the others only their own one.
        let cost = |channel: ChannelId, class: Option<NodeId>| {
            let ends = [topology.tail(channel), topology.head(channel)];
            ends.iter().all(|&node| !is_class(node) || Some(node) == class).then_some(1)
        };
        let mut uses = vec![[0u32; 2]; topology.node_count()];
        let mut set = RingSet::new(RingKind::Ring, topology.terminals().to_vec(), 0);
        for ring in 0..rings as usize {
            let (entry, exit) = (self.classes[ring % count], self.classes[(ring + shift) % count]);
            search.run(self.outside, None, |channel| cost(channel, Some(entry)));
            let first = *terminals
                .iter()
                .filter(|&&node| search.cost(node).is_some())
                .min_by_key(|&&node| (search.cost(node), uses[node.index()][0], node))?;
            let into = search.path(first)?;
            let mut nearest = None;
            for &node in terminals.iter().filter(|&&node| node != first || terminals.len() == 1) {
                search.run(node, Some(self.outside), |channel| cost(channel, Some(exit)));
                let found = search.cost(self.outside).map(|length| (length, uses[node.index()][1], node));
                nearest = [nearest, found].into_iter().flatten().min();
            }
            let (_, _, last) = nearest?;
            uses[first.index()][0] += 1;
            uses[last.index()][1] += 1;
            let mut between: Vec<NodeId> =
                terminals.iter().copied().filter(|&node| node != first && node != last).collect();
            let turn = ring / count % between.len().max(1);
            between.rotate_left(turn);
            let mut order = vec![self.outside, first];
            order.extend(between);
            order.extend((last != first).then_some(last));
            let mut hops = vec![into];
            for pair in order[1..].windows(2) {
                search.run(pair[0], Some(pair[1]), |channel| cost(channel, None));
                hops.push(search.path(pair[1])?);
            }
            search.run(last, Some(self.outside), |channel| cost(channel, Some(exit)));
            hops.push(search.path(self.outside)?);
            set.push(&order, hops);
        }
        Some(set)
    }

    /// Splits rings at the terminal for all other servers.
    fn split(&self, set: &RingSet) -> Option<Vec<Chain>> {
        let of_ring = |ring: usize| {
            let mut order = set.order(ring).to_vec();
            let mut hops: Vec<&[ChannelId]> = set.hops(ring).collect();
            let start = order.iter().position(|&node| node == self.outside)?;
            order.rotate_left(start);
            hops.rotate_left(start);
            let entry = self.topology.head(*hops[0].first()?);
            let exit = self.topology.tail(*hops.last()?.last()?);
            let class_of = |node: NodeId| self.classes.iter().position(|&class| class == node);
            let (entry_class, exit_class) = (class_of(entry)?, class_of(exit)?);
            let paths = hops
                .iter()
                .map(|path| path.iter().filter_map(|channel| self.channels.get(channel.index()).copied()).collect());
            let terminals = order[1..].iter().map(|node| self.nodes[node.index()]).collect();
            Some(Chain { entry_class, exit_class, terminals, paths: paths.collect() })
        };
        (0..set.len()).map(of_ring).collect()
    }
}
