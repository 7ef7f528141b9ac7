//! Tests of time reversal.

use lockstep_schedule::strategy::{scheduled_instance, spoiled_instance};
use lockstep_schedule::{Collective, CommunicationModel, Problem, Violation, verify};
use proptest::prelude::*;

use crate::draft::{Fixture, ring, schedule};

proptest! {
    #[test]
    fn reversing_twice_is_the_identity((_, schedule) in spoiled_instance(8)) {
        prop_assert_eq!(schedule.reversed().reversed(), schedule);
    }

    #[test]
    fn the_time_reversed_schedule_is_valid_for_the_reversed_collective((instance, schedule) in scheduled_instance(8)) {
        let collective = instance.collective.reversed();
        let topology = instance.topology.reversed();
        let problem = Problem::new(&topology, &collective, instance.model).unwrap();
        let report = verify(&problem, &schedule.reversed());
        prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        prop_assert_eq!(collective.reversed(), instance.collective);
    }
}

/// Each node sends parts around the ring, and then results.
fn all_reduce() -> Fixture {
    let steps = 0..6;
    // In step s, node v sends message v - 1 - s: a part in the first three steps, a result in the next three.
    let step = |step: u32| (0..4).map(|node: u32| ((node + 11 - step) % 4, vec![2 * node])).collect();
    Fixture {
        topology: ring(),
        collective: "all-reduce".parse::<lockstep_schedule::CollectiveName>().unwrap().with_root(None).unwrap(),
        model: CommunicationModel::store_and_forward(),
        draft: steps.map(step).collect(),
    }
}

#[test]
fn an_all_reduce_is_a_reduce_scatter_and_an_all_gather() {
    let Fixture { topology, collective, model, draft } = all_reduce();
    let problem = Problem::new(&topology, &collective, model).unwrap();
    let report = verify(&problem, &schedule(&draft)).unwrap();
    // 4 messages with 3 parts each, and 3 copies of each result.
    assert_eq!((report.steps, report.deliveries, report.redundant), (6, 24, 0));
    // Each phase alone.
    let all_gather = Collective::all_gather();
    let reduce_scatter = all_gather.reversed();
    let phases = [(reduce_scatter, &draft[..3]), (all_gather, &draft[3..])];
    for (collective, steps) in phases {
        let problem = Problem::new(&topology, &collective, model).unwrap();
        assert!(verify(&problem, &schedule(&steps.to_vec())).is_ok());
    }
}

#[test]
fn idle_steps_between_the_phases_are_legal() {
    let mut idle = all_reduce();
    idle.draft.insert(3, vec![]);
    assert!(verify(&idle.problem(), &schedule(&idle.draft)).is_ok());
}

#[test]
fn the_all_gather_begins_in_a_step_of_its_own() {
    let violation = all_reduce().spoil(|draft| {
        let (message, _) = draft[3].remove(0);
        draft[2].push((message, vec![7]));
    });
    assert!(matches!(violation, Violation::PhasesOverlap { transfer: 4, .. }));
    assert_eq!(
        violation.to_string(),
        "step 3, transfer 5, message 0 (towards 'a'): the reduction is complete with transfer 4 of the step; the \
         all-gather begins in a new step"
    );
}

#[test]
fn an_all_reduce_without_one_of_its_steps_is_refused() {
    for step in 0..6 {
        all_reduce().spoil(|draft| drop(draft.remove(step)));
    }
}
