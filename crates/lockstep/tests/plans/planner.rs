//! Plans of all engines.

use std::num::NonZeroU32;

use lockstep::certificate::Rule;
use lockstep::schedule::strategy::instance;
use lockstep::schedule::{NotFound, Ports, StopReason};
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, CutShort, EngineChoice, EngineRegistry, Event, PlanError,
    PlanOptions, Planner, Verdict, verify,
};
use proptest::prelude::*;

use crate::Setup;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const CHUNKS: NonZeroU32 = NonZeroU32::new(6).unwrap();
const UMDA: EngineChoice = EngineChoice::Named("umda");
const STORE: CommunicationModel = CommunicationModel::store_and_forward();

fn small() -> Budget {
    Budget::evaluations(1 << 12)
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    /// The planner always returns a schedule, the verifier accepts it, and the bound holds.
    #[test]
    fn every_plan_is_valid_and_not_below_its_bound(instance in instance(9), seed in 0u64..4) {
        let problem = instance.problem();
        let plan = Planner::new(problem, PlanOptions::auto(seed)).run(&small(), |_| {}).unwrap();
        let report = verify(&problem, plan.schedule()).unwrap();
        plan.lower_bound().check(&problem).unwrap();
        prop_assert_eq!(report.steps as u32, plan.step_count());
        prop_assert!(plan.lower_bound().steps <= plan.step_count());
        prop_assert_eq!(plan.is_optimal(), plan.lower_bound().steps == plan.step_count());
        prop_assert_eq!(plan.cut_short(), None);
    }

    /// The same seed gives the same plan, on one thread or more.
    #[test]
    fn a_plan_depends_only_on_the_problem_and_the_options(instance in instance(7), seed: u64) {
        let run = || Planner::new(instance.problem(), PlanOptions::auto(seed)).run(&small(), |_| {}).unwrap();
        let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        prop_assert_eq!(run().to_file(None).to_json(), alone.install(run).to_file(None).to_json());
    }
}

/// The optimal numbers of steps on networks of the documents. They follow from reception and doubling on Omega
/// networks, from distance and cuts on the mesh, and from the cut at the root of a tree.
#[test]
fn small_networks_of_the_documents_are_planned_optimally() {
    let cases = [
        ("omega:8", "oab", 3),
        ("omega:8", "aab", 7),
        ("omega:8", "oas", 7),
        ("omega:8", "aas", 7),
        ("mesh:4x4", "aas", 16),
        ("b-tree:8", "aas", 16),
        ("full-b-tree:7", "aab", 6),
        ("hypercube:3", "aas", 4),
    ];
    for (spec, collective, steps) in cases {
        let setup = Setup::new(spec, collective, WORMHOLE);
        let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 20), |_| {});
        let plan = plan.unwrap();
        assert_eq!((plan.step_count(), plan.verdict()), (steps, Verdict::Optimal), "{spec} {collective}");
    }
}

#[test]
fn every_collective_is_planned_under_both_kinds_of_switching() {
    for model in [WORMHOLE, STORE] {
        for name in CollectiveName::ALL {
            let setup = Setup::new("mesh:2x3", name.abbreviation(), model);
            let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&small(), |_| {}).unwrap();
            assert!(verify(&setup.problem(), plan.schedule()).is_ok(), "{name} {model}");
        }
    }
}

/// Every node of a ring of 8 has 2 channels for 7 messages: ceil(7 / 2) steps for the reduce-scatter, and for the
/// all-gather.
#[test]
fn an_all_reduce_is_at_most_a_reduce_scatter_and_an_all_gather() {
    let setup = Setup::new("ring:8", "all-reduce", WORMHOLE);
    let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 20), |_| {}).unwrap();
    assert!(plan.lower_bound().steps >= 4 && plan.step_count() <= 8);
}

#[test]
fn umda_finds_schedules_of_the_maximum_number_of_steps() {
    let setup = Setup::new("omega:8", "aab", WORMHOLE);
    for steps in [7, 9] {
        let options = PlanOptions { engine: UMDA, steps: Some(steps), ..PlanOptions::auto(3) };
        let plan = Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 24), |_| {}).unwrap();
        assert_eq!((plan.step_count(), plan.engine()), (steps, "umda"));
    }
}

#[test]
fn umda_plans_collecting_collectives() {
    for name in ["gather", "reduce", "reduce-scatter", "all-reduce"] {
        let setup = Setup::new("mesh:2x3", name, WORMHOLE);
        let options = PlanOptions { engine: UMDA, ..PlanOptions::auto(1) };
        let plan = Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 20), |_| {}).unwrap();
        assert_eq!(plan.engine(), "umda", "{name}");
    }
}

#[test]
fn fewer_steps_than_the_bound_are_refused_with_the_reason() {
    let setup = Setup::new("omega:8", "aab", WORMHOLE);
    let options = PlanOptions { steps: Some(6), ..PlanOptions::auto(1) };
    let error = Planner::new(setup.problem(), options).run(&small(), |_| {}).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no schedule has fewer than 7 steps (terminal 0 receives 7 messages, at most 1 in a step); allow more than 6"
    );
}

#[test]
fn every_engine_keeps_the_maximum_number_of_steps_or_fails() {
    let setup = Setup::new("mesh:2x2", "all-reduce", WORMHOLE);
    let floor = lockstep::bounds::best(&setup.problem()).steps;
    for engine in EngineRegistry::standard().choices() {
        for more in 0..4 {
            let options = PlanOptions { engine, steps: Some(floor + more), ..PlanOptions::auto(1) };
            match Planner::new(setup.problem(), options).run(&small(), |_| {}) {
                Ok(plan) => assert!(plan.step_count() <= floor + more),
                Err(error) => assert!(matches!(error, PlanError::NotFound(_)), "{error}"),
            }
        }
    }
}

#[test]
fn umda_refuses_an_unsupported_problem() {
    let setup = Setup::new("mesh:2x2", "aas", STORE);
    let options = PlanOptions { engine: UMDA, ..PlanOptions::auto(1) };
    let error = Planner::new(setup.problem(), options).run(&small(), |_| {}).unwrap_err();
    assert!(matches!(error, PlanError::NotFound(NotFound::Unsupported { engine: "umda", .. })), "{error}");
}

#[test]
fn a_cancelled_search_without_a_schedule_is_an_error() {
    let setup = Setup::new("omega:16", "aas", WORMHOLE);
    let options = PlanOptions { engine: UMDA, ..PlanOptions::auto(1) };
    let budget = Budget::unlimited();
    let error = Planner::new(setup.problem(), options)
        .run(&budget, |event| {
            if matches!(event, Event::Search(_)) {
                budget.cancel();
            }
        })
        .unwrap_err();
    let stopped = NotFound::Stopped { steps: 15, reason: StopReason::Cancelled };
    assert_eq!(error, PlanError::NotFound(stopped));
}

/// With one port per node, constructions stay above the bound and a search follows.
#[test]
fn an_interrupted_search_keeps_the_constructed_schedule() {
    let mut setup = Setup::new("torus:4x4", "aas", WORMHOLE);
    setup.model.ports = Ports::limit(1).unwrap();
    let budget = Budget::unlimited();
    let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&budget, |event| {
        if matches!(event, Event::Search(_)) {
            budget.cancel();
        }
    });
    let plan = plan.unwrap();
    if !plan.is_optimal() {
        assert_eq!((plan.engine(), plan.cut_short()), ("construct", Some(CutShort::Interrupt)));
    }
}

/// The construction for one chunk, six times, takes 12 steps. The portfolio meets the cheap bound at once.
#[test]
fn the_portfolio_runs_before_the_expensive_bounds() {
    let setup = Setup { collective: Collective::all_gather().with_chunks(CHUNKS), ..Setup::new("dgx-1", "aab", STORE) };
    let (mut rules, mut found) = (Vec::new(), Vec::new());
    let plan = Planner::new(setup.problem(), PlanOptions::auto(1)).run(&small(), |event| match event {
        Event::Bound { rule, .. } => rules.push(rule),
        Event::Found { engine, steps } => found.push((engine.to_owned(), steps)),
        _ => {}
    });
    assert!(plan.unwrap().is_optimal());
    assert_eq!(found, [("analytic".to_owned(), 12), ("construct".to_owned(), 7)]);
    assert!(!rules.contains(&Rule::TreePacking), "{rules:?}");
}

#[test]
fn a_plan_reports_its_deadline() {
    let setup = Setup::new("omega:16", "aas", WORMHOLE);
    let budget = Budget::time(std::time::Duration::ZERO);
    match Planner::new(setup.problem(), PlanOptions::auto(1)).run(&budget, |_| {}) {
        Ok(plan) => assert!(plan.is_optimal() || plan.cut_short() == Some(CutShort::Deadline)),
        Err(error) => {
            let stopped = NotFound::Unfinished { reason: StopReason::Deadline };
            assert_eq!(error, PlanError::NotFound(stopped));
        }
    }
}

/// The phases of an all-reduce share steps, under any numbering of the nodes.
#[test]
fn all_reduces_have_no_barrier() {
    for (spec, steps) in [("star:8", 9), ("star:16", 17), ("full-b-tree:15", 20), ("mesh:8x8", 63)] {
        let setup = Setup::new(spec, "all-reduce", WORMHOLE);
        let plan =
            Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 22), |_| {}).unwrap();
        assert!(plan.step_count() <= steps, "{spec}: {} steps", plan.step_count());
        assert!(plan.engine().starts_with("construct ("), "{spec}: {}", plan.engine());
    }
}

/// The bounds of an all-reduce as a whole prove what those of its phases cannot.
#[test]
fn all_reduces_are_proved_optimal() {
    let cases = [
        ("star:8", WORMHOLE, 9),
        ("star:16", WORMHOLE, 17),
        ("full-b-tree:15", STORE, 20),
        ("torus:4x4", WORMHOLE, 8),
        ("dragonfly:2,2,1", WORMHOLE, 22),
    ];
    for (spec, model, steps) in cases {
        let setup = Setup::new(spec, "all-reduce", model);
        let plan =
            Planner::new(setup.problem(), PlanOptions::auto(1)).run(&Budget::evaluations(1 << 22), |_| {}).unwrap();
        assert_eq!((plan.step_count(), plan.is_optimal()), (steps, true), "{spec}: {}", plan.lower_bound());
    }
}

/// Two phases need 14 steps.
#[test]
fn a_maximum_number_of_steps_below_two_phases_is_kept() {
    let setup = Setup::new("star:8", "all-reduce", WORMHOLE);
    let options = PlanOptions { steps: Some(9), ..PlanOptions::auto(1) };
    let plan = Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 20), |_| {}).unwrap();
    assert_eq!(plan.step_count(), 9);
}
