//! Networks of known structure.

use lockstep::schedule::StopReason;
use lockstep::topology::strategy::shuffled;
use lockstep::{
    Budget, CollectiveName, CommunicationModel, PlanOptions, Planner, Problem, SymmetricPlanError, Topology,
    plan_symmetric, plan_symmetric_observed,
};
use proptest::prelude::*;
use proptest::sample::select;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const STORE: CommunicationModel = CommunicationModel::store_and_forward();

const NETWORKS: [(&str, CommunicationModel, &str); 39] = [
    ("hypercube:4", STORE, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
    ("hypercube:4", WORMHOLE, "aab aas all-reduce"),
    ("torus:3x5", STORE, "oab oas aab aas"),
    ("torus:4x4", STORE, "oab oas aab aas"),
    ("torus:3x3x3", STORE, "oab oas aab aas"),
    ("ring:9", STORE, "oab oas aab aas"),
    ("circulant:13,1,5", STORE, "oab oas aab aas"),
    ("folded-hypercube:4", STORE, "oab oas aab aas"),
    ("octagon", STORE, "oab oas aab aas"),
    ("k-ring:8", STORE, "oab oas aab aas"),
    ("kautz:3,2", STORE, "oab oas"),
    ("kautz:3,2", WORMHOLE, "oas"),
    ("mesh:4x4", STORE, "oab oas"),
    ("moore:8", STORE, "oab oas"),
    ("b-tree:4", WORMHOLE, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
    ("b-tree:8", WORMHOLE, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
    ("b-tree:16", WORMHOLE, "oab oas aab aas"),
    ("b-tree:32", WORMHOLE, "oab oas aab aas"),
    ("full-b-tree:7", WORMHOLE, "oab oas aab aas"),
    ("full-b-tree:15", WORMHOLE, "oab oas aab aas"),
    ("full-b-tree:31", WORMHOLE, "oab oas aab aas"),
    ("full-b-tree:63", WORMHOLE, "oab oas aab"),
    ("star:7", WORMHOLE, "oas aab aas"),
    ("fat-tree:2,2", WORMHOLE, "oab oas aab aas"),
    ("fat-tree:2,3", WORMHOLE, "oab oas aab aas"),
    ("fat-tree:2,4", WORMHOLE, "oab oas aab aas"),
    ("fat-tree:2,5", WORMHOLE, "oab oas aab aas"),
    ("fat-tree:3,3", WORMHOLE, "oab oas aab aas"),
    ("omega:4", WORMHOLE, "oab oas aab aas"),
    ("omega:8", WORMHOLE, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
    ("omega:16", WORMHOLE, "oab oas aab aas"),
    ("omega:32", WORMHOLE, "oab oas aab aas"),
    ("butterfly:8", WORMHOLE, "oab oas aab aas"),
    ("butterfly:16", WORMHOLE, "oab oas aab aas"),
    ("butterfly:32", WORMHOLE, "oab oas aab aas"),
    ("clos:3,3,4", WORMHOLE, "oab oas aab aas"),
    ("clos:4,4,4", WORMHOLE, "oab oas aab aas gather reduce reduce-scatter all-reduce"),
    ("clos:3,5,4", WORMHOLE, "oab oas aab aas"),
    ("clos:2,2,2", WORMHOLE, "oab oas aab aas"),
];

fn optimal_without_search(topology: &Topology, collective: &str, model: CommunicationModel, root: usize) {
    let name: CollectiveName = collective.parse().unwrap();
    let root = topology.terminals()[root % topology.terminal_count()];
    let collective = name.with_root(name.has_root().then_some(root)).unwrap();
    let problem = Problem::new(topology, &collective, model).unwrap();
    let plan = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(1), |_| {});
    let plan = plan.unwrap_or_else(|error| panic!("{} {name} {model}: {error}", topology.name()));
    let bound = plan.lower_bound();
    assert!(plan.is_optimal(), "{} {name} {model}: {} steps, {bound}", topology.name(), plan.step_count());
    // Flows also plan collectives with one source; all-to-all needs the structure.
    let from_one = name.has_root();
    let by_construction = |part: &str| part == "analytic" || from_one && part == "construct";
    assert!(plan.engine().split_once(" (").is_some_and(|(engine, _)| by_construction(engine)), "{}", plan.engine());
}

/// Every network of the documents, and every family with a construction, in the generator's own numbering.
#[test]
fn known_structures_are_planned_optimally_without_search() {
    for (spec, model, collectives) in NETWORKS {
        let topology: Topology = spec.parse().unwrap();
        for collective in collectives.split(' ') {
            optimal_without_search(&topology, collective, model, 0);
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(40))]

    /// Only the structure matters: any numbering of the nodes, any root.
    #[test]
    fn shuffled_structures_are_planned_optimally_without_search(
        (topology, collective, model) in select(NETWORKS.to_vec()).prop_flat_map(|(spec, model, collectives)| {
            let names: Vec<&str> = collectives.split(' ').collect();
            (shuffled(spec.parse().unwrap()), select(names), Just(model))
        }),
        root: usize,
    ) {
        optimal_without_search(&topology, collective, model, root);
    }
}

/// A budget that ends early is no reason to call a network unsupported.
#[test]
fn a_symmetric_plan_that_is_stopped_says_why() {
    let graph = "torus:30x30x30".parse().unwrap();
    let budget = Budget::unlimited();
    budget.cancel();
    let mut is_found = false;
    let stopped =
        plan_symmetric_observed(&graph, CollectiveName::AllToAll, STORE, &budget, || is_found = true).unwrap_err();
    assert_eq!(stopped, SymmetricPlanError::Stopped { reason: StopReason::Cancelled });
    assert_eq!(stopped.to_string(), "no schedule found: it was interrupted");
    assert!(!is_found);
    let ring = "ring:9".parse().unwrap();
    let unlimited = Budget::unlimited();
    plan_symmetric_observed(&ring, CollectiveName::AllGather, STORE, &unlimited, || is_found = true).unwrap();
    assert!(is_found);
    let gather = plan_symmetric(&ring, CollectiveName::Gather, STORE, &unlimited).unwrap_err();
    assert!(matches!(gather, SymmetricPlanError::Unsupported { .. }), "{gather}");
}

/// A symmetric plan has the bound, steps and transfers of the explicit plan.
#[test]
fn symmetric_plans_agree_with_explicit_ones() {
    for spec in ["hypercube:5", "torus:4x6", "ring:9", "circulant:13,1,5", "folded-hypercube:4"] {
        let topology: Topology = spec.parse().unwrap();
        for name in [CollectiveName::AllGather, CollectiveName::AllToAll] {
            let symmetric = plan_symmetric(&spec.parse().unwrap(), name, STORE, &Budget::unlimited()).unwrap();
            let collective = name.with_root(None).unwrap();
            let problem = Problem::new(&topology, &collective, STORE).unwrap();
            let plan = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(1 << 12), |_| {}).unwrap();
            assert_eq!(symmetric.lower_bound().steps, plan.lower_bound().steps, "{spec} {name}");
            assert!(symmetric.is_optimal() && plan.is_optimal(), "{spec} {name}");
            assert_eq!(symmetric.verification().transfers, plan.verification().transfers, "{spec} {name}");
            assert_eq!(symmetric.verification().channel_uses, plan.verification().channel_uses, "{spec} {name}");
        }
    }
}
