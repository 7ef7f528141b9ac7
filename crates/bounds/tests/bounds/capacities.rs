//! Bounds on networks whose resources have capacities, compared with the same bounds on networks of parallel channels.

use lockstep_bounds::{Rule, all, best, by_rule};
use lockstep_certificate::{Certificate, CertificateError, LowerBound};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
use lockstep_topology::strategy::with_parallel_channels;
use lockstep_topology::{MAX_CAPACITY, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use crate::networks::with_capacities;
use crate::oracle::cases;

/// The rules whose bounds do not depend on a search that may stop early.
const EXACT: [Rule; 9] = [
    Rule::Ports,
    Rule::Growth,
    Rule::Volume,
    Rule::TreePackets,
    Rule::TreeBroadcast,
    Rule::Cut,
    Rule::Eccentricity,
    Rule::DistanceSum,
    Rule::Reception,
];

proptest! {
    #![proptest_config(cases(32))]

    #[test]
    fn a_capacity_counts_as_parallel_channels(instance in with_capacities(7)) {
        let problem = instance.problem();
        // The cut of an all-reduce is one of several best cuts of a broadcast.
        prop_assume!(problem.collective().phases().len() == 1);
        let (parallel, _) = with_parallel_channels(&instance.topology);
        let parallel = Problem::new(&parallel, &instance.collective, instance.model).unwrap();
        let steps = |problem: &Problem<'_>, rule| by_rule(problem, rule).map(|bound| bound.steps);
        for rule in EXACT {
            prop_assert_eq!(steps(&problem, rule), steps(&parallel, rule), "{}", rule);
        }
        for bound in all(&problem) {
            prop_assert_eq!(bound.check(&problem), Ok(()));
            let more = LowerBound { steps: bound.steps + 1, ..bound };
            prop_assert!(more.check(&problem).is_err(), "{more}");
        }
    }
}

/// A ring of four terminals whose channels have a capacity.
fn ring(capacity: u64) -> Topology {
    let mut network = TopologyBuilder::new("ring");
    let nodes: Vec<NodeId> = (0..4).map(|node| network.terminal(node.to_string())).collect();
    for (place, &node) in nodes.iter().enumerate() {
        let link = network.link(node, nodes[(place + 1) % nodes.len()]);
        network.set_capacity(link, capacity);
    }
    network.build().unwrap()
}

#[test]
fn no_sum_overflows_with_the_largest_capacities() {
    let ring = ring(MAX_CAPACITY);
    let root = ring.terminals()[0];
    let packets = CommunicationModel::store_and_forward();
    let two_ports = CommunicationModel { ports: Ports::limit(2).unwrap(), ..packets };
    for network in [ring.half_duplex(), ring] {
        for collective in [
            Collective::broadcast(root),
            Collective::scatter(root),
            Collective::all_gather(),
            Collective::all_to_all(),
            Collective::all_reduce(),
        ] {
            let collective = collective.with_chunks(3.try_into().unwrap());
            for model in [CommunicationModel::wormhole(), packets, two_ports] {
                let problem = Problem::new(&network, &collective, model).unwrap();
                for bound in all(&problem) {
                    assert_eq!(bound.check(&problem), Ok(()), "{bound}");
                }
            }
        }
    }
}

/// Three messages with 2^28 chunks each enter a terminal over two channels of 2^16 transfers per step.
#[test]
fn the_largest_capacities_count_in_full() {
    let (ring, all_gather) = (ring(MAX_CAPACITY), Collective::all_gather().with_chunks((1 << 28).try_into().unwrap()));
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::wormhole()).unwrap();
    assert_eq!(best(&problem).steps, 3 << (28 - 17));
}

#[test]
fn a_cut_over_many_steps_does_not_overflow() {
    let (ring, all_gather) = (ring(MAX_CAPACITY), Collective::all_gather());
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let infeasible = u32::MAX - 1;
    let holds = vec![0, 0, 0, u32::MAX];
    let (sends, receives) = (Vec::new(), Vec::new());
    let certificate = Certificate::TimedCut { infeasible, holds, sends, receives, messages: 3, crossings: 2 };
    let refused = LowerBound { steps: u32::MAX, rule: Rule::TimedCut, certificate }.check(&problem);
    let actual = u64::from(u32::MAX - 1) << 17;
    assert_eq!(refused, Err(CertificateError::Wrong { quantity: "crossings in all steps", claimed: 2, actual }));
}

/// Servers of GPUs behind a switch each. GPU `g` of every server has a channel of capacity 1 to and from rail `g`.
fn rails(servers: u32, gpus: u32, inner: u64) -> Topology {
    let mut network = TopologyBuilder::new("rails");
    let rails: Vec<NodeId> = (0..gpus).map(|rail| network.switch(format!("rail{rail}"))).collect();
    for server in 0..servers {
        let switch = network.switch(format!("nvswitch{server}"));
        for (gpu, &rail) in rails.iter().enumerate() {
            let terminal = network.terminal(format!("gpu{server}.{gpu}"));
            let link = network.link(terminal, switch);
            network.set_capacity(link, inner);
            network.link(terminal, rail);
        }
    }
    network.build().unwrap()
}

/// A message that enters a server in the last step reaches only one of its GPUs.
#[test]
fn an_all_gather_over_rails_takes_one_step_per_server() {
    for servers in [4, 8, 16, 32] {
        let network = rails(servers, 8, 12);
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole()).unwrap();
        let bound = best(&problem);
        assert_eq!((bound.steps, bound.rule), (servers, Rule::TimedCut), "{bound}");
        assert_eq!(bound.check(&problem), Ok(()));
        assert_eq!(LowerBound::from_bytes(&bound.to_bytes()), Ok(bound.clone()));
        let Certificate::LateCut { nodes, receivers, messages, per_step, late, entries } = bound.certificate else {
            panic!("{bound:?}")
        };
        for ([receivers, messages, per_step, entries], late) in [
            ([receivers + 1, messages, per_step, entries], late),
            ([receivers - 1, messages, per_step, entries], late),
            ([receivers, messages + 1, per_step, entries], late),
            ([receivers, messages, per_step - 1, entries], late),
            ([receivers, messages, per_step, entries + 1], late),
            ([receivers, messages, per_step, entries - 1], late),
            ([receivers, messages, per_step, entries], late + 1),
            ([receivers, messages, per_step, entries], 0),
        ] {
            let nodes = nodes.clone();
            let certificate = Certificate::LateCut { nodes, receivers, messages, per_step, late, entries };
            let spoiled = LowerBound { steps: bound.steps, rule: Rule::TimedCut, certificate };
            assert!(spoiled.check(&problem).is_err(), "{spoiled}");
        }
    }
}

/// All messages enter an `NDv2` server at one GPU, which is two transfers from some of the others: two more steps.
#[test]
fn messages_that_enter_far_from_a_receiver_must_enter_earlier() {
    let topology: Topology = "ndv2:4".parse().unwrap();
    let model = CommunicationModel::store_and_forward().on(&topology);
    for chunks in [1, 2, 4] {
        let all_gather = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
        let problem = Problem::new(&topology, &all_gather, model).unwrap();
        let bound = best(&problem);
        assert_eq!((bound.steps, bound.rule), (24 * chunks + 2, Rule::TimedCut), "{bound}");
        assert_eq!(bound.check(&problem), Ok(()));
        assert!(matches!(bound.certificate, Certificate::LateCut { late: 2, entries: 0, .. }), "{bound:?}");
    }
}

/// In an all-reduce, each of `8 n` blocks needs `2 (n - 1)` transfers between servers, and `8 n` are possible in a step. Sums of a
/// server take one step before the first one, and results one after the last.
#[test]
fn an_all_reduce_over_rails_counts_the_transfers_between_servers() {
    for servers in [3, 5] {
        let network = rails(servers, 8, 12);
        let all_reduce = Collective::all_reduce();
        let problem = Problem::new(&network, &all_reduce, CommunicationModel::wormhole()).unwrap();
        let bound = best(&problem);
        assert_eq!((bound.steps, bound.rule), (2 * servers, Rule::Volume), "{bound}");
        assert_eq!(bound.check(&problem), Ok(()));
        assert_eq!(LowerBound::from_bytes(&bound.to_bytes()), Ok(bound.clone()));
        let Certificate::GroupVolume { groups, transfers, members, per_step } = bound.certificate else {
            panic!("{bound:?}")
        };
        assert_eq!(groups.len(), servers as usize);
        let mut twice = groups.clone();
        twice[1].insert(0, groups[0][0]);
        let mut outside = groups.clone();
        outside[0].remove(0);
        let mut unknown = groups.clone();
        unknown[0].push(NodeId::new(u32::MAX));
        let mut unordered = groups.clone();
        unordered[0].swap(0, 1);
        for (groups, [transfers, members, per_step]) in [
            (groups.clone(), [transfers + 1, members, per_step]),
            (groups.clone(), [transfers, members + 1, per_step]),
            (groups.clone(), [transfers, members, per_step - 1]),
            (twice, [transfers, members, per_step]),
            (outside, [transfers, members, per_step]),
            (unknown, [transfers, members, per_step]),
            (unordered, [transfers, members, per_step]),
            (groups[1..].to_vec(), [transfers, members, per_step]),
        ] {
            let certificate = Certificate::GroupVolume { groups, transfers, members, per_step };
            let spoiled = LowerBound { steps: bound.steps, rule: Rule::Volume, certificate };
            assert!(spoiled.check(&problem).is_err(), "{spoiled}");
        }
    }
}

/// 13 chunks of 16 messages need 15 steps: all of them enter the last terminal of a server.
#[test]
fn two_servers_with_thirteen_chunks_take_fifteen_steps() {
    let network = rails(2, 8, 12);
    let all_gather = Collective::all_gather().with_chunks(13.try_into().unwrap());
    let problem = Problem::new(&network, &all_gather, CommunicationModel::wormhole()).unwrap();
    assert_eq!(best(&problem).steps, 15);
}
