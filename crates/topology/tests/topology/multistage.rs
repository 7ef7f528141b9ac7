//! Paths of multistage networks, and published schedules that the networks can carry.

use std::collections::BTreeSet;

use lockstep_topology::*;

/// All paths of `length` channels between two terminals, or from a terminal to itself, through switches.
fn paths(topology: &Topology, from: NodeId, to: NodeId, length: usize) -> Vec<Vec<ChannelId>> {
    fn extend(
        topology: &Topology,
        path: &mut Vec<ChannelId>,
        at: NodeId,
        to: NodeId,
        left: usize,
        all: &mut Vec<Vec<ChannelId>>,
    ) {
        for &channel in topology.out_channels(at) {
            let head = topology.head(channel);
            path.push(channel);
            if left == 1 && head == to {
                all.push(path.clone());
            } else if left > 1 && !topology.is_terminal(head) {
                extend(topology, path, head, to, left - 1, all);
            }
            path.pop();
        }
    }
    let mut all = Vec::new();
    extend(topology, &mut Vec::new(), from, to, length, &mut all);
    all
}

fn shortest_paths(topology: &Topology, from: NodeId, to: NodeId) -> Vec<Vec<ChannelId>> {
    let mut by_length = (1..=topology.node_count()).map(|length| paths(topology, from, to, length));
    by_length.find(|paths| !paths.is_empty()).expect("the network is connected")
}

/// Returns true if one path per message can be chosen so that no channel is used twice.
fn are_compatible(choices: &[Vec<Vec<ChannelId>>], used: &mut BTreeSet<ChannelId>) -> bool {
    let Some((first, rest)) = choices.split_first() else {
        return true;
    };
    first.iter().any(|path| {
        if path.iter().any(|channel| used.contains(channel)) {
            return false;
        }
        used.extend(path);
        let fits = are_compatible(rest, used);
        for channel in path {
            used.remove(channel);
        }
        fits
    })
}

/// Returns true if all terminals can send to these destinations at the same time.
fn carries(topology: &Topology, destinations: &[usize]) -> bool {
    let messages = topology.terminals().iter().zip(destinations);
    let choices: Vec<_> =
        messages.map(|(&source, &to)| shortest_paths(topology, source, topology.terminals()[to])).collect();
    are_compatible(&choices, &mut BTreeSet::new())
}

/// The destinations of one step, by source.
fn column(table: &[[usize; 7]; 8], step: usize) -> Vec<usize> {
    table.iter().map(|row| row[step]).collect()
}

/// A table of the reproduced document, from `data/papers`.
fn table(name: &str) -> [[usize; 7]; 8] {
    let mut figures: serde_json::Value =
        serde_json::from_str(include_str!("../../../../data/papers/min.json")).expect("the figures are JSON");
    serde_json::from_value(figures[name]["rows"].take()).expect("seven steps of eight terminals")
}

#[test]
fn omega_and_butterfly_have_one_path_per_pair() {
    for stages in 1..6u32 {
        for topology in [omega(1 << stages).unwrap(), butterfly(1 << stages).unwrap()] {
            let (n, stages) = (1usize << stages, stages as usize);
            assert_eq!(topology.terminal_count(), n);
            assert_eq!(topology.node_count(), n + stages * n / 2);
            assert_eq!(topology.channel_count(), (stages + 1) * n);
            for node in topology.nodes() {
                let degree = if topology.is_terminal(node) { 1 } else { 2 };
                assert_eq!((topology.out_channels(node).len(), topology.in_channels(node).len()), (degree, degree));
            }
            for &from in topology.terminals() {
                for &to in topology.terminals() {
                    assert_eq!(paths(&topology, from, to, stages + 1).len(), 1, "{} {from} {to}", topology.name());
                }
            }
        }
    }
}

#[test]
fn omega_shuffles_before_the_first_stage() {
    // Lines 0 and 4 of 8 become 0 and 1, the inputs of the first switch.
    let topology = omega(8).unwrap();
    let entry = |terminal: u32| topology.head(topology.out_channels(NodeId::new(terminal))[0]);
    let entries: Vec<&str> = (0..8).map(|terminal| topology.node_name(entry(terminal))).collect();
    assert_eq!(entries, ["s0.0", "s0.1", "s0.2", "s0.3", "s0.0", "s0.1", "s0.2", "s0.3"]);
    let exit = |terminal: u32| topology.tail(topology.in_channels(NodeId::new(terminal))[0]);
    let exits: Vec<&str> = (0..8).map(|terminal| topology.node_name(exit(terminal))).collect();
    assert_eq!(exits, ["s2.0", "s2.0", "s2.1", "s2.1", "s2.2", "s2.2", "s2.3", "s2.3"]);
}

#[test]
fn butterfly_pairs_lines_from_the_highest_bit_down() {
    let topology = butterfly(8).unwrap();
    for stage in 0..3 {
        for line in 0..8u32 {
            // Switches that are set straight keep a message on its line.
            let mut channel = topology.out_channels(NodeId::new(line))[0];
            for _ in 0..stage {
                let next = channel.number() / 8 * 8 + 8 + line;
                assert_eq!(topology.tail(ChannelId::new(next)), topology.head(channel));
                channel = ChannelId::new(next);
            }
            let partner = channel.number() / 8 * 8 + (line ^ 4 >> stage);
            assert_eq!(topology.head(ChannelId::new(partner)), topology.head(channel));
        }
    }
}

#[test]
fn omega_and_butterfly_carry_every_exclusive_or() {
    for topology in [omega(16).unwrap(), butterfly(16).unwrap()] {
        for mask in 0..16 {
            let destinations: Vec<usize> = (0..16).map(|source| source ^ mask).collect();
            let all: Vec<_> = (0..16u32)
                .zip(&destinations)
                .map(|(source, &to)| paths(&topology, NodeId::new(source), NodeId::from_index(to), 5))
                .collect();
            assert!(are_compatible(&all, &mut BTreeSet::new()), "{} {mask}", topology.name());
        }
    }
}

#[test]
fn omega_does_not_carry_the_reversal_of_bits() {
    // Lawrie's example: the messages from 0 and 4 need the same output of the first switch.
    assert!(!carries(&omega(8).unwrap(), &[0, 4, 2, 6, 1, 5, 3, 7]));
}

#[test]
fn omega_carries_table_2_of_the_document() {
    let omega = omega(8).unwrap();
    for step in 0..7 {
        assert!(carries(&omega, &column(&table("table2"), step)), "step {}", step + 1);
    }
}

#[test]
fn swapping_destinations_in_table_2_conflicts_unless_the_paths_meet_in_a_switch() {
    let omega = omega(8).unwrap();
    let path = |from: usize, to: usize| paths(&omega, NodeId::from_index(from), NodeId::from_index(to), 4).remove(0);
    let fits = |destinations: &[usize]| {
        let mut used = BTreeSet::new();
        destinations.iter().enumerate().all(|(from, &to)| path(from, to).iter().all(|&channel| used.insert(channel)))
    };
    let mut refused = 0;
    for step in 0..7 {
        let destinations = column(&table("table2"), step);
        for i in 0..8 {
            for j in 0..i {
                let mut swapped = destinations.clone();
                swapped.swap(i, j);
                let [one, other] = [i, j].map(|source| path(source, destinations[source]));
                let meet = one[..3].iter().zip(&other).any(|(&a, &b)| omega.head(a) == omega.head(b));
                assert_eq!(fits(&swapped), meet, "step {} sources {i} and {j}", step + 1);
                refused += u32::from(!meet);
            }
        }
    }
    // Each of the 12 switches has one pair in each step.
    assert_eq!(refused, 7 * (28 - 12));
}

#[test]
fn fat_tree_carries_table_4_of_the_document() {
    let fat_tree = fat_tree(2, 3).unwrap();
    for step in 0..7 {
        assert!(carries(&fat_tree, &column(&table("table4"), step)), "step {}", step + 1);
    }
}

#[test]
fn binary_tree_does_not_carry_table_4_of_the_document() {
    let tree = b_tree(8).unwrap();
    assert!((0..7).any(|step| !carries(&tree, &column(&table("table4"), step))));
}

#[test]
fn clos_has_one_path_per_middle_switch() {
    for (n, m, r) in [(1, 1, 1), (3, 3, 4), (4, 4, 4), (3, 2, 4), (2, 5, 3)] {
        let topology = clos(n, m, r).unwrap();
        let [n, m, r] = [n, m, r].map(|number| number as usize);
        assert_eq!(topology.terminal_count(), n * r);
        assert_eq!(topology.node_count(), n * r + 2 * r + m);
        assert_eq!(topology.channel_count(), 2 * n * r + 2 * m * r);
        for &from in topology.terminals() {
            for &to in topology.terminals() {
                assert_eq!(paths(&topology, from, to, 4).len(), m);
            }
        }
    }
}

#[test]
fn clos_carries_every_rotation() {
    let clos = clos(3, 3, 4).unwrap();
    for shift in 1..12 {
        let destinations: Vec<usize> = (0..12).map(|source| (source + shift) % 12).collect();
        assert!(carries(&clos, &destinations), "{shift}");
    }
}

#[test]
fn fat_tree_has_arity_to_the_level_shortest_paths() {
    for (arity, levels) in [(2, 1), (2, 3), (2, 4), (3, 2), (3, 3), (4, 2)] {
        let topology = fat_tree(arity, levels).unwrap();
        let (k, n) = (arity as usize, levels as usize);
        assert_eq!(topology.terminal_count(), k.pow(levels));
        assert_eq!(topology.node_count(), k.pow(levels) + n * k.pow(levels - 1));
        assert_eq!(topology.channel_count(), 2 * n * k.pow(levels));
        for switch in topology.nodes().skip(topology.terminal_count()) {
            let is_top = topology.node_name(switch).starts_with(&format!("s{}.", n - 1));
            assert_eq!(topology.out_channels(switch).len(), if is_top { k } else { 2 * k });
        }
        for &from in topology.terminals() {
            for &to in topology.terminals().iter().filter(|&&to| to != from) {
                let level =
                    (0..levels).find(|&l| from.number() / arity.pow(l + 1) == to.number() / arity.pow(l + 1)).unwrap();
                let shortest = shortest_paths(&topology, from, to);
                assert_eq!(shortest.len(), k.pow(level));
                assert_eq!(shortest[0].len(), 2 * level as usize + 2);
            }
        }
    }
}

#[test]
fn b_tree_has_one_path_up_and_down() {
    for levels in 1..6u32 {
        let topology = b_tree(1 << levels).unwrap();
        let n = 1usize << levels;
        assert_eq!(topology.terminal_count(), n);
        assert_eq!(topology.node_count(), 2 * n - 1);
        assert_eq!(topology.channel_count(), 4 * n - 4);
        for &from in topology.terminals() {
            for &to in topology.terminals().iter().filter(|&&to| to != from) {
                let level = (from.number() ^ to.number()).ilog2();
                let shortest = shortest_paths(&topology, from, to);
                assert_eq!((shortest.len(), shortest[0].len()), (1, 2 * level as usize + 2));
            }
        }
    }
}

#[test]
fn only_switches_route_in_indirect_networks() {
    for spec in ["omega:8", "butterfly:8", "clos:3,3,4", "fat-tree:2,3", "b-tree:8", "dragonfly:2,1,1"] {
        let topology: Topology = spec.parse().unwrap();
        assert!(topology.nodes().all(|node| topology.routes(node) != topology.is_terminal(node)), "{spec}");
    }
}
