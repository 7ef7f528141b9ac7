use lockstep_schedule::Budget;
use lockstep_topology::strategy::{connected_topology, petersen, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::*;

fn labelling(topology: &Topology) -> Option<GroupLabelling> {
    GroupLabelling::of(topology, &Budget::unlimited())
}

fn network(spec: &str) -> Topology {
    spec.parse().unwrap()
}

/// The network with its nodes in an unrelated order.
fn scattered(topology: &Topology) -> Topology {
    let nodes = topology.node_count() as u64;
    // An odd multiplier near the golden ratio of 2^64: the keys differ and have no simple order.
    let mut order: Vec<u64> = (0..nodes).collect();
    order.sort_unstable_by_key(|node| (node + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let place: Vec<NodeId> = order.iter().map(|&node| NodeId::new(node as u32)).collect();
    topology.relabelled(&place)
}

/// Checks all guarantees of a labelling through its public methods.
fn check(topology: &Topology, labelling: &GroupLabelling) {
    let degree = labelling.degree();
    for node in topology.nodes() {
        let mut channels: Vec<ChannelId> = (0..degree).map(|generator| labelling.channel(node, generator)).collect();
        for (generator, &channel) in channels.iter().enumerate() {
            let next = labelling.next(node, generator);
            assert_eq!((topology.tail(channel), topology.head(channel)), (node, next));
            assert_eq!(labelling.next(next, labelling.opposite(generator)), node);
            for other in 0..degree {
                assert_eq!(labelling.next(next, other), labelling.next(labelling.next(node, other), generator));
            }
        }
        channels.sort_unstable();
        assert_eq!(channels, topology.out_channels(node));
    }
}

const SMALL: [&str; 38] = [
    "ring:2",
    "ring:3",
    "ring:4",
    "ring:9",
    "ring:16",
    "torus:2x2",
    "torus:3x3",
    "torus:4x4",
    "torus:2x7",
    "torus:7x2",
    "torus:3x4",
    "torus:4x6",
    "torus:1x6",
    "torus:5x5",
    "torus:2x3x5",
    "torus:2x2x6",
    "torus:3x3x3",
    "torus:4x4x4",
    "torus:2x2x2x3",
    "hypercube:1",
    "hypercube:3",
    "hypercube:4",
    "hypercube:6",
    "folded-hypercube:2",
    "folded-hypercube:3",
    "folded-hypercube:4",
    "folded-hypercube:5",
    "circulant:8,1,4",
    "circulant:13,1,5",
    "circulant:16,1,6",
    "circulant:25,3,4",
    "circulant:32,1,7,9",
    "circulant:12,1,2,3,4",
    "octagon",
    "k-ring:8",
    "k-ring:9",
    "midimew:8",
    "complete:7",
];

#[test]
fn every_family_of_groups_is_recognised_under_any_numbering() {
    for spec in SMALL {
        let topology = network(spec);
        for topology in [scattered(&topology), topology] {
            for squares in [FourCycles::OneAxis, FourCycles::TwoAxes] {
                let labelling = GroupLabelling::with_squares(&topology, squares, &Budget::unlimited());
                check(&topology, &labelling.unwrap_or_else(|| panic!("{spec} is a Cayley graph")));
            }
        }
    }
}

#[test]
fn large_networks_are_recognised() {
    let specs = [
        "ring:4096",
        "torus:64x64",
        "torus:16x16x16",
        "torus:8x8x8x8",
        "hypercube:12",
        "folded-hypercube:11",
        "circulant:4000,1,2,3",
        "circulant:4096,1,64",
        "circulant:4000,1,2,3,4,5,6,7,8",
        "k-ring:4000",
        "midimew:4000",
        "circulant:1000,7,11,500",
        "torus:2x1000",
        "torus:3x1000",
        "torus:4x1000",
        "torus:2x2x2x500",
    ];
    for spec in specs {
        let topology = scattered(&network(spec));
        for squares in [FourCycles::OneAxis, FourCycles::TwoAxes] {
            let labelling = GroupLabelling::with_squares(&topology, squares, &Budget::unlimited());
            check(&topology, &labelling.unwrap_or_else(|| panic!("{spec} is a Cayley graph")));
        }
    }
}

/// A hypercube has the labelling that the search finds, without the search.
#[test]
fn hypercubes_need_no_search() {
    for dimension in 1..=9 {
        let cube = network(&format!("hypercube:{dimension}"));
        for topology in [scattered(&cube), cube] {
            let network = regular::RegularNetwork::of(&topology).unwrap();
            for squares in [FourCycles::OneAxis, FourCycles::TwoAxes] {
                let found = cube::labelling(&network, squares);
                assert!(found.is_some(), "{dimension}, {squares:?}");
                assert_eq!(found, search::search(&network, squares, &Budget::unlimited()), "{dimension}, {squares:?}");
            }
        }
    }
}

/// As many nodes as a hypercube, each with as many links, but other links.
#[test]
fn other_networks_of_the_same_size_are_no_hypercubes() {
    for spec in
        ["circulant:8,1,4", "circulant:8,1,3", "circulant:16,1,2", "random-regular:32,5,1", "random-regular:64,6,1"]
    {
        let network = regular::RegularNetwork::of(&network(spec)).unwrap();
        for squares in [FourCycles::OneAxis, FourCycles::TwoAxes] {
            assert_eq!(cube::labelling(&network, squares), None, "{spec}");
        }
    }
}

#[test]
fn cycles_of_four_have_the_requested_reading() {
    for spec in ["ring:4", "torus:4x4", "torus:3x4", "hypercube:4"] {
        let topology = scattered(&network(spec));
        let sides = |squares| {
            let labelling = GroupLabelling::with_squares(&topology, squares, &Budget::unlimited()).unwrap();
            labelling.axes().unwrap().sides().to_vec()
        };
        assert!(!sides(FourCycles::OneAxis).contains(&2) && !sides(FourCycles::TwoAxes).contains(&4), "{spec}");
    }
}

#[test]
fn the_axes_of_a_torus_are_its_sides() {
    for (spec, expected) in [
        ("ring:9", vec![9]),
        ("torus:4x4", vec![4, 4]),
        ("torus:6x4", vec![4, 6]),
        ("torus:5x5", vec![5, 5]),
        ("torus:2x9", vec![2, 9]),
        ("torus:7x3x4", vec![3, 4, 7]),
        ("torus:64x40", vec![40, 64]),
    ] {
        let topology = scattered(&network(spec));
        let labelling = labelling(&topology).unwrap();
        let axes = labelling.axes().unwrap();
        let mut sides = axes.sides().to_vec();
        sides.sort_unstable();
        assert_eq!(sides, expected, "{spec}");
        for node in topology.nodes() {
            assert_eq!(axes.node_at(axes.place(node)), node);
            let coordinates = axes.coordinates(node);
            for axis in 0..axes.sides().len() {
                let mut moved = coordinates.clone();
                moved[axis] = (moved[axis] + 1) % axes.sides()[axis];
                assert_eq!(axes.coordinates(labelling.next(node, axes.forward(axis))), moved, "{spec}");
            }
        }
    }
    for spec in ["circulant:16,1,6", "octagon", "folded-hypercube:4"] {
        assert_eq!(labelling(&network(spec)).unwrap().axes(), None, "{spec}: generators that depend on each other");
    }
}

#[test]
fn other_networks_have_no_labelling() {
    for spec in ["mesh:3x3", "kautz:3,2", "omega:8", "b-tree:8", "complete:66", "fat-tree:2,3", "de-bruijn:2,3"] {
        assert_eq!(labelling(&network(spec)), None, "{spec}");
    }
    assert_eq!(labelling(&petersen()), None, "vertex-transitive, but not a Cayley graph");
}

#[test]
fn a_cancelled_search_ends() {
    let budget = Budget::unlimited();
    budget.cancel();
    assert_eq!(GroupLabelling::of(&network("torus:5x5"), &budget), None);
}

/// The node to which each generator leads from each node, as far as assigned.
type Partial = Vec<Vec<Option<usize>>>;

/// Returns true if a small regular network has a labelling. Tries all labellings, one channel after the other.
fn brute_force(topology: &Topology) -> bool {
    let heads = |node| topology.out_channels(node).iter().map(|&channel| topology.head(channel).index()).collect();
    let rows: Vec<Vec<usize>> = topology.nodes().map(heads).collect();
    let mut next = vec![vec![None; rows[0].len()]; rows.len()];
    next[0] = rows[0].iter().copied().map(Some).collect();
    extends(&mut next, &rows, rows[0].len())
}

fn extends(next: &mut Partial, rows: &[Vec<usize>], slot: usize) -> bool {
    let (node, generator) = (slot / rows[0].len(), slot % rows[0].len());
    if node == rows.len() {
        return true;
    }
    for &end in &rows[node] {
        if !next[node].contains(&Some(end)) {
            next[node][generator] = Some(end);
            if commutes(next) && extends(next, rows, slot + 1) {
                return true;
            }
            next[node][generator] = None;
        }
    }
    false
}

fn commutes(next: &Partial) -> bool {
    let walk = |node: usize, one: usize, other: usize| next[node][one].and_then(|beside| next[beside][other]);
    (0..next.len()).all(|node| {
        (0..next[0].len()).all(|one| {
            let entered = next.iter().filter(|row| row[one] == next[node][one]).count();
            let same_end = |other: usize| match (walk(node, one, other), walk(node, other, one)) {
                (Some(end), Some(other_end)) => end == other_end,
                _ => true,
            };
            (next[node][one].is_none() || entered == 1) && (0..one).all(same_end)
        })
    })
}

fn common_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

proptest! {
    #[test]
    fn a_network_is_recognised_if_and_only_if_brute_force_finds_a_labelling(
        nodes in 4u32..9, degree in 2u32..5, seed: u64,
    ) {
        prop_assume!(degree < nodes && nodes * degree % 2 == 0);
        let topology = lockstep_topology::random_regular(nodes, degree, seed).unwrap();
        let found = labelling(&topology);
        prop_assert_eq!(found.is_some(), brute_force(&topology));
        if let Some(labelling) = found {
            check(&topology, &labelling);
        }
    }

    #[test]
    fn irregular_networks_have_no_labelling(topology in connected_topology(9)) {
        let degree = topology.out_channels(NodeId::new(0)).len();
        prop_assume!(topology.nodes().any(|node| topology.out_channels(node).len() != degree));
        prop_assert_eq!(labelling(&topology), None);
    }

    #[test]
    fn a_shuffled_group_is_recognised(
        topology in prop::sample::select(&SMALL[..]).prop_flat_map(|spec| shuffled(network(spec))),
    ) {
        check(&topology, &labelling(&topology).unwrap());
    }

    /// Circulant graphs have many squares and many possible inverses.
    #[test]
    fn circulant_graphs_are_recognised(nodes in 5u32..40, chords in prop::collection::btree_set(1u32..20, 1..6)) {
        let chords: Vec<u32> = chords.into_iter().filter(|&chord| chord <= nodes / 2).collect();
        prop_assume!(!chords.is_empty());
        let common = chords.iter().fold(nodes, |common, &chord| common_divisor(common, chord));
        let topology = scattered(&lockstep_topology::circulant(nodes, &chords).unwrap());
        let found = labelling(&topology);
        prop_assert_eq!(found.is_some(), common == 1, "connected or not");
        if let Some(labelling) = found {
            check(&topology, &labelling);
        }
    }

    /// A torus without one link is not a Cayley graph.
    #[test]
    fn faulty_networks_have_no_labelling(lost in any::<prop::sample::Index>()) {
        let graph = network("torus:4x5");
        let lost = *lost.get(&graph.channels().collect::<Vec<_>>());
        let mut faulty = TopologyBuilder::new("faulty");
        for node in graph.nodes() {
            faulty.terminal(graph.node_name(node));
        }
        for channel in graph.channels().filter(|&channel| channel != lost) {
            faulty.channel(graph.tail(channel), graph.head(channel));
        }
        prop_assert_eq!(labelling(&faulty.build().unwrap()), None);
    }
}
