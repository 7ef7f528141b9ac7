//! Rings over many servers: chains of each server, which are joined over classes of network cards.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::rational::Rational;
use crate::ring_set::{MAX_RINGS, RingKind, RingSet};
use crate::server::{Chain, Server};
use crate::work::Work;

/// Maximum number of ways to divide a network into servers.
const MAX_DIVISIONS: usize = 4;

/// Marks a node outside all servers.
const NONE: u32 = u32::MAX;

/// A division of a network into servers, and nodes between them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Division {
    /// By node: its server, or [`NONE`].
    server: Vec<u32>,
    count: usize,
}

/// Returns divisions into two or more servers, one of which has two terminals: by the hosts of nodes, and by the channels with a capacity from
/// some value on.
pub(crate) fn divisions(problem: &RingProblem<'_>) -> Vec<Division> {
    let topology = problem.topology();
    let mut found: Vec<Division> = Vec::new();
    if problem.kind() != RingKind::Ring || problem.relay() > 0 || problem.gateway().is_some() {
        return found;
    }
    if topology.has_hosts() {
        let mut joined = Components::new(topology.node_count());
        let mut by_host: Vec<NodeId> = topology.nodes().filter(|&node| topology.host(node).is_some()).collect();
        by_host.sort_by_key(|&node| (topology.host(node), node));
        let pairs = by_host.windows(2).filter(|pair| topology.host(pair[0]) == topology.host(pair[1]));
        pairs.for_each(|pair| joined.join(pair[0].index(), pair[1].index()));
        found.extend(joined.division(problem));
    }
    let mut capacities: Vec<u32> = topology.channels().map(|channel| topology.capacity(channel)).collect();
    capacities.sort_unstable();
    capacities.dedup();
    for &least in capacities.iter().rev() {
        let mut joined = Components::new(topology.node_count());
        for channel in topology.channels().filter(|&channel| topology.capacity(channel) >= least) {
            joined.join(topology.tail(channel).index(), topology.head(channel).index());
        }
        let division = joined.division(problem).filter(|division| !found.contains(division));
        found.extend(division);
        if found.len() >= MAX_DIVISIONS {
            break;
        }
    }
    found
}

/// Components of nodes, as a forest.
struct Components {
    parent: Vec<u32>,
}

impl Components {
    fn new(nodes: usize) -> Self {
        Self { parent: (0..nodes as u32).collect() }
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] as usize != node {
            self.parent[node] = self.parent[self.parent[node] as usize];
            node = self.parent[node] as usize;
        }
        node
    }

    fn join(&mut self, one: usize, other: usize) {
        let [one, other] = [self.root(one), self.root(other)];
        // The smaller number is the root.
        self.parent[one.max(other)] = one.min(other) as u32;
    }

    /// Returns the components with terminals as servers, in the order of their first terminals.
    fn division(mut self, problem: &RingProblem<'_>) -> Option<Division> {
        let nodes = self.parent.len();
        let mut server_of_root = vec![NONE; nodes];
        let mut sizes: Vec<usize> = Vec::new();
        for node in problem.terminals() {
            let root = self.root(node.index());
            if server_of_root[root] == NONE {
                server_of_root[root] = sizes.len() as u32;
                sizes.push(0);
            }
            sizes[server_of_root[root] as usize] += 1;
        }
        let server = (0..nodes).map(|node| server_of_root[self.root(node)]).collect();
        let is_useful = sizes.len() > 1 && sizes.iter().any(|&size| size > 1);
        is_useful.then_some(Division { server, count: sizes.len() })
    }
}

impl Division {
    /// Returns for each server whether it contains each node.
    pub(crate) fn insides(&self) -> impl Iterator<Item = Vec<bool>> + '_ {
        (0..self.count as u32).map(|server| self.server.iter().map(|&other| other == server).collect())
    }

    /// Returns by node the number of its server.
    pub(crate) fn servers(&self) -> Vec<Option<usize>> {
        self.server.iter().map(|&server| (server != NONE).then_some(server as usize)).collect()
    }

    fn nodes(&self, server: u32) -> Vec<NodeId> {
        (0..self.server.len()).filter(|&node| self.server[node] == server).map(NodeId::from_index).collect()
    }

    /// Returns the class of each node outside the servers: nodes that are joined to each other, and to all servers in both directions.
    /// Also returns the number of classes, at most `most`.
    fn classes(&self, topology: &Topology, most: usize) -> (Vec<Option<usize>>, usize) {
        let is_outside =
            |node: NodeId| self.server[node.index()] == NONE && topology.routes(node) && !topology.is_terminal(node);
        let mut joined = Components::new(self.server.len());
        for channel in topology.channels() {
            let ends = [topology.tail(channel), topology.head(channel)];
            if ends.into_iter().all(is_outside) {
                joined.join(ends[0].index(), ends[1].index());
            }
        }
        // The servers that a component is joined to, as pairs of a root and twice the server, plus 1 for the other direction.
        let mut joints: Vec<(usize, u32)> = Vec::new();
        for channel in topology.channels() {
            let [tail, head] = [topology.tail(channel), topology.head(channel)];
            let [from, to] = [tail, head].map(|node| self.server[node.index()]);
            if from != NONE && is_outside(head) {
                joints.push((joined.root(head.index()), 2 * from));
            }
            if to != NONE && is_outside(tail) {
                joints.push((joined.root(tail.index()), 2 * to + 1));
            }
        }
        joints.sort_unstable();
        joints.dedup();
        let whole = joints.chunk_by(|a, b| a.0 == b.0).filter(|joints| joints.len() == 2 * self.count);
        let roots: Vec<usize> = whole.map(|joints| joints[0].0).take(most).collect();
        let class = |node| {
            let root = joined.root(node);
            is_outside(NodeId::from_index(node)).then(|| roots.binary_search(&root).ok()).flatten()
        };
        ((0..self.server.len()).map(class).collect(), roots.len())
    }
}

/// Returns rings over the servers of a division, all in the same order, with at most this `rho` in each server. `None` if they are not found.
///
/// A ring enters and leaves each server once. In every server, it leaves over a class of network cards that is a number of places
/// behind that of its entry: none, or one place forwards and backwards in turn. With an odd number of servers, the last three have one, one
/// and minus two places, which needs three classes. An even number of equal servers can also have any chains and their reverses in turn.
pub(crate) fn server_rings(
    problem: &RingProblem<'_>,
    division: &Division,
    rings: u32,
    rho: Rational,
    work: &mut Work<'_>,
) -> Option<RingSet> {
    let whole = division.classes(problem.topology(), usize::MAX);
    let count = whole.1;
    let set = rings_over_classes(problem, division, whole, (rings, rho), work);
    if set.is_some() || count <= rings as usize {
        return set;
    }
    let some = division.classes(problem.topology(), rings as usize);
    rings_over_classes(problem, division, some, (rings, rho), work)
}

/// Returns rings that use these classes equally. There may be more of them than requested; the others are left out.
fn rings_over_classes(
    problem: &RingProblem<'_>,
    division: &Division,
    (class, class_count): (Vec<Option<usize>>, usize),
    (requested, rho): (u32, Rational),
    work: &mut Work<'_>,
) -> Option<RingSet> {
    let topology = problem.topology();
    if class_count == 0 || class_count > MAX_RINGS || !work.spend(topology.channel_count() as u64) {
        return None;
    }
    let rings = requested.checked_next_multiple_of(class_count as u32)?;
    // The least capacity that suffices for the chains of a class.
    let per_class = Rational::from(u64::from(rings) / class_count as u64);
    let class_capacity = per_class.checked_scale(rho.denominator(), rho.numerator())?;
    let class_capacity = class_capacity.numerator().div_ceil(class_capacity.denominator());
    let class_capacity = u64::try_from(class_capacity).unwrap_or(u64::MAX);
    let server = |server: u32| {
        let is_inside = |node: NodeId| division.server[node.index()] == server;
        let class_of = |node: NodeId| class[node.index()];
        Server::new(topology, division.nodes(server), is_inside, class_of, class_count, class_capacity)
    };
    let servers: Vec<Server> = (0..division.count as u32).map(server).collect::<Option<_>>()?;
    let third = work.left / 3;
    let shifted = shifts(division.count, class_count)
        .into_iter()
        .find_map(|shifts| work.lend(third, |work| shifted_chains(&servers, rings, rho, &shifts, class_count, work)));
    let chains = shifted.or_else(|| turned_chains(topology, &servers, rings, rho, work))?;
    join(problem, division, &chains, requested as usize)
}

/// Returns the numbers of places between the classes of entry and exit in each server, whose sum is 0 modulo the number of classes.
fn shifts(servers: usize, classes: usize) -> Vec<Vec<usize>> {
    let mut found = vec![vec![0; servers]];
    let back = classes - 1;
    if classes > 1 && servers.is_multiple_of(2) {
        found.push((0..servers).map(|server| if server % 2 == 0 { 1 } else { back }).collect());
    } else if classes > 2 {
        let pairs = (0..servers - 3).map(|server| if server % 2 == 0 { 1 } else { back });
        found.push(pairs.chain([1, 1, classes - 2]).collect());
    }
    found
}

/// Returns the chains of all rings in each server, where each class of exits is a number of places behind that of its entry. Equal servers
/// have equal chains.
fn shifted_chains(
    servers: &[Server],
    rings: u32,
    rho: Rational,
    shifts: &[usize],
    classes: usize,
    work: &mut Work<'_>,
) -> Option<Vec<Vec<Chain>>> {
    let mut found: Vec<Vec<Chain>> = Vec::new();
    // The servers whose chains were searched for.
    let mut searched: Vec<usize> = Vec::new();
    for (place, server) in servers.iter().enumerate() {
        let is_known = |&other: &usize| shifts[other] == shifts[place] && servers[other].is_equal_to(server);
        let mut of_server = if let Some(other) = searched.iter().copied().find(is_known) {
            server.translated(&found[other], &servers[other])
        } else {
            searched.push(place);
            server.chains(rings, rho, shifts[place], work)?
        };
        of_server.sort_by_key(|chain| chain.entry_class);
        found.push(of_server);
    }
    // A ring enters over the class in which it left the server before.
    let per_class = rings as usize / classes;
    let mut offset = 0;
    for (of_server, shift) in found.iter_mut().zip(shifts) {
        if of_server.iter().enumerate().any(|(place, chain)| chain.entry_class != place / per_class) {
            return None;
        }
        of_server.rotate_left(offset * per_class);
        offset = (offset + shift) % classes;
    }
    Some(found)
}

/// Returns the chains of all rings in each of an even number of equal servers: every second one has the reverse chains.
fn turned_chains(
    topology: &Topology,
    servers: &[Server],
    rings: u32,
    rho: Rational,
    work: &mut Work<'_>,
) -> Option<Vec<Vec<Chain>>> {
    let first = &servers[0];
    if servers.len() % 2 == 1 || !servers.iter().all(|server| server.is_equal_to(first)) {
        return None;
    }
    let chains = first.merged_chains(rings, rho, work)?;
    let mut opposite = vec![None; topology.channel_bound()];
    for [there, back] in topology.links() {
        (opposite[there.index()], opposite[back.index()]) = (Some(back), Some(there));
    }
    let of_server = |(place, server): (usize, &Server)| {
        let chains = server.translated(&chains, first);
        let turned = || chains.iter().map(|chain| chain.reversed(&opposite)).collect();
        if place % 2 == 0 { Some(chains) } else { turned() }
    };
    servers.iter().enumerate().map(of_server).collect()
}

/// Joins the chains of each of the first rings: each exit to the entry of the next server.
fn join(problem: &RingProblem<'_>, division: &Division, chains: &[Vec<Chain>], rings: usize) -> Option<RingSet> {
    let topology = problem.topology();
    let mut set = RingSet::new(RingKind::Ring, problem.terminals().to_vec(), 0);
    let mut search = PathSearch::new(topology, 0);
    let mut load = vec![0u64; topology.channel_bound()];
    for ring in 0..rings {
        let (mut order, mut paths): (Vec<NodeId>, Vec<Vec<ChannelId>>) = (Vec::new(), Vec::new());
        for chain in chains.iter().map(|of_server| &of_server[ring]) {
            order.extend(&chain.terminals);
            match paths.last_mut() {
                Some(last) => append(topology, division, last, &chain.paths[0], (&mut search, &mut load))?,
                None => paths.push(chain.paths[0].clone()),
            }
            paths.extend(chain.paths[1..].iter().cloned());
        }
        // The last exit leads to the first entry.
        let mut last = paths.pop()?;
        let first = std::mem::take(&mut paths[0]);
        append(topology, division, &mut last, &first, (&mut search, &mut load))?;
        paths.push(last);
        paths.remove(0);
        set.push(&order, paths);
    }
    Some(set)
}

/// Extends a path that leaves a server by one that enters another, with a path between nodes outside all servers.
fn append(
    topology: &Topology,
    division: &Division,
    path: &mut Vec<ChannelId>,
    entry: &[ChannelId],
    (search, load): (&mut PathSearch<'_>, &mut [u64]),
) -> Option<()> {
    let (from, to) = (topology.head(*path.last()?), topology.tail(*entry.first()?));
    if from != to {
        let is_outside = |node: NodeId| division.server[node.index()] == NONE;
        search.run(from, Some(to), |channel| {
            let ends = [topology.tail(channel), topology.head(channel)];
            let weight = (load[channel.index()] << 8) / u64::from(topology.capacity(channel));
            ends.into_iter().all(is_outside).then_some((1 << 24) + weight)
        });
        let between = search.path(to)?;
        for channel in &between {
            load[channel.index()] += 1;
        }
        path.extend(between);
    }
    path.extend_from_slice(entry);
    Some(())
}
