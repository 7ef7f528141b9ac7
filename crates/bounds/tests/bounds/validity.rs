//! No bound exceeds the optimum, on random tiny problems of every kind.

use lockstep_bounds::{LowerBound, Rule, all, best, best_reaching, by_rule};
use lockstep_certificate::{Certificate, CertificateError};
use lockstep_schedule::strategy::{
    instance as instance_of, instance_on, instance_with_capacities, scheduled, scheduled_instance,
};
use lockstep_schedule::{
    Collective, CommunicationModel, Message, Ports, Problem, Routing, ScatterRule, Switching, verify,
};
use lockstep_topology::strategy::{shuffled, tree};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};

use crate::networks::{
    all_reduce, any_bus_topology, broadcast_with_capacities, bus_tree, few_of_many_terminals, with_capacities,
};
use crate::oracle::{cases, compare_rules, optimum};

/// A random network: terminals, switches, and channels between any nodes. Some channels share a resource.
fn network(terminals: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Topology> {
    let ends = || (any::<Index>(), any::<Index>(), any::<bool>());
    let sharing = prop_oneof![3 => Just(0usize), 2 => Just(1), 1 => Just(2)];
    (terminals, 0..=2usize, any::<[Option<bool>; 9]>(), vec(ends(), 1..8), sharing, any::<bool>()).prop_map(
        |(terminals, switches, routes, links, sharing, spanned)| {
            let mut builder = TopologyBuilder::new("random");
            let nodes: Vec<NodeId> = (0..terminals + switches)
                .map(|node| {
                    let routes = if spanned { None } else { routes[node] };
                    builder.node(node.to_string(), node < terminals, routes)
                })
                .collect();
            if spanned {
                // A ring through all nodes makes most problems feasible.
                for (place, &node) in nodes.iter().enumerate() {
                    builder.channel(node, nodes[(place + 1) % nodes.len()]);
                }
            }
            for (u, v, both) in links {
                let (u, v) = (*u.get(&nodes), *v.get(&nodes));
                if u != v {
                    builder.channel(u, v);
                    if both {
                        builder.channel(v, u);
                    }
                }
            }
            if sharing == 2 {
                builder.share([0, 2].map(ChannelId::new));
            }
            match builder.build() {
                Ok(topology) if sharing == 1 => topology.half_duplex(),
                Ok(topology) => topology,
                Err(_) => "ring:3".parse().unwrap(),
            }
        },
    )
}

fn model() -> impl Strategy<Value = CommunicationModel> {
    (
        select(vec![Switching::Wormhole, Switching::Wormhole, Switching::StoreAndForward]),
        select(vec![Ports::All, Ports::limit(1).unwrap(), Ports::limit(2).unwrap()]),
        select(vec![Routing::Minimal, Routing::Any]),
        select(vec![ScatterRule::Direct, ScatterRule::Relay]),
    )
        .prop_map(|(switching, ports, routing, scatter)| CommunicationModel { switching, ports, routing, scatter })
}

/// A collective for terminals `0..terminals`.
fn collective(terminals: usize) -> impl Strategy<Value = Collective> {
    let nodes: Vec<NodeId> = (0..terminals as u32).map(NodeId::new).collect();
    let root = select(nodes.clone());
    let some = || subsequence(nodes.clone(), 1..=terminals);
    let message = (root.clone(), some()).prop_map(|(source, mut receivers)| {
        receivers.retain(|&receiver| receiver != source);
        Message { source, receivers }
    });
    let collective = prop_oneof![
        root.clone().prop_map(Collective::broadcast),
        root.clone().prop_map(Collective::scatter),
        Just(Collective::all_gather()),
        Just(Collective::all_to_all()),
        root.clone().prop_map(Collective::gather),
        root.prop_map(Collective::reduce),
        Just(Collective::reduce_scatter()),
        Just(Collective::all_reduce()),
        (some(), some()).prop_map(|(from, to)| Collective::many_to_many_broadcast(&from, &to)),
        (some(), some()).prop_map(|(from, to)| Collective::many_to_many_scatter(&from, &to)),
        vec(message, 1..5).prop_map(|mut messages| {
            messages.retain(|message| !message.receivers.is_empty());
            Collective::custom(messages)
        }),
    ];
    let chunks = prop_oneof![4 => Just(1u32), 1 => 2..4u32];
    (collective, chunks).prop_map(|(collective, chunks)| collective.with_chunks(chunks.try_into().unwrap()))
}

fn instance(terminals: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = (Topology, Collective)> {
    network(terminals).prop_flat_map(|topology| {
        let terminals = topology.terminal_count();
        (Just(topology), collective(terminals))
    })
}

/// Compares every bound of a problem with the optimum. Returns false if the problem is impossible or too large.
fn compare_with_optimum(topology: &Topology, collective: &Collective, model: CommunicationModel) -> bool {
    Problem::new(topology, collective, model).is_ok_and(|problem| compare_rules(&problem).is_ok())
}

proptest! {
    #![proptest_config(cases(200))]

    #[test]
    fn no_bound_exceeds_the_optimum_on_any_network(instance in instance_of(5)) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }

    #[test]
    fn no_bound_exceeds_the_optimum((topology, collective) in instance(2..=4), model in model()) {
        prop_assume!(compare_with_optimum(&topology, &collective, model));
    }

    #[test]
    fn no_bound_on_a_message_for_seven_terminals_exceeds_the_optimum(
        (topology, source, receivers) in network(6..=7).prop_flat_map(|topology| {
            let terminals = topology.terminals().to_vec();
            let receivers = subsequence(terminals.clone(), 3..=terminals.len());
            (Just(topology), select(terminals), receivers)
        }),
        model in model(),
    ) {
        let receivers = receivers.into_iter().filter(|&receiver| receiver != source).collect();
        let collective = Collective::custom(vec![Message { source, receivers }]);
        prop_assume!(compare_with_optimum(&topology, &collective, model));
    }

    #[test]
    fn no_growth_on_buses_exceeds_the_optimum(topology in bus_tree(10), model in model()) {
        let model = CommunicationModel { switching: Switching::StoreAndForward, ..model };
        let broadcast = Collective::broadcast(NodeId::new(0));
        prop_assume!(compare_with_optimum(&topology, &broadcast, model));
    }

    #[test]
    fn the_bound_of_a_broadcast_over_a_tree_is_the_optimum(
        tree in tree(7).prop_flat_map(shuffled),
        root in any::<Index>(),
        half_duplex in any::<bool>(),
        limit in 0..3u32,
    ) {
        let tree = if half_duplex { tree.half_duplex() } else { tree };
        let broadcast = Collective::broadcast(NodeId::from_index(root.index(tree.node_count())));
        let model = CommunicationModel {
            ports: Ports::limit(limit).unwrap_or(Ports::All),
            ..CommunicationModel::wormhole()
        };
        let problem = Problem::new(&tree, &broadcast, model).unwrap();
        prop_assert_eq!(Some(best(&problem).steps), optimum(&problem, 10_000_000));
    }

    #[test]
    fn the_bound_of_a_packet_broadcast_over_a_tree_is_the_optimum(
        tree in tree(8).prop_flat_map(shuffled),
        root in any::<Index>(),
        half_duplex in any::<bool>(),
        limit in 0..3u32,
    ) {
        let tree = if half_duplex { tree.half_duplex() } else { tree };
        let broadcast = Collective::broadcast(NodeId::from_index(root.index(tree.node_count())));
        let model = CommunicationModel {
            ports: Ports::limit(limit).unwrap_or(Ports::All),
            ..CommunicationModel::store_and_forward()
        };
        let problem = Problem::new(&tree, &broadcast, model).unwrap();
        let bound = by_rule(&problem, Rule::TreePackets).map(|bound| bound.steps);
        prop_assert!(bound.is_some());
        prop_assert_eq!(bound, optimum(&problem, 10_000_000));
    }
}

proptest! {
    #![proptest_config(cases(64))]

    /// The rule and the check have different limits of work.
    #[test]
    fn the_check_can_run_every_program_of_a_large_tree(
        tree in tree(300).prop_flat_map(shuffled),
        root in any::<Index>(),
        limit in 0..4u32,
    ) {
        let broadcast = Collective::broadcast(NodeId::from_index(root.index(tree.node_count())));
        let model = CommunicationModel {
            ports: Ports::limit(limit).unwrap_or(Ports::All),
            ..CommunicationModel::wormhole()
        };
        let problem = Problem::new(&tree, &broadcast, model).unwrap();
        let bound = best(&problem);
        prop_assert_eq!(bound.check(&problem), Ok(()));
        // With one port, the number of holders can double in every step (Farley 1980).
        prop_assert!(bound.steps <= tree.terminal_count().next_power_of_two().ilog2());
    }
}

proptest! {
    #![proptest_config(cases(32))]

    /// A search that stops early returns enough steps, or the best bound.
    #[test]
    fn rules_are_applied_until_a_bound_suffices(instance in instance_of(12), enough in 0..20u32) {
        let problem = instance.problem();
        let bounds = all(&problem);
        let bound = best_reaching(&problem, enough);
        prop_assert_eq!(bound.check(&problem), Ok(()));
        prop_assert!(bound.steps >= enough.min(bounds[0].steps), "{bound} for {enough}");
        // Exact rules work longer if it is known what suffices.
        prop_assert!(bound.steps <= bounds[0].steps || bound.rule == Rule::Satisfiability, "{bound} for {enough}");
        // Where another rule proves as much, a search may leave out a costly rule.
        let best = best(&problem);
        prop_assert_eq!(best.steps, bounds[0].steps);
        prop_assert!(bounds.iter().any(|bound| (bound.steps, bound.rule) == (best.steps, best.rule)), "{}", best);
    }

    /// A rule uses the results of the rules that it builds on, and no others.
    #[test]
    fn the_bound_of_a_rule_does_not_depend_on_the_other_rules(instance in instance_of(12)) {
        let problem = instance.problem();
        prop_assume!(problem.collective().phases().len() == 1);
        let bounds = all(&problem);
        for rule in Rule::ALL {
            let alone = by_rule(&problem, rule);
            prop_assert_eq!(alone.as_ref(), bounds.iter().find(|bound| bound.rule == rule), "{}", rule);
        }
    }

}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn no_bound_exceeds_the_optimum_on_buses(instance in instance_on(any_bus_topology(6).prop_flat_map(shuffled))) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }

    #[test]
    fn no_bound_exceeds_the_optimum_with_capacities(instance in with_capacities(4)) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }

    #[test]
    fn no_bound_of_a_message_exceeds_the_optimum_with_capacities(instance in broadcast_with_capacities(7)) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }

    #[test]
    fn no_bound_of_an_all_reduce_exceeds_the_optimum(instance in all_reduce()) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }

    #[test]
    fn no_bound_of_few_among_many_terminals_exceeds_the_optimum(instance in few_of_many_terminals()) {
        prop_assume!(compare_rules(&instance.problem()).is_ok());
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn no_bound_on_five_terminals_exceeds_the_optimum((topology, collective) in instance(5..=5), model in model()) {
        prop_assume!(compare_with_optimum(&topology, &collective, model));
    }

    /// Networks that are too large for the oracle, with schedules that the verifier accepts.
    #[test]
    fn no_valid_schedule_beats_a_bound(
        (instance, schedule) in
            prop_oneof![3 => scheduled_instance(16), 1 => scheduled(instance_with_capacities(16))],
    ) {
        let problem = instance.problem();
        let steps = verify(&problem, &schedule).unwrap().steps;
        for bound in all(&problem) {
            prop_assert!(bound.steps as usize <= steps, "{bound}, but a schedule has {steps}");
            prop_assert_eq!(bound.check(&problem), Ok(()));
        }
    }
}

/// Terminal 1 reaches two terminals over one bus, and terminal 2 two others over channels of their own. Terminal 1 needs
/// the most time although it has fewer ports.
#[test]
fn the_growth_of_holders_allows_a_slow_terminal_to_come_first() {
    let mut network = TopologyBuilder::new("bus");
    let nodes: Vec<NodeId> = (0..6).map(|node| network.terminal(node.to_string())).collect();
    let [_, bus, branch, ..] =
        [(0, 1), (1, 2), (1, 5), (2, 3), (2, 4)].map(|(tail, head)| network.channel(nodes[tail], nodes[head]));
    network.share([bus, branch]);
    let (network, broadcast) = (network.build().unwrap(), Collective::broadcast(nodes[0]));
    let problem = Problem::new(&network, &broadcast, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(optimum(&problem, 10_000), Some(3));
    let bound = by_rule(&problem, Rule::Growth).unwrap();
    assert_eq!((bound.steps, bound.check(&problem)), (3, Ok(())));
    // Ports and targets in separate orders would give 1, 2, 4, 5, 6.
    let Certificate::Growth { source, messages, receivers, ports, informed } = bound.certificate else { panic!() };
    assert_eq!(informed, [1, 2, 4, 6]);
    let informed = vec![1, 2, 4, 5, 6];
    let certificate = Certificate::Growth { source, messages, receivers, ports, informed };
    let refused = LowerBound { steps: 4, rule: Rule::Growth, certificate }.check(&problem);
    assert_eq!(refused, Err(CertificateError::Wrong { quantity: "informed terminals", claimed: 5, actual: 6 }));
}

/// The path with the fewest channels from 0 to 2 uses one bus twice. Two messages take the two detours in one step.
#[test]
fn detours_around_a_bus_count() {
    let mut network = TopologyBuilder::new("detours");
    let nodes: Vec<NodeId> = (0..7).map(|node| network.terminal(node.to_string())).collect();
    let ends = [(0, 1), (1, 2), (0, 3), (3, 4), (4, 2), (0, 5), (5, 6), (6, 2)];
    let channels = ends.map(|(tail, head)| network.channel(nodes[tail], nodes[head]));
    network.share([channels[0], channels[1]]);
    let network = network.build().unwrap();
    let message = Message { source: nodes[0], receivers: vec![nodes[2]] };
    let collective = Collective::custom(vec![message.clone(), message]);
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    assert_eq!(optimum(&problem, 10_000), Some(1));
    let steps: Vec<u32> = all(&problem).iter().map(|bound| bound.steps).collect();
    assert!(!steps.is_empty() && steps.iter().all(|&steps| steps == 1), "{steps:?}");
}

/// Optima from tables in the literature.
#[test]
fn the_oracle_finds_known_optima() {
    let optimum_of = |spec: &str, collective: Collective, model| {
        let topology: Topology = spec.parse().unwrap();
        optimum(&Problem::new(&topology, &collective, model).unwrap(), 10_000_000)
    };
    let root = |node| NodeId::new(node);
    let wormhole = CommunicationModel::wormhole();
    let packets = CommunicationModel::store_and_forward();
    // Complete binary trees: 4 leaves under switches, and 7 routers with the source at the root or a leaf.
    assert_eq!(optimum_of("b-tree:4", Collective::all_to_all(), wormhole), Some(4));
    assert_eq!(optimum_of("b-tree:4", Collective::all_gather(), wormhole), Some(3));
    assert_eq!(optimum_of("full-b-tree:7", Collective::broadcast(root(0)), wormhole), Some(2));
    assert_eq!(optimum_of("full-b-tree:7", Collective::broadcast(root(6)), wormhole), Some(3));
    // Hypercubes: dimension, and half the nodes.
    assert_eq!(optimum_of("hypercube:3", Collective::broadcast(root(0)), packets), Some(3));
    assert_eq!(optimum_of("hypercube:2", Collective::all_to_all(), wormhole), Some(2));
    assert_eq!(optimum_of("hypercube:2", Collective::all_gather(), packets), Some(2));
}
