//! Trees over servers, from the rings that visit them.

use lockstep_topology::{NodeId, Topology};

use crate::path_search::PathSearch;
use crate::problem::RingProblem;
use crate::ring_set::{RingKind, RingSet};
use crate::servers::{Division, divisions};

/// Returns the trees with which NCCL joins servers: one per ring and tree of servers, as a list of edges from a parent to a child, where a
/// parent comes before its children.
///
/// `trees` are trees whose nodes are the servers: by server, its parent, or `None` for the root. In each server, the terminals form
/// a chain in the order of the ring. The chain begins at its first or last terminal, so that the beginnings of all servers reach each other over switches:
/// in a network with rails, over the same rail.
///
/// Servers are the hosts of the network, or its parts with the channels of larger capacities. `None` if the rings do not visit two or more
/// servers one after the other, or the chains cannot be joined. Takes `O(K n M log M)` time for `K` rings and `n` servers.
///
/// ```
/// use lockstep_rings::{RingCount, RingKind, RingRequest, format, search, server_trees};
/// use lockstep_topology::Topology;
///
/// let servers: Topology = "dgx-a100:2".parse()?;
/// let request = RingRequest {
///     terminals: None,
///     kind: RingKind::Ring,
///     channels: RingCount::AtMost(8),
///     relay: 0,
///     gateway: None,
///     seed: 1,
///     work: 1_000_000,
///     is_stopped: &|| false,
/// };
/// let (rings, _) = search(&servers, &request)?.set.ok_or("no rings")?;
/// // Two servers: one is the parent of the other, in turn.
/// let trees = server_trees(&servers, &rings, &[vec![None, Some(0)], vec![Some(1), None]]).ok_or("no trees")?;
/// assert_eq!((trees.len(), trees[0].len()), (16, 15));
/// let cost = format::tree_cost(&servers, &trees, 0)?;
/// assert!(cost.bus_bandwidth > 8.into());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn server_trees(
    topology: &Topology,
    rings: &RingSet,
    trees: &[Vec<Option<usize>>],
) -> Option<Vec<Vec<[NodeId; 2]>>> {
    let servers = server_of(topology, rings)?;
    let count = servers.iter().flatten().max()? + 1;
    let chains: Vec<_> = rings.orders().map(|order| chains(topology, order, &servers, count)).collect::<Option<_>>()?;
    chains.iter().flat_map(|chains| trees.iter().map(|parents| joined_chains(chains, parents, |_| 0))).collect()
}

/// Returns the number of servers that each ring visits one after the other, at least two.
pub fn server_count(topology: &Topology, rings: &RingSet) -> Option<usize> {
    let servers = server_of(topology, rings)?;
    Some(servers.iter().flatten().max()? + 1)
}

/// Returns the server of each node of the first division in which each ring visits one server after the other.
fn server_of(topology: &Topology, rings: &RingSet) -> Option<Vec<Option<usize>>> {
    let problem = RingProblem::new(topology, RingKind::Ring, Some(rings.terminals()), 0).ok()?;
    divisions(&problem).iter().map(Division::servers).find(|servers| {
        let count = servers.iter().flatten().max().map_or(0, |last| last + 1);
        rings.orders().all(|order| {
            let server = |place: usize| servers[order[place % order.len()].index()];
            (0..order.len()).filter(|&place| server(place) != server(place + 1)).count() == count
        })
    })
}

/// Returns the chain of each server along a ring. The first terminals of all chains reach each other over switches.
fn chains(topology: &Topology, order: &[NodeId], servers: &[Option<usize>], count: usize) -> Option<Vec<Vec<NodeId>>> {
    let server = |place: usize| servers[order[place % order.len()].index()];
    let first = (0..order.len()).find(|&place| server(place + order.len() - 1) != server(place))?;
    let mut chains: Vec<Vec<NodeId>> = vec![Vec::new(); count];
    for place in first..first + order.len() {
        chains[server(place)?].push(order[place % order.len()]);
    }
    let mut search = PathSearch::new(topology, 0);
    search.run(chains[0][0], None, |_| Some(1));
    for chain in &mut chains[1..] {
        if search.path(chain[0]).is_none() {
            chain.reverse();
            search.path(chain[0])?;
        }
    }
    Some(chains)
}

/// Joins the chains of servers to one tree: a list of edges from a parent to a child, where a parent comes before its children.
///
/// `parents` has the parent of each server, or `None` for the root. The chain of a child begins at its first node. It attaches to the
/// node of its parent's chain at the place that `place` returns for the child, or to the last node of a shorter chain. `None` if the parents
/// form no tree, or a chain is empty. Takes `O(N)` time for `N` nodes.
///
/// ```
/// use lockstep_rings::joined_chains;
///
/// let chains = [vec!["a0", "a1"], vec!["b0", "b1"]];
/// let edges = joined_chains(&chains, &[None, Some(0)], |_| 1);
/// assert_eq!(edges, Some(vec![["a0", "a1"], ["a1", "b0"], ["b0", "b1"]]));
/// ```
pub fn joined_chains<T: Copy>(
    chains: &[Vec<T>],
    parents: &[Option<usize>],
    place: impl Fn(usize) -> usize,
) -> Option<Vec<[T; 2]>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); chains.len()];
    let mut open = Vec::new();
    if parents.len() != chains.len() || chains.iter().any(Vec::is_empty) {
        return None;
    }
    for (server, &parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children.get_mut(parent)?.push(server),
            None => open.push(server),
        }
    }
    let mut edges = Vec::new();
    let mut reached = 0;
    while let Some(server) = open.pop() {
        reached += 1;
        edges.extend(chains[server].windows(2).map(|pair| [pair[0], pair[1]]));
        for &child in &children[server] {
            let at = place(child).min(chains[server].len() - 1);
            edges.push([chains[server][at], chains[child][0]]);
            open.push(child);
        }
    }
    let is_tree = reached == chains.len() && parents.iter().filter(|parent| parent.is_none()).count() == 1;
    is_tree.then_some(edges)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::format::tree_cost;
    use crate::request::RingRequest;
    use crate::ring_count::RingCount;
    use crate::search::search;

    fn rings(topology: &Topology) -> RingSet {
        let request = RingRequest {
            terminals: None,
            kind: RingKind::Ring,
            channels: RingCount::AtMost(16),
            relay: 0,
            gateway: None,
            seed: 1,
            work: 1_000_000,
            is_stopped: &|| false,
        };
        search(topology, &request).unwrap().set.unwrap().0
    }

    /// The double tree of four servers: one of degree 3 and its children, and the mirror image.
    const FOUR: [[Option<usize>; 4]; 2] = [[None, Some(2), Some(0), Some(2)], [Some(1), Some(3), Some(1), None]];

    #[test]
    fn two_trees_load_the_cards_of_four_servers_twice() {
        let servers: Topology =
            "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s,nic-latency=1us".parse().unwrap();
        let rings = rings(&servers);
        assert_eq!(server_count(&servers, &rings), Some(4));
        let trees = server_trees(&servers, &rings, &FOUR.map(|tree| tree.to_vec())).unwrap();
        let cost = tree_cost(&servers, &trees, 0).unwrap();
        // 2 (N - 1) / N of 8 cards of one unit, each with twice the data of its share.
        assert_eq!(cost.bus_bandwidth.to_string(), "31/4");
        // Two levels of servers: 2 hops of 2 channels, there and back.
        assert_eq!(cost.latency_ps, 8_000_000);
    }

    #[test]
    fn what_is_no_tree_of_the_servers_is_refused() {
        let servers: Topology = "dgx-a100:2".parse().unwrap();
        let rings = rings(&servers);
        for parents in [vec![None, None], vec![Some(1), Some(0)], vec![None], vec![None, Some(7)], vec![None, Some(1)]]
        {
            assert_eq!(server_trees(&servers, &rings, &[parents]), None);
        }
        let one: Topology = "dgx-1".parse().unwrap();
        let of_one = self::rings(&one);
        assert_eq!((server_count(&one, &of_one), server_trees(&one, &of_one, &[vec![None]])), (None, None));
    }

    proptest! {
        /// Any parents that lead to one root.
        #[test]
        fn joined_chains_are_a_tree_of_all_nodes(
            lengths in vec(1..5_usize, 1..12), choices in vec(any::<Index>(), 12), places in vec(0..3_usize, 12),
        ) {
            let parents: Vec<Option<usize>> =
                (0..lengths.len()).map(|server| (server > 0).then(|| choices[server].index(server.max(1)))).collect();
            let mut count = 0..;
            let chains: Vec<Vec<usize>> = lengths.iter().map(|&length| count.by_ref().take(length).collect()).collect();
            let edges = joined_chains(&chains, &parents, |child| places[child]).unwrap();
            let mut is_reached = vec![false; lengths.iter().sum()];
            is_reached[0] = true;
            for &[parent, child] in &edges {
                prop_assert!(is_reached[parent] && !std::mem::replace(&mut is_reached[child], true));
            }
            prop_assert!(is_reached.iter().all(|&is_reached| is_reached));
            for (server, parent) in parents.iter().enumerate() {
                let Some(parent) = parent else { continue };
                let at = places[server].min(lengths[*parent] - 1);
                prop_assert!(edges.contains(&[chains[*parent][at], chains[server][0]]));
            }
        }
    }
}
