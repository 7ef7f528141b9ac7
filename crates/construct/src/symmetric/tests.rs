use std::collections::BTreeSet;

use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, Switching, verify};
use lockstep_topology::strategy::{any_topology, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::group::FreeGroup;
use super::partition::{Partition, Refiner};
use super::*;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const STORE_AND_FORWARD: CommunicationModel = CommunicationModel::store_and_forward();

/// The network of a spec under other numbers.
fn network(spec: &str, seed: u64) -> Topology {
    let topology = if spec == "petersen" { petersen() } else { spec.parse().unwrap() };
    let mut places: Vec<NodeId> = topology.nodes().collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    topology.relabelled(&places)
}

/// Looks the same from every node, but is no Cayley graph.
fn petersen() -> Topology {
    let mut network = TopologyBuilder::new("petersen");
    let nodes: Vec<NodeId> = (0..10).map(|node| network.terminal(node.to_string())).collect();
    for place in 0..5 {
        network.link(nodes[place], nodes[(place + 1) % 5]);
        network.link(nodes[place], nodes[place + 5]);
        network.link(nodes[place + 5], nodes[5 + (place + 2) % 5]);
    }
    network.build().unwrap()
}

/// Some random symmetries.
fn some(topology: &Topology, count: usize) -> Vec<Vec<u32>> {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let symmetries = Symmetries::new(topology);
    symmetries.map_or(Vec::new(), |found| (0..count).filter_map(|_| found.random(&mut rng)).collect())
}

/// Where a permutation of channels takes each node; `None` if it takes channels of one node apart.
fn of_nodes(topology: &Topology, permutation: &[u32]) -> Option<Vec<NodeId>> {
    let mut image: Vec<Option<NodeId>> = vec![None; topology.node_count()];
    for (channel, &to) in topology.channels().zip(permutation) {
        let to = ChannelId::new(to);
        for (node, to) in [(topology.tail(channel), topology.tail(to)), (topology.head(channel), topology.head(to))] {
            if *image[node.index()].get_or_insert(to) != to {
                return None;
            }
        }
    }
    image.into_iter().collect()
}

/// The smallest node of the orbit of each, under some permutations.
fn orbits(nodes: usize, permutations: &[Vec<NodeId>]) -> Vec<usize> {
    let mut orbit: Vec<usize> = (0..nodes).collect();
    for _ in 0..nodes {
        for permutation in permutations {
            for (node, to) in permutation.iter().enumerate() {
                let least = orbit[node].min(orbit[to.index()]);
                (orbit[node], orbit[to.index()]) = (least, least);
            }
        }
    }
    orbit
}

/// All permutations of nodes that keep roles and the number of channels between nodes.
fn tried(topology: &Topology) -> Vec<Vec<NodeId>> {
    let count = |from: NodeId, to: NodeId| {
        topology.out_channels(from).iter().filter(|&&channel| topology.head(channel) == to).count()
    };
    let mut partial: Vec<Vec<NodeId>> = vec![Vec::new()];
    for node in topology.nodes() {
        let mut longer = Vec::new();
        for image in partial {
            for to in topology.nodes().filter(|to| !image.contains(to)) {
                let fits = topology.is_terminal(node) == topology.is_terminal(to)
                    && topology.routes(node) == topology.routes(to)
                    && topology.nodes().zip(&image).all(|(before, &there)| {
                        count(before, node) == count(there, to) && count(node, before) == count(to, there)
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
    fn nodes_of_a_cell_have_as_many_channels_to_each_cell(
        topology in any_topology(12).prop_flat_map(shuffled), node: prop::sample::Index,
    ) {
        let mut refiner = Refiner::new(&topology);
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
                        let out = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
                        let into = topology.in_channels(node).iter().map(|&channel| topology.tail(channel));
                        [out.filter(|&node| is_other(node)).count(), into.filter(|&node| is_other(node)).count()]
                    };
                    prop_assert_eq!(cell.iter().map(counts).collect::<BTreeSet<_>>().len(), 1);
                }
            }
            let Some(largest) = partition.largest_cell() else { break };
            let node = *node.get(partition.cell(largest));
            partition = partition.individualised(node, &mut refiner);
        }
    }

    #[test]
    fn symmetries_keep_ends_roles_and_resources(topology in any_topology(14).prop_flat_map(shuffled)) {
        for permutation in some(&topology, 8) {
            let image = of_nodes(&topology, &permutation);
            prop_assert!(image.is_some());
            let image = image.unwrap();
            prop_assert_eq!(image.iter().collect::<BTreeSet<_>>().len(), topology.node_count());
            prop_assert_eq!(permutation.iter().collect::<BTreeSet<_>>().len(), topology.channel_count());
            for (node, to) in topology.nodes().zip(image) {
                prop_assert_eq!(topology.is_terminal(node), topology.is_terminal(to));
                prop_assert_eq!(topology.routes(node), topology.routes(to));
            }
            for one in topology.channels() {
                for other in topology.channels() {
                    let [there, beside] = [one, other].map(|channel| ChannelId::new(permutation[channel.index()]));
                    let is_shared = topology.resource(one) == topology.resource(other);
                    prop_assert_eq!(is_shared, topology.resource(there) == topology.resource(beside));
                }
            }
        }
    }

    /// All of them are found sooner or later: nodes that some symmetry takes to each other are, by those found.
    #[test]
    fn random_symmetries_have_the_orbits_of_all(topology in any_topology(6).prop_flat_map(shuffled)) {
        let found: Vec<Vec<NodeId>> =
            some(&topology, 64).iter().filter_map(|permutation| of_nodes(&topology, permutation)).collect();
        let nodes = topology.node_count();
        prop_assert_eq!(orbits(nodes, &found), orbits(nodes, &tried(&topology)));
    }

    #[test]
    fn groups_are_free_and_closed(topology in any_topology(12).prop_flat_map(shuffled), fixed in 0usize..2) {
        let Some(symmetries) = Symmetries::new(&topology) else { return Ok(()) };
        let group = symmetries.random_group(fixed, |_, _| true, &mut ChaCha8Rng::seed_from_u64(2));
        let Some(group) = group else { return Ok(()) };
        let elements: BTreeSet<&[u32]> = group.elements().collect();
        prop_assert_eq!(elements.len(), group.order());
        prop_assert!(group.order() > 1 && topology.resource_count() % group.order() == 0);
        for (place, one) in group.elements().enumerate() {
            let is_kept = |channel: ChannelId| {
                topology.resource(channel) == topology.resource(ChannelId::new(one[channel.index()]))
            };
            prop_assert!(topology.channels().all(|channel| is_kept(channel) == (place == 0)));
            let kept = of_nodes(&topology, one).unwrap();
            let kept = topology.terminals().iter().filter(|node| kept[node.index()] == **node).count();
            prop_assert!(place == 0 || kept <= fixed);
            for other in group.elements() {
                let product: Vec<u32> = one.iter().map(|&channel| other[channel as usize]).collect();
                prop_assert!(elements.contains(&product[..]));
            }
        }
    }

    /// Whatever is found is valid, and as long as can be proved necessary at least.
    #[test]
    fn symmetric_schedules_are_valid(
        topology in any_topology(9).prop_flat_map(shuffled), model in any_model(), chunks in 1u32..3, gathers: bool,
    ) {
        let collective = if gathers { Collective::all_to_all_broadcast() } else { Collective::all_to_all_scatter() };
        let collective = collective.with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        if let Ok(schedule) = (SYMMETRIC.find)(&Request::first(&problem, &Budget::unlimited())) {
            let report = verify(&problem, &schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert!(report.unwrap().steps >= lockstep_bounds::best(&problem).steps as usize);
        }
    }
}

#[test]
fn networks_that_look_the_same_from_everywhere_have_one_orbit() {
    let specs = ["hypercube:4", "torus:3x5", "torus:4x4", "circulant:13,1,5", "kautz:3,2", "complete:7", "petersen"];
    for spec in specs {
        let topology = network(spec, 3);
        let found: Vec<_> = some(&topology, 32).iter().map(|symmetry| of_nodes(&topology, symmetry).unwrap()).collect();
        assert_eq!(orbits(topology.node_count(), &found), vec![0; topology.node_count()], "{spec}");
    }
    // Words of three letters are of two kinds: the last letter is the first one, or it is not.
    let kautz = network("kautz:2,3", 3);
    let found: Vec<_> = some(&kautz, 32).iter().map(|symmetry| of_nodes(&kautz, symmetry).unwrap()).collect();
    assert_eq!(orbits(12, &found).into_iter().collect::<BTreeSet<_>>().len(), 2);
}

#[test]
fn networks_without_symmetry_are_declined() {
    let mut network = TopologyBuilder::new("a path with a branch");
    let nodes: Vec<NodeId> = (0..7).map(|node| network.terminal(node.to_string())).collect();
    for (u, v) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)] {
        network.link(nodes[u], nodes[v]);
    }
    let topology = network.build().unwrap();
    let collective = Collective::all_to_all_scatter();
    let problem = Problem::new(&topology, &collective, WORMHOLE).unwrap();
    let miss = (SYMMETRIC.find)(&Request::first(&problem, &Budget::unlimited())).unwrap_err();
    assert_eq!(miss, Miss::Unfit);
    assert!(Symmetries::new(&"mesh:2x3".parse().unwrap()).is_some());
}

/// The rotation of a ring by a quarter has a group of four elements.
#[test]
fn one_element_makes_its_powers() {
    let ring: Topology = "ring:8".parse().unwrap();
    let by_two = |channel: ChannelId| {
        let [tail, head] = [ring.tail(channel), ring.head(channel)].map(|node| NodeId::new((node.number() + 2) % 8));
        ring.out_channels(tail).iter().find(|&&channel| ring.head(channel) == head).unwrap().number()
    };
    let rotation: Vec<u32> = ring.channels().map(by_two).collect();
    let group = FreeGroup::trivial(&ring, 0).with(&rotation).unwrap();
    assert_eq!(group.order(), 4);
    assert!(group.with(&rotation).is_none(), "it has that element");
}

/// Fewest steps, under other numbers each time: half of the traffic crosses a middle cut, channels are busy in every
/// step, or every node receives all that it can.
#[test]
fn symmetric_networks_are_scheduled_at_their_bounds() {
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..WORMHOLE };
    let (exchange, gather) = (Collective::all_to_all_scatter(), Collective::all_to_all_broadcast());
    let cases = [
        ("torus:4x4", &exchange, WORMHOLE, 8),
        ("torus:5x5", &exchange, WORMHOLE, 15),
        ("torus:6x6", &exchange, WORMHOLE, 27),
        ("torus:3x3x3", &exchange, WORMHOLE, 9),
        ("hypercube:5", &exchange, WORMHOLE, 16),
        ("complete:6", &exchange, WORMHOLE, 1),
        ("petersen", &exchange, WORMHOLE, 5),
        ("ring:8", &exchange, STORE_AND_FORWARD, 8),
        ("hypercube:3", &exchange, STORE_AND_FORWARD, 4),
        ("torus:5x5", &exchange, STORE_AND_FORWARD, 15),
        ("torus:4x4", &exchange, relay, 8),
        ("kautz:3,2", &exchange, STORE_AND_FORWARD, 7),
        ("torus:8x8", &gather, STORE_AND_FORWARD, 16),
        ("hypercube:6", &gather, STORE_AND_FORWARD, 11),
        ("kautz:2,4", &gather, WORMHOLE, 12),
        ("petersen", &gather, STORE_AND_FORWARD, 3),
    ];
    for (number, (spec, collective, model, steps)) in (1..).zip(cases) {
        let topology = network(spec, number);
        let problem = Problem::new(&topology, collective, model).unwrap();
        assert!(lockstep_bounds::best(&problem).steps <= steps, "{spec}");
        let budget = Budget::unlimited();
        let request = Request { goal: steps, below: steps + 1, attempts: 0..24, ..Request::first(&problem, &budget) };
        let schedule = (SYMMETRIC.find)(&request).unwrap_or_else(|miss| panic!("{spec} {collective:?}: {miss:?}"));
        assert_eq!(verify(&problem, &schedule).unwrap().steps, steps as usize, "{spec}");
    }
}

#[test]
fn ports_wires_and_chunks_count() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..WORMHOLE };
    let stored = CommunicationModel { ports: Ports::limit(1).unwrap(), ..STORE_AND_FORWARD };
    assert_eq!(stored.switching, Switching::StoreAndForward);
    let exchange = Collective::all_to_all_scatter();
    let twice = exchange.clone().with_chunks(2.try_into().unwrap());
    let cases = [
        // Everybody sends to all others, one at a time.
        (network("hypercube:3", 1), &exchange, one_port, 7),
        // Everybody sends what all others are away, one channel at a time.
        (network("hypercube:3", 2), &exchange, stored, 12),
        (network("torus:3x3", 3), &twice, WORMHOLE, 6),
        // Half as many wires for as many messages.
        (network("torus:3x3", 4).half_duplex(), &exchange, WORMHOLE, 6),
    ];
    for (topology, collective, model, steps) in cases {
        let problem = Problem::new(&topology, collective, model).unwrap();
        let budget = Budget::unlimited();
        let request = Request { goal: steps, below: steps + 1, attempts: 0..24, ..Request::first(&problem, &budget) };
        let schedule = (SYMMETRIC.find)(&request).unwrap_or_else(|miss| panic!("{} {miss:?}", topology.name()));
        assert_eq!(verify(&problem, &schedule).unwrap().steps, steps as usize);
    }
}
