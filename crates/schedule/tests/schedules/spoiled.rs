//! Valid schedules with one change that breaks a rule. Each is refused with the right violation and error message.

use lockstep_schedule::{
    Collective, CommunicationModel, Message, Ports, Problem, Routing, ScatterRule, Violation, verify, violations,
};
use lockstep_topology::{ChannelId, NodeId, TopologyBuilder};

use crate::draft::{Draft, Fixture, ring, schedule, two_switches};

const A: NodeId = NodeId::new(0);

/// Each node forwards the last received message clockwise.
fn all_gather() -> Fixture {
    let step = |step: u32| (0..4).map(|node: u32| ((node + 4 - step) % 4, vec![2 * node])).collect();
    Fixture {
        topology: ring(),
        collective: Collective::all_gather(),
        model: CommunicationModel::store_and_forward(),
        draft: (0..3).map(step).collect(),
    }
}

/// From a to its neighbours, and over b to c.
fn scatter() -> Fixture {
    Fixture {
        topology: ring(),
        collective: Collective::scatter(A),
        model: CommunicationModel::wormhole(),
        draft: vec![vec![(0, vec![0]), (2, vec![7])], vec![(1, vec![0, 2])]],
    }
}

/// From a over the switches to b and d, then from b to c.
fn broadcast() -> Fixture {
    Fixture {
        topology: two_switches(),
        collective: Collective::broadcast(A),
        model: CommunicationModel::wormhole(),
        draft: vec![vec![(0, vec![0, 3])], vec![(0, vec![0, 6, 9]), (0, vec![2, 5])]],
    }
}

/// Parts go from b over c and d to a.
fn reduce() -> Fixture {
    Fixture {
        topology: ring(),
        collective: Collective::broadcast(A).reversed(),
        model: CommunicationModel::store_and_forward(),
        draft: vec![vec![(0, vec![2])], vec![(0, vec![4])], vec![(0, vec![6])]],
    }
}

fn text(violation: &Violation) -> String {
    violation.to_string()
}

#[test]
fn a_dropped_transfer_is_refused() {
    let last = all_gather().spoil(|draft| drop(draft[2].pop()));
    assert_eq!(text(&last), "after the last step 'a' does not hold message 1 (from 'b')");
    assert!(matches!(last, Violation::Undelivered { .. }));
    let first = all_gather().spoil(|draft| drop(draft[0].remove(0)));
    let expected =
        "step 2, transfer 2, message 0 (from 'a'): the sender 'b' does not hold the message when the step begins";
    assert_eq!(text(&first), expected);
    let direct = scatter().spoil(|draft| drop(draft[1].pop()));
    assert_eq!(text(&direct), "after the last step 'c' does not hold message 1 ('a' to 'c')");
}

#[test]
fn an_empty_schedule_delivers_no_message() {
    let Fixture { draft: mut none, .. } = all_gather();
    none.clear();
    let fixture = all_gather();
    let missing = violations(&fixture.problem(), &schedule(&none), usize::MAX);
    assert_eq!(missing.len(), 12);
    assert!(missing.iter().all(|violation| matches!(violation, Violation::Undelivered { .. })));
    assert_eq!(violations(&fixture.problem(), &schedule(&none), 5), missing[..5]);
}

#[test]
fn a_repeated_transfer_is_a_conflict_in_its_step_and_redundant_later() {
    let twice = all_gather().spoil(|draft| {
        let copy = draft[0][1].clone();
        draft[0].push(copy);
    });
    let expected =
        "step 1, transfer 5, message 1 (from 'b'): channel 2 (b->c) is already used by transfer 2 of the step";
    assert_eq!(text(&twice), expected);
    assert!(matches!(twice, Violation::ChannelBusy { other: 1, .. }));

    let mut later = all_gather();
    later.draft.push(vec![(0, vec![0])]);
    assert_eq!(verify(&later.problem(), &schedule(&later.draft)).unwrap().redundant, 1);
    let mut to_source = all_gather();
    to_source.draft.push(vec![(0, vec![6])]);
    assert_eq!(verify(&to_source.problem(), &schedule(&to_source.draft)).unwrap().redundant, 1);
    let mut direct = scatter();
    direct.draft.push(vec![(0, vec![0])]);
    assert_eq!(verify(&direct.problem(), &schedule(&direct.draft)).unwrap().redundant, 1);
}

#[test]
fn swapped_steps_send_a_message_before_it_arrives() {
    let violation = all_gather().spoil(|draft| draft.swap(0, 1));
    let expected =
        "step 1, transfer 1, message 3 (from 'd'): the sender 'a' does not hold the message when the step begins";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::NotHeld { .. }));
}

#[test]
fn a_message_is_not_forwarded_in_the_step_of_its_arrival() {
    let violation = broadcast().spoil(|draft| {
        let moved = draft[1].remove(1);
        draft[0].push(moved);
    });
    let expected =
        "step 1, transfer 2, message 0 (from 'a'): the sender 'b' does not hold the message when the step begins";
    assert_eq!(text(&violation), expected);
}

#[test]
fn a_message_that_does_not_exist_is_refused() {
    let violation = all_gather().spoil(|draft| draft[1][2].0 = 4_000_000_000);
    let expected = "step 2, transfer 3, message 4000000000: there is no such message; the messages are 0 to 3";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::UnknownMessage { message_count: 4, .. }));
    // The first number that is no message, in every verifier of holders.
    for (fixture, count) in [(all_gather(), 4), (scatter(), 3), (broadcast(), 1), (reduce(), 1)] {
        let text = text(&fixture.spoil(|draft| draft[0][0].0 = count));
        assert!(text.contains(&format!("message {count}: there is no such message")), "{text}");
    }
}

#[test]
fn a_wrong_message_is_not_held() {
    let violation = all_gather().spoil(|draft| draft[0][2].0 = 3);
    let expected =
        "step 1, transfer 3, message 3 (from 'd'): the sender 'c' does not hold the message when the step begins";
    assert_eq!(text(&violation), expected);
}

#[test]
fn a_channel_that_does_not_exist_is_refused() {
    let violation = all_gather().spoil(|draft| draft[1][2].1 = vec![4_000_000_000]);
    let expected = "step 2, transfer 3, message 1 (from 'b'): there is no channel 4000000000; the channels of the \
                    network are numbered below 8";
    assert_eq!(text(&violation), expected);
    assert!(text(&all_gather().spoil(|draft| draft[1][2].1 = vec![8])).contains("there is no channel 8;"));
    let behind = scatter().spoil(|draft| draft[1][0].1.push(u32::MAX));
    assert!(matches!(behind, Violation::UnknownChannel { channel_bound: 8, .. }));
}

#[test]
fn a_channel_that_has_failed_is_refused() {
    let Fixture { topology, collective, model, draft } = all_gather();
    let broken = topology.with_failures([], [ChannelId::new(4)]);
    let problem = Problem::new(&broken, &collective, model).unwrap();
    let violation = verify(&problem, &schedule(&draft)).unwrap_err();
    assert!(matches!(violation, Violation::FailedChannel { .. }));
    assert!(text(&violation).ends_with("channel 4 (c->d) has failed"), "{}", text(&violation));
}

#[test]
fn an_empty_path_is_refused() {
    let violation = all_gather().spoil(|draft| draft[0][0].1.clear());
    let expected = "step 1, transfer 1, message 0 (from 'a'): the path is empty; it needs at least one channel";
    assert_eq!(text(&violation), expected);
}

#[test]
fn a_path_with_a_gap_is_refused() {
    let violation = scatter().spoil(|draft| draft[1][0].1 = vec![0, 4]);
    let expected = "step 2, transfer 1, message 1 ('a' to 'c'): channel 4 (c->d) does not start at 'b', where the path \
                    has arrived";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::BrokenPath { .. }));
}

#[test]
fn a_path_that_visits_a_node_twice_is_refused() {
    let any =
        Fixture { model: CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() }, ..scatter() };
    let violation = any.spoil(|draft| draft[1][0].1 = vec![0, 2, 3]);
    assert_eq!(text(&violation), "step 2, transfer 1, message 1 ('a' to 'c'): the path visits 'b' twice");
    let round = any.spoil(|draft| draft[1][0].1 = vec![0, 2, 4, 6]);
    assert_eq!(text(&round), "step 2, transfer 1, message 1 ('a' to 'c'): the path visits 'a' twice");
    assert!(matches!(round, Violation::NodeTwice { .. }));
}

#[test]
fn a_truncated_path_is_refused() {
    let direct = scatter().spoil(|draft| draft[1][0].1 = vec![0]);
    let expected = "step 2, transfer 1, message 1 ('a' to 'c'): the path goes from 'a' to 'b'; direct scatter goes from the \
                    source to the receiver in one transfer";
    assert_eq!(text(&direct), expected);
    assert!(matches!(direct, Violation::NotDirect { .. }));
    let at_a_switch = broadcast().spoil(|draft| draft[1][0].1 = vec![0, 6]);
    let expected =
        "step 2, transfer 1, message 0 (from 'a'): the path ends at 'y', which is a switch; only terminals receive";
    assert_eq!(text(&at_a_switch), expected);
    assert!(matches!(at_a_switch, Violation::ReceiverIsSwitch { .. }));
}

#[test]
fn a_path_from_a_switch_is_refused() {
    let violation = broadcast().spoil(|draft| draft[1][0].1 = vec![6, 9]);
    let expected =
        "step 2, transfer 1, message 0 (from 'a'): the path starts at 'x', which is a switch; only terminals send";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::SenderIsSwitch { .. }));
}

#[test]
fn a_path_through_a_terminal_of_an_indirect_network_is_refused() {
    let violation = broadcast().spoil(|draft| draft[1][0].1 = vec![0, 5, 4, 6, 9]);
    let expected = "step 2, transfer 1, message 0 (from 'a'): the path runs through 'c', which does not route";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::InnerNode { .. }));
}

#[test]
fn a_path_through_a_switch_that_does_not_route_is_refused() {
    let mut network = TopologyBuilder::new("passive switch");
    let (a, b) = (network.terminal("a"), network.terminal("b"));
    let (routing, passive) = (network.switch("routing"), network.node("passive", false, Some(false)));
    network.channel(a, routing);
    network.channel(routing, b);
    network.channel(a, passive);
    network.channel(passive, b);
    let fixture = Fixture {
        topology: network.build().unwrap(),
        collective: Collective::broadcast(a),
        model: CommunicationModel::wormhole(),
        draft: vec![vec![(0, vec![0, 1])]],
    };
    let violation = fixture.spoil(|draft| draft[0][0].1 = vec![2, 3]);
    let expected = "step 1, transfer 1, message 0 ('a' to 'b'): the path runs through 'passive', which does not route";
    assert_eq!(text(&violation), expected);
}

#[test]
fn store_and_forward_crosses_one_channel() {
    let violation = all_gather().spoil(|draft| draft[0][0].1.push(2));
    let expected = "step 1, transfer 1, message 0 (from 'a'): the path has 2 channels; a store-and-forward transfer crosses \
                    exactly 1";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::NotOneChannel { channels: 2, .. }));
}

#[test]
fn minimal_routing_refuses_a_detour() {
    let around = |draft: &mut Draft| draft[0][0].1 = vec![7, 5, 3];
    let free = |draft: &mut Draft| {
        around(draft);
        let alone = draft[0].remove(0);
        draft.push(vec![alone]);
    };
    let violation = scatter().spoil(free);
    let expected =
        "step 3, transfer 1, message 0 ('a' to 'b'): the path from 'a' to 'b' has 3 channels, the shortest has 1";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::NotMinimal { channels: 3, shortest: 1, .. }));

    let mut any =
        Fixture { model: CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() }, ..scatter() };
    free(&mut any.draft);
    assert!(verify(&any.problem(), &schedule(&any.draft)).is_ok(), "every simple path is legal under any routing");
}

#[test]
fn a_channel_carries_one_transfer_per_step() {
    let violation = scatter().spoil(|draft| {
        let moved = draft[1].remove(0);
        draft[0].push(moved);
    });
    let expected =
        "step 1, transfer 3, message 1 ('a' to 'c'): channel 0 (a->b) is already used by transfer 1 of the step";
    assert_eq!(text(&violation), expected);
}

#[test]
fn a_half_duplex_link_carries_one_transfer_per_step() {
    // Both directions of one link in one step.
    let exchange = |topology| Fixture {
        topology,
        collective: Collective::custom(vec![
            Message { source: A, receivers: vec![NodeId::new(1)] },
            Message { source: NodeId::new(1), receivers: vec![A] },
        ]),
        model: CommunicationModel::wormhole(),
        draft: vec![vec![(0, vec![0])], vec![(1, vec![1])]],
    };
    let together = |draft: &mut Draft| {
        let moved = draft[1].remove(0);
        draft[0].push(moved);
    };
    let violation = exchange(ring().half_duplex()).spoil(together);
    let expected = "step 1, transfer 2, message 1 ('b' to 'a'): channel 1 (b->a) shares a resource with channel 0 (a->b), used \
                    by transfer 1 of the step";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::ResourceBusy { other: 0, .. }));

    let mut duplex = exchange(ring());
    together(&mut duplex.draft);
    assert!(verify(&duplex.problem(), &schedule(&duplex.draft)).is_ok());
}

#[test]
fn a_path_uses_a_shared_resource_once() {
    let mut network = TopologyBuilder::new("bus");
    let [a, b, c] = ["a", "b", "c"].map(|name| network.terminal(name));
    let channels = [network.channel(a, b), network.channel(b, c), network.channel(a, c)];
    network.share([channels[0], channels[1]]);
    let fixture = Fixture {
        topology: network.build().unwrap(),
        collective: Collective::custom(vec![Message { source: a, receivers: vec![c] }]),
        model: CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() },
        draft: vec![vec![(0, vec![2])]],
    };
    let violation = fixture.spoil(|draft| draft[0][0].1 = vec![0, 1]);
    let expected = "step 1, transfer 1, message 0 ('a' to 'c'): the path uses channel 1 (b->c) and channel 0 (a->b), which \
                    share a resource";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::ResourceTwice { .. }));
}

#[test]
fn ports_limit_sends_and_receptions_separately() {
    let ports = |limit| CommunicationModel { ports: Ports::limit(limit).unwrap(), ..CommunicationModel::wormhole() };
    // With one port, a terminal may send once and receive once per step.
    let one = Fixture {
        model: ports(1),
        draft: vec![vec![(0, vec![0])], vec![(2, vec![7])], vec![(1, vec![0, 2])]],
        ..scatter()
    };
    let violation = one.spoil(|draft| {
        let moved = draft[1].remove(0);
        draft[0].push(moved);
    });
    let expected = "step 1, transfer 2, message 2 ('a' to 'd'): 'a' starts more than 1 transfer(s) in the step, its number of \
                    ports";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::SendPorts { limit: 1, .. }));
    let two = Fixture { model: ports(2), ..scatter() };
    assert!(verify(&two.problem(), &schedule(&two.draft)).is_ok());

    let gather = Fixture {
        collective: Collective::scatter(A).reversed(),
        draft: vec![vec![(0, vec![1])], vec![(2, vec![6])], vec![(1, vec![4, 6])]],
        ..one
    };
    let violation = gather.spoil(|draft| {
        let moved = draft[1].remove(0);
        draft[0].push(moved);
    });
    let expected = "step 1, transfer 2, message 2 ('d' to 'a'): 'a' finishes more than 1 transfer(s) in the step, its number \
                    of ports";
    assert_eq!(text(&violation), expected);
    assert!(matches!(violation, Violation::ReceivePorts { limit: 1, .. }));
}

#[test]
fn relays_are_legal_unless_scatter_is_direct() {
    let over_b = vec![vec![(0, vec![0]), (2, vec![7])], vec![(1, vec![0])], vec![(1, vec![2])]];
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let relayed = Fixture { model: relay, draft: over_b.clone(), ..scatter() };
    let report = verify(&relayed.problem(), &schedule(&over_b)).unwrap();
    assert_eq!((report.deliveries, report.relays, report.redundant), (3, 1, 0));
    let direct = scatter();
    let violation = verify(&direct.problem(), &schedule(&over_b)).unwrap_err();
    assert!(matches!(violation, Violation::NotDirect { .. }));
    // Store-and-forward always relays, whatever the scatter rule.
    let model = CommunicationModel { scatter: ScatterRule::Direct, ..CommunicationModel::store_and_forward() };
    let forwarded = Fixture { model, draft: over_b.clone(), ..scatter() };
    assert!(verify(&forwarded.problem(), &schedule(&over_b)).is_ok());
}

#[test]
fn a_contribution_that_is_counted_twice_is_refused() {
    // The contribution of b reaches a over c and d, and then directly.
    let violation = reduce().spoil(|draft| draft.push(vec![(0, vec![1])]));
    let expected = "step 4, transfer 1, message 0 (towards 'a'): the sum of 'b' brings 'a' the contribution of 'b' a second time; \
                    it must share nothing with what 'a' holds, or contain all of it";
    assert_eq!(text(&violation), expected);
    // Both ways at the same time: the later transfer of the step is the wrong one.
    let at_once = reduce().spoil(|draft| draft[2].push((0, vec![1])));
    assert_eq!(at_once.place().map(|at| (at.step, at.transfer)), Some((2, 1)));
    assert!(matches!(at_once, Violation::CountedTwice { .. }));
}

#[test]
fn a_contribution_that_arrives_too_late_is_missing() {
    let expected = "after the last step 'a' lacks 1 contribution(s) to message 0 (towards 'a'), first that of 'b'";
    let late = reduce().spoil(|draft| draft.swap(0, 1));
    assert_eq!(text(&late), expected);
    let same_step = reduce().spoil(|draft| {
        let moved = draft.remove(1);
        draft[0].extend(moved);
    });
    assert_eq!(text(&same_step), expected);
    let missing = reduce().spoil(|draft| drop(draft.remove(0)));
    assert_eq!(text(&missing), expected);
    assert!(matches!(missing, Violation::Incomplete { lacking: 1, .. }));
    let all = reduce().spoil(Vec::clear);
    assert!(matches!(all, Violation::Incomplete { lacking: 3, .. }));
}

/// The root sends its own contribution away, and gets it back in a sum that contains all that it holds.
#[test]
fn a_sum_that_contains_everything_replaces_it() {
    let Fixture { draft, .. } = reduce();
    let mut around = draft;
    around[0].push((0, vec![7]));
    // d holds its own contribution and that of a, and adds those of b and c.
    let fixture = Fixture { draft: around, ..reduce() };
    let report = verify(&fixture.problem(), &schedule(&fixture.draft)).unwrap();
    assert_eq!((report.deliveries, report.relays, report.redundant), (3, 1, 0));
    // A second copy of the sum is redundant.
    let mut twice = fixture.draft.clone();
    twice.push(vec![(0, vec![6])]);
    let report = verify(&fixture.problem(), &schedule(&twice)).unwrap();
    assert_eq!((report.deliveries, report.relays, report.redundant), (3, 1, 1));
    // The sum of a alone is no sum that contains all that d holds.
    let violation = fixture.spoil(|draft| draft.push(vec![(0, vec![1]), (0, vec![0])]));
    assert!(matches!(violation, Violation::CountedTwice { .. }), "{violation}");
}

#[test]
fn a_gather_goes_from_the_terminals_to_the_root() {
    let gather = Fixture {
        collective: Collective::scatter(A).reversed(),
        draft: vec![vec![(0, vec![1]), (2, vec![6])], vec![(1, vec![4, 6])]],
        ..scatter()
    };
    let violation = gather.spoil(|draft| draft[0][0].1 = vec![0]);
    let expected = "step 1, transfer 1, message 0 ('b' to 'a'): the path goes from 'a' to 'b'; direct scatter goes from the source \
                    to the receiver in one transfer";
    assert_eq!(text(&violation), expected);
    let missing = gather.spoil(|draft| drop(draft.pop()));
    assert_eq!(text(&missing), "after the last step 'a' does not hold message 1 ('c' to 'a')");
}

#[test]
fn a_needless_relay_is_legal_in_a_scatter_but_not_in_a_gather() {
    // c sends a message that it does not hold: the time-reversed form of a needless relay to c.
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let gather = Fixture {
        collective: Collective::scatter(A).reversed(),
        model: relay,
        draft: vec![vec![(0, vec![1]), (2, vec![6])], vec![(1, vec![4, 6])]],
        ..scatter()
    };
    let violation = gather.spoil(|draft| draft.push(vec![(0, vec![4])]));
    assert!(matches!(violation, Violation::NotHeld { .. }));
}

#[test]
fn all_violations_are_listed_in_order() {
    let fixture = all_gather();
    let mut spoiled = fixture.draft.clone();
    spoiled[0][0].1 = vec![0, 2];
    spoiled[1][3].1 = vec![];
    spoiled[2].push((9, vec![1]));
    let listed = violations(&fixture.problem(), &schedule(&spoiled), usize::MAX);
    let words: Vec<String> = listed.iter().map(ToString::to_string).collect();
    expect_test::expect![[r#"
        [
            "step 1, transfer 1, message 0 (from 'a'): the path has 2 channels; a store-and-forward transfer crosses exactly 1",
            "step 1, transfer 2, message 1 (from 'b'): channel 2 (b->c) is already used by transfer 1 of the step",
            "step 2, transfer 2, message 0 (from 'a'): the sender 'b' does not hold the message when the step begins",
            "step 2, transfer 4, message 2 (from 'c'): the path is empty; it needs at least one channel",
            "step 3, transfer 1, message 2 (from 'c'): the sender 'a' does not hold the message when the step begins",
            "step 3, transfer 5, message 9: there is no such message; the messages are 0 to 3",
            "after the last step 'b' does not hold message 0 (from 'a')",
            "after the last step 'a' does not hold message 2 (from 'c')",
        ]
    "#]]
    .assert_debug_eq(&words);
}
