//! The random networks of the strategies, and the smaller networks to which they shrink.

use lockstep_topology::{NodeId, Topology, strategy};
use petgraph::algo::tarjan_scc;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn is_strongly_connected(topology: &Topology) -> bool {
    tarjan_scc(topology).len() == 1
}

fn has_parallel_channels(topology: &Topology) -> bool {
    topology.nodes().any(|node| {
        let heads: Vec<NodeId> = topology.out_channels(node).iter().map(|&channel| topology.head(channel)).collect();
        (1..heads.len()).any(|place| heads[..place].contains(&heads[place]))
    })
}

fn is_full_duplex(topology: &Topology) -> bool {
    topology.half_duplex().resource_count() * 2 == topology.channel_count()
}

/// Checks the networks of a strategy, and all networks to which they shrink.
fn check_with_shrinks<S: Strategy<Value = Topology>>(strategy: &S, is_legal: impl Fn(&Topology) -> bool) {
    let mut runner = TestRunner::deterministic();
    for _ in 0..40 {
        let mut tree = strategy.new_tree(&mut runner).expect("nothing is rejected");
        assert!(is_legal(&tree.current()));
        while tree.simplify() {
            assert!(is_legal(&tree.current()));
        }
    }
}

/// The size of the smallest network to which a strategy shrinks.
fn smallest<S: Strategy<Value = Topology>>(strategy: &S) -> usize {
    let mut tree = strategy.new_tree(&mut TestRunner::deterministic()).expect("nothing is rejected");
    while tree.simplify() {}
    tree.current().node_count()
}

#[test]
fn connected_networks_are_connected_direct_and_full_duplex() {
    let strategy = strategy::connected_topology(12);
    check_with_shrinks(&strategy, |topology| {
        (2..=12).contains(&topology.node_count())
            && topology.is_direct()
            && is_strongly_connected(topology)
            && is_full_duplex(topology)
            && !has_parallel_channels(topology)
    });
    assert_eq!(smallest(&strategy), 2);
}

#[test]
fn trees_have_one_link_less_than_nodes() {
    let strategy = strategy::tree(12);
    check_with_shrinks(&strategy, |topology| {
        (2..=12).contains(&topology.node_count())
            && is_strongly_connected(topology)
            && is_full_duplex(topology)
            && topology.channel_count() == 2 * (topology.node_count() - 1)
    });
    assert_eq!(smallest(&strategy), 2);
}

#[test]
fn directed_networks_are_strongly_connected() {
    let strategy = strategy::directed_topology(12);
    check_with_shrinks(&strategy, |topology| {
        (2..=12).contains(&topology.node_count()) && topology.is_direct() && is_strongly_connected(topology)
    });
    assert_eq!(smallest(&strategy), 2);
}

#[test]
fn indirect_networks_have_connected_switches_and_one_link_per_terminal() {
    for max_nodes in [3, 4, 12] {
        let strategy = strategy::indirect_topology(max_nodes);
        check_with_shrinks(&strategy, |topology| {
            let terminals = topology.terminals();
            (3..=max_nodes).contains(&topology.node_count())
                && (2..topology.node_count()).contains(&terminals.len())
                && is_strongly_connected(topology)
                && is_full_duplex(topology)
                && terminals.iter().all(|&terminal| topology.out_channels(terminal).len() == 1)
                && topology.nodes().all(|node| topology.routes(node) != topology.is_terminal(node))
        });
        assert_eq!(smallest(&strategy), 3);
    }
}

#[test]
fn any_network_covers_all_kinds() {
    let mut runner = TestRunner::deterministic();
    let strategy = strategy::any_topology(10);
    let drawn: Vec<Topology> = (0..200).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect();
    let some = |is_kind: &dyn Fn(&Topology) -> bool| drawn.iter().any(is_kind);
    assert!(some(&|topology| !topology.is_direct()));
    assert!(some(&|topology| topology.resource_count() < topology.channel_count()));
    assert!(some(&has_parallel_channels));
    assert!(some(&|topology| topology.is_direct() && !is_full_duplex(topology)));
    assert!(some(&|topology| topology.name() == "tree"));
}

proptest! {
    #[test]
    fn shuffling_keeps_the_network(
        (before, after) in strategy::any_topology(10)
            .prop_flat_map(|topology| (Just(topology.clone()), strategy::shuffled(topology))),
    ) {
        let links = |topology: &Topology| {
            let mut names: Vec<String> = topology.channels().map(|channel| topology.channel_name(channel)).collect();
            names.sort();
            names
        };
        prop_assert_eq!(links(&before), links(&after));
        prop_assert_eq!(before.resource_count(), after.resource_count());
        for node in before.nodes() {
            let place = after.node_named(before.node_name(node)).unwrap();
            prop_assert_eq!(before.is_terminal(node), after.is_terminal(place));
            prop_assert_eq!(before.routes(node), after.routes(place));
        }
    }
}
