//! Networks with capacities take no more steps than the same networks with parallel channels.

use lockstep_construct::schedule;
use lockstep_schedule::{Budget, Collective, CommunicationModel, NotFound, Problem, Switching, verify};
use lockstep_topology::strategy::{connected_topology, indirect_topology, with_capacities, with_parallel_channels};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// Returns the number of steps of the best schedule after a number of evaluations.
fn steps(topology: &Topology, collective: &Collective, model: CommunicationModel, goal: u32) -> u32 {
    let problem = Problem::new(topology, collective, model).unwrap();
    match schedule(&problem, goal, 1, &Budget::evaluations(1 << 15)) {
        Ok(schedule) => verify(&problem, &schedule).unwrap().steps as u32,
        Err(NotFound::TooLong { reached, .. }) => reached,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn capacities_are_as_good_as_parallel_channels() {
    let mut runner = TestRunner::deterministic();
    let direct = connected_topology(7).prop_flat_map(|network| with_capacities(network, 3));
    let indirect = indirect_topology(9).prop_flat_map(|network| with_capacities(network, 3));
    let (mut wider, mut parallel, mut worse) = (0, 0, Vec::new());
    for case in 0..16 {
        let topology = match case % 2 {
            0 => direct.new_tree(&mut runner).unwrap().current(),
            _ => indirect.new_tree(&mut runner).unwrap().current(),
        };
        let (copies, _) = with_parallel_channels(&topology);
        let root = topology.terminals()[0];
        let chunks = 3.try_into().unwrap();
        let collectives = [
            Collective::all_gather(),
            Collective::all_gather().with_chunks(chunks),
            Collective::all_to_all(),
            Collective::broadcast(root),
            Collective::broadcast(root).with_chunks(chunks),
            Collective::scatter(root).with_chunks(chunks),
        ];
        for collective in &collectives {
            for model in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
                if model.switching == Switching::StoreAndForward && !topology.is_direct() {
                    continue;
                }
                let problem = Problem::new(&copies, collective, model).unwrap();
                let goal = lockstep_bounds::best(&problem).steps;
                let found = [&topology, &copies].map(|network| steps(network, collective, model, goal));
                (wider, parallel) = (wider + found[0], parallel + found[1]);
                if found[0] > found[1] {
                    worse.push((case, collective.clone(), model.switching, found));
                }
            }
        }
    }
    assert!(worse.is_empty(), "{wider} and {parallel} steps; worse: {worse:#?}");
}

/// The links of a DGX-1, with capacities 1 and 2.
#[test]
fn a_dgx_1_takes_the_steps_of_its_throughput() {
    let wide = [(0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (4, 7), (5, 6), (6, 7)];
    let narrow = [(0, 1), (0, 2), (1, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7)];
    let mut network = TopologyBuilder::new("dgx-1");
    let nodes: Vec<NodeId> = (0..8).map(|gpu| network.terminal(gpu.to_string())).collect();
    for (links, capacity) in [(wide, 2), (narrow, 1)] {
        for (u, v) in links {
            let link = network.link(nodes[u], nodes[v]);
            network.set_capacity(link, capacity);
        }
    }
    let network = network.build().unwrap();
    for (chunks, fewest) in [(1u32, 2), (2, 3), (6, 7)] {
        let collective = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        assert_eq!(steps(&network, &collective, CommunicationModel::store_and_forward(), fewest), fewest);
    }
}

/// Pairs with wide links inside, and links of capacity 1 or 2 to three other pairs: all pairs are tight. Each message must
/// enter a pair once only.
#[test]
fn many_chunks_enter_tight_pairs_once() {
    let mut network = TopologyBuilder::new("pairs");
    let nodes: Vec<NodeId> = (0..16).map(|place| network.terminal(place.to_string())).collect();
    let mut join = |u: usize, v: usize, capacity: u64| {
        let link = network.link(nodes[u], nodes[v]);
        network.set_capacity(link, capacity);
    };
    for pair in 0..8 {
        join(2 * pair, 2 * pair + 1, 4);
        // A Moebius ladder of pairs.
        join(2 * pair + 1, 2 * ((pair + 1) % 8), 2);
        if pair < 4 {
            join(2 * pair, 2 * pair + 8, 1);
            join(2 * pair + 1, 2 * pair + 9, 1);
        }
    }
    let network = network.build().unwrap();
    // 14 messages per chunk enter each pair, at most 6 in a step; the last one must be copied inside.
    for (chunks, fewest) in [(3_u32, 8), (48, 113), (90, 211)] {
        let collective = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&network, &collective, CommunicationModel::store_and_forward()).unwrap();
        let found = schedule(&problem, fewest, 1, &Budget::evaluations(1 << 19)).unwrap();
        assert_eq!(verify(&problem, &found).unwrap().steps, fewest as usize, "{chunks} chunks");
    }
}

/// One message in a step enters each server, and its terminals pass it on in two more steps.
#[test]
fn servers_get_a_new_message_in_each_step() {
    let network: Topology = "ndv2:4".parse().unwrap();
    let model = CommunicationModel::store_and_forward().on(&network);
    for (chunks, fewest) in [(1_u32, 26), (2, 50), (4, 98)] {
        let collective = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&network, &collective, model).unwrap();
        let found = schedule(&problem, fewest, 1, &Budget::evaluations(1 << 20)).unwrap();
        assert_eq!(verify(&problem, &found).unwrap().steps, fewest as usize, "{chunks} chunks");
    }
}

/// A link of the maximum capacity carries all chunks in one step, with no more memory than any other link.
#[test]
fn the_widest_links_carry_all_messages() {
    let mut network = TopologyBuilder::new("pair");
    let nodes = ["a", "b", "c"].map(|name| network.terminal(name));
    for (u, v) in [(0, 1), (1, 2)] {
        let link = network.link(nodes[u], nodes[v]);
        network.set_capacity(link, 65_536);
    }
    let network = network.build().unwrap();
    for collective in [Collective::all_gather(), Collective::all_to_all(), Collective::broadcast(nodes[0])] {
        let collective = collective.with_chunks(500.try_into().unwrap());
        for model in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
            let fewest = if model.switching == Switching::Wormhole { 1 } else { 2 };
            assert_eq!(steps(&network, &collective, model, fewest), fewest, "{:?}", collective.name());
        }
    }
}
