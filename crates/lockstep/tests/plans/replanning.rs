//! Plans after faults.

use lockstep::schedule::strategy::instance;
use lockstep::schedule::{Message, Pattern, ProblemError};
use lockstep::topology::strategy::{connected_topology, shuffled};
use lockstep::{
    Budget, Changes, ChannelId, Collective, CollectiveName, CommunicationModel, EngineChoice, NodeId, PlanError,
    PlanOptions, Planner, Problem, Repaired, Replan, ReplanError, Topology, replan, verify,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::Setup;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();

/// The network after some nodes and channels have failed.
fn broken(topology: &Topology, nodes: &[Index], channels: &[Index]) -> Topology {
    let all: Vec<NodeId> = topology.nodes().collect();
    let working: Vec<ChannelId> = topology.channels().collect();
    topology.with_failures(nodes.iter().map(|node| *node.get(&all)), channels.iter().map(|lost| *lost.get(&working)))
}

/// Plans with `evaluations`, and plans again after the faults.
fn replanned(before: &Problem<'_>, faulty: &Topology, evaluations: u64) -> Result<Replan, ReplanError> {
    let budget = Budget::evaluations(evaluations);
    let plan = Planner::new(*before, PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
    replan(&plan, faulty, PlanOptions::auto(1), &budget, |_| {})
}

/// Returns true if a path over nodes that satisfy `passes` leads from one terminal to the other.
fn is_connected(topology: &Topology, from: &str, to: &str, passes: impl Fn(NodeId) -> bool) -> bool {
    let [from, to] = [from, to].map(|name| topology.node_named(name).unwrap());
    let (mut seen, mut next) = (vec![from], 0);
    while let Some(&node) = seen.get(next) {
        next += 1;
        if node == from || passes(node) {
            let heads = topology.out_channels(node).iter().map(|&channel| topology.head(channel));
            let new: Vec<NodeId> = heads.filter(|head| !seen.contains(head)).collect();
            seen.extend(new);
        }
    }
    seen.contains(&to)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    /// Every collective under every model, on networks of every kind.
    #[test]
    fn plans_after_faults_are_valid_and_use_no_failed_channel(
        instance in instance(9), nodes in prop::collection::vec(any::<Index>(), 0..2),
        channels in prop::collection::vec(any::<Index>(), 0..4),
    ) {
        let before = instance.problem();
        let faulty = broken(&instance.topology, &nodes, &channels);
        match replanned(&before, &faulty, 1 << 11) {
            Ok(Replan { plan, repaired, fresh_steps }) => {
                let problem = plan.problem();
                prop_assert_eq!(problem.topology(), &faulty);
                let report = verify(&problem, plan.schedule()).unwrap();
                plan.lower_bound().check(&problem).unwrap();
                let mut used = plan.schedule().steps().flat_map(|(_, step)| step.iter()).flat_map(|made| made.path);
                prop_assert!(used.all(|&channel| faulty.is_working(channel)));

                let repaired_steps = repaired.map(|repaired| repaired.steps);
                prop_assert_eq!(repaired_steps.into_iter().chain(fresh_steps).min(), Some(report.steps as u32));
                let is_optimal = repaired_steps == Some(plan.lower_bound().steps);
                prop_assert!(fresh_steps.is_some() || is_optimal);
                if let Some(changes) = repaired.map(|repaired| repaired.changes)
                    && fresh_steps.is_none()
                {
                    prop_assert_eq!(changes.kept + changes.added, plan.schedule().transfer_count());
                }
            }
            Err(ReplanError::Plan(PlanError::Problem(error))) => match error {
                ProblemError::Unreachable { from, to, .. } => {
                    // Under wormhole switching with relays, terminals also forward messages.
                    let passes = |node| faulty.routes(node) || faulty.is_terminal(node);
                    let any_way = is_connected(&faulty, &from, &to, passes);
                    let through_routers = is_connected(&faulty, &from, &to, |node| faulty.routes(node));
                    let through_terminals = is_connected(&faulty, &from, &to, |node| faulty.is_terminal(node));
                    prop_assert!(!any_way || !through_routers || !through_terminals, "{} {}", from, to);
                }
                ProblemError::NoMessage => {
                    let is_left = |node: &NodeId| !faulty.has_failed(*node);
                    for Message { source, receivers } in instance.collective.listed().unwrap() {
                        let left = receivers.iter().filter(|receiver| is_left(receiver)).count();
                        // In an all-reduce, it makes no difference which terminal is the source.
                        let is_possible = match instance.collective.pattern() {
                            Pattern::ReduceBroadcast => left + usize::from(is_left(source)) >= 2,
                            _ => is_left(source) && left > 0,
                        };
                        prop_assert!(!is_possible);
                    }
                }
                // The root or all but one terminal have failed.
                error => prop_assert!(!nodes.is_empty(), "{}", error),
            },
            Err(error) => prop_assert!(false, "{}", error),
        }
    }

    /// On networks of full-duplex links, every named pair is disconnected, and without such a pair there is a plan.
    #[test]
    fn faults_that_disconnect_name_a_pair_without_a_path(
        topology in connected_topology(10).prop_flat_map(shuffled), links in prop::collection::vec(any::<Index>(), 1..6),
    ) {
        let all = topology.links();
        let faulty = topology.with_failures([], links.iter().flat_map(|link| *link.get(&all)));
        let gather = Collective::all_gather();
        let before = Problem::new(&topology, &gather, WORMHOLE).unwrap();
        let is_whole = |from| topology.nodes().all(|to| is_connected(&faulty, topology.node_name(from), topology.node_name(to), |_| true));
        match replanned(&before, &faulty, 1 << 8) {
            Ok(replan) => prop_assert!(is_whole(NodeId::new(0)) && verify(&replan.plan.problem(), replan.plan.schedule()).is_ok()),
            Err(ReplanError::Plan(PlanError::Problem(ProblemError::Unreachable { from, to, .. }))) => {
                prop_assert!(!is_connected(&faulty, &from, &to, |_| true));
            }
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}

/// Checks every single fault: the plan is at most as long as a fresh one.
fn check_every_fault(spec: &str, root: u32, faults: impl Fn(&Topology) -> Vec<Topology>) {
    let budget = Budget::evaluations(1 << 14);
    for name in ["oab", "aab", "oas", "aas"] {
        let name: CollectiveName = name.parse().unwrap();
        let topology: Topology = spec.parse().unwrap();
        let collective = name.with_root(name.has_root().then_some(NodeId::new(root))).unwrap();
        let before = Problem::new(&topology, &collective, WORMHOLE).unwrap();
        let plan = Planner::new(before, PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
        for faulty in faults(&topology) {
            if name.has_root() && faulty.has_failed(NodeId::new(root)) {
                continue;
            }
            let replan = replan(&plan, &faulty, PlanOptions::auto(1), &budget, |_| {}).unwrap();
            let problem = Problem::new(&faulty, &collective, WORMHOLE).unwrap();
            let fresh = Planner::new(problem, PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
            assert!(replan.plan.step_count() <= fresh.step_count(), "{name} {:?}", replan.repaired);
            assert!(replan.plan.lower_bound().steps >= fresh.lower_bound().steps.min(replan.plan.step_count()));
        }
    }
}

#[test]
fn every_channel_of_the_kautz_network_may_fail() {
    check_every_fault("kautz:3,2", 0, |kautz| kautz.channels().map(|lost| kautz.with_failures([], [lost])).collect());
}

#[test]
fn every_link_of_the_mesh_may_fail() {
    check_every_fault("mesh:4x4", 0, |mesh| mesh.links().iter().map(|link| mesh.with_failures([], *link)).collect());
}

#[test]
fn every_node_of_the_mesh_may_fail() {
    check_every_fault("mesh:4x4", 0, |mesh| mesh.nodes().map(|node| mesh.with_failures([node], [])).collect());
}

#[test]
fn without_a_fault_every_transfer_is_kept() {
    for name in CollectiveName::ALL {
        let setup = Setup::new("ring:6", name.abbreviation(), WORMHOLE);
        let before = setup.problem();
        let budget = Budget::evaluations(1 << 12);
        let plan = Planner::new(before, PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
        let replan = replan(&plan, &setup.topology, PlanOptions::auto(2), &budget, |_| {}).unwrap();
        let changes = replan.repaired.unwrap().changes;
        let kept = (changes.kept, changes.lost, changes.moved, changes.added);
        assert_eq!(kept, (plan.schedule().transfer_count(), 0, 0, 0), "{name}");
        assert_eq!((replan.plan.engine(), replan.is_repaired()), ("construct (repair)", true));
    }
}

#[test]
fn a_failed_root_and_another_network_are_refused() {
    let setup = Setup::new("mesh:3x3", "oab", WORMHOLE);
    let refused = |faulty: &Topology| replanned(&setup.problem(), faulty, 1 << 8).unwrap_err().to_string();
    let other: Topology = "mesh:2x3".parse().unwrap();
    let why = "the faulty network is not the network of the plan; let nodes and channels of that network fail";
    assert_eq!(refused(&other), why);
    let failed = setup.topology.with_failures([NodeId::new(0)], []);
    assert!(refused(&failed).starts_with("root '00' "), "{}", refused(&failed));

    // A failed channel cannot work again.
    let broken = setup.topology.with_failures([], setup.topology.channels().take(1));
    let before = Problem::new(&broken, &setup.collective, WORMHOLE).unwrap();
    let whole = replanned(&before, &setup.topology, 1 << 8);
    assert_eq!(whole.unwrap_err().to_string(), why);
}

/// A line without its middle link is disconnected.
#[test]
fn disconnected_terminals_are_named() {
    let setup = Setup::new("mesh:1x4", "aas", WORMHOLE);
    let middle = setup.topology.with_failures([], setup.topology.links()[1]);
    let error = replanned(&setup.problem(), &middle, 1 << 8).unwrap_err();
    let words = "no wormhole path leads from '00' to '02', because the network has 2 parts: \
                 '00' with another terminal and '02' with another terminal; join them, or plan one part";
    assert_eq!(error.to_string(), words);
}

#[test]
fn a_repaired_plan_beyond_the_allowed_steps_is_refused() {
    let setup = Setup::new("mesh:3x3", "aas", WORMHOLE);
    let budget = Budget::evaluations(1 << 8);
    let before = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
    let (mut kept, mut refused) = (0, 0);
    for links in setup.topology.links() {
        let faulty = setup.topology.with_failures([], links);
        let plan = replan(&before, &faulty, PlanOptions::auto(1), &budget, |_| {}).unwrap().plan;
        for steps in plan.lower_bound().steps..=plan.step_count() {
            let options = PlanOptions { steps: Some(steps), ..PlanOptions::auto(1) };
            match replan(&before, &faulty, options, &budget, |_| {}) {
                Ok(again) => kept += u32::from(again.plan.step_count() <= steps),
                Err(error) => refused += u32::from(matches!(error, ReplanError::Plan(PlanError::NotFound(_)))),
            }
        }
    }
    assert_eq!((kept, refused), (12, 8));
}

#[test]
fn a_repaired_plan_counts_if_no_fresh_one_is_found() {
    let setup = Setup::new("mesh:3x3", "aas", WORMHOLE);
    let budget = Budget::evaluations(20);
    let before = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
    let faulty = setup.topology.with_failures([], setup.topology.links()[0]);
    let options = PlanOptions { engine: EngineChoice::Named("umda"), ..PlanOptions::auto(1) };
    let fresh = Planner::new(Problem::new(&faulty, &setup.collective, WORMHOLE).unwrap(), options).run(&budget, |_| {});
    assert!(matches!(fresh, Err(PlanError::NotFound(_))));
    let replan = replan(&before, &faulty, options, &budget, |_| {}).unwrap();
    assert!(replan.is_repaired() && !replan.plan.is_optimal());
    assert_eq!(replan.fresh_steps, None);
}

/// The repaired plan of an all-reduce has the figures of both phases.
#[test]
fn an_all_reduce_counts_the_transfers_of_both_phases() {
    let setup = Setup::new("mesh:3x3", "all-reduce", CommunicationModel::store_and_forward());
    let budget = Budget::evaluations(1 << 12);
    let before = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&budget, |_| {}).unwrap();
    let transfers = before.schedule().transfer_count();
    for links in setup.topology.links() {
        let faulty = setup.topology.with_failures([], links);
        let Some(repaired) = replan(&before, &faulty, PlanOptions::auto(1), &budget, |_| {}).unwrap().repaired else {
            continue;
        };
        let Changes { kept, lost, moved, added } = repaired.changes;
        assert_eq!((kept + lost + moved, lost == 0), (transfers, added == 0), "{:?}", repaired.changes);
    }
}

/// Ties go to the repaired plan, which changes less of a running system.
#[test]
fn the_repaired_plan_wins_a_tie() {
    let ring: Topology = "ring:4".parse().unwrap();
    let plan = lockstep::plan(&ring, &Collective::all_gather(), &WORMHOLE, &Budget::evaluations(1 << 10)).unwrap();
    let changes = Changes::default();
    let cases = [(None, true), (Some(3), false), (Some(4), true), (Some(5), true)];
    for (fresh_steps, is_repaired) in cases {
        let repaired = Some(Repaired { steps: 4, changes });
        assert_eq!(Replan { plan: plan.clone(), repaired, fresh_steps }.is_repaired(), is_repaired);
    }
    assert!(!Replan { plan, repaired: None, fresh_steps: Some(4) }.is_repaired());
}
