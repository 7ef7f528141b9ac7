use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, verify};
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
    assert!(verify(&problem, &schedule).unwrap().steps <= goal as usize + 1);
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
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// All schedules are valid and shorter than asked, also on networks with buses and capacities.
    #[test]
    fn schedules_are_valid(instance in any_instance(8)) {
        let problem = instance.problem();
        prop_assume!(problem.collective().pattern() == Pattern::Broadcast && !problem.messages().is_empty());
        let goal = lower_bound(&problem);
        for below in [u32::MAX, goal + 2] {
            match find_below(&problem, goal, below, 2) {
                Ok(schedule) => {
                    let report = verify(&problem, &schedule);
                    prop_assert!(report.as_ref().is_ok_and(|report| report.steps < below as usize), "{report:?}");
                }
                Err(error) => prop_assert!(matches!(error, MethodError::NoShorter | MethodError::Unsupported)),
            }
        }
    }
}
