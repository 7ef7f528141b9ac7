//! Tests of the packing of steps.

use std::sync::Mutex;

use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, StopReason, verify};
use lockstep_topology::{ChannelId, Topology};
use proptest::prelude::*;

use super::WINDOW_PACKING;
use super::message_rows::MessageRows;
use super::packer::{WindowPacker, by_value};
use super::slot_values::UNIT;
use super::window::Window;
use crate::kit::balanced_paths::balanced_paths;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;
use crate::kit::testing::any_network;
use crate::kit::transfer_log::TransferLog;

/// The result of a packing, and facts about the paths.
#[derive(Debug, PartialEq, Eq)]
struct Packed {
    most_load: u32,
    steps: Result<u32, MethodError>,
    step_of: Vec<u32>,
    paths: Vec<Vec<ChannelId>>,
}

/// Packs an all-to-all on balanced paths, and checks that no slot is overloaded.
fn pack(topology: &Topology, model: CommunicationModel, last: u32) -> Packed {
    let (collective, budget) = (Collective::all_to_all(), Budget::unlimited());
    let problem = Problem::new(topology, &collective, model).unwrap();
    let (task, request) = (SchedulingTask::new(&problem).unwrap(), MethodRequest::first(&problem, &budget));
    let slots = task.slots();
    let outcome = Mutex::new(None);
    let _ = request.best_attempt(|rng, context| {
        let paths = balanced_paths(&task, &slots, 8, rng, context)?;
        let mut packer = WindowPacker::new(&slots, &paths, rng)?;
        let most_load = packer.most_load();
        let steps = packer.pack(last, 1, rng, context);
        let mut uses = vec![0; slots.len() * steps.unwrap_or(0) as usize];
        for (message, &step) in (0..).zip(packer.steps()).filter(|_| steps.is_ok()) {
            let path = paths.path(message);
            for slot in slots.of_path(path) {
                let uses = &mut uses[step as usize * slots.len() + slot as usize];
                *uses += 1;
                assert!(*uses <= slots.capacity(slot), "message {message} in step {step}");
            }
        }
        let all_paths = (0..paths.len() as u32).map(|message| paths.path(message).to_vec()).collect();
        *outcome.lock().unwrap() =
            Some(Packed { most_load, steps, step_of: packer.steps().to_vec(), paths: all_paths });
        Ok(TransferLog::default())
    });
    outcome.into_inner().unwrap().unwrap()
}

fn ports(limit: u32) -> CommunicationModel {
    CommunicationModel { ports: Ports::limit(limit).unwrap(), ..CommunicationModel::wormhole() }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(32))]

    #[test]
    fn no_slot_is_overloaded(topology in any_network(9), limit in 1..=3u32) {
        let packed = pack(&topology, ports(limit), u32::MAX);
        let steps = packed.steps.unwrap();
        prop_assert!(steps >= packed.most_load);
        prop_assert_eq!(&pack(&topology, ports(limit), steps), &packed, "the same every time");
        let shorter = pack(&topology, ports(limit), packed.most_load - 1);
        prop_assert_eq!(shorter.steps, Err(MethodError::NoShorter));
    }

    /// A window finds the messages that block a path, as a list of all messages does.
    #[test]
    fn a_window_counts_the_blocking_messages(
        paths in prop::collection::vec((0..6u32, 1..5u32, 0..64u32), 1..40), (start, length) in (0..6u32, 1..5u32),
    ) {
        // Paths on a line of ten lanes. Joint `j` is between the lanes `j` and `j + 1`.
        let row = |message: u32, start: u32, length: u32| {
            let mut rows = MessageRows::new(12);
            rows.push_path(message, start..start + length);
            rows
        };
        let mut window = Window::new(10, 9, 12);
        let mut placed: Vec<(u32, u32, u32)> = Vec::new();
        for (message, (start, length, step)) in (0..).zip(paths) {
            let overlaps = |&(other, size, at): &(u32, u32, u32)| {
                at == step && other < start + length && start < other + size
            };
            if !placed.iter().any(overlaps) {
                window.place(row(message, start, length).row(0), step, 0);
                placed.push((start, length, step));
            }
        }
        let own = row(99, start, length);
        let found = window.conflicts(own.row(0), u64::MAX);
        for step in 0..64 {
            let blocking = placed.iter().filter(|&&(other, size, at)| {
                at == step && other < start + length && start < other + size
            });
            let count = blocking.count();
            prop_assert_eq!(window.blocked_steps(own.row(0)) >> step & 1 == 1, count > 0);
            // A scan that ends early has found several in every step.
            prop_assert_eq!(found.several >> step & 1 == 1, count > 1);
            prop_assert!(count > 1 || found.any >> step & 1 == count as u64);
        }
    }
}

#[test]
fn the_steps_of_a_random_network_are_nearly_full() {
    let network: Topology = "random-regular:64,4,1".parse().unwrap();
    let packed = pack(&network, CommunicationModel::wormhole(), u32::MAX);
    let (steps, load) = (packed.steps.unwrap(), packed.most_load);
    assert!(100 * steps <= 108 * load, "{steps} steps for a load of {load}");
}

/// A linear program gives 134 steps along shortest paths.
#[test]
fn loads_are_near_the_least_possible() {
    let network: Topology = "random-regular:128,4,1".parse().unwrap();
    let load = pack(&network, CommunicationModel::wormhole(), u32::MAX).most_load;
    assert!((134..=136).contains(&load), "{load}");
}

/// The bound by distances is 92 steps.
#[test]
fn an_exchange_of_a_hundred_terminals_is_near_its_bound() {
    let (network, collective, budget) = (large(), Collective::all_to_all(), Budget::unlimited());
    for (model, most) in [(CommunicationModel::wormhole(), 98), (ports(2), 101)] {
        let problem = Problem::new(&network, &collective, model).unwrap();
        let schedule = (WINDOW_PACKING.find)(&MethodRequest::first(&problem, &budget)).unwrap();
        let verified = verify(&problem, &schedule).unwrap();
        assert_eq!((verified.redundant, verified.transfers), (0, problem.messages().len()));
        assert!(schedule.step_count() <= most, "{} steps", schedule.step_count());
    }
}

#[test]
fn a_search_stops_with_its_budget() {
    let (network, collective, budget) = (large(), Collective::all_to_all(), Budget::unlimited());
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    budget.cancel();
    let request = MethodRequest { below: 200, ..MethodRequest::first(&problem, &budget) };
    assert!(matches!((WINDOW_PACKING.find)(&request), Err(MethodError::Stopped(_))));
    let needed = MethodRequest::first(&problem, &budget);
    assert!(matches!((WINDOW_PACKING.find)(&needed), Err(MethodError::Stopped(_))));
}

#[test]
fn small_problems_are_left_to_other_methods() {
    let network: Topology = "random-regular:64,4,1".parse().unwrap();
    let (collective, budget) = (Collective::all_to_all(), Budget::unlimited());
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    let result = (WINDOW_PACKING.find)(&MethodRequest::first(&problem, &budget));
    assert_eq!(result, Err(MethodError::Unsupported));
}

fn large() -> Topology {
    "random-regular:96,4,1".parse().unwrap()
}

#[test]
fn the_largest_values_come_first() {
    let values = [5 * UNIT, -3 * UNIT, 9 * UNIT, 0, 9 * UNIT + 1, 5 * UNIT];
    assert_eq!(by_value(&values), [2, 4, 0, 5, 1, 3]);
    assert!(by_value(&[]).is_empty());
}

/// Wherever the time ends, the first attempt finds all paths and completes a schedule. There are several windows.
#[test]
fn a_later_deadline_never_takes_more_steps() {
    let network: Topology = "random-regular:96,3,1".parse().unwrap();
    let collective = Collective::all_to_all();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    let steps = |budget: &Budget| {
        let schedule = (WINDOW_PACKING.find)(&MethodRequest::first(&problem, budget));
        schedule.map(|schedule| verify(&problem, &schedule).unwrap().steps)
    };
    let best = steps(&Budget::unlimited()).unwrap();
    let within = |check: u64| steps(&Budget::unlimited().ended_at_check(check, 1 << 20));
    let checks: Vec<u64> = (1..2_000).collect();
    let first = checks.partition_point(|&check| within(check) == Err(MethodError::Stopped(StopReason::Deadline)));
    let last = checks.partition_point(|&check| within(check) != Ok(best));
    // The packing of windows has few checks, after the many of the paths.
    let ends = (first..last).step_by(last / 4).chain((last - 48..=last).step_by(4));
    let completed: Vec<usize> = ends.map(|end| within(checks[end]).unwrap()).collect();
    assert!(completed.is_sorted_by(|one, other| one >= other), "{completed:?}");
    assert!(completed[0] > best && completed.last() == Some(&best), "{completed:?} {best}");
    assert!(first < 2 * network.terminal_count(), "the paths have 8 checks per terminal, after {first}");
    // A completion takes time, too.
    assert_eq!(
        steps(&Budget::unlimited().ended_at_check(checks[first], 1)),
        Err(MethodError::Stopped(StopReason::Deadline))
    );
}
