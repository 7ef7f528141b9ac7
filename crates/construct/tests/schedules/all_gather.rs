//! All-gather meets the reception bound, for any node numbers.

use lockstep_construct::schedule;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, verify};
use lockstep_topology::strategy::{cases, shuffled};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const STORE_AND_FORWARD: CommunicationModel = CommunicationModel::store_and_forward();

/// Returns the reception bound: the steps that a terminal needs to receive all messages, or all resources to carry
/// them.
fn receptions(network: &Topology, model: CommunicationModel, chunks: u32) -> u32 {
    let terminals = network.terminals();
    let each = (terminals.len() - 1) * chunks as usize;
    let by_ports = terminals.iter().map(|&node| each.div_ceil(model.ports.of_degree(network.in_channels(node).len())));
    let by_resources = (each * terminals.len()).div_ceil(network.resource_count());
    by_ports.chain([by_resources]).max().unwrap() as u32
}

/// Checks that renumbered networks, each with another seed, meet the bound.
fn reaches_the_bound(network: Topology, model: CommunicationModel, chunks: u32, count: u32) {
    let bound = receptions(&network, model, chunks);
    let name = network.name().to_owned();
    let mut runner = TestRunner::new_with_rng(cases(count), TestRunner::deterministic().new_rng());
    let outcome = runner.run(&(shuffled(network), any::<u64>()), |(network, seed)| {
        let all_gather = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&network, &all_gather, model).unwrap();
        // Enough for a hundred attempts of every method that supports the problem.
        let evaluations = 100 * 128 * problem.messages().delivery_count();
        let found = schedule(&problem, bound, seed, &Budget::evaluations(evaluations));
        prop_assert!(found.is_ok(), "{}", found.unwrap_err());
        let report = verify(&problem, &found.unwrap())?;
        prop_assert_eq!((report.steps as u32, report.redundant), (bound, 0));
        Ok(())
    });
    assert!(outcome.is_ok(), "{name}, {model}, {chunks} chunks: {}", outcome.unwrap_err());
}

fn reach_the_bound(specs: &[&str], model: CommunicationModel, cases: u32) {
    for spec in specs {
        reaches_the_bound(spec.parse().unwrap(), model, 1, cases);
    }
}

fn ports(limit: u32) -> CommunicationModel {
    CommunicationModel { ports: Ports::limit(limit).unwrap(), ..STORE_AND_FORWARD }
}

#[test]
fn small_direct_networks() {
    let families = [
        "hypercube:3",
        "hypercube:4",
        "hypercube:5",
        "hypercube:6",
        "mesh:4x4",
        "mesh:5x8",
        "mesh:8x8",
        "torus:4x4",
        "torus:6x6",
        "torus:8x8",
        "torus:3x3x3",
        "kautz:2,3",
        "kautz:3,2",
        "kautz:2,4",
        "kautz:3,3",
        "kautz:2,5",
        "de-bruijn:2,4",
        "ring:9",
        "circulant:32,1,7,9",
        "complete:12",
        "moore:8",
    ];
    reach_the_bound(&families, STORE_AND_FORWARD, 20);
}

#[test]
fn networks_without_structure() {
    let random = [
        "random-regular:24,4,1",
        "random-regular:32,4,2",
        "random-regular:42,4,3",
        "random-regular:64,4,4",
        "random-regular:30,3,5",
        "random-regular:40,9,6",
    ];
    reach_the_bound(&random, STORE_AND_FORWARD, 20);
}

#[test]
fn larger_direct_networks() {
    reach_the_bound(&["torus:16x16", "hypercube:8"], STORE_AND_FORWARD, 1);
}

#[test]
fn kautz_networks_without_one_channel() {
    let kautz: Topology = "kautz:3,2".parse().unwrap();
    for dead in kautz.channels() {
        let mut rest = TopologyBuilder::new(format!("kautz:3,2 without {dead:?}"));
        kautz.nodes().for_each(|node| {
            rest.terminal(kautz.node_name(node));
        });
        kautz.channels().filter(|&channel| channel != dead).for_each(|channel| {
            rest.channel(kautz.tail(channel), kautz.head(channel));
        });
        reaches_the_bound(rest.build().unwrap(), STORE_AND_FORWARD, 1, 1);
    }
}

/// Returns the links of an NVIDIA DGX-1 with V100s, some of them double.
fn dgx1() -> Topology {
    let links = [
        (0, 1, 1),
        (0, 2, 1),
        (0, 3, 2),
        (0, 4, 2),
        (1, 2, 2),
        (1, 3, 1),
        (1, 5, 2),
        (2, 3, 2),
        (2, 6, 1),
        (3, 7, 1),
        (4, 5, 1),
        (4, 6, 1),
        (4, 7, 2),
        (5, 6, 2),
        (5, 7, 1),
        (6, 7, 2),
    ];
    let mut server = TopologyBuilder::new("dgx-1");
    let nodes: Vec<NodeId> = (0..8).map(|number| server.terminal(number.to_string())).collect();
    for (from, to, width) in links {
        for _ in 0..width {
            server.link(nodes[from], nodes[to]);
        }
    }
    server.build().unwrap()
}

#[test]
fn parallel_links_and_chunks() {
    for chunks in [1, 2, 6, 16] {
        reaches_the_bound(dgx1(), STORE_AND_FORWARD, chunks, 20);
    }
    for spec in ["mesh:4x4", "kautz:2,3", "hypercube:4"] {
        reaches_the_bound(spec.parse().unwrap(), STORE_AND_FORWARD, 3, 20);
    }
}

#[test]
fn few_ports() {
    let specs = ["torus:4x4", "hypercube:4", "kautz:3,2", "random-regular:32,4,2", "torus:8x8"];
    for limit in [1, 2, 3] {
        reach_the_bound(&specs, ports(limit), 10);
    }
    reach_the_bound(&["mesh:4x4", "kautz:2,3"], ports(1), 3);
}

#[test]
fn half_duplex_links() {
    let specs = ["ring:8", "ring:9", "hypercube:3", "hypercube:5", "torus:4x4", "torus:8x8", "random-regular:32,4,2"];
    for spec in specs {
        let network: Topology = spec.parse().unwrap();
        reaches_the_bound(network.half_duplex(), STORE_AND_FORWARD, 1, 10);
    }
    reaches_the_bound("torus:4x4".parse::<Topology>().unwrap().half_duplex(), ports(2), 1, 3);
}

#[test]
fn wormhole_networks_with_and_without_switches() {
    let specs = [
        "omega:16",
        "omega:32",
        "butterfly:16",
        "fat-tree:2,4",
        "fat-tree:2,5",
        "clos:4,4,4",
        "clos:3,3,4",
        "full-b-tree:31",
        "dragonfly:2,1,1",
        "mesh:4x4",
        "torus:4x4",
        "kautz:3,2",
        "hypercube:5",
    ];
    reach_the_bound(&specs, WORMHOLE, 3);
    reach_the_bound(&["dragonfly:4,2,2"], WORMHOLE, 1);
    reach_the_bound(
        &["hypercube:4", "mesh:4x4", "kautz:3,2"],
        CommunicationModel { switching: WORMHOLE.switching, ..ports(1) },
        3,
    );
}
