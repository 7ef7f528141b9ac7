//! Decisions against an independent search.

#![cfg(feature = "solver")]

use lockstep_exact::{Decision, ExactError, FormulaSize, check_refutation, decide};
use lockstep_schedule::strategy::{Instance, fastest_schedule, instance, instance_with_capacities};
use lockstep_schedule::{Collective, CommunicationModel, DistributePhase, Pattern, Problem, Routing, verify};
use lockstep_topology::Topology;
use proptest::prelude::*;
use proptest::sample::Index;

/// Partial steps of the independent search.
const EFFORT: u64 = 300_000;

/// Literals of one decision.
const WORK: u64 = 1_000_000;

/// Calls a function with the problem as a distribution or as an all-reduce.
fn with_problem<T>(instance: &Instance, visit: impl FnOnce(&Problem<'_>) -> T) -> T {
    let problem = instance.problem();
    if problem.collective().pattern() == Pattern::ReduceBroadcast {
        return visit(&problem);
    }
    visit(&DistributePhase::all(&problem)[0].problem(&problem))
}

/// Compares the decisions with the optimum. `spoil` chooses a number of the proof and its new value.
fn compare(problem: &Problem<'_>, spoil: (Index, i32)) -> Result<(), TestCaseError> {
    let Ok(Some(fastest)) = fastest_schedule(problem, usize::MAX, &mut EFFORT.clone()) else { return Ok(()) };
    let optimum = fastest.step_count() as u32;
    let decision = |steps| match decide(problem, steps, &mut WORK.clone(), &|| false) {
        Ok(Decision::Undecided) => None,
        Ok(decision) => Some(decision),
        Err(error) => panic!("{error}"),
    };
    if let Some(found) = decision(optimum) {
        let Decision::Schedule(schedule) = found else { panic!("no schedule at the optimum") };
        prop_assert_eq!(verify(problem, &schedule).map(|verified| verified.steps), Ok(optimum as usize));
    }
    for steps in 1..optimum {
        let Some(found) = decision(steps) else { continue };
        let Decision::Infeasible { proof, size } = found else { panic!("a schedule below the optimum") };
        prop_assert_eq!(check_refutation(problem, steps, size, &proof), Ok(()));
        let other = FormulaSize { clauses: size.clauses + 1, ..size };
        prop_assert_eq!(check_refutation(problem, steps, other, &proof), Err(ExactError::OtherFormula(size)));
        let Err(ExactError::OtherFormula(of_optimum)) = check_refutation(problem, optimum, other, &proof) else {
            panic!("a formula for more steps has as many clauses")
        };
        prop_assert!(check_refutation(problem, optimum, of_optimum, &proof).is_err(), "a proof against the optimum");
        let mut spoilt = proof.clone();
        spoilt[spoil.0.index(proof.len())] = spoil.1;
        prop_assert!(
            check_refutation(problem, optimum, of_optimum, &spoilt).is_err(),
            "a spoilt proof against the optimum"
        );
        spoilt.truncate(proof.len() - 1);
        prop_assert!(check_refutation(problem, steps, size, &spoilt).is_err(), "a proof without an end");
    }
    Ok(())
}

proptest! {
    #[test]
    fn decisions_are_those_of_an_exhaustive_search(
        instance in instance(5), place: Index, number in -200..200i32,
    ) {
        with_problem(&instance, |problem| compare(problem, (place, number)))?;
    }

    /// One more step leaves room for the same schedule.
    #[test]
    fn schedules_with_capacities_are_valid(instance in instance_with_capacities(6)) {
        let check = |problem: &Problem<'_>| -> Result<(), TestCaseError> {
            for steps in 1..12 {
                match decide(problem, steps, &mut WORK.clone(), &|| false) {
                    Ok(Decision::Schedule(schedule)) => {
                        prop_assert_eq!(verify(problem, &schedule).map(|verified| verified.steps), Ok(steps as usize));
                        let more = decide(problem, steps + 1, &mut WORK.clone(), &|| false);
                        prop_assert!(!matches!(more, Ok(Decision::Infeasible { .. })), "fewer steps suffice");
                        break;
                    }
                    Ok(Decision::Infeasible { .. }) => {}
                    _ => break,
                }
            }
            Ok(())
        };
        with_problem(&instance, check)?;
    }
}

#[test]
fn other_problems_are_refused() {
    let error = |spec: &str, collective: &Collective, steps: u32| {
        let topology: Topology = spec.parse().unwrap();
        let problem = Problem::new(&topology, collective, CommunicationModel::wormhole()).unwrap();
        decide(&problem, steps, &mut WORK.clone(), &|| false).unwrap_err()
    };
    assert_eq!(error("ring:4", &Collective::reduce_scatter(), 1), ExactError::Collects);
    assert_eq!(error("ring:4", &Collective::all_gather(), 0), ExactError::Steps);
    assert_eq!(error("ring:4", &Collective::all_gather(), 65), ExactError::Steps);
    assert_eq!(error("ring:200", &Collective::all_gather(), 10), ExactError::TooLarge);
    assert_eq!(error("ring:64", &Collective::all_to_all(), 10), ExactError::TooLarge);
    assert_eq!(error("complete:20", &Collective::all_gather(), 10), ExactError::TooLarge);
}

/// There are too many simple paths, but few with the fewest channels. Five steps suffice for 19 messages over 4 channels.
#[test]
fn minimal_routing_needs_only_short_paths() {
    let network: Topology = "random-regular:20,4,1".parse().unwrap();
    let scatter = Collective::scatter(network.terminals()[0]);
    let decide_steps = |model, steps| {
        let problem = Problem::new(&network, &scatter, model).unwrap();
        decide(&problem, steps, &mut WORK.clone(), &|| false)
    };
    let minimal = CommunicationModel::wormhole();
    assert!(matches!(decide_steps(minimal, 4), Ok(Decision::Infeasible { .. })));
    assert!(matches!(decide_steps(minimal, 6), Ok(Decision::Schedule(_))));
    let any = CommunicationModel { routing: Routing::Any, ..minimal };
    assert_eq!(decide_steps(any, 4), Err(ExactError::TooLarge));
}

#[test]
fn a_search_without_work_left_is_undecided() {
    let ring: Topology = "ring:8".parse().unwrap();
    let (all_reduce, model) = (Collective::all_reduce(), CommunicationModel::store_and_forward());
    let problem = Problem::new(&ring, &all_reduce, model).unwrap();
    assert_eq!(decide(&problem, 7, &mut 0, &|| false), Ok(Decision::Undecided));
    let mut work = 1 << 30;
    assert_eq!(decide(&problem, 7, &mut work, &|| true), Ok(Decision::Undecided));
    assert!(work > 1 << 29, "the search ends at once");
}
