//! Tests of the whole method.

use std::num::NonZeroU32;

use lockstep_schedule::{Budget, Collective, CommunicationModel, DistributePhase, Ports, Problem, StopReason, verify};
use lockstep_topology::Topology;
use proptest::prelude::*;

use super::*;
use crate::kit::bus_paths::bus_paths;
use crate::kit::task::SchedulingTask;
use crate::kit::testing::any_instance;

/// Returns the schedule without the transfer number `dropped`.
fn without(schedule: &Schedule, dropped: usize) -> Schedule {
    let mut rest = Schedule::new();
    let mut index = 0;
    for (_, step) in schedule.steps() {
        rest.begin_step();
        for transfer in step.iter() {
            if index != dropped {
                rest.push(transfer.message, transfer.path);
            }
            index += 1;
        }
    }
    rest
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(200))]

    /// Quick and thorough attempts, for reachable and unreachable goals.
    #[test]
    fn every_schedule_is_valid_and_no_transfer_is_dispensable(
        instance in any_instance(12), pick: prop::sample::Index, attempt in 0..100u64, goal in 1..20u32, is_quick: bool,
    ) {
        let whole = instance.problem();
        let phases = DistributePhase::all(&whole);
        let problem = phases[0].problem(&whole);
        let budget = Budget::unlimited();
        let (attempts, bus_paths) = (attempt..attempt + 1, bus_paths(&problem).unwrap());
        let first = MethodRequest::first(&problem, &budget);
        let request = MethodRequest { goal, attempts, is_quick, bus_paths: bus_paths.as_ref(), ..first };
        let result = (RAREST_FIRST.find)(&request);
        prop_assert_eq!(result.as_ref().err(), problem.messages().is_scatter().then_some(&MethodError::Unsupported));
        let Ok(schedule) = result else { return Ok(()) };
        let report = verify(&problem, &schedule);
        prop_assert!(report.is_ok(), "{}", report.unwrap_err());
        let rest = without(&schedule, pick.index(schedule.transfer_count()));
        prop_assert!(verify(&problem, &rest).is_err());
    }

    /// If only fewer steps are of use, the result is valid and has fewer steps.
    #[test]
    fn further_attempts_are_shorter_or_fail(instance in any_instance(9), seed: u64) {
        let whole = instance.problem();
        let phases = DistributePhase::all(&whole);
        let problem = phases[0].problem(&whole);
        let budget = Budget::unlimited();
        let bus_paths = bus_paths(&problem).unwrap();
        let first = MethodRequest { seed, bus_paths: bus_paths.as_ref(), ..MethodRequest::first(&problem, &budget) };
        let Ok(schedule) = (RAREST_FIRST.find)(&first) else { return Ok(()) };
        let below = schedule.step_count() as u32;
        match (RAREST_FIRST.find)(&MethodRequest { below, attempts: 1..5, ..first }) {
            Ok(shorter) => prop_assert!(verify(&problem, &shorter)?.steps < below as usize),
            Err(error) => prop_assert_eq!(error, MethodError::NoShorter),
        }
    }
}

/// With one port, neighbours that only serve each other leave nothing for the rest: on a path, terminals must send far.
#[test]
fn one_port_on_a_path_is_used_in_every_step() {
    let path: Topology = "mesh:4".parse().unwrap();
    let all_gather = Collective::all_gather();
    let one_port = CommunicationModel { ports: Ports::Limit(NonZeroU32::MIN), ..CommunicationModel::wormhole() };
    let problem = Problem::new(&path, &all_gather, one_port).unwrap();
    let budget = Budget::unlimited();
    let request = MethodRequest { goal: 3, below: 4, attempts: 0..200, ..MethodRequest::first(&problem, &budget) };
    let schedule = (RAREST_FIRST.find)(&request).unwrap();
    // Every terminal receives three messages through its one port.
    assert_eq!(verify(&problem, &schedule).unwrap().steps, 3);
}

#[test]
fn a_quick_schedule_takes_at_most_twice_the_steps() {
    let torus: Topology = "torus:8x8".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let budget = Budget::unlimited();
    let request = MethodRequest { goal: 16, is_quick: true, ..MethodRequest::first(&problem, &budget) };
    let schedule = (RAREST_FIRST.find)(&request).unwrap();
    // Every node receives 63 messages over 4 channels.
    assert!((16..32).contains(&verify(&problem, &schedule).unwrap().steps));
}

/// Without a limit, the terminals of a large network search all of it in each step: 4 million evaluations.
#[test]
fn the_searches_for_few_messages_on_a_large_network_are_limited() {
    let torus: Topology = "torus:92x92".parse().unwrap();
    let broadcast = Collective::broadcast(torus.terminals()[0]).with_chunks(NonZeroU32::new(2).unwrap());
    let problem = Problem::new(&torus, &broadcast, CommunicationModel::wormhole()).unwrap();
    let budget = Budget::unlimited();
    let work_per_step = |is_quick| {
        let request = MethodRequest { goal: 6, is_quick, ..MethodRequest::first(&problem, &budget) };
        let schedule = (RAREST_FIRST.find)(&request).unwrap();
        request.work.evaluations().unwrap() / verify(&problem, &schedule).unwrap().steps as u64
    };
    let [thorough, quick] = [false, true].map(work_per_step);
    assert!(thorough < 1_000_000 && quick < 20_000, "{thorough} and {quick} evaluations per step");
}

#[test]
fn only_few_messages_on_a_large_network_have_limited_searches() {
    let wormhole = CommunicationModel::wormhole();
    for (spec, chunks, model, expected) in [
        ("torus:256x256", 1, wormhole, true),
        ("torus:256x256", 2000, wormhole, false),
        ("torus:256x256", 1, CommunicationModel::store_and_forward(), false),
        ("torus:32x32", 1, wormhole, false),
    ] {
        let topology: Topology = spec.parse().unwrap();
        let broadcast = Collective::broadcast(topology.terminals()[0]).with_chunks(NonZeroU32::new(chunks).unwrap());
        let problem = Problem::new(&topology, &broadcast, model).unwrap();
        let task = SchedulingTask::new(&problem).unwrap();
        let context = BroadcastContext::new(&task, None, false);
        assert_eq!(context.searches_far(), expected, "{spec} in {chunks} chunks");
    }
}

/// An attempt takes more evaluations than the budget has only if there is no schedule.
#[test]
fn an_attempt_ends_with_the_budget_if_a_schedule_is_known() {
    let torus: Topology = "torus:8x8".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let unlimited = Budget::unlimited();
    let known = (RAREST_FIRST.find)(&MethodRequest { goal: 16, ..MethodRequest::first(&problem, &unlimited) }).unwrap();
    let over = Budget::unlimited();
    over.cancel();
    for (budget, reason) in [(over, StopReason::Cancelled), (Budget::evaluations(1), StopReason::Evaluations)] {
        let request = MethodRequest { goal: 16, best: Some(&known), ..MethodRequest::first(&problem, &budget) };
        let error = (RAREST_FIRST.find)(&request).unwrap_err();
        assert!(matches!(error, MethodError::Stopped(found) if found == reason), "{error:?}");
    }
}
