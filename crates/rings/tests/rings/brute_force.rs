//! The comparison of small random networks with all sets of rings.

use lockstep_rings::{Rational, RingCount, RingKind, check_bound, search};
use lockstep_topology::strategy::{any_topology, cases, shuffled, with_capacities};
use lockstep_topology::{ChannelId, NodeId, Topology};
use proptest::prelude::*;

use crate::cases::request;

/// All hops of a network: the ranks of the ends, and the load of each resource.
struct Oracle {
    count: usize,
    /// By tail and head: the loads of the paths.
    hops: Vec<Vec<Vec<u32>>>,
    capacity: Vec<u32>,
}

impl Oracle {
    fn new(topology: &Topology, kind: RingKind) -> Self {
        let count = topology.terminal_count();
        let mut oracle =
            Self { count, hops: vec![Vec::new(); count * count], capacity: vec![1; topology.resource_count()] };
        for channel in topology.channels() {
            oracle.capacity[topology.resource(channel).index()] =
                topology.resource_capacity(topology.resource(channel));
        }
        for &from in topology.terminals() {
            oracle.extend(topology, kind, from, &mut Vec::new());
        }
        oracle
    }

    /// Adds all paths that begin with these channels.
    fn extend(&mut self, topology: &Topology, kind: RingKind, from: NodeId, path: &mut Vec<ChannelId>) {
        let at = path.last().map_or(from, |&channel| topology.head(channel));
        if at != from && topology.is_terminal(at) {
            let [from, to] = [from, at].map(|node| topology.terminal_rank(node).unwrap());
            if let Some(load) = load(topology, kind, path) {
                self.hops[from * self.count + to].push(load);
            }
            return;
        }
        if at != from && !topology.routes(at) {
            return;
        }
        for &channel in topology.out_channels(at) {
            let head = topology.head(channel);
            let returns = path
                .iter()
                .any(|&used| topology.tail(used) == head || topology.resource(used) == topology.resource(channel));
            if !returns && head != from {
                path.push(channel);
                self.extend(topology, kind, from, path);
                path.pop();
            }
        }
    }

    /// Returns the least `rho` of a number of rings or chains, by trying all sets.
    fn least(&self, kind: RingKind, rings: usize) -> Option<Rational> {
        let mut single: Vec<Vec<u32>> = Vec::new();
        for start in 0..if kind == RingKind::Ring { 1 } else { self.count } {
            self.all_rings(kind, &mut vec![start], &vec![0; self.capacity.len()], &mut single);
        }
        single.sort_unstable();
        single.dedup();
        let rho = |load: &[u32]| {
            load.iter().zip(&self.capacity).map(|(&load, &capacity)| Rational::new(load.into(), capacity.into())).max()
        };
        let mut sets = vec![vec![0; self.capacity.len()]];
        for _ in 0..rings {
            let add = |set: &Vec<u32>, ring: &Vec<u32>| set.iter().zip(ring).map(|(a, b)| a + b).collect();
            sets = sets.iter().flat_map(|set| single.iter().map(move |ring| add(set, ring))).collect();
            sets.sort_unstable();
            sets.dedup();
        }
        sets.iter().filter_map(|set| rho(set)).min()
    }

    fn all_rings(&self, kind: RingKind, order: &mut Vec<usize>, load: &[u32], found: &mut Vec<Vec<u32>>) {
        let last = *order.last().unwrap();
        let is_whole = order.len() == self.count;
        if is_whole && kind == RingKind::Chain {
            found.push(load.to_vec());
            return;
        }
        for next in 0..self.count {
            if is_whole && next != order[0] || !is_whole && order.contains(&next) {
                continue;
            }
            for hop in &self.hops[last * self.count + next] {
                let load: Vec<u32> = load.iter().zip(hop).map(|(a, b)| a + b).collect();
                if is_whole {
                    found.push(load);
                } else {
                    order.push(next);
                    self.all_rings(kind, order, &load, found);
                    order.pop();
                }
            }
        }
    }
}

/// Returns the load of a path, or `None` if a chain cannot use it.
fn load(topology: &Topology, kind: RingKind, path: &[ChannelId]) -> Option<Vec<u32>> {
    let mut load = vec![0; topology.resource_count()];
    let links = topology.links();
    for &channel in path {
        load[topology.resource(channel).index()] += 1;
        if kind == RingKind::Chain {
            let [there, back] = *links.iter().find(|link| link.contains(&channel))?;
            let opposite = if there == channel { back } else { there };
            load[topology.resource(opposite).index()] += 1;
        }
    }
    Some(load)
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn small_networks_have_the_least_load_of_all_sets(
        topology in any_topology(6).prop_flat_map(shuffled).prop_flat_map(|topology| with_capacities(topology, 3)),
        rings in 1..=3u32,
        is_chain: bool,
    ) {
        prop_assume!(topology.terminal_count() >= 2);
        let kind = if is_chain { RingKind::Chain } else { RingKind::Ring };
        let oracle = Oracle::new(&topology, kind);
        let expected = oracle.least(kind, rings as usize);
        let request = request(kind, RingCount::Exactly(rings));
        let answer = search(&topology, &request).unwrap();
        let problem = request.problem(&topology).unwrap();
        prop_assert_eq!(check_bound(&problem, &answer.bound), Ok(()));
        prop_assert_eq!(answer.set.as_ref().map(|(_, load)| load.rho()), expected);
        prop_assert_eq!(answer.bound.least_rho(&problem, rings), expected);
    }
}
