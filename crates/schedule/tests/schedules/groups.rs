//! Collectives of groups: the same rules as on the subnetwork, and reductions that pass through other terminals.

use lockstep_schedule::strategy::{Instance, scheduled_instance, spoiled_instance};
use lockstep_schedule::{CollectiveName, CommunicationModel, Pattern, Problem, ScheduleFile, Violation, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use crate::draft::{Fixture, ring, schedule};

/// The network with one more terminal, which has no channel.
fn with_isolated_terminal(topology: &Topology) -> Topology {
    let mut network = TopologyBuilder::new("network and an isolated terminal");
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    network.terminal("isolated");
    for channel in topology.channel_numbers() {
        network.channel(topology.tail(channel), topology.head(channel));
    }
    for group in topology.shared_groups() {
        network.share(group);
    }
    topology.failed_channels().for_each(|channel| network.fail_channel(channel));
    topology.failed_nodes().iter().for_each(|&node| network.fail_node(node));
    network.build().unwrap()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(250))]

    #[test]
    fn a_group_follows_the_rules_of_its_subnetwork((instance, schedule) in spoiled_instance(8)) {
        let Instance { topology, collective, model } = &instance;
        prop_assume!(collective.name().is_some());
        let (name, roots) = (collective.name().unwrap(), collective.named_terminals());
        let network = with_isolated_terminal(topology);
        let group = name.in_groups(&network, &[topology.terminals().to_vec()], &roots).unwrap();
        let group = group.with_chunks(collective.chunks());
        prop_assert_eq!(group.name(), None);
        let problem = Problem::new(&network, &group, *model).unwrap();
        match (verify(&instance.problem(), &schedule), verify(&problem, &schedule)) {
            (Ok(whole), Ok(part)) => prop_assert_eq!(
                (whole.deliveries, whole.relays, whole.redundant),
                (part.deliveries, part.relays, part.redundant)
            ),
            (whole, part) => prop_assert_eq!(whole.is_ok(), part.is_ok()),
        }
    }

    #[test]
    fn files_state_the_pattern_only_if_the_messages_do_not_imply_it((instance, schedule) in scheduled_instance(8)) {
        let problem = instance.problem();
        let pattern = instance.collective.pattern();
        let file = ScheduleFile::new(&problem, schedule);
        let is_stated = file.to_json().contains("\"pattern\": ");
        let are_single = problem.messages().ids().all(|message| problem.messages().receiver_count(message) == 1);
        let implied = if are_single { Pattern::Scatter } else { Pattern::Broadcast };
        prop_assert_eq!(is_stated, instance.collective.name().is_none() && pattern != implied);
        prop_assert_eq!(ScheduleFile::read(&file.to_bytes()).unwrap(), file);
    }
}

/// Terminal c contributes to a; its part passes through d, which has none.
fn reduction() -> Fixture {
    let (topology, [a, c]) = (ring(), [0, 2].map(NodeId::new));
    let collective = CollectiveName::Reduce.in_groups(&topology, &[vec![a, c]], &[a]).unwrap();
    let model = CommunicationModel::store_and_forward();
    Fixture { topology, collective, model, draft: vec![vec![(0, vec![4])], vec![(0, vec![6])]] }
}

#[test]
fn parts_pass_through_terminals_outside_the_group() {
    let fixture = reduction();
    let report = verify(&fixture.problem(), &schedule(&fixture.draft)).unwrap();
    assert_eq!((report.deliveries, report.relays, report.redundant), (1, 1, 0));
}

#[test]
fn a_part_that_stops_outside_the_group_is_refused() {
    let violation = reduction().spoil(|draft| drop(draft.pop()));
    assert!(matches!(violation, Violation::Incomplete { lacking: 1, .. }), "{violation}");
}

#[test]
fn a_terminal_outside_the_group_has_no_part_of_its_own() {
    let violation = reduction().spoil(|draft| draft.swap(0, 1));
    assert!(matches!(violation, Violation::NotHeld { .. }), "{violation}");
    let needless = reduction().spoil(|draft| draft[0].push((0, vec![2])));
    assert!(matches!(needless, Violation::NotHeld { .. }), "{needless}");
}

#[test]
fn a_sum_that_is_passed_on_again_is_redundant() {
    let mut fixture = reduction();
    fixture.draft.push(vec![(0, vec![6])]);
    // The second sum is that of c alone, and a holds its own contribution too.
    let violation = verify(&fixture.problem(), &schedule(&fixture.draft)).unwrap_err();
    assert!(matches!(violation, Violation::CountedTwice { .. }), "{violation}");
    // Once the sum is complete, it may be passed on as often as anyone likes.
    fixture.draft[2] = vec![(0, vec![0])];
    fixture.draft.push(vec![(0, vec![1])]);
    let report = verify(&fixture.problem(), &schedule(&fixture.draft)).unwrap();
    assert_eq!((report.deliveries, report.relays, report.redundant), (1, 2, 1));
}
