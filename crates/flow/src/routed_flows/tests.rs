use std::collections::BTreeSet;
use std::num::NonZeroU32;

use lockstep_paths::ShortestPaths;
use lockstep_topology::{NodeId, strategy};
use proptest::prelude::*;

use super::*;
use crate::options::{Clock, Endpoints, RateModel};

fn options(routing: Routing) -> SimulationOptions {
    SimulationOptions {
        tasks_per_terminal: NonZeroU32::MIN,
        routing,
        rates: RateModel::MaxMin,
        clock: Clock::Real,
        endpoints: Endpoints::Direct,
        capacity: 1.0,
        outstanding: None,
        startup: 0.0,
        seed: 7,
    }
}

/// Creates `flows` flows for each ordered pair of tasks.
fn all_pairs(tasks: usize, flows: usize) -> Programs {
    let send = |to: usize| Event::Send { to: TaskId::from_index(to), size: 1, tag: 0, path: [].into() };
    let others = |from: usize| (0..tasks).filter(move |&to| to != from);
    let sends = |from: usize| others(from).flat_map(|to| std::iter::repeat_n(to, flows)).map(send).collect();
    Programs { tasks: (0..tasks).map(sends).collect() }
}

/// Returns the channels of each subflow of each flow, on a network without shared resources.
fn paths(topology: &Topology, programs: &Programs, options: &SimulationOptions) -> Vec<Vec<Vec<ChannelId>>> {
    let routed = RoutedFlows::new(topology, programs, options).unwrap();
    let channel = |&link: &u32| topology.channels().find(|&one| topology.resource(one).number() == link).unwrap();
    let path = |subflow: u32| routed.links(subflow).iter().map(channel).collect();
    (0..routed.flow_count() as u32).map(|flow| routed.subflows(flow).map(path).collect()).collect()
}

/// Returns the path in the breadth-first tree with neighbours in ascending order.
fn tree_path(topology: &Topology, from: NodeId, to: NodeId) -> Vec<NodeId> {
    let mut paths = vec![vec![from]];
    let mut visited = BTreeSet::from([from]);
    loop {
        let path = paths.remove(0);
        let last = path[path.len() - 1];
        if last == to {
            return path;
        }
        if last != from && !topology.routes(last) {
            continue;
        }
        let next: BTreeSet<NodeId> =
            topology.out_channels(last).iter().map(|&channel| topology.head(channel)).collect();
        for node in next {
            if visited.insert(node) {
                paths.push([&path[..], &[node]].concat());
            }
        }
    }
}

#[test]
fn excess_paths_are_drawn_without_repetition() {
    let mesh: Topology = "mesh:6x6".parse().unwrap();
    let mut programs = Programs { tasks: vec![Vec::new(); 36] };
    programs.tasks[0].push(Event::Send { to: TaskId::new(35), size: 1, tag: 0, path: [].into() });
    let split = paths(&mesh, &programs, &options(Routing::EcmpSplit));
    let different: BTreeSet<_> = split[0].iter().collect();
    assert_eq!((split[0].len(), different.len()), (64, 64));
    // Of 252 paths about half begin in each direction.
    let right = split[0].iter().filter(|path| mesh.head(path[0]).number() == 1).count();
    assert!((16..=48).contains(&right), "{right}");
}

#[test]
fn flows_take_all_paths_in_turn() {
    let ring: Topology = "ring:4".parse().unwrap();
    let found = paths(&ring, &all_pairs(4, 3), &options(Routing::EcmpRoundRobin));
    // Flows 3 to 5 are from 0 to 2.
    assert_eq!(found[3], found[5]);
    assert_ne!(found[3], found[4]);
    assert_eq!(found[3][0].len(), 2);
}

#[test]
fn each_flow_may_draw_another_path() {
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let found = paths(&mesh, &all_pairs(16, 40), &options(Routing::EcmpRandom));
    let of_corners: BTreeSet<_> = found[14 * 40..15 * 40].iter().flatten().collect();
    assert!((8..=20).contains(&of_corners.len()), "{}", of_corners.len());
}

#[test]
fn injection_and_ejection_links_are_at_the_ends() {
    let ring: Topology = "ring:4".parse().unwrap();
    let mut options = SimulationOptions { tasks_per_terminal: NonZeroU32::new(2).unwrap(), ..options(Routing::SpTree) };
    let ends = |options: &SimulationOptions, from: u32, to: u32| {
        let mut programs = Programs { tasks: vec![Vec::new(); 8] };
        programs.tasks[from as usize].push(Event::Send { to: TaskId::new(to), size: 1, tag: 0, path: [].into() });
        let routed = RoutedFlows::new(&ring, &programs, options).unwrap();
        let links = routed.links(0);
        (links.len(), links.first().copied(), links.last().copied())
    };
    assert_eq!(ends(&options, 2, 3), (0, None, None));
    options.endpoints = Endpoints::TerminalLinks;
    assert_eq!(ends(&options, 3, 4), (3, Some(8 + 1), Some(8 + 4 + 2)));
    assert_eq!(ends(&options, 2, 3), (2, Some(8 + 1), Some(8 + 4 + 1)));
    options.endpoints = Endpoints::TaskLinks;
    assert_eq!(ends(&options, 3, 4), (3, Some(8 + 3), Some(8 + 8 + 4)));
}

proptest! {
    #[test]
    fn all_paths_are_shortest(
        topology in prop_oneof![
            strategy::connected_topology(9), strategy::indirect_topology(9), strategy::directed_topology(9),
            strategy::indirect_topology(9).prop_flat_map(strategy::gapped),
        ],
        routing in prop::sample::select(Routing::ALL),
    ) {
        let terminals = topology.terminals();
        let shortest = ShortestPaths::all_pairs(&topology).unwrap();
        let found = paths(&topology, &all_pairs(terminals.len(), 2), &options(routing));
        let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
        for ((from, to), flows) in pairs.filter(|(from, to)| from != to).zip(found.chunks(2)) {
            let all: BTreeSet<_> = shortest.paths(from, to).collect();
            for flow in flows {
                prop_assert!(flow.iter().all(|path| all.contains(path)), "{from} to {to}: {flow:?}");
            }
            match routing {
                Routing::SpTree | Routing::SpRandom => prop_assert_eq!(&flows[0], &flows[1]),
                Routing::EcmpRoundRobin => prop_assert_eq!(flows[0] == flows[1], all.len() == 1),
                Routing::EcmpRandom => prop_assert_eq!([flows[0].len(), flows[1].len()], [1, 1]),
                Routing::EcmpSplit => prop_assert_eq!(flows[0].iter().collect::<BTreeSet<_>>(), all.iter().collect()),
            }
        }
    }

    #[test]
    fn both_directions_use_the_tree_of_the_lower_terminal(
        topology in prop_oneof![strategy::connected_topology(9), strategy::indirect_topology(9)],
    ) {
        let terminals = topology.terminals();
        let found = paths(&topology, &all_pairs(terminals.len(), 1), &options(Routing::SpTree));
        let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
        for ((from, to), flow) in pairs.filter(|(from, to)| from != to).zip(&found) {
            let mut nodes = vec![from];
            nodes.extend(flow[0].iter().map(|&channel| topology.head(channel)));
            let mut expected = tree_path(&topology, from.min(to), from.max(to));
            if to < from {
                expected.reverse();
            }
            prop_assert_eq!(nodes, expected);
        }
    }
}
