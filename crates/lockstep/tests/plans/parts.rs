//! Plans without parts of the search.

use lockstep::schedule::Part;
use lockstep::{Budget, CommunicationModel, EngineRegistry, Plan, PlanError, PlanOptions, Planner};

use crate::Setup;

fn setups() -> [Setup; 4] {
    [
        Setup::new("kautz:2,2", "all-gather", CommunicationModel::store_and_forward()),
        Setup::new("mesh:2x3", "all-to-all", CommunicationModel::wormhole()),
        Setup::new("star:4", "all-reduce", CommunicationModel::wormhole()),
        Setup::new("ring:5", "gather", CommunicationModel::wormhole()),
    ]
}

fn plan(setup: &Setup, without: &[Part]) -> Result<Plan, PlanError> {
    let options = PlanOptions::auto(1).without(without);
    Planner::new(setup.problem(), options).run(&Budget::evaluations(1 << 12), |_| {})
}

/// The planner verifies every schedule and checks the certificate of every bound.
#[test]
fn every_part_can_be_left_out() {
    for setup in setups() {
        let with_all = plan(&setup, &[]).unwrap();
        for part in EngineRegistry::standard().parts() {
            let without = plan(&setup, &[part]).unwrap_or_else(|error| panic!("{part}: {error}"));
            assert!(without.step_count() >= with_all.lower_bound().steps, "{part}");
            assert!(without.lower_bound().steps <= with_all.step_count(), "{part}");
        }
    }
}

/// Leaves out the method or engine that finds the plan, again and again.
#[test]
fn a_method_that_is_left_out_finds_no_plan() {
    for setup in setups() {
        let (mut left_out, mut finders) = (Vec::new(), Vec::new());
        while let Ok(plan) = plan(&setup, &left_out) {
            let finder = plan.engine().to_owned();
            assert!(!finders.contains(&finder), "{finder} after {finders:?}");
            let (engine, method) = finder.split_once(" (").unwrap_or((&finder, ""));
            let method = method.trim_end_matches(')').replace(' ', "-");
            let mut names = match &*method {
                "" => vec![format!("engine/{engine}")],
                method => vec![format!("{engine}/{method}"), format!("all-reduce/{method}")],
            };
            if method == "satisfiability" {
                names.extend(["first", "neighbour", "last"].map(|solver| format!("all-reduce/{solver}-solver")));
            }
            let parts: Vec<Part> = names.iter().filter_map(|name| EngineRegistry::standard().part(name).ok()).collect();
            assert!(!parts.is_empty(), "{finder} is no part");
            left_out.extend(parts);
            finders.push(finder);
        }
        assert!(finders.len() > 1, "{finders:?}");
    }
}

/// Leaves out the rule of the best bound, again and again.
#[test]
fn a_rule_that_is_left_out_proves_no_bound() {
    for setup in setups() {
        let mut left_out: Vec<Part> = Vec::new();
        let mut before = u32::MAX;
        for _ in 0..4 {
            let bound = plan(&setup, &left_out).unwrap().lower_bound().clone();
            assert!(!left_out.contains(&bound.rule.part()), "{bound}");
            assert!(bound.steps <= before, "{bound}");
            before = bound.steps;
            left_out.push(bound.rule.part());
        }
    }
}

#[test]
fn a_plan_needs_an_engine() {
    let [setup, ..] = setups();
    let engines = ["engine/analytic", "engine/construct", "engine/umda"];
    let engines = engines.map(|name| EngineRegistry::standard().part(name).unwrap());
    let error = plan(&setup, &engines).unwrap_err().to_string();
    assert_eq!(error, "the auto engine cannot do this: all its engines are left out");
}

#[test]
fn a_checkpoint_belongs_to_the_parts_that_are_used() {
    let [setup, ..] = setups();
    let part = EngineRegistry::standard().part("rarest-first").unwrap();
    let (budget, mut checkpoint) = (Budget::evaluations(1 << 20), None);
    let umda = PlanOptions { engine: "umda".parse().unwrap(), ..PlanOptions::auto(1) };
    let _ = Planner::new(setup.problem(), umda).run(&budget, |event| {
        if let lockstep::Event::Search(search) = event {
            checkpoint.get_or_insert_with(|| search.checkpoint.write());
        }
    });
    let Some(checkpoint) = checkpoint else { panic!("no search was running") };
    let parts = [part];
    let resumed = Planner::new(setup.problem(), umda.without(&parts)).from_checkpoint(checkpoint);
    let error = resumed.run(&Budget::evaluations(1 << 20), |_| {}).unwrap_err().to_string();
    assert!(error.contains("belongs to another"), "{error}");
}
