//! Tests of the constructions by cyclic shifts (multistage, fat tree and Clos) on networks under any numbering.

use lockstep_bounds::best_reaching;
use lockstep_schedule::strategy::instance;
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, Ports, Problem, Routing, ScatterRule, Schedule, Switching, verify,
};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::clos::{CLOS, ClosNetwork};
use super::fat_tree::{FAT_TREE, FatTreeNetwork};
use super::multistage::MULTISTAGE;
use crate::{Construction, route_permutation};

const ALL: [&Construction; 3] = [&MULTISTAGE, &FAT_TREE, &CLOS];

/// One-way stages of `radix x radix` switches, a perfect shuffle before each. Line `l` leads to terminal `outputs[l]`.
pub(super) fn omega(radix: usize, stages: u32, outputs: impl IntoIterator<Item = usize>) -> Topology {
    let count = radix.pow(stages);
    let mut network = TopologyBuilder::new("omega");
    let terminals: Vec<NodeId> = (0..count).map(|line| network.terminal(line.to_string())).collect();
    let mut lines = terminals.clone();
    for stage in 0..stages {
        let switch = |place| network.switch(format!("s{stage}.{place}"));
        let switches: Vec<NodeId> = (0..count / radix).map(switch).collect();
        for (line, &from) in lines.iter().enumerate() {
            network.channel(from, switches[line * radix % count / radix]);
        }
        lines = switches.into_iter().flat_map(|switch| std::iter::repeat_n(switch, radix)).collect();
    }
    for (&from, to) in lines.iter().zip(outputs) {
        network.channel(from, terminals[to]);
    }
    network.build().unwrap()
}

/// A fat tree whose switches of height `h` have `links[h - 1].0` links down and, below the top, `links[h - 1].1` links
/// up.
pub(super) fn fat_tree(links: &[(usize, usize)]) -> Topology {
    let product = |factors: &mut dyn Iterator<Item = usize>| factors.product::<usize>();
    let mut network = TopologyBuilder::new("fat tree");
    let count = product(&mut links.iter().map(|link| link.0));
    let mut below: Vec<NodeId> = (0..count).map(|place| network.terminal(place.to_string())).collect();
    let mut colours_below = 1;
    for height in 0..links.len() {
        let subtrees = product(&mut links[height + 1..].iter().map(|link| link.0));
        let colours = product(&mut links[..height].iter().map(|link| link.1));
        let switch = |place| network.switch(format!("s{height}.{place}"));
        let switches: Vec<NodeId> = (0..subtrees * colours).map(switch).collect();
        for (place, &lower) in below.iter().enumerate() {
            let (subtree, colour) = (place / colours_below / links[height].0, place % colours_below);
            for upper in (colour..colours).step_by(colours_below) {
                network.link(lower, switches[subtree * colours + upper]);
            }
        }
        (below, colours_below) = (switches, colours);
    }
    network.build().unwrap()
}

fn networks() -> impl Strategy<Value = Topology> {
    let families = select(vec![
        "omega:2",
        "omega:4",
        "omega:8",
        "omega:16",
        "omega:32",
        "omega:64",
        "butterfly:2",
        "butterfly:4",
        "butterfly:8",
        "butterfly:16",
        "butterfly:32",
        "butterfly:64",
        "fat-tree:2,1",
        "fat-tree:2,2",
        "fat-tree:2,3",
        "fat-tree:2,4",
        "fat-tree:2,5",
        "fat-tree:2,6",
        "fat-tree:3,3",
        "fat-tree:4,2",
        "clos:3,3,4",
        "clos:4,4,4",
        "clos:3,5,4",
        "clos:2,2,2",
        "clos:1,1,5",
        "fat-tree:5,1",
    ]);
    let built = select(vec![
        omega(3, 3, 0..27),
        omega(5, 2, 0..25),
        fat_tree(&[(3, 4), (5, 0)]),
        fat_tree(&[(2, 2), (3, 4), (4, 0)]),
        fat_tree(&[(2, 2), (2, 2), (4, 0)]),
        fat_tree(&[(1, 3), (2, 2), (3, 0)]),
    ]);
    prop_oneof![4 => families.prop_map(|spec| spec.parse().unwrap()), 1 => built].prop_flat_map(shuffled)
}

fn models() -> impl Strategy<Value = CommunicationModel> {
    let ports = select(vec![Ports::All, Ports::limit(1).unwrap()]);
    let routing = select(vec![Routing::Minimal, Routing::Any]);
    let scatter = select(vec![ScatterRule::Direct, ScatterRule::Relay]);
    (ports, routing, scatter).prop_map(|(ports, routing, scatter)| CommunicationModel {
        switching: Switching::Wormhole,
        ports,
        routing,
        scatter,
    })
}

fn collectives(topology: &Topology, root: usize) -> [Collective; 4] {
    let root = topology.terminals()[root];
    [Collective::broadcast(root), Collective::all_gather(), Collective::scatter(root), Collective::all_to_all()]
}

/// The verified schedules of all constructions that support the problem.
fn schedules(problem: &Problem<'_>) -> Result<Vec<Schedule>, TestCaseError> {
    let built = ALL.iter().filter_map(|one| one.schedule(problem, 0, &Budget::unlimited()));
    built
        .map(|schedule| match verify(problem, &schedule) {
            Ok(report) if report.redundant == 0 => Ok(schedule),
            Ok(report) => Err(TestCaseError::fail(report.to_string())),
            Err(violation) => Err(TestCaseError::fail(violation.to_string())),
        })
        .collect()
}

/// Returns true if the paths are contiguous, of these lengths, from these senders to these receivers, and share no
/// channel.
pub(super) fn is_one_step<'a>(
    topology: &Topology,
    paths: impl Iterator<Item = (NodeId, NodeId, &'a [ChannelId])>,
    shortest: impl Fn(NodeId, NodeId) -> usize,
) -> bool {
    let mut used = vec![false; topology.channel_bound()];
    paths.into_iter().all(|(from, to, path)| {
        path.len() == shortest(from, to)
            && path.first().is_some_and(|&first| topology.tail(first) == from)
            && path.last().is_some_and(|&last| topology.head(last) == to)
            && path.windows(2).all(|two| topology.head(two[0]) == topology.tail(two[1]))
            && path.iter().all(|channel| !std::mem::replace(&mut used[channel.index()], true))
    })
}

/// The largest number of messages of a total exchange on one channel, if each pair has one path.
fn total_exchange_load(topology: &Topology) -> usize {
    let reached = |start: NodeId, forward: bool| {
        let mut seen = vec![false; topology.node_count()];
        let mut stack = vec![start];
        while let Some(node) = stack.pop() {
            if std::mem::replace(&mut seen[node.index()], true) || node != start && topology.is_terminal(node) {
                continue;
            }
            if forward {
                stack.extend(topology.out_channels(node).iter().map(|&channel| topology.head(channel)));
            } else {
                stack.extend(topology.in_channels(node).iter().map(|&channel| topology.tail(channel)));
            }
        }
        topology.terminals().iter().map(|&node| seen[node.index()]).collect::<Vec<bool>>()
    };
    let load = |channel| {
        let (tail, head) = (topology.tail(channel), topology.head(channel));
        let (senders, receivers) = (reached(tail, false), reached(head, true));
        let count = |set: &[bool]| set.iter().filter(|&&is_in| is_in).count();
        let both = senders.iter().zip(&receivers).filter(|&(sender, receiver)| *sender && *receiver).count();
        if topology.is_terminal(tail) || topology.is_terminal(head) {
            topology.terminal_count() - 1
        } else {
            count(&senders) * count(&receivers) - both
        }
    };
    topology.channels().map(load).max().unwrap()
}

/// The network with one channel removed, or leading to another node.
fn spoiled(topology: &Topology, channel: usize, new_head: Option<NodeId>) -> Option<Topology> {
    let mut network = TopologyBuilder::new("spoiled");
    for node in topology.nodes() {
        network.node(topology.node_name(node), topology.is_terminal(node), None);
    }
    for old in topology.channels() {
        let head = if old.index() == channel { new_head } else { Some(topology.head(old)) };
        if let Some(head) = head {
            network.channel(topology.tail(old), head);
        }
    }
    network.build().ok()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    #[test]
    fn every_collective_meets_its_bound(topology in networks(), model in models(), root in any::<Index>()) {
        for collective in collectives(&topology, root.index(topology.terminal_count())) {
            let problem = Problem::new(&topology, &collective, model).unwrap();
            let schedules = schedules(&problem)?;
            prop_assert!(!schedules.is_empty(), "{} is not supported", collective.abbreviation());
            for schedule in schedules {
                let steps = schedule.step_count() as u32;
                prop_assert_eq!(steps, best_reaching(&problem, steps).steps, "{}", collective.abbreviation());
            }
        }
    }

    /// For any terminals at the outputs of an Omega network.
    #[test]
    fn total_exchange_meets_the_load_of_the_busiest_channel(
        (topology, root) in select(vec![(2usize, 2u32), (2, 3), (2, 4), (3, 2), (4, 2)])
            .prop_flat_map(|(radix, stages)| {
                let outputs = Just((0..radix.pow(stages)).collect::<Vec<usize>>()).prop_shuffle();
                outputs.prop_flat_map(move |outputs| shuffled(omega(radix, stages, outputs)))
            })
            .prop_flat_map(|topology| (Just(topology), any::<Index>())),
    ) {
        let others = topology.terminal_count() - 1;
        let load = total_exchange_load(&topology);
        let expected = [None, Some(others), Some(others), Some(load)];
        for (collective, expected) in collectives(&topology, root.index(topology.terminal_count())).into_iter().zip(expected) {
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            match (&schedules(&problem)?[..], expected) {
                ([schedule], Some(steps)) => prop_assert_eq!(schedule.step_count(), steps),
                ([], None) => prop_assert_eq!(load, others + 1),
                ([schedule], None) => {
                    let steps = schedule.step_count() as u32;
                    prop_assert_eq!((steps, load), (best_reaching(&problem, steps).steps, others));
                }
                (found, _) => prop_assert!(false, "{} schedules of {}", found.len(), collective.abbreviation()),
            }
        }
    }

    #[test]
    fn a_damaged_network_is_refused_or_served(
        topology in networks(), channel in any::<Index>(), head in any::<Option<Index>>(), root in any::<Index>(),
    ) {
        let channel = channel.index(topology.channel_count());
        let head = head.map(|head| NodeId::from_index(head.index(topology.node_count())));
        let Some(topology) = spoiled(&topology, channel, head) else { return Ok(()) };
        for collective in collectives(&topology, root.index(topology.terminal_count())) {
            if let Ok(problem) = Problem::new(&topology, &collective, CommunicationModel::wormhole()) {
                schedules(&problem)?;
            }
        }
    }

    #[test]
    fn any_network_is_refused_or_served(instance in instance(9)) {
        schedules(&instance.problem())?;
    }

    #[test]
    fn any_permutation_takes_one_step(
        (topology, mut receivers) in networks().prop_flat_map(|topology| {
            let receivers: Vec<Option<NodeId>> = topology.terminals().iter().copied().map(Some).collect();
            (Just(topology), Just(receivers).prop_shuffle())
        }),
        silent in prop::collection::vec(any::<Index>(), 0..3),
    ) {
        for silent in &silent {
            receivers[silent.index(topology.terminal_count())] = None;
        }
        let routed = route_permutation(&topology, &receivers);
        let is_served = ClosNetwork::recognise(&topology).is_some() || FatTreeNetwork::recognise(&topology).is_some();
        prop_assert_eq!(routed.is_ok(), is_served);
        let Ok(paths) = routed else { return Ok(()) };
        let distances = lockstep_paths::ShortestPaths::all_pairs(&topology).unwrap();
        let carried = topology.terminals().iter().zip(&receivers).zip(&paths);
        for ((&sender, &receiver), path) in carried.clone() {
            prop_assert_eq!(path.is_empty(), receiver.is_none_or(|receiver| receiver == sender));
        }
        let carried = carried.filter_map(|((&sender, &receiver), path)| {
            receiver.filter(|&receiver| receiver != sender).map(|receiver| (sender, receiver, path.as_slice()))
        });
        let shortest = |from, to| distances.distance(from, to).unwrap() as usize;
        prop_assert!(is_one_step(&topology, carried, shortest));
    }
}

#[test]
fn other_networks_and_models_are_not_supported() {
    let unsupported = [
        "hypercube:4",
        "mesh:4x4",
        "ring:5",
        "kautz:2,3",
        "b-tree:8",
        "full-b-tree:15",
        "star:5",
        "complete:4",
        "clos:3,2,4",
    ];
    for spec in unsupported {
        let topology: Topology = spec.parse().unwrap();
        for collective in collectives(&topology, 0) {
            let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
            assert_eq!(schedules(&problem).unwrap(), [], "{spec}");
        }
    }
    let half_duplex = "fat-tree:2,3".parse::<Topology>().unwrap().half_duplex();
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&half_duplex, &exchange, CommunicationModel::wormhole()).unwrap();
    assert_eq!(schedules(&problem).unwrap(), []);
}

#[test]
fn collecting_and_custom_collectives_are_not_supported() {
    let omega: Topology = "omega:8".parse().unwrap();
    let [root, other] = [0, 1].map(NodeId::new);
    let gather = Collective::scatter(root).reversed();
    for collective in [gather, Collective::many_to_many_scatter(&[root], &[other])] {
        let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
        assert_eq!(schedules(&problem).unwrap(), []);
    }
}

#[test]
fn a_cancelled_budget_ends_the_constructions() {
    let omega: Topology = "omega:8".parse().unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    for collective in [Collective::all_gather(), Collective::all_to_all()] {
        let problem = Problem::new(&omega, &collective, CommunicationModel::wormhole()).unwrap();
        assert_eq!(MULTISTAGE.schedule(&problem, 0, &budget), None);
    }
}

#[test]
fn invalid_permutations_are_refused_with_a_message() {
    let clos: Topology = "clos:2,2,2".parse().unwrap();
    let refused = |topology: &Topology, receivers: &[Option<u32>]| {
        let receivers: Vec<_> = receivers.iter().map(|receiver| receiver.map(NodeId::new)).collect();
        route_permutation(topology, &receivers).unwrap_err().to_string()
    };
    assert_eq!(refused(&clos, &[None]), "1 receivers for 4 terminals; give one receiver, or none, per terminal");
    for receiver in [4, 99] {
        let expected = format!("the receiver of terminal '1' is node {receiver}, which is not a terminal");
        assert_eq!(refused(&clos, &[None, Some(receiver), None, None]), expected);
    }
    let expected = "terminals '0' and '3' both send to '2'; a permutation has one sender per receiver";
    assert_eq!(refused(&clos, &[Some(2), None, None, Some(2)]), expected);
    for spec in ["omega:4", "clos:2,1,2", "b-tree:4"] {
        let network: Topology = spec.parse().unwrap();
        assert!(refused(&network, &[None; 4]).starts_with(&format!("'{spec}' is neither a Clos network")));
    }
}
