//! Broadcasts over trees.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, verdict, why};

#[test]
fn a_program_over_a_tree_has_1_to_16_steps_and_2000_neighbours() {
    let check = |leaves: usize, infeasible: u32| {
        let mut star = TopologyBuilder::new("star");
        let hub = star.terminal("hub");
        for leaf in 0..leaves {
            let leaf = star.terminal(leaf.to_string());
            star.link(hub, leaf);
        }
        let certificate = Certificate::TreeBroadcast { source: hub, infeasible, states: 0, digest: String::new() };
        let bound = LowerBound { steps: infeasible + 1, rule: Rule::TreeBroadcast, certificate };
        verdict(&star.build().unwrap(), &Collective::broadcast(hub), WORMHOLE, &bound)
    };
    let feasible = why(Rule::TreeBroadcast, "the source can meet the needs of all subtrees");
    let steps = why(Rule::TreeBroadcast, "the number of steps must be 1 to 16");
    assert_eq!(
        [check(3, 0), check(3, 1), check(3, 16), check(3, 17)],
        [&steps, &feasible, &feasible, &steps].map(String::as_str)
    );
    assert_eq!(check(2000, 1), feasible);
    assert_eq!(check(2001, 1), why(Rule::TreeBroadcast, "a node has too many neighbours"));
}

/// Returns the verdict on a broadcast of terminal 0 over a tree, for needs that no program has.
fn program(tree: &Topology, model: CommunicationModel, chunks: u32) -> String {
    let broadcast = Collective::broadcast(ROOT).with_chunks(chunks.try_into().unwrap());
    let certificate = Certificate::TreeBroadcast { source: ROOT, infeasible: 1, states: 0, digest: String::new() };
    verdict(tree, &broadcast, model, &LowerBound { steps: 2, rule: Rule::TreeBroadcast, certificate })
}

#[test]
fn a_program_over_a_tree_concerns_one_message_under_wormhole_switching() {
    let line: Topology = "mesh:1x2".parse().unwrap();
    let error = why(Rule::TreeBroadcast, "the argument requires one message under wormhole switching");
    assert_eq!([program(&line, PACKETS, 1), program(&line, WORMHOLE, 2)], [&*error; 2]);
    let feasible = why(Rule::TreeBroadcast, "the source can meet the needs of all subtrees");
    assert_eq!(program(&line, WORMHOLE, 1), feasible);
    // A failed node is no part of the tree.
    let mut network = TopologyBuilder::new("line");
    let ends = ["0", "1", "2"].map(|name| network.terminal(name));
    network.link(ends[0], ends[1]);
    network.link(ends[1], ends[2]);
    network.fail_node(ends[2]);
    assert_eq!(program(&network.build().unwrap(), WORMHOLE, 1), feasible);
}

/// Returns the verdict on the number of steps of packets from the hub of a star.
fn packets(leaves: u32, model: CommunicationModel, chunks: u32, steps: u32) -> String {
    let mut star = TopologyBuilder::new("star");
    let hub = star.terminal("hub");
    for leaf in 0..leaves {
        let leaf = star.terminal(leaf.to_string());
        star.link(hub, leaf);
    }
    let broadcast = Collective::broadcast(hub).with_chunks(chunks.try_into().unwrap());
    let certificate = Certificate::TreePackets { source: hub, steps };
    let bound = LowerBound { steps, rule: Rule::TreePackets, certificate };
    verdict(&star.build().unwrap(), &broadcast, model, &bound)
}

#[test]
fn packets_leave_a_node_through_all_its_ports() {
    let ports = |count: u32| CommunicationModel { ports: Ports::limit(count).unwrap(), ..PACKETS };
    for (model, steps) in [(ports(1), 5), (ports(2), 3), (ports(4), 2), (ports(5), 1), (PACKETS, 1)] {
        assert_eq!(packets(5, model, 1, steps), "accepted");
        assert_ne!(packets(5, model, 1, steps + 1), "accepted");
    }
    let error = why(Rule::TreePackets, "the argument requires one message under store-and-forward");
    assert_eq!([packets(2, PACKETS, 2, 1), packets(2, WORMHOLE, 1, 1)], [&*error; 2]);
}

#[test]
fn packets_over_a_ring_are_not_packets_over_a_tree() {
    let ring: Topology = "ring:4".parse().unwrap();
    for steps in 1..=4 {
        let certificate = Certificate::TreePackets { source: ROOT, steps };
        let bound = LowerBound { steps, rule: Rule::TreePackets, certificate };
        let refused = verdict(&ring, &Collective::broadcast(ROOT), PACKETS, &bound);
        assert_eq!(refused, why(Rule::TreePackets, "the links do not form a tree"));
    }
}

#[test]
fn parallel_channels_carry_more_than_a_tree() {
    let mut network = TopologyBuilder::new("double line");
    let ends: Vec<NodeId> = (0..3).map(|node| network.terminal(node.to_string())).collect();
    for (u, v) in [(0, 1), (0, 1), (1, 2)] {
        network.link(ends[u], ends[v]);
    }
    let certificate = Certificate::TreeBroadcast { source: ROOT, infeasible: 1, states: 0, digest: String::new() };
    let bound = LowerBound { steps: 2, rule: Rule::TreeBroadcast, certificate };
    let refused = verdict(&network.build().unwrap(), &Collective::broadcast(ROOT), WORMHOLE, &bound);
    assert_eq!(refused, why(Rule::TreeBroadcast, "parallel channels carry more than one copy"));
}
