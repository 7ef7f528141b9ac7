//! Programs of schedules.

use std::num::NonZeroU32;

use lockstep_flow::{Event, PathFault, Programs, RateModel, ReplayError, SimulationOptions, StepMode, simulate};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, strategy};
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::MAX_MIN;

fn one_way_ring(nodes: u32) -> Topology {
    let mut ring = TopologyBuilder::new("one-way ring");
    let terminals: Vec<NodeId> = (0..nodes).map(|node| ring.terminal(node.to_string())).collect();
    for place in 0..nodes as usize {
        ring.channel(terminals[place], terminals[(place + 1) % terminals.len()]);
    }
    ring.build().unwrap()
}

#[test]
fn a_schedule_without_slack_takes_one_message_time_per_step() {
    let ring = one_way_ring(5);
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    for step in 0..4 {
        schedule.begin_step();
        for place in 0..5 {
            schedule.push(MessageId::new((place + 5 - step) % 5), &[ChannelId::new(place)]);
        }
    }
    let programs = Programs::of_schedule(&problem, &schedule, 2000, StepMode::Free).unwrap();
    assert!((simulate(&ring, &programs, &MAX_MIN).unwrap().makespan - 8.0).abs() < 1e-9);
}

#[test]
fn the_chunks_of_a_message_share_its_size() {
    let ring = one_way_ring(2);
    let all_gather = Collective::all_gather().with_chunks(NonZeroU32::new(3).unwrap());
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    for chunk in 0..3 {
        schedule.begin_step();
        schedule.push(MessageId::new(chunk), &[ChannelId::new(0)]);
        schedule.push(MessageId::new(3 + chunk), &[ChannelId::new(1)]);
    }
    let programs = Programs::of_schedule(&problem, &schedule, 1000, StepMode::Free).unwrap();
    let sizes = programs.tasks.iter().flatten().filter_map(|event| match event {
        Event::Send { size, .. } => Some(*size),
        _ => None,
    });
    assert_eq!(sizes.collect::<Vec<_>>(), [334; 6]);
}

#[test]
fn a_reduction_waits_for_all_contributions() {
    // Terminals 0 and 1 send to 2, which sends the sum to 3.
    let mut tree = TopologyBuilder::new("tree");
    let [a, b, c, root] = ["a", "b", "c", "root"].map(|name| tree.terminal(name));
    let [from_a, from_b, from_c] = [tree.channel(a, c), tree.channel(b, c), tree.channel(c, root)];
    let tree = tree.build().unwrap();
    let reduce = Collective::reduce(root);
    let problem = Problem::new(&tree, &reduce, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    for channels in [&[from_a, from_b][..], &[from_c]] {
        schedule.begin_step();
        for &channel in channels {
            schedule.push(MessageId::new(0), &[channel]);
        }
    }
    let programs = Programs::of_schedule(&problem, &schedule, 1000, StepMode::Free).unwrap();
    let receives = programs.tasks[2].iter().filter(|event| matches!(event, Event::Receive { .. })).count();
    assert_eq!((receives, programs.tasks[2].len()), (2, 3));
    assert!((simulate(&tree, &programs, &MAX_MIN).unwrap().makespan - 2.0).abs() < 1e-9);
}

#[test]
fn empty_messages_are_refused() {
    let ring = one_way_ring(3);
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(
        Programs::of_schedule(&problem, &Schedule::new(), 0, StepMode::Free),
        Err(ReplayError::Size { size: 0 })
    );
    let mut schedule = Schedule::new();
    schedule.begin_step();
    schedule.push(MessageId::new(0), &[ChannelId::new(0), ChannelId::new(2)]);
    let fault = PathFault::Gap { channel: ChannelId::new(2), node: NodeId::new(1) };
    let error = Programs::of_schedule(&problem, &schedule, 1, StepMode::Free).unwrap_err();
    assert_eq!(error, ReplayError::Transfer { step: 0, transfer: 0, fault });
    assert_eq!(
        error.to_string(),
        "step 0, transfer 0: channel 2 does not begin at node 1, where the previous channel ends; verify the schedule first"
    );
}

/// Terminal 1 of a line forwards a message in the second step, during which a long path is in use.
#[test]
fn synchronous_steps_wait_for_the_slowest_transfer() {
    let mut line = TopologyBuilder::new("line");
    let [a, b, c] = ["a", "b", "c"].map(|name| line.terminal(name));
    let [slow, fast, last] = [line.channel(a, b), line.channel(b, c), line.channel(c, a)];
    line.set_capacity([fast], 4);
    let line = line.build().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&line, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let mut schedule = Schedule::new();
    schedule.begin_step();
    schedule.push(MessageId::new(0), &[slow]);
    schedule.push(MessageId::new(1), &[fast]);
    schedule.begin_step();
    schedule.begin_step();
    schedule.push(MessageId::new(1), &[last]);
    let starts = |steps| {
        let programs = Programs::of_schedule(&problem, &schedule, 1000, steps).unwrap();
        let simulation = simulate(&line, &programs, &MAX_MIN).unwrap();
        simulation.flows.iter().map(|flow| flow.start.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(starts(StepMode::Free), [0.0f64, 0.0, 0.25].map(f64::to_bits));
    assert_eq!(starts(StepMode::Synchronous), [0.0f64, 0.0, 1.0].map(f64::to_bits));
}

proptest! {
    #[test]
    fn synchronous_steps_take_the_sum_of_their_times(
        (instance, schedule) in strategy::scheduled_instance(8), startup in prop::sample::select(vec![0.0, 0.5]),
    ) {
        let problem = instance.problem();
        let options = SimulationOptions { startup, ..MAX_MIN };
        let time = |schedule: &Schedule, steps| {
            let programs = Programs::of_schedule(&problem, schedule, 1000, steps).unwrap();
            assert_eq!(programs.check(), Ok(()));
            simulate(problem.topology(), &programs, &options).unwrap().makespan
        };
        let of_step = |(_, transfers): (usize, lockstep_schedule::Step<'_>)| {
            let mut alone = Schedule::new();
            alone.begin_step();
            transfers.iter().for_each(|transfer| alone.push(transfer.message, transfer.path));
            time(&alone, StepMode::Free)
        };
        let sum: f64 = schedule.steps().map(of_step).sum();
        let synchronous = time(&schedule, StepMode::Synchronous);
        prop_assert!((synchronous - sum).abs() <= 1e-9 * sum.max(1.0), "{synchronous} instead of {sum}");
    }

    #[test]
    fn schedules_end_within_the_sum_of_their_transfers(
        (instance, schedule) in strategy::scheduled_instance(8), half in any::<bool>(),
    ) {
        let problem = instance.problem();
        let programs = Programs::of_schedule(&problem, &schedule, 1000, StepMode::Free).unwrap();
        prop_assert_eq!(programs.check(), Ok(()));
        prop_assert_eq!(programs.flow_count(), schedule.transfer_count());
        let rates = if half { RateModel::EqualShare } else { RateModel::MaxMin };
        let options = SimulationOptions { rates, ..MAX_MIN };
        let simulation = simulate(problem.topology(), &programs, &options).unwrap();
        // Transfers that share one link cannot take longer than one after the other.
        prop_assert!(simulation.makespan <= schedule.transfer_count() as f64 * (1.0 + 1e-9));
        let topology = problem.topology();
        let widest = topology.channels().map(|channel| topology.capacity(channel)).max().unwrap_or(1);
        let chunk = problem.collective().chunk_size(1000) as f64 / 1000.0;
        let least = chunk / f64::from(widest);
        prop_assert!(schedule.transfer_count() == 0 || simulation.makespan >= least * (1.0 - 1e-9));
    }

    #[test]
    fn invalid_schedules_are_refused_or_run(
        (instance, schedule) in strategy::spoiled_instance(8),
    ) {
        if let Ok(programs) = Programs::of_schedule(&instance.problem(), &schedule, 1000, StepMode::Free) {
            prop_assert_eq!(programs.check(), Ok(()));
            prop_assert!(simulate(instance.problem().topology(), &programs, &MAX_MIN).is_ok());
        }
    }
}
