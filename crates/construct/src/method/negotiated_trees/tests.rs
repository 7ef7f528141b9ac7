use lockstep_schedule::{Budget, Collective, CommunicationModel, Message, Ports, Problem, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::*;
use crate::kit::testing::{any_instance, lower_bound};

/// Returns the schedule of the first attempts, in fewer steps than `below`.
fn find_below(problem: &Problem<'_>, goal: u32, below: u32, attempts: u64) -> Result<Schedule, MethodError> {
    let budget = Budget::unlimited();
    find(&MethodRequest { goal, below, attempts: 0..attempts, ..MethodRequest::first(problem, &budget) })
}

/// A tree of 10 nodes, store-and-forward, two ports: the busiest node decides.
#[test]
fn trees_share_ports() {
    let mut tree = TopologyBuilder::new("tree");
    let nodes: Vec<NodeId> = (0..10).map(|node| tree.terminal(node.to_string())).collect();
    for (from, to) in [(0, 1), (0, 2), (1, 3), (0, 4), (3, 5), (4, 6), (2, 7), (7, 8), (3, 9)] {
        tree.link(nodes[from], nodes[to]);
    }
    let (tree, all_gather) = (tree.build().unwrap(), Collective::all_gather());
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::store_and_forward() };
    let problem = Problem::new(&tree, &all_gather, model).unwrap();
    let goal = lower_bound(&problem);
    let schedule = find_below(&problem, goal, goal + 3, 4).unwrap();
    assert_eq!(verify(&problem, &schedule).unwrap().steps, goal as usize);
}

/// Two groups of terminals on half-duplex links with one port: list scheduling takes 12 steps.
#[test]
fn groups_share_half_duplex_links() {
    let links = "0-1 1-2 0-3 1-4 4-5 3-6 1-7 3-8 2-9 4-10 3-11 1-12 4-13 5-14 4-15 8-16 \
        1-17 4-18 16-19 11-12 11-17 4-7 2-11 5-15 0-5 1-5 3-10 13-17 7-17 9-18 15-19";
    let mut network = TopologyBuilder::new("two groups");
    let nodes: Vec<NodeId> = (0..20).map(|node| network.terminal(node.to_string())).collect();
    for link in links.split(' ') {
        let (from, to) = link.split_once('-').unwrap();
        let [from, to] = [from, to].map(|node| nodes[node.parse::<usize>().unwrap()]);
        let link = network.link(from, to);
        network.share(link);
    }
    let network = network.build().unwrap();
    let mut messages = Vec::new();
    for group in [&[8, 14, 17, 18][..], &[8, 10, 13, 15, 19]] {
        for &source in group {
            let receivers = group.iter().filter(|&&node| node != source).map(|&node| nodes[node]).collect();
            messages.push(Message { source: nodes[source], receivers });
        }
    }
    let collective = Collective::custom(messages);
    let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::store_and_forward() };
    let problem = Problem::new(&network, &collective, model).unwrap();
    let schedule = find_below(&problem, lower_bound(&problem), 12, 8).unwrap();
    assert_eq!(verify(&problem, &schedule).unwrap().steps, 9);
}

#[test]
fn other_problems_are_not_supported() {
    let ring: Topology = "ring:5".parse().unwrap();
    let exchange = Collective::all_to_all();
    let problem = Problem::new(&ring, &exchange, CommunicationModel::wormhole()).unwrap();
    assert!(matches!(find_below(&problem, 3, 10, 1), Err(MethodError::Unsupported)));
    let gather = Collective::all_gather();
    let problem = Problem::new(&ring, &gather, CommunicationModel::wormhole()).unwrap();
    assert!(matches!(find_below(&problem, 1, 2, 8), Err(MethodError::NoShorter)));
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    /// All schedules are valid and shorter than asked, also on networks with buses and capacities.
    #[test]
    fn schedules_are_valid(instance in any_instance(8)) {
        let problem = instance.problem();
        let is_scatter = problem.collective().pattern() == Pattern::Scatter && problem.topology().has_buses();
        prop_assume!(problem.collective().pattern() == Pattern::Broadcast || is_scatter);
        prop_assume!(!problem.messages().is_empty());
        let goal = lower_bound(&problem);
        for below in [u32::MAX, goal + 2] {
            match find_below(&problem, goal, below, 2) {
                Ok(schedule) => {
                    let report = verify(&problem, &schedule);
                    prop_assert!(report.as_ref().is_ok_and(|report| report.steps < below as usize), "{report:?}");
                }
                Err(MethodError::NoShorter) => prop_assert_ne!(below, u32::MAX),
                    Err(error) => prop_assert!(matches!(error, MethodError::Unsupported)),
            }
        }
    }
}
