//! Tests of the whole method.

use std::collections::BTreeSet;

use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, verify};
use lockstep_topology::strategy::petersen;
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::kit::testing::{any_network, lower_bound};

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const STORE_AND_FORWARD: CommunicationModel = CommunicationModel::store_and_forward();

/// Returns the network of a spec, renumbered.
fn network(spec: &str, seed: u64) -> Topology {
    let topology = if spec == "petersen" { petersen() } else { spec.parse().unwrap() };
    let mut places: Vec<NodeId> = topology.nodes().collect();
    places.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    topology.relabelled(&places)
}

/// Returns the image of each working node under a permutation of channels; `None` if the channels of one node have
/// different tails afterwards.
fn of_nodes(topology: &Topology, permutation: &[ChannelId]) -> Option<Vec<NodeId>> {
    let has_failed = |node| topology.has_failed(node).then_some(node);
    let mut image: Vec<Option<NodeId>> = topology.nodes().map(has_failed).collect();
    for channel in topology.channels() {
        let to = permutation[channel.index()];
        for (node, to) in [(topology.tail(channel), topology.tail(to)), (topology.head(channel), topology.head(to))] {
            if *image[node.index()].get_or_insert(to) != to {
                return None;
            }
        }
    }
    image.into_iter().collect()
}

proptest! {
    #[test]
    fn groups_are_free_and_closed(topology in any_network(12), fixed in 0usize..2) {
        let Some(symmetries) = Symmetries::new(&topology) else { return Ok(()) };
        let group = FreeActionGroup::random(&symmetries, fixed, |_, _| true, &mut ChaCha8Rng::seed_from_u64(2));
        let Some(group) = group else { return Ok(()) };
        let elements: BTreeSet<&[ChannelId]> = group.elements().collect();
        prop_assert_eq!(elements.len(), group.order());
        prop_assert!(group.order() > 1 && topology.resource_count() % group.order() == 0);
        for (place, one) in group.elements().enumerate() {
            let is_kept = |channel: ChannelId| topology.resource(channel) == topology.resource(one[channel.index()]);
            prop_assert!(topology.channels().all(|channel| is_kept(channel) == (place == 0)));
            let kept = of_nodes(&topology, one).unwrap();
            let kept = topology.terminals().iter().filter(|node| kept[node.index()] == **node).count();
            prop_assert!(place == 0 || kept <= fixed);
            for other in group.elements() {
                let product: Vec<ChannelId> = one.iter().map(|channel| other[channel.index()]).collect();
                prop_assert!(elements.contains(&product[..]));
            }
        }
    }

    /// Every schedule is valid and does not beat the lower bound.
    #[test]
    fn symmetric_schedules_are_valid(
        topology in any_network(9), model in any_model(), chunks in 1u32..3, gathers: bool,
    ) {
        let collective = if gathers { Collective::all_gather() } else { Collective::all_to_all() };
        let collective = collective.with_chunks(chunks.try_into().unwrap());
        let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
        if let Ok(schedule) = (SYMMETRIC.find)(&MethodRequest::first(&problem, &Budget::unlimited())) {
            let report = verify(&problem, &schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert!(report.unwrap().steps >= lower_bound(&problem) as usize);
        }
    }
}

#[test]
fn networks_without_symmetry_are_not_supported() {
    let mut network = TopologyBuilder::new("a path with a branch");
    let nodes: Vec<NodeId> = (0..7).map(|node| network.terminal(node.to_string())).collect();
    for (u, v) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (2, 6)] {
        network.link(nodes[u], nodes[v]);
    }
    let topology = network.build().unwrap();
    let collective = Collective::all_to_all();
    let problem = Problem::new(&topology, &collective, WORMHOLE).unwrap();
    let miss = (SYMMETRIC.find)(&MethodRequest::first(&problem, &Budget::unlimited())).unwrap_err();
    assert_eq!(miss, MethodError::Unsupported);
    assert!(Symmetries::new(&"mesh:2x3".parse().unwrap()).is_some());
}

/// The rotation of a ring by a quarter has a group of four elements.
#[test]
fn one_element_generates_its_powers() {
    let ring: Topology = "ring:8".parse().unwrap();
    let by_two = |channel: ChannelId| {
        let [tail, head] = [ring.tail(channel), ring.head(channel)].map(|node| NodeId::new((node.number() + 2) % 8));
        *ring.out_channels(tail).iter().find(|&&channel| ring.head(channel) == head).unwrap()
    };
    let rotation: Vec<ChannelId> = ring.channels().map(by_two).collect();
    let group = FreeActionGroup::trivial(&ring, 0).unwrap().with(&rotation).unwrap();
    assert_eq!(group.order(), 4);
    assert!(group.with(&rotation).is_none(), "it has that element");
}

/// The fewest steps on renumbered networks: half of the messages cross a middle cut, all channels are always busy, or
/// every node receives at its full rate.
#[test]
fn symmetric_networks_meet_their_bounds() {
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..WORMHOLE };
    let (exchange, gather) = (Collective::all_to_all(), Collective::all_gather());
    let cases = [
        ("torus:4x4", &exchange, WORMHOLE, 8),
        ("torus:5x5", &exchange, WORMHOLE, 15),
        ("torus:6x6", &exchange, WORMHOLE, 27),
        ("torus:3x3x3", &exchange, WORMHOLE, 9),
        ("hypercube:5", &exchange, WORMHOLE, 16),
        ("complete:6", &exchange, WORMHOLE, 1),
        ("petersen", &exchange, WORMHOLE, 5),
        ("torus:4x4", &exchange, relay, 8),
        ("torus:8x8", &gather, STORE_AND_FORWARD, 16),
        ("hypercube:6", &gather, STORE_AND_FORWARD, 11),
        ("kautz:2,4", &gather, WORMHOLE, 12),
        ("petersen", &gather, STORE_AND_FORWARD, 3),
    ];
    for (number, (spec, collective, model, steps)) in (1..).zip(cases) {
        let topology = network(spec, number);
        let problem = Problem::new(&topology, collective, model).unwrap();
        assert!(lower_bound(&problem) <= steps, "{spec}");
        let budget = Budget::unlimited();
        let request =
            MethodRequest { goal: steps, below: steps + 1, attempts: 0..24, ..MethodRequest::first(&problem, &budget) };
        let schedule = (SYMMETRIC.find)(&request).unwrap_or_else(|miss| panic!("{spec} {collective:?}: {miss:?}"));
        assert_eq!(verify(&problem, &schedule).unwrap().steps, steps as usize, "{spec}");
    }
}

#[test]
fn ports_half_duplex_links_and_chunks_limit_the_steps() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..WORMHOLE };
    let exchange = Collective::all_to_all();
    let twice = exchange.clone().with_chunks(2.try_into().unwrap());
    let cases = [
        // Each node sends to all others, one per step.
        (network("hypercube:3", 1), &exchange, one_port, 7),
        (network("torus:3x3", 3), &twice, WORMHOLE, 6),
        // Half the resources for the same messages.
        (network("torus:3x3", 4).half_duplex(), &exchange, WORMHOLE, 6),
    ];
    for (topology, collective, model, steps) in cases {
        let problem = Problem::new(&topology, collective, model).unwrap();
        let budget = Budget::unlimited();
        let request =
            MethodRequest { goal: steps, below: steps + 1, attempts: 0..24, ..MethodRequest::first(&problem, &budget) };
        let schedule = (SYMMETRIC.find)(&request).unwrap_or_else(|miss| panic!("{} {miss:?}", topology.name()));
        assert_eq!(verify(&problem, &schedule).unwrap().steps, steps as usize);
    }
}

/// Direct transfers take one port for the whole path, relays one for each hop.
#[test]
fn messages_that_may_be_relayed_take_direct_transfers() {
    let ports =
        |limit| CommunicationModel { ports: Ports::limit(limit).unwrap(), scatter: ScatterRule::Relay, ..WORMHOLE };
    let exchange = Collective::all_to_all();
    for (spec, limit, steps) in [("mesh:4x4", 1, 16), ("mesh:5x4", 1, 24), ("torus:4x6", 2, 18), ("fat-tree:2,3", 1, 8)]
    {
        let topology = network(spec, 1);
        let problem = Problem::new(&topology, &exchange, ports(limit)).unwrap();
        let budget = Budget::unlimited();
        let request = MethodRequest { goal: steps, ..MethodRequest::first(&problem, &budget) };
        let schedule = (SYMMETRIC.find)(&request).unwrap();
        let verified = verify(&problem, &schedule).unwrap();
        assert_eq!((verified.steps, verified.relays), (steps as usize, 0), "{spec}");
    }
}
