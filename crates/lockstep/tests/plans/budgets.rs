//! More budget is never worse.

use lockstep::schedule::strategy::{any_model, instance};
use lockstep::topology::strategy::any_topology;
use lockstep::{Budget, Collective, CommunicationModel, EngineChoice, Plan, PlanOptions, Planner, Problem};
use proptest::prelude::*;

use crate::Setup;

/// Budgets inside the first rounds and at their ends.
const BUDGETS: [u64; 7] = [1, 300, 30_000, 65_536, 65_537, 82_000, 100_000];

/// Budgets of one to five passes.
const ALL_REDUCE_BUDGETS: [u64; 5] = [1, 30_000, 36_630, 300_000, 622_710];

fn planned(problem: &Problem<'_>, engine: EngineChoice, evaluations: u64) -> Plan {
    let options = PlanOptions { engine, ..PlanOptions::auto(1) };
    Planner::new(*problem, options).run(&Budget::evaluations(evaluations), |_| {}).unwrap()
}

/// Returns the steps by each budget.
fn steps_by_budget(problem: &Problem<'_>, budgets: &[u64]) -> Vec<u32> {
    budgets.iter().map(|&evaluations| planned(problem, EngineChoice::Auto, evaluations).step_count()).collect()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(8))]

    #[test]
    fn more_budget_never_gives_a_longer_plan(instance in instance(9)) {
        let steps = steps_by_budget(&instance.problem(), &BUDGETS);
        prop_assert!(steps.is_sorted_by(|less, more| less >= more), "{steps:?}");
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(4))]

    /// An all-reduce is planned in passes.
    #[test]
    fn more_budget_never_gives_a_longer_all_reduce(topology in any_topology(6), model in any_model()) {
        let all_reduce = Collective::all_reduce();
        let Ok(problem) = Problem::new(&topology, &all_reduce, model) else { return Ok(()) };
        let steps = steps_by_budget(&problem, &ALL_REDUCE_BUDGETS);
        prop_assert!(steps.is_sorted_by(|less, more| less >= more), "{steps:?}");
    }
}

/// A portfolio that got a share of the whole budget found 64 steps with the smaller budget and 65 with the larger one.
#[test]
fn a_torus_needs_no_more_steps_with_more_budget() {
    let store = CommunicationModel::store_and_forward();
    for (spec, collective, model) in [
        ("torus:8x8", "aas", CommunicationModel::wormhole()),
        ("random-regular:32,3,1", "aas", store),
        ("random-regular:32,3,1", "all-reduce", CommunicationModel::wormhole()),
    ] {
        let setup = Setup::new(spec, collective, model);
        let steps = steps_by_budget(&setup.problem(), &BUDGETS);
        assert!(steps.is_sorted_by(|less, more| less >= more), "{spec} {collective}: {steps:?}");
    }
}
