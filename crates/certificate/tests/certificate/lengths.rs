//! Lengths of resources and ports.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Problem, Routing, ScatterRule};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, nodes, verdict, why};

fn lengths(steps: u32, lengths: [Vec<u32>; 3], sums: [u64; 2]) -> LowerBound {
    let ([resources, sends, receptions], [distance, per_step]) = (lengths, sums);
    let certificate = Certificate::Lengths { unit: 1, resources, sends, receptions, distance, per_step };
    LowerBound { steps, rule: Rule::ArcForwarding, certificate }
}

#[test]
fn lengths_of_the_wrong_number_or_place_are_refused() {
    let kautz: Topology = "kautz:2,2".parse().unwrap();
    let (all_to_all, all_gather) = (Collective::all_to_all(), Collective::all_gather());
    let problem = |collective, model| Problem::new(&kautz, collective, model).unwrap();
    let packets = problem(&all_to_all, CommunicationModel::store_and_forward());
    let refusal = |problem: &Problem<'_>, counts: [usize; 3]| {
        lengths(1, counts.map(|count| vec![1; count]), [1, 1]).check(problem).unwrap_err().to_string()
    };
    let why = |words: &str| why(Rule::ArcForwarding, words);
    let (resources, terminals) = (kautz.resource_count(), kautz.terminal_count());
    for count in [resources - 1, resources + 1] {
        assert_eq!(refusal(&packets, [count, 0, 0]), why("every resource must have a length"));
    }
    let more = terminals + 1;
    for ports in [[resources, 1, 0], [resources, 0, 1], [resources, more, 0], [resources, 0, more]] {
        assert_eq!(refusal(&packets, ports), why("either every terminal has a length or none has"));
    }
    let wormhole = problem(&all_to_all, CommunicationModel::wormhole());
    let expected = why("a wormhole transfer crosses many channels through one port");
    assert_eq!(refusal(&wormhole, [resources, terminals, 0]), expected);
    let broadcasts = problem(&all_gather, CommunicationModel::wormhole());
    assert_eq!(refusal(&broadcasts, [resources, 0, 0]), why("copies of a message can share a part of their paths"));
}

#[test]
fn the_largest_lengths_are_added_exactly() {
    let pair: Topology = "complete:2".parse().unwrap();
    let chunks = (1 << 31) - 1;
    let all_to_all = Collective::all_to_all().with_chunks(chunks.try_into().unwrap());
    let problem = Problem::new(&pair, &all_to_all, CommunicationModel::store_and_forward()).unwrap();
    let both = 2 * u64::from(u32::MAX);
    let bound = lengths(chunks, [vec![u32::MAX; 2], vec![], vec![]], [both * u64::from(chunks), both]);
    assert_eq!(bound.check(&problem), Ok(()));
}

/// The direct channel from 0 to 1 has length 1, and the way over terminal 2 has none.
#[test]
fn only_direct_messages_take_the_fewest_channels() {
    let triangle: Topology = "complete:3".parse().unwrap();
    let one = Collective::many_to_many_scatter(&[ROOT], &nodes(&[1]));
    let first =
        triangle.channels().find(|&channel| [triangle.tail(channel), triangle.head(channel)] == nodes(&[0, 1])[..]);
    let mut resources = vec![0; triangle.resource_count()];
    resources[triangle.resource(first.unwrap()).index()] = 1;
    let (sends, receptions) = (Vec::new(), Vec::new());
    let certificate = Certificate::Lengths { unit: 1, resources, sends, receptions, distance: 1, per_step: 1 };
    let bound = LowerBound { steps: 1, rule: Rule::ArcForwarding, certificate };
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..WORMHOLE };
    assert_eq!(verdict(&triangle, &one, WORMHOLE, &bound), "accepted");
    let refused = "lengths of all messages: the certificate states 1, but the problem gives 0";
    assert_eq!(verdict(&triangle, &one, relay, &bound), refused);
}

#[test]
fn a_channel_is_as_long_as_its_resource_and_its_ports() {
    let pair: Topology = "complete:2".parse().unwrap();
    let check = |distance: u64| {
        let bound = lengths(1, [vec![1, 1], vec![2, 3], vec![5, 7]], [distance, 19]);
        verdict(&pair, &Collective::all_to_all(), PACKETS, &bound)
    };
    // 1 + 2 + 7 and 1 + 3 + 5.
    assert_eq!(check(19), "accepted");
    assert_eq!(check(18), "lengths of all messages: the certificate states 18, but the problem gives 19");
}

/// No terminal routes, and the channels over terminal 1 have no length.
#[test]
fn no_direct_message_passes_a_terminal_that_does_not_route() {
    let mut network = TopologyBuilder::new("triangle");
    let ends: Vec<NodeId> = (0..3).map(|node| network.node(node.to_string(), true, Some(false))).collect();
    let direct = [(0, 1), (1, 2), (0, 2)].map(|(u, v)| network.channel(ends[u], ends[v]))[2];
    let network = network.build().unwrap();
    let one = Collective::many_to_many_scatter(&[ROOT], &nodes(&[2]));
    let mut resources = vec![0; network.resource_count()];
    resources[network.resource(direct).index()] = 1;
    let bound = lengths(1, [resources, vec![], vec![]], [1, 1]);
    let any = CommunicationModel { routing: Routing::Any, ..WORMHOLE };
    assert_eq!(verdict(&network, &one, any, &bound), "accepted");
}

/// One search from the root serves all messages, on a network where one for each message would be refused.
#[test]
fn messages_of_one_source_take_one_search() {
    let line: Topology = "mesh:30000x1".parse().unwrap();
    let first = line.out_channels(ROOT)[0];
    let mut resources = vec![0; line.resource_count()];
    resources[line.resource(first).index()] = 1;
    let bound = lengths(29_999, [resources, vec![], vec![]], [29_999, 1]);
    assert_eq!(verdict(&line, &Collective::scatter(ROOT), PACKETS, &bound), "accepted");
}

/// Seven hosts with half-duplex links to a switch: a transfer covers two links, so seven links have room for three transfers.
#[test]
fn transfers_and_steps_count_whole_units() {
    let mut network = TopologyBuilder::new("half-duplex switch");
    let hosts: Vec<NodeId> = (0..7).map(|host| network.terminal(host.to_string())).collect();
    let switch = network.switch("switch");
    for &host in &hosts {
        let link = network.link(host, switch);
        network.share(link);
    }
    let network = network.build().unwrap();
    let check = |collective: &Collective, steps: u32, unit: u32, sums: [u64; 2]| {
        let [distance, per_step] = sums;
        let (resources, sends, receptions) = (vec![1; 7], Vec::new(), Vec::new());
        let certificate = Certificate::Lengths { resources, sends, receptions, unit, distance, per_step };
        verdict(&network, collective, WORMHOLE, &LowerBound { steps, rule: Rule::TreePacking, certificate })
    };
    for collective in [Collective::all_gather(), Collective::all_to_all()] {
        assert_eq!(check(&collective, 12, 1, [84, 7]), "accepted");
        assert_eq!(check(&collective, 14, 2, [42, 7]), "accepted");
        assert_eq!(check(&collective, 14, 2, [84, 7]), refused_sum(84, 42));
        assert_eq!(check(&collective, 14, 0, [42, 7]), why(Rule::TreePacking, "the unit of the lengths is 0"));
        // No transfer has a whole unit.
        assert_eq!(check(&collective, 14, 3, [0, 7]), why(Rule::TreePacking, "no message has to move"));
    }
}

/// Returns the verdict on a length of the first resource alone, for two chunks from terminal 0 to another one.
fn first_resource(network: &Topology, model: CommunicationModel, receiver: u32, distance: u64) -> String {
    let chunks = Collective::many_to_many_scatter(&[ROOT], &nodes(&[receiver])).with_chunks(2.try_into().unwrap());
    let mut resources = vec![0; network.resource_count()];
    resources[0] = 1;
    let bound = lengths(2, [resources, vec![], vec![]], [distance, 1]);
    verdict(network, &chunks, model, &LowerBound { rule: Rule::TreePacking, ..bound })
}

#[test]
fn transfers_take_the_fewest_channels_under_minimal_routing() {
    // The first resource is the channel 0 -> 1.
    let triangle: Topology = "complete:3".parse().unwrap();
    let any = CommunicationModel { routing: Routing::Any, ..WORMHOLE };
    assert_eq!(first_resource(&triangle, WORMHOLE, 1, 2), "accepted");
    assert_eq!(first_resource(&triangle, any, 1, 2), refused_sum(2, 0));
    // The path with the fewest channels from 0 to 2 uses the first resource twice, so transfers take the detour.
    let mut network = TopologyBuilder::new("detour");
    let ends: Vec<_> = (0..5).map(|node| network.terminal(node.to_string())).collect();
    let channels = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)].map(|(tail, head)| network.channel(ends[tail], ends[head]));
    network.share([channels[0], channels[1]]);
    let detour = network.build().unwrap();
    assert_eq!(first_resource(&detour, WORMHOLE, 2, 4), refused_sum(4, 0));
}

fn refused_sum(claimed: u64, actual: u64) -> String {
    format!("lengths of all messages: the certificate states {claimed}, but the problem gives {actual}")
}
