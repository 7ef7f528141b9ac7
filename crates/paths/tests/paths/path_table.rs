//! Path tables.

use std::collections::BTreeMap;

use lockstep_paths::{PathId, PathSelection, PathTable, ShortestPaths, TableError};
use lockstep_topology::strategy::bus_puzzle;
use lockstep_topology::{ChannelId, NodeId, Topology};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::oracle::{bus_network, network, on_threads, pairs, shortest_legal_paths, thick_line};

fn terminal_pairs(topology: &Topology) -> impl Iterator<Item = (NodeId, NodeId)> {
    pairs(topology).filter(|&(_, target)| topology.is_terminal(target))
}

fn paths_of(table: &PathTable, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    table.between(source, target).map(|path| table.channels(PathId::new(path)).to_vec()).collect()
}

fn shortest(topology: &Topology, cap: usize, seed: u64) -> PathTable {
    PathTable::build(topology, PathSelection::Shortest { cap, seed }).expect("small")
}

/// Checks that paths are grouped by target, then by source.
fn assert_grouped(topology: &Topology, table: &PathTable) {
    let mut next = 0;
    for &target in topology.terminals() {
        assert_eq!(table.towards(target).start, next);
        for &source in topology.terminals() {
            let paths = table.between(source, target);
            assert_eq!(paths.start, next);
            next = paths.end;
            for path in paths.map(PathId::new) {
                assert_eq!((table.source(path), table.target(path)), (source, target));
            }
        }
        assert_eq!(table.towards(target).end, next);
    }
    assert_eq!(table.path_count(), next as usize);
}

#[test]
fn samples_of_two_of_six_paths_are_uniform() {
    let mesh: Topology = "mesh:3x3".parse().expect("a spec");
    let (source, target) = (NodeId::new(0), NodeId::new(8));
    let mut drawn = BTreeMap::new();
    for seed in 0..600 {
        for path in paths_of(&shortest(&mesh, 2, seed), source, target) {
            *drawn.entry(path).or_insert(0) += 1;
        }
    }
    assert_eq!(drawn.len(), 6);
    // 200 each, within five standard deviations.
    assert!(drawn.values().all(|times| (142..=258).contains(times)), "{drawn:?}");
}

#[test]
fn pairs_with_saturated_counts_have_different_samples() {
    let line = thick_line(71, 2);
    let table = shortest(&line, 5, 1);
    let (source, target) = (NodeId::new(0), NodeId::new(70));
    let mut paths = paths_of(&table, source, target);
    assert!(!table.is_complete(source, target));
    assert!(paths.is_sorted_by(|a, b| a.iter().rev().lt(b.iter().rev())));
    paths.dedup();
    assert_eq!(paths.len(), 5);
    for path in paths {
        assert_eq!(path.len(), 70);
        assert!((0..).zip(&path).all(|(place, &channel)| line.tail(channel) == NodeId::new(place)), "{path:?}");
    }
}

#[test]
fn every_pair_draws_for_itself() {
    let cube: Topology = "hypercube:4".parse().expect("a spec");
    let (paths, table) = (ShortestPaths::all_pairs(&cube).expect("small"), shortest(&cube, 1, 1));
    let is_first = |(source, target): (NodeId, NodeId)| {
        paths.paths(source, target).next() == paths_of(&table, source, target).pop()
    };
    // Six nodes are two channels away, each over two paths. Six equal draws are one chance in 32.
    let node = NodeId::new(0);
    let far: Vec<_> = cube.nodes().filter(|other| paths.distance(node, *other) == Some(2)).collect();
    assert!((1..6).contains(&far.iter().filter(|&&target| is_first((node, target))).count()));
    assert!((1..6).contains(&far.iter().filter(|&&source| is_first((source, node))).count()));
}

#[test]
fn no_path_a_pair_is_an_incomplete_table() {
    let ring: Topology = "ring:4".parse().expect("a spec");
    let table = shortest(&ring, 0, 1);
    assert_eq!(table.path_count(), 0);
    assert!(!table.is_complete(NodeId::new(0), NodeId::new(2)));
    assert!(table.is_complete(NodeId::new(0), NodeId::new(0)));
}

#[test]
fn too_many_paths_are_refused() {
    let line = thick_line(71, 2);
    let selection = PathSelection::Shortest { cap: usize::MAX, seed: 1 };
    let error = PathTable::build(&line, selection).expect_err("2^70 paths");
    assert!(matches!(error, TableError::TooLarge { terminals: 2, paths: u64::MAX, bytes: u64::MAX, .. }), "{error}");
    let line = thick_line(31, 2);
    let error = PathTable::build(&line, selection).expect_err("2^31 paths");
    let TableError::TooLarge { paths, channel_uses, bytes, .. } = error else { panic!("{error}") };
    assert_eq!((paths, channel_uses), (1 << 31, 30 << 31));
    assert_eq!(bytes, 4 * 5 + (12 << 31) + ((4 * 30) << 31));
}

#[test]
fn a_search_that_takes_too_long_is_refused() {
    let refused = |stages| PathTable::build(&bus_puzzle(stages), PathSelection::Shortest { cap: 1, seed: 0 });
    assert_eq!(refused(4).map(|table| table.path_count()), Ok(0));
    let error = refused(20).unwrap_err().to_string();
    assert!(error.starts_with("the search for the shortest legal paths to 'source' takes more than 42"), "{error}");
    assert!(error.ends_with("because a path may not use a shared resource twice; let fewer channels share a resource"));
}

#[test]
fn store_and_forward_moves_along_single_channels() {
    for (spec, count) in [("mesh:3x4", 34), ("omega:8", 0), ("full-b-tree:15", 28)] {
        let topology: Topology = spec.parse().expect(spec);
        let table = PathTable::build(&topology, PathSelection::SingleChannels).expect("small");
        assert_grouped(&topology, &table);
        assert_eq!(table.path_count(), count, "{spec}");
    }
}

#[test]
fn altered_columns_are_refused() {
    let mesh: Topology = "mesh:2x2".parse().expect("a spec");
    let right = serde_json::to_value(shortest(&mesh, 9, 1)).expect("JSON");
    assert!(serde_json::from_value::<PathTable>(right.clone()).is_ok());
    let spoil = |pointer: &str, value: Value| {
        let mut spoilt = right.clone();
        *spoilt.pointer_mut(pointer).expect(pointer) = value;
        serde_json::from_value::<PathTable>(spoilt).map_err(|error| error.to_string())
    };
    for (pointer, value, why) in [
        ("/terminals/1", json!(0), "terminals"),
        ("/terminals/3", json!(u32::MAX), "terminals"),
        ("/terminals", json!([0, 1, 2]), "pairs"),
        ("/terminals", json!([]), "pairs"),
        ("/complete", json!([true]), "pairs"),
        ("/pair_start", json!([]), "pairs"),
        ("/pair_start/0", json!(1), "divide into pairs"),
        ("/pair_start/3", json!(99), "divide into pairs"),
        ("/pair_start/16", json!(13), "divide into pairs"),
        ("/path_start", json!([]), "divide into pairs"),
        ("/path_start/0", json!(1), "divide into paths"),
        ("/path_start/2", json!(1), "divide into paths"),
        ("/path_start/4", json!(u32::MAX), "divide into paths"),
        ("/channels", json!([]), "divide into paths"),
        ("/channels/3", json!(8), "channel"),
        ("/channel_bound", json!(7), "channel"),
    ] {
        let error = spoil(pointer, value).expect_err(pointer);
        assert!(error.contains(why), "{pointer}: {error}");
    }
}

proptest! {
    /// With room for all paths the table is the enumeration, on one thread and on four.
    #[test]
    fn wide_table_holds_all_shortest_paths(topology in network(14)) {
        let paths = ShortestPaths::all_pairs(&topology).expect("small");
        let table = on_threads(1, || shortest(&topology, usize::MAX, 1));
        prop_assert_eq!(&table, &on_threads(4, || shortest(&topology, usize::MAX, 2)));
        assert_grouped(&topology, &table);
        for (source, target) in terminal_pairs(&topology) {
            prop_assert!(table.is_complete(source, target));
            let others = paths.paths(source, target).filter(|path| !path.is_empty());
            prop_assert!(paths_of(&table, source, target).into_iter().eq(others));
        }
    }

    /// A narrow table holds as many different shortest paths as it may, in their order, and says what is missing.
    #[test]
    fn narrow_table_holds_different_shortest_paths(topology in network(14), cap in 0..3usize, seed in any::<u64>()) {
        let paths = ShortestPaths::all_pairs(&topology).expect("small");
        let table = on_threads(1, || shortest(&topology, cap, seed));
        prop_assert_eq!(&table, &on_threads(4, || shortest(&topology, cap, seed)));
        assert_grouped(&topology, &table);
        for (source, target) in terminal_pairs(&topology).filter(|(source, target)| source != target) {
            let all: Vec<_> = paths.paths(source, target).collect();
            let kept = paths_of(&table, source, target);
            prop_assert_eq!(kept.len(), all.len().min(cap));
            prop_assert_eq!(table.is_complete(source, target), kept.len() == all.len());
            let mut rest = all.iter();
            prop_assert!(kept.iter().all(|path| rest.any(|other| other == path)), "{:?} of {:?}", kept, all);
        }
    }

    /// The channels between terminals, each once.
    /// Where channels share resources, a shortest walk may be illegal and a detour legal.
    #[test]
    fn wide_table_holds_all_shortest_legal_paths_over_buses(topology in bus_network(14)) {
        let table = shortest(&topology, usize::MAX, 1);
        assert_grouped(&topology, &table);
        prop_assert_eq!(&table, &on_threads(4, || shortest(&topology, usize::MAX, 2)));
        for (source, target) in terminal_pairs(&topology).filter(|(source, target)| source != target) {
            prop_assert!(table.is_complete(source, target));
            prop_assert_eq!(paths_of(&table, source, target), shortest_legal_paths(&topology, source, target));
        }
    }

    #[test]
    fn narrow_table_holds_some_shortest_legal_paths_over_buses(
        topology in bus_network(14), cap in 0..3usize, seed in any::<u64>(),
    ) {
        let table = shortest(&topology, cap, seed);
        assert_grouped(&topology, &table);
        prop_assert_eq!(&table, &on_threads(4, || shortest(&topology, cap, seed)));
        for (source, target) in terminal_pairs(&topology).filter(|(source, target)| source != target) {
            let (kept, all) = (paths_of(&table, source, target), shortest_legal_paths(&topology, source, target));
            prop_assert!(kept.len() <= cap && kept.len() >= all.len().min(cap).min(1));
            prop_assert_eq!(table.is_complete(source, target), all.len() <= cap);
            let mut rest = all.iter();
            prop_assert!(kept.iter().all(|path| rest.any(|other| other == path)), "{:?} of {:?}", kept, all);
        }
    }

    #[test]
    fn single_channels_are_those_between_terminals(topology in network(14)) {
        let table = PathTable::single_channels(&topology).expect("small");
        assert_grouped(&topology, &table);
        for (source, target) in terminal_pairs(&topology) {
            let between = topology.out_channels(source).iter().filter(|&&channel| topology.head(channel) == target);
            prop_assert!(paths_of(&table, source, target).into_iter().eq(between.map(|channel| [*channel])));
        }
    }

    /// What is written is what is read.
    #[test]
    fn serde_round_trip(topology in network(14), cap in 0..3usize) {
        let table = shortest(&topology, cap, 1);
        let text = serde_json::to_string(&table).expect("JSON");
        prop_assert_eq!(serde_json::from_str::<PathTable>(&text).expect("a table"), table);
    }
}
