//! Every comparison of a check at its limit: the last value that is accepted, and the first that is refused.

use lockstep_certificate::{Certificate, Direction, LowerBound, Rule};
use lockstep_schedule::{Collective, CollectiveName, CommunicationModel, Message, Ports};
use lockstep_topology::{CayleyGraph, NodeId, Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, nodes, verdict, why};

/// Chunks of terminal 0, and as many of terminal 1, over one channel each.
fn timed_cut(chunks: u32, infeasible: u32, holds: [u32; 2], [messages, crossings]: [u64; 2]) -> String {
    let pair: Topology = "complete:2".parse().unwrap();
    let exchange = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
    let (holds, sends, receives) = (holds.to_vec(), Vec::new(), Vec::new());
    let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages, crossings };
    let steps = infeasible.saturating_add(1);
    verdict(&pair, &exchange, PACKETS, &LowerBound { steps, rule: Rule::TimedCut, certificate })
}

#[test]
fn a_timed_cut_needs_more_messages_than_crossings() {
    let can_cross = why(Rule::TimedCut, "the messages can cross in these steps");
    assert_eq!(timed_cut(1, 1, [0, 2], [1, 1]), can_cross);
    assert_eq!(timed_cut(2, 1, [0, 2], [2, 1]), "accepted");
    assert_eq!(timed_cut(1, 2, [0, 3], [1, 2]), can_cross);
    // The last label means never. Terminal 1 is far if it never joins the near side, and source 0 is near at time 0.
    let too_late = why(Rule::TimedCut, "no label may exceed the number of steps plus 1");
    assert_eq!(timed_cut(2, 1, [0, 3], [2, 1]), too_late);
    assert_eq!(timed_cut(2, 1, [0, 1], [0, 0]), can_cross);
    assert_eq!(timed_cut(2, 1, [1, 2], [0, 0]), can_cross);
}

#[test]
fn timed_cuts_of_the_most_steps_do_not_overflow() {
    let (chunks, most) = (u32::MAX / 2, u32::MAX - 1);
    let can_cross = why(Rule::TimedCut, "the messages can cross in these steps");
    assert_eq!(timed_cut(chunks, chunks - 1, [0, chunks], [chunks.into(), u64::from(chunks) - 1]), "accepted");
    assert_eq!(timed_cut(chunks, chunks, [0, chunks + 1], [chunks.into(); 2]), can_cross);
    assert_eq!(timed_cut(chunks, most, [0, u32::MAX], [chunks.into(), most.into()]), can_cross);
    assert_eq!(timed_cut(chunks, most, [u32::MAX; 2], [0; 2]), can_cross);
    assert_eq!(timed_cut(1, u32::MAX, [u32::MAX; 2], [0; 2]), why(Rule::TimedCut, "there are too many steps"));
    // With limited ports, each node has three labels.
    let pair: Topology = "complete:2".parse().unwrap();
    let exchange = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    for labels in 0..64u32 {
        let [holds, sends, receives] = [0, 2, 4]
            .map(|shift| [0, 1].map(|place| if labels >> (shift + place) & 1 == 1 { u32::MAX } else { 0 }).to_vec());
        let certificate = Certificate::TimedCut { infeasible: most, holds, sends, receives, messages: 0, crossings: 0 };
        let bound = LowerBound { steps: u32::MAX, rule: Rule::TimedCut, certificate };
        assert_ne!(verdict(&pair, &exchange, one_port, &bound), "accepted");
    }
}

/// A broadcast must cross if a terminal is far, and not otherwise.
#[test]
fn a_timed_cut_counts_broadcasts_with_a_far_receiver() {
    let path: Topology = "mesh:1x3".parse().unwrap();
    let two_chunks = Collective::broadcast(ROOT).with_chunks(2.try_into().unwrap());
    let check = |holds: [u32; 3], messages: u64, crossings: u64| {
        let (holds, sends, receives) = (holds.to_vec(), Vec::new(), Vec::new());
        let certificate = Certificate::TimedCut { infeasible: 1, holds, sends, receives, messages, crossings };
        verdict(&path, &two_chunks, PACKETS, &LowerBound { steps: 2, rule: Rule::TimedCut, certificate })
    };
    assert_eq!(check([0, 2, 2], 2, 1), "accepted");
    assert_eq!(check([0, 1, 2], 2, 0), "accepted");
    assert_eq!(check([0, 1, 1], 0, 0), why(Rule::TimedCut, "the messages can cross in these steps"));
}

/// The path with the fewest channels from 0 to 2 uses one bus twice, so a legal path takes the detour over 3 and 4.
fn detour() -> Topology {
    let mut network = TopologyBuilder::new("detour");
    let ends: Vec<NodeId> = (0..5).map(|node| network.terminal(node.to_string())).collect();
    let channels = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)].map(|(u, v)| network.channel(ends[u], ends[v]));
    network.share([channels[0], channels[1]]);
    network.build().unwrap()
}

#[test]
fn with_buses_a_legal_path_may_have_more_channels_than_the_shortest() {
    let network = detour();
    let message = || Message { source: ROOT, receivers: nodes(&[2]) };
    let two = Collective::custom(vec![message(), message()]);
    // Channel 1 -> 2 has length 1, and the detour none.
    let lengths = |distance: u64| LowerBound {
        steps: 2,
        rule: Rule::ArcForwarding,
        certificate: Certificate::Lengths {
            unit: 1,
            resources: vec![1, 0, 0, 0],
            sends: vec![],
            receptions: vec![],
            distance,
            per_step: 1,
        },
    };
    let refused = "lengths of all messages: the certificate states 4, but the problem gives 0";
    assert_eq!(verdict(&network, &two, WORMHOLE, &lengths(4)), refused);
    assert_eq!(verdict(&network, &two, WORMHOLE, &lengths(0)), why(Rule::ArcForwarding, "no message has to move"));
}

#[test]
fn distances_start_at_one_channel_and_end_at_the_farthest_terminal() {
    // From the end of a line: one message for each distance from 1 to 4, one per step.
    let line: Topology = "mesh:5x1".parse().unwrap();
    let check = |collective: &Collective, direction: Direction, distance: u32, messages: u64| {
        let steps = (messages as u32 + distance).saturating_sub(1);
        let certificate = Certificate::Eccentricity { node: ROOT, direction, distance, messages, ports: 1 };
        verdict(&line, collective, PACKETS, &LowerBound { steps, rule: Rule::Eccentricity, certificate })
    };
    let scatter = Collective::scatter(ROOT);
    let others = nodes(&[1, 2, 3, 4]);
    let incoming = Collective::many_to_many_scatter(&others, &[ROOT]);
    for (collective, direction) in [(&scatter, Direction::Out), (&incoming, Direction::In)] {
        for distance in 1..=4 {
            assert_eq!(check(collective, direction, distance, 5 - u64::from(distance)), "accepted");
            assert_ne!(check(collective, direction, distance, 6 - u64::from(distance)), "accepted");
            assert_ne!(check(collective, direction, distance, 4 - u64::from(distance)), "accepted");
        }
        let nothing = why(Rule::Eccentricity, "no message has to move");
        assert_eq!(check(collective, direction, 5, 0), nothing);
        let same_place = why(Rule::Eccentricity, "a message crosses one channel or more");
        assert_eq!(check(collective, direction, 0, 4), same_place);
    }
    assert_eq!(check(&scatter, Direction::Both, 1, 4), why(Rule::Eccentricity, "the direction must be in or out"));
}

/// Returns the error of a bound of a Cayley graph in words, or "accepted".
fn symmetric_verdict(
    graph: &CayleyGraph,
    collective: CollectiveName,
    steps: u32,
    rule: Rule,
    is: Certificate,
) -> String {
    let checked = LowerBound { steps, rule, certificate: is }.check_symmetric(graph, collective, PACKETS);
    checked.map_or_else(|error| error.to_string(), |()| "accepted".to_owned())
}

#[test]
fn no_node_of_a_cayley_graph_sends_to_itself() {
    let ring: CayleyGraph = "ring:9".parse().unwrap();
    let check = |distance: u32, messages: u64, steps: u32| {
        let (node, direction, ports) = (NodeId::new(8), Direction::In, 2);
        let certificate = Certificate::Eccentricity { node, direction, distance, messages, ports };
        symmetric_verdict(&ring, CollectiveName::AllGather, steps, Rule::Eccentricity, certificate)
    };
    // The optimum is 4 steps. Nine messages through two ports would take five.
    assert_eq!(check(0, 9, 5), why(Rule::Eccentricity, "a message crosses one channel or more"));
    assert_eq!([check(1, 8, 4), check(4, 2, 4)], ["accepted"; 2]);
    assert_eq!(check(5, 0, 5), why(Rule::Eccentricity, "no message has to move"));
}

#[test]
fn cuts_of_the_largest_cayley_graphs_do_not_overflow() {
    let most = 1 << 63;
    let ring = CayleyGraph::new("long ring", &[most], &[1, most - 1]).unwrap();
    let check = |collective: CollectiveName, direction: Direction, messages: u64, per_step: u64| {
        let certificate = Certificate::Cut { nodes: nodes(&[0]), direction, messages, per_step };
        symmetric_verdict(&ring, collective, u32::MAX, Rule::Ports, certificate)
    };
    let (all_gather, all_to_all) = (CollectiveName::AllGather, CollectiveName::AllToAll);
    assert_eq!(check(all_to_all, Direction::In, most - 1, 2), "accepted");
    assert_eq!(check(all_gather, Direction::Both, most, 4), "accepted");
    assert_eq!(check(all_to_all, Direction::Both, 2 * (most - 1), 4), "accepted");
}

#[test]
fn only_cayley_graphs_of_2_to_the_24_nodes_have_cuts_of_several_nodes() {
    let check = |dimension: u32| {
        let cube: CayleyGraph = format!("hypercube:{dimension}").parse().unwrap();
        let messages = 2 * ((1 << dimension) - 2);
        let per_step = 2 * u64::from(dimension) - 2;
        let certificate = Certificate::Cut { nodes: nodes(&[0, 1]), direction: Direction::Out, messages, per_step };
        let steps = messages.div_ceil(per_step) as u32;
        symmetric_verdict(&cube, CollectiveName::AllToAll, steps, Rule::Cut, certificate)
    };
    assert_eq!(check(24), "accepted");
    assert_eq!(check(25), why(Rule::Cut, "the network is too large for a cut"));
}

#[test]
fn the_last_node_exists_and_the_next_does_not() {
    let ring: Topology = "ring:4".parse().unwrap();
    let check = |rule: Rule, set: &[u32]| {
        let (nodes, direction) = (nodes(set), Direction::In);
        let certificate = Certificate::Cut { nodes, direction, messages: 3, per_step: 2 };
        verdict(&ring, &Collective::all_gather(), WORMHOLE, &LowerBound { steps: 2, rule, certificate })
    };
    assert_eq!(check(Rule::Ports, &[3]), "accepted");
    assert_eq!(check(Rule::Cut, &[4]), "the certificate names node 4, but the nodes are 0 to 3");
    for set in [&[][..], &[4], &[0, 1]] {
        assert_eq!(check(Rule::Ports, set), why(Rule::Ports, "the set must be one terminal"));
    }
}

#[test]
fn a_switch_has_no_ports() {
    let tree: Topology = "b-tree:4".parse().unwrap();
    let switch = tree.nodes().find(|&node| !tree.is_terminal(node)).unwrap();
    let certificate = Certificate::Cut { nodes: vec![switch], direction: Direction::In, messages: 0, per_step: 1 };
    let bound = LowerBound { steps: 1, rule: Rule::Ports, certificate };
    let refused = verdict(&tree, &Collective::all_gather(), WORMHOLE, &bound);
    assert_eq!(refused, why(Rule::Ports, "the set must be one terminal"));
}

/// The sources of a list need not be in order.
#[test]
fn distances_are_summed_over_messages_in_any_order() {
    let line: Topology = "mesh:4x1".parse().unwrap();
    let pairs = [(0, 3), (1, 0), (0, 1), (1, 3), (0, 2)];
    let messages =
        pairs.map(|(source, receiver)| Message { source: NodeId::new(source), receivers: nodes(&[receiver]) });
    let collective = Collective::custom(messages.to_vec());
    let check = |channel_uses: u64| {
        let certificate = Certificate::DistanceSum { channel_uses, per_step: 6 };
        verdict(&line, &collective, PACKETS, &LowerBound { steps: 2, rule: Rule::DistanceSum, certificate })
    };
    assert_eq!(check(9), "accepted");
    assert_ne!(check(8), "accepted");
    assert_ne!(check(10), "accepted");
}

/// Terminal 1 has one bus to two terminals, and terminal 2 two channels. The fastest growth begins with the bus.
#[test]
fn new_holders_of_a_growth_have_the_most_ports_of_all() {
    let mut network = TopologyBuilder::new("bus");
    let ends: Vec<NodeId> = (0..6).map(|node| network.terminal(node.to_string())).collect();
    let channels = [(0, 1), (1, 2), (1, 5), (2, 3), (2, 4)].map(|(u, v)| network.channel(ends[u], ends[v]));
    network.share([channels[1], channels[2]]);
    let network = network.build().unwrap();
    let check = |informed: &[u64]| {
        let (receivers, informed) = (5, informed.to_vec());
        let steps = informed.len() as u32 - 1;
        let certificate = Certificate::Growth { source: ROOT, messages: 1, receivers, ports: 1, informed };
        verdict(&network, &Collective::broadcast(ROOT), PACKETS, &LowerBound { steps, rule: Rule::Growth, certificate })
    };
    assert_eq!(check(&[1, 2, 4, 6]), "accepted");
    let refused = "informed terminals: the certificate states 5, but the problem gives 6";
    assert_eq!(check(&[1, 2, 4, 5, 6]), refused);
}

#[test]
fn deliveries_enter_over_channels_of_switches_outside() {
    let tree: Topology = "b-tree:4".parse().unwrap();
    let nodes = vec![tree.terminals()[0]];
    let certificate = Certificate::Reception { nodes, deliveries: 3, per_step: 1 };
    let bound = LowerBound { steps: 3, rule: Rule::Reception, certificate };
    assert_eq!(verdict(&tree, &Collective::all_gather(), WORMHOLE, &bound), "accepted");
}

#[test]
fn distances_of_copies_are_not_added() {
    let line: Topology = "mesh:3x1".parse().unwrap();
    let certificate = Certificate::DistanceSum { channel_uses: 3, per_step: 4 };
    let bound = LowerBound { steps: 1, rule: Rule::DistanceSum, certificate };
    let refused = verdict(&line, &Collective::broadcast(ROOT), PACKETS, &bound);
    assert_eq!(refused, why(Rule::DistanceSum, "copies of a message can share a part of their paths"));
}

/// A switch beside the channel between two terminals that route. Packets cannot pass it, and wormholes can.
#[test]
fn packets_do_not_use_the_channels_of_switches() {
    let mut network = TopologyBuilder::new("switch");
    let ends: Vec<NodeId> = (0..2).map(|node| network.node(node.to_string(), true, Some(true))).collect();
    let switch = network.switch("switch");
    for (u, v) in [(ends[0], ends[1]), (ends[0], switch), (ends[1], switch)] {
        network.link(u, v);
    }
    let network = network.build().unwrap();
    let check = |model: CommunicationModel, chunks: u32, per_step: u64| {
        let exchange = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let certificate =
            Certificate::Cut { nodes: vec![ROOT], direction: Direction::In, messages: chunks.into(), per_step };
        verdict(&network, &exchange, model, &LowerBound { steps: 2, rule: Rule::Cut, certificate })
    };
    let refused = |claimed: u64, actual: u64| {
        format!("crossings in one step: the certificate states {claimed}, but the problem gives {actual}")
    };
    assert_eq!([check(PACKETS, 2, 1), check(PACKETS, 2, 2)], ["accepted".to_owned(), refused(2, 1)]);
    assert_eq!([check(WORMHOLE, 4, 2), check(WORMHOLE, 4, 1)], ["accepted".to_owned(), refused(1, 2)]);
}

/// Host 1 does not route, so that the way from 0 to 2 leads over two switches.
#[test]
fn distances_of_direct_messages_pass_no_host() {
    let mut network = TopologyBuilder::new("hosts");
    let ends: Vec<NodeId> = (0..5).map(|node| network.node(node.to_string(), node < 3, Some(node > 2))).collect();
    for (u, v) in [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)] {
        network.channel(ends[u], ends[v]);
    }
    let network = network.build().unwrap();
    let six = Collective::many_to_many_scatter(&ends[..1], &ends[2..3]).with_chunks(6.try_into().unwrap());
    let sum = |steps: u32, channel_uses: u64| {
        let certificate = Certificate::DistanceSum { channel_uses, per_step: 5 };
        verdict(&network, &six, WORMHOLE, &LowerBound { steps, rule: Rule::DistanceSum, certificate })
    };
    assert_eq!(sum(4, 18), "accepted");
    assert_eq!(sum(3, 12), "channels crossed: the certificate states 12, but the problem gives 18");
}

/// One message to the next node of a line from each of the first `sources` nodes.
#[test]
fn searches_from_too_many_sources_are_refused() {
    let check = |nodes: u32, sources: u32| {
        let line: Topology = format!("mesh:{nodes}x1").parse().unwrap();
        let message = |node: u32| Message { source: NodeId::new(node), receivers: vec![NodeId::new(node + 1)] };
        let collective = Collective::custom((0..sources).map(message).collect());
        let certificate = Certificate::DistanceSum { channel_uses: sources.into(), per_step: 2 * u64::from(nodes - 1) };
        verdict(&line, &collective, PACKETS, &LowerBound { steps: 1, rule: Rule::DistanceSum, certificate })
    };
    assert_eq!(check(1500, 1499), "accepted");
    let too_long = why(Rule::DistanceSum, "the distances from all sources take too long to compute again");
    assert_eq!(check(30_000, 24_000), too_long);
}
