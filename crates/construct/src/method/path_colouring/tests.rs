//! Tests of the whole method.

use std::collections::BTreeSet;

use lockstep_schedule::strategy::any_model;
use lockstep_schedule::{Budget, Collective, CommunicationModel, DistributePhase, Ports, Problem, ScatterRule, verify};
use lockstep_topology::strategy::{any_topology, shuffled};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::*;
use crate::kit::testing::{any_instance, any_network, lower_bound, renumbered};
use crate::method::METHODS;

/// Returns the number of steps of the verified schedule of some attempts.
fn steps(problem: &Problem<'_>, goal: u32, attempts: u64) -> Result<u32, MethodError> {
    let budget = Budget::unlimited();
    let request = MethodRequest { goal, attempts: 0..attempts, ..MethodRequest::first(problem, &budget) };
    let schedule = (PATH_COLOURING.find)(&request)?;
    let verified = verify(problem, &schedule).expect("a valid schedule");
    assert_eq!((verified.redundant, verified.transfers), (0, problem.messages().len()), "one transfer per message");
    Ok(verified.steps as u32)
}

/// Returns the number of steps of an all-to-all on a renumbered network after some rounds of attempts.
fn exchange(topology: &Topology, model: CommunicationModel, goal: u32) -> u32 {
    let (topology, collective, budget) = (renumbered(topology), Collective::all_to_all(), Budget::unlimited());
    let problem = Problem::new(&topology, &collective, model).unwrap();
    let mut request = MethodRequest { goal, ..MethodRequest::first(&problem, &budget) };
    for attempts in [0..1, 1..4, 4..16] {
        request.attempts = attempts;
        if let Ok(schedule) = (PATH_COLOURING.find)(&request) {
            request.below = verify(&problem, &schedule).unwrap().steps as u32;
        }
        if request.below <= goal {
            break;
        }
    }
    request.below
}

fn model(routing: Routing) -> CommunicationModel {
    CommunicationModel { routing, ..CommunicationModel::wormhole() }
}

/// Returns the network without some channels.
fn without(topology: &Topology, is_dead: impl Fn(ChannelId) -> bool) -> Topology {
    let mut rest = TopologyBuilder::new("faulty");
    for node in topology.nodes() {
        rest.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
    }
    for channel in topology.channels().filter(|&channel| !is_dead(channel)) {
        rest.channel(topology.tail(channel), topology.head(channel));
    }
    rest.build().unwrap()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    #[test]
    fn every_wormhole_scatter_is_supported(instance in any_instance(9)) {
        // The method does not support buses.
        prop_assume!(!instance.topology.has_buses());
        let problem = instance.problem();
        for phase in DistributePhase::all(&problem) {
            let problem = phase.problem(&problem);
            let is_scatter = problem.messages().is_scatter() && problem.model().switching == Switching::Wormhole;
            let bound = lower_bound(&problem);
            match steps(&problem, bound, 2) {
                Ok(found) => {
                    prop_assert!(is_scatter && found >= bound);
                    prop_assert_eq!(steps(&problem, bound, 2), Ok(found), "the same every time");
                }
                Err(miss) => prop_assert!(miss == MethodError::Unsupported && !is_scatter, "{:?}", miss),
            }
        }
    }

    #[test]
    fn tiny_exchanges_take_the_fewest_steps(
        topology in any_topology(4).prop_flat_map(shuffled), any in any_model(),
    ) {
        let collective = Collective::all_to_all();
        let model = CommunicationModel { switching: Switching::Wormhole, scatter: any.scatter, ..any };
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let fewest = fewest_steps(&problem);
        prop_assert_eq!(steps(&problem, fewest, 4), Ok(fewest));
    }

    #[test]
    fn detours_are_longer_simple_paths(topology in any_network(10), goal in 1..20u32) {
        let collective = Collective::all_to_all();
        let problem = Problem::new(&topology, &collective, model(Routing::Any)).unwrap();
        let (task, budget) = (SchedulingTask::new(&problem).unwrap(), Budget::unlimited());
        let dags = PathDags::new(&task, &task.slots(), &Detours::new()).unwrap();
        for (pair, path) in detours(&task, &dags, goal, &MethodRequest::first(&problem, &budget)) {
            let message = (0..dags.message_count() as u32).find(|&message| dags.pair(message) == pair).unwrap();
            let (source, target) = dags.ends(message);
            prop_assert!(path.len() > dags.distance(message) as usize);
            prop_assert!(all_paths(&topology, source, target).contains(&path));
        }
    }
}

/// Returns the detours where shortest paths overload a channel in `goal` steps.
fn detours(task: &SchedulingTask<'_>, dags: &PathDags, goal: u32, request: &MethodRequest<'_>) -> Detours {
    find_detours(task, dags, goal, request).unwrap()
}

/// Returns all legal paths between two terminals.
fn all_paths(topology: &Topology, source: NodeId, target: NodeId) -> Vec<Vec<ChannelId>> {
    let (mut paths, mut stack) = (Vec::new(), vec![(source, Vec::new())]);
    while let Some((node, path)) = stack.pop() {
        if node == target {
            paths.push(path);
        } else if node == source || topology.routes(node) {
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if head != source && path.iter().all(|&before| topology.head(before) != head) {
                    stack.push((head, path.iter().copied().chain([channel]).collect()));
                }
            }
        }
    }
    paths
}

/// Returns the fewest steps of a direct schedule by exhaustive search.
fn fewest_steps(problem: &Problem<'_>) -> u32 {
    let (topology, messages) = (problem.topology(), problem.messages());
    let choices: Vec<Vec<Vec<ChannelId>>> = messages
        .ids()
        .map(|message| {
            let target = messages.receivers_iter(message).next().unwrap();
            let mut paths = all_paths(topology, messages.source(message), target);
            if problem.model().routing == Routing::Minimal {
                let least = paths.iter().map(Vec::len).min().unwrap();
                paths.retain(|path| path.len() == least);
            }
            paths
        })
        .collect();
    // One message per step is always possible.
    (1..=choices.len()).find(|&steps| fits(problem, &choices, &mut vec![Vec::new(); steps], 0)).unwrap() as u32
}

/// Returns true if the messages from one on can be added to the paths of some steps.
fn fits(
    problem: &Problem<'_>,
    choices: &[Vec<Vec<ChannelId>>],
    steps: &mut [Vec<Vec<ChannelId>>],
    message: usize,
) -> bool {
    let Some(paths) = choices.get(message) else { return true };
    // All empty steps are equivalent.
    let open = steps.iter().position(Vec::is_empty).map_or(steps.len(), |empty| empty + 1);
    for step in 0..open {
        for path in paths {
            if has_room(problem, &steps[step], path) {
                steps[step].push(path.clone());
                if fits(problem, choices, steps, message + 1) {
                    return true;
                }
                steps[step].pop();
            }
        }
    }
    false
}

fn has_room(problem: &Problem<'_>, others: &[Vec<ChannelId>], path: &[ChannelId]) -> bool {
    let (topology, ports) = (problem.topology(), problem.model().ports);
    let from = |path: &[ChannelId]| topology.tail(path[0]);
    let to = |path: &[ChannelId]| topology.head(path[path.len() - 1]);
    let resources: BTreeSet<_> = path.iter().map(|&channel| topology.resource(channel)).collect();
    let sends = others.iter().filter(|other| from(other) == from(path)).count();
    let receptions = others.iter().filter(|other| to(other) == to(path)).count();
    others.iter().flatten().all(|&channel| !resources.contains(&topology.resource(channel)))
        && sends < ports.of_degree(topology.out_channels(from(path)).len())
        && receptions < ports.of_degree(topology.in_channels(to(path)).len())
}

/// Lower bounds by the fractional arc-forwarding index or, if every channel is always busy, by distances.
#[test]
fn exchanges_on_small_networks_meet_the_bound() {
    for spec in ["kautz:3,2", "mesh:4x4", "mesh:5x5", "torus:3x3x3", "torus:5x5", "hypercube:4", "ring:16", "omega:16"]
    {
        let topology: Topology = spec.parse().unwrap();
        let collective = Collective::all_to_all();
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
        let bound = lower_bound(&problem);
        assert_eq!(exchange(&topology, CommunicationModel::wormhole(), bound), bound, "{spec}");
    }
}

/// A linear program gives 9 steps along shortest paths and 8 along any paths, for each of the 36 failed channels.
#[test]
fn exchanges_on_a_faulty_kautz_graph_meet_the_bound() {
    let kautz: Topology = "kautz:3,2".parse().unwrap();
    for dead in kautz.channels().step_by(5) {
        let faulty = without(&kautz, |channel| channel == dead);
        assert_eq!(exchange(&faulty, model(Routing::Minimal), 9), 9, "{dead}");
        assert_eq!(exchange(&faulty, model(Routing::Any), 8), 8, "{dead}");
    }
}

/// Attempts at larger problems would take minutes.
#[test]
fn problems_with_few_moves_per_message_are_not_supported() {
    for (spec, expected) in [("random-regular:256,4,1", false), ("random-regular:512,3,1", true)] {
        let (network, collective): (Topology, _) = (spec.parse().unwrap(), Collective::all_to_all());
        let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        assert_eq!(is_too_large(&task, MIN_MOVES), Ok(expected), "{spec}");
    }
}

/// Step dissolving shortens a schedule with one transfer per step, also one with paths and relays that it does not know.
#[test]
fn a_long_schedule_is_dissolved() {
    let mesh: Topology = "mesh:3x3".parse().unwrap();
    let (all_to_all, budget) = (Collective::all_to_all(), Budget::unlimited());
    let relayed = CommunicationModel { scatter: ScatterRule::Relay, ..model(Routing::Any) };
    for (model, start) in [(model(Routing::Minimal), relayed), (relayed, CommunicationModel::store_and_forward())] {
        let start = Problem::new(&mesh, &all_to_all, start).unwrap();
        let first = (METHODS.iter().find(|method| method.name == "first-fit").unwrap().find)(&MethodRequest::first(
            &start, &budget,
        ));
        let mut long = Schedule::new();
        for transfer in first.unwrap().steps().flat_map(|(_, step)| step.iter()) {
            long.begin_step();
            long.push(transfer.message, transfer.path);
        }
        let problem = Problem::new(&mesh, &all_to_all, model).unwrap();
        let request =
            MethodRequest { goal: 9, below: 1000, best: Some(&long), ..MethodRequest::first(&problem, &budget) };
        let schedule = (STEP_DISSOLVING.find)(&request).unwrap();
        assert!(verify(&problem, &schedule).unwrap().steps <= 10, "{} steps", schedule.step_count());
        assert!(matches!(
            (STEP_DISSOLVING.find)(&MethodRequest { best: None, ..request }),
            Err(MethodError::NoShorter)
        ));
    }
}

/// With one port, a terminal needs one step per other terminal.
#[test]
fn ports_are_always_busy() {
    let ports = Ports::limit(1).unwrap();
    let one_port = CommunicationModel { ports, ..CommunicationModel::wormhole() };
    for spec in ["complete:8", "clos:4,4,4", "fat-tree:2,4"] {
        let topology: Topology = spec.parse().unwrap();
        let bound = topology.terminal_count() as u32 - 1;
        assert_eq!(exchange(&topology, one_port, bound), bound, "{spec}");
    }
}

#[test]
fn detours_are_used_only_if_shortest_paths_do_not_suffice() {
    let mesh: Topology = "mesh:4x4".parse().unwrap();
    let collective = Collective::all_to_all();
    let problem = Problem::new(&mesh, &collective, model(Routing::Any)).unwrap();
    let (task, budget) = (SchedulingTask::new(&problem).unwrap(), Budget::unlimited());
    let dags = PathDags::new(&task, &task.slots(), &Detours::new()).unwrap();
    // Half of the 64 pairs cross the middle in each direction, on four channels.
    let needed = |goal| !detours(&task, &dags, goal, &MethodRequest::first(&problem, &budget)).is_empty();
    assert!(!needed(16) && needed(15));
}

#[test]
fn a_search_stops_with_its_budget() {
    let torus: Topology = "torus:6x6".parse().unwrap();
    let collective = Collective::all_to_all();
    let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    let request = MethodRequest { below: 40, ..MethodRequest::first(&problem, &budget) };
    assert!(matches!((PATH_COLOURING.find)(&request), Err(MethodError::Stopped(_))));
}
