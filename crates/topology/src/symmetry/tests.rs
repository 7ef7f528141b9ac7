use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::partition::{ColourRefiner, Partition};
use super::*;
use crate::strategy::{any_topology, petersen, shuffled, with_capacities};
use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

/// Generates networks of all kinds, some of them with capacities, under any numbers.
fn any_network(max_nodes: usize) -> impl Strategy<Value = Topology> {
    let plain = move || any_topology(max_nodes).prop_flat_map(shuffled);
    prop_oneof![2 => plain(), 1 => plain().prop_flat_map(|topology| with_capacities(topology, 2))]
}

/// The network of a spec under other numbers.
fn network(spec: &str, seed: u64) -> Topology {
    let topology = if spec == "petersen" { petersen() } else { spec.parse().unwrap() };
    let mut places: Vec<NodeId> = topology.nodes().collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    topology.relabelled(&places)
}

/// Some random symmetries that keep these nodes in place.
fn some(topology: &Topology, fixed: &[NodeId], count: usize) -> Vec<Automorphism> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let symmetries = Symmetries::fixing(topology, fixed);
    symmetries.map_or(Vec::new(), |found| (0..count).filter_map(|_| found.random(&mut rng)).collect())
}

/// The smallest node of the orbit of each, under some permutations.
fn orbits<'a>(nodes: usize, permutations: impl Iterator<Item = &'a [NodeId]>) -> Vec<usize> {
    let permutations: Vec<&[NodeId]> = permutations.collect();
    let mut orbit: Vec<usize> = (0..nodes).collect();
    for _ in 0..nodes {
        for permutation in &permutations {
            for (node, to) in permutation.iter().enumerate() {
                let least = orbit[node].min(orbit[to.index()]);
                (orbit[node], orbit[to.index()]) = (least, least);
            }
        }
    }
    orbit
}

/// All permutations of nodes that keep what has failed in place, roles, and the capacities of the channels between nodes.
fn tried(topology: &Topology) -> Vec<Vec<NodeId>> {
    let capacities = |from: NodeId, to: NodeId| -> Vec<u32> {
        let channels = topology.out_channels(from).iter().filter(|&&channel| topology.head(channel) == to);
        channels.map(|&channel| topology.capacity(channel)).collect()
    };
    let mut partial: Vec<Vec<NodeId>> = vec![Vec::new()];
    for node in topology.nodes() {
        let mut longer = Vec::new();
        for image in partial {
            for to in topology.nodes().filter(|to| !image.contains(to)) {
                let fits = (node == to || !topology.has_failed(node) && !topology.has_failed(to))
                    && topology.is_terminal(node) == topology.is_terminal(to)
                    && topology.routes(node) == topology.routes(to)
                    && topology.nodes().zip(&image).all(|(before, &there)| {
                        capacities(before, node) == capacities(there, to)
                            && capacities(node, before) == capacities(to, there)
                    });
                if fits {
                    longer.push(image.iter().copied().chain([to]).collect());
                }
            }
        }
        partial = longer;
    }
    partial
}

proptest! {
    #[test]
    fn nodes_of_a_cell_have_the_same_capacity_to_each_cell(
        topology in any_network(12), node: prop::sample::Index,
    ) {
        let mut refiner = ColourRefiner::new(&topology);
        let mut partition = Partition::new(&topology, &mut refiner);
        for _ in 0..2 {
            let mut cells = Vec::new();
            let mut start = 0;
            while start < topology.node_count() {
                cells.push(partition.cell(start as u32).to_vec());
                start += partition.cell(start as u32).len();
            }
            for cell in &cells {
                for other in &cells {
                    let is_other = |node: NodeId| other.contains(&node.number());
                    let counts = |&node: &u32| {
                        let node = NodeId::new(node);
                        let out = topology.out_channels(node).iter().filter(|&&out| is_other(topology.head(out)));
                        let into = topology.in_channels(node).iter().filter(|&&into| is_other(topology.tail(into)));
                        let capacity = |&channel: &ChannelId| topology.capacity(channel);
                        [out.map(capacity).sum::<u32>(), into.map(capacity).sum()]
                    };
                    prop_assert_eq!(cell.iter().map(counts).collect::<BTreeSet<_>>().len(), 1);
                }
            }
            let Some(largest) = partition.largest_cell() else { break };
            let node = *node.get(partition.cell(largest));
            (partition, _) = partition.individualised(node, &mut refiner);
        }
    }

    /// A refinement is not given up for a node that some symmetry maps the first one to.
    #[test]
    fn equivalent_nodes_have_the_same_trace(topology in any_network(14)) {
        let mut refiner = ColourRefiner::new(&topology);
        let partition = Partition::new(&topology, &mut refiner);
        let Some(largest) = partition.largest_cell() else { return Ok(()) };
        for &node in partition.cell(largest) {
            let (refined, trace) = partition.individualised(node, &mut refiner);
            let again = partition.individualised_as(node, &mut refiner, &trace);
            prop_assert!(again.is_some_and(|again| again.has_cells_of(&refined)));
            for symmetry in some(&topology, &[], 8) {
                let image = symmetry.node(NodeId::new(node)).number();
                prop_assert!(partition.individualised_as(image, &mut refiner, &trace).is_some());
            }
        }
    }

    #[test]
    fn symmetries_keep_ends_roles_and_resources(
        topology in any_network(14), fixed: prop::sample::Index, is_fixed: bool,
    ) {
        let fixed: Vec<NodeId> =
            is_fixed.then(|| NodeId::from_index(fixed.index(topology.node_count()))).into_iter().collect();
        for symmetry in some(&topology, &fixed, 8) {
            prop_assert_eq!(symmetry.nodes().iter().collect::<BTreeSet<_>>().len(), topology.node_count());
            prop_assert_eq!(symmetry.channels().iter().collect::<BTreeSet<_>>().len(), topology.channel_bound());
            prop_assert!(topology.failed_nodes().iter().all(|&node| symmetry.node(node) == node));
            prop_assert!(topology.failed_channels().all(|channel| symmetry.channel(channel) == channel));
            prop_assert!(fixed.iter().all(|&node| symmetry.node(node) == node));
            for node in topology.nodes() {
                prop_assert_eq!(topology.is_terminal(node), topology.is_terminal(symmetry.node(node)));
                prop_assert_eq!(topology.routes(node), topology.routes(symmetry.node(node)));
            }
            for one in topology.channels() {
                prop_assert_eq!(symmetry.node(topology.tail(one)), topology.tail(symmetry.channel(one)));
                prop_assert_eq!(symmetry.node(topology.head(one)), topology.head(symmetry.channel(one)));
                prop_assert!(topology.is_working(symmetry.channel(one)));
                prop_assert_eq!(topology.capacity(one), topology.capacity(symmetry.channel(one)));
                for other in topology.channels() {
                    let [there, beside] = [one, other].map(|channel| symmetry.channel(channel));
                    let is_shared = topology.resource(one) == topology.resource(other);
                    prop_assert_eq!(is_shared, topology.resource(there) == topology.resource(beside));
                }
            }
        }
    }

    /// All of them are found sooner or later: nodes that some symmetry takes to each other are, by those found.
    #[test]
    fn random_symmetries_have_the_orbits_of_all(
        topology in any_network(6), fixed: prop::sample::Index,
    ) {
        let nodes = topology.node_count();
        let fixed = NodeId::from_index(fixed.index(nodes));
        let all = tried(&topology);
        let those_fixing = |image: &&Vec<NodeId>| image[fixed.index()] == fixed;
        let found = some(&topology, &[], 64);
        prop_assert_eq!(orbits(nodes, found.iter().map(Automorphism::nodes)), orbits(nodes, all.iter().map(|image| &image[..])));
        let found = some(&topology, &[fixed], 64);
        let all = all.iter().filter(those_fixing).map(|image| &image[..]);
        prop_assert_eq!(orbits(nodes, found.iter().map(Automorphism::nodes)), orbits(nodes, all));
    }

    #[test]
    fn a_symmetry_and_its_inverse_keep_everything(topology in any_network(14)) {
        let found = some(&topology, &[], 2);
        for symmetry in &found {
            prop_assert_eq!(symmetry.then(&symmetry.inverse()), Automorphism::identity(&topology));
            for other in &found {
                let both = symmetry.then(other);
                let is_there = |channel: ChannelId| both.channel(channel) == other.channel(symmetry.channel(channel));
                prop_assert!(topology.channels().all(is_there));
                prop_assert!(topology.nodes().all(|node| both.node(node) == other.node(symmetry.node(node))));
            }
        }
    }
}

#[test]
fn networks_that_look_the_same_from_everywhere_have_one_orbit() {
    let count = |topology: &Topology| {
        let found = some(topology, &[], 32);
        let orbits = orbits(topology.node_count(), found.iter().map(Automorphism::nodes));
        orbits.into_iter().collect::<BTreeSet<_>>().len()
    };
    let specs = ["hypercube:4", "torus:3x5", "torus:4x4", "circulant:13,1,5", "kautz:3,2", "complete:7", "petersen"];
    for spec in specs {
        assert_eq!(count(&network(spec, 3)), 1, "{spec}");
    }
    // Words of three letters are of two kinds: the last letter is the first one, or it is not.
    assert_eq!(count(&network("kautz:2,3", 3)), 2);
}

/// A wide link of a ring leaves one reflection.
#[test]
fn capacities_break_symmetries() {
    let mut ring = TopologyBuilder::new("ring");
    let nodes: Vec<NodeId> = (0..6).map(|node| ring.terminal(node.to_string())).collect();
    let links: Vec<_> = (0..6).map(|place| ring.link(nodes[place], nodes[(place + 1) % 6])).collect();
    ring.set_capacity(links[2], 7);
    let ring = ring.build().unwrap();
    let reflection = some(&ring, &[], 32).into_iter().find(|found| found.node(nodes[0]) != nodes[0]).unwrap();
    assert_eq!((0..6).map(|place| reflection.node(nodes[place]).number()).collect::<Vec<_>>(), [5, 4, 3, 2, 1, 0]);
    assert!(Symmetries::fixing(&ring, &nodes[..1]).is_none());
}

#[test]
fn networks_without_symmetry_have_none() {
    let mut network = TopologyBuilder::new("a path with a branch");
    let nodes: Vec<NodeId> = (0..7).map(|node| network.terminal(node.to_string())).collect();
    for (u, v) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)] {
        network.link(nodes[u], nodes[v]);
    }
    assert!(Symmetries::new(&network.build().unwrap()).is_none());
    let mesh = "mesh:2x3".parse().unwrap();
    assert!(Symmetries::new(&mesh).is_some());
    assert!(Symmetries::fixing(&mesh, &[NodeId::new(0)]).is_none());
    assert!(Symmetries::fixing(&mesh, mesh.terminals()).is_none());
    // All nodes have the same number of channels, so only a search for images tells them apart.
    let random: Topology = "random-regular:256,4,1".parse().unwrap();
    assert!(Symmetries::new(&random).is_none());
}

/// The ends of a path differ from its other nodes after the first splitter.
#[test]
fn a_refinement_that_differs_is_given_up() {
    let [path, ring]: [Topology; 2] = ["mesh:200", "ring:200"].map(|spec| spec.parse().unwrap());
    // All nodes of a ring are in one cell.
    let partition = Partition::new(&ring, &mut ColourRefiner::new(&ring));
    let mut refiner = ColourRefiner::new(&path);
    let (_, trace) = partition.individualised(0, &mut refiner);
    let before = refiner.work;
    assert!(partition.individualised_as(100, &mut refiner, &trace).is_none());
    assert!(refiner.work - before < 220, "one clone and two splitters, not {}", refiner.work - before);
}
