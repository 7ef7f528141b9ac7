//! The lower bound of every cell of the document on multistage networks is the optimum.

use lockstep_bounds::{best, best_reaching};
use lockstep_schedule::{Collective, CollectiveName, CommunicationModel, Problem};
use lockstep_topology::{NodeId, Topology};
use serde_json::Value;

/// The networks of Tables 1 and 3, with the steps that the search of the document reached.
const DOCUMENT: &str = include_str!("../../../../data/papers/min.json");

/// Returns the optimum of a cell: a closed formula where the search of the document may have missed it, otherwise its
/// figure.
///
/// With one port, the number of holders doubles per step, and a terminal receives N - 1 messages. A link of a tree
/// carries all messages from one of its sides to the other.
fn optimum(spec: &str, collective: &str, printed: u32, depth: u32) -> u32 {
    let (family, parameters) = spec.split_once(':').unwrap();
    let network: Topology = spec.parse().unwrap();
    let terminals = network.terminal_count() as u32;
    let below = |depth: u32| ((terminals + 1) >> depth) - 1;
    match (family, collective) {
        // By the dynamic program, the figures of the document are optima.
        ("full-b-tree", "oab") => printed,
        ("full-b-tree", "oas") if depth == 0 => below(1),
        ("full-b-tree", "oas") => terminals - below(depth),
        ("full-b-tree", "aas") => below(1) * (terminals - below(1)),
        ("b-tree", "aas") => (terminals / 2).pow(2),
        (_, "oab") => terminals.next_power_of_two().ilog2(),
        ("omega" | "butterfly" | "clos" | "fat-tree" | "b-tree" | "full-b-tree", _) => terminals - 1,
        _ => panic!("{spec} ({parameters}) is a new family"),
    }
}

#[test]
fn every_cell_is_bounded_by_its_optimum() {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let (mut cells, mut beaten) = (0, Vec::new());
    for network in document["networks"].as_array().unwrap() {
        let spec = network["spec"].as_str().unwrap();
        let topology: Topology = spec.parse().unwrap();
        for cell in network["cells"].as_array().unwrap() {
            let (name, printed) = (cell["collective"].as_str().unwrap(), cell["steps"].as_array().unwrap());
            // Several figures belong to the depths of the source in a tree, from leaf to root.
            for (depth, printed) in (0..printed.len() as u32).rev().zip(printed) {
                let printed = printed.as_u64().unwrap() as u32;
                let root = if name.starts_with('o') { Some(topology.terminals()[(1 << depth) - 1]) } else { None };
                let expected = optimum(spec, name, printed, depth);
                let name: CollectiveName = name.parse().unwrap();
                check(&topology, &name.with_root(root).unwrap(), expected);
                assert!(expected <= printed, "{spec} {name} from depth {depth}");
                cells += 1;
                if expected < printed {
                    beaten.push(format!("{spec} {name} {depth}"));
                }
            }
        }
    }
    // 18 networks have 4 cells each. In the last four, broadcast and scatter have a figure for each of their 3 to 6
    // depths.
    assert_eq!(cells, 14 * 4 + [3, 4, 5, 6].map(|depths| 2 * depths + 2).iter().sum::<u32>());
    // Eight cells of Table 1; the all-gather of three B-Trees and all FB-Trees, one all-to-all of an F-Tree, and three
    // scatters of an FB-Tree.
    assert_eq!(beaten.len(), 8 + 3 + 4 + 1 + 3, "{beaten:?}");
}

/// Verifies that the bound is the optimum and has a valid certificate, also with a limit of steps and other node
/// numbers.
fn check(topology: &Topology, collective: &Collective, optimum: u32) {
    let count = topology.node_count() as u32;
    let stride = (2..count).find(|&stride| gcd(count, stride) == 1).unwrap();
    let place: Vec<NodeId> = (0..count).map(|node| NodeId::new((node * stride + 1) % count)).collect();
    let shuffled = topology.relabelled(&place);
    let moved = match collective.root() {
        Some(root) => collective.name().unwrap().with_root(Some(place[root.index()])).unwrap(),
        None => collective.clone(),
    };
    for (topology, collective) in [(topology, collective), (&shuffled, &moved)] {
        let problem = Problem::new(topology, collective, CommunicationModel::wormhole()).unwrap();
        for bound in [best(&problem), best_reaching(&problem, optimum)] {
            assert_eq!(bound.steps, optimum, "{} {collective:?}: {bound}", topology.name());
            assert_eq!(bound.check(&problem), Ok(()), "{}: {bound}", topology.name());
        }
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
