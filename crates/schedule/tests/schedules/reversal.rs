//! Tests of time reversal and of all-reduces.

use std::num::NonZeroU32;

use lockstep_schedule::strategy::{scheduled_instance, spoiled_instance};
use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule, verify};
use lockstep_topology::Topology;
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

/// In a star, the centre sums one block per step, and sends it back in the next.
#[test]
fn reduction_and_distribution_may_share_steps() {
    let star: Topology = "star:4".parse().unwrap();
    let centre = star.terminals()[0];
    for blocks in 1..6 {
        let all_reduce = Collective::all_reduce_in_blocks(&star, &[], NonZeroU32::new(blocks).unwrap()).unwrap();
        let problem = Problem::new(&star, &all_reduce, CommunicationModel::wormhole()).unwrap();
        let mut pipeline = Schedule::new();
        for step in 0..=blocks {
            pipeline.begin_step();
            for (channels, block) in
                [(star.in_channels(centre), Some(step)), (star.out_channels(centre), step.checked_sub(1))]
            {
                let block = block.filter(|&block| block < blocks).map(MessageId::new);
                for (&channel, block) in channels.iter().zip(block.into_iter().cycle()) {
                    pipeline.push(block, &[channel]);
                }
            }
        }
        let report = verify(&problem, &pipeline).unwrap();
        assert_eq!((report.steps, report.deliveries), (blocks as usize + 1, 6 * u64::from(blocks)));
        assert_eq!((report.relays, report.redundant), (0, 0));
        // It is its own reversal.
        let reversed = star.reversed();
        let problem = Problem::new(&reversed, &all_reduce, CommunicationModel::wormhole()).unwrap();
        assert!(verify(&problem, &pipeline.reversed()).is_ok());
    }
}

/// Every node sends all that it holds to its partner, and both add: no terminal is the root.
#[test]
fn recursive_doubling_is_an_all_reduce() {
    let cube: Topology = "hypercube:3".parse().unwrap();
    let all_reduce = Collective::all_reduce_in_blocks(&cube, &[], NonZeroU32::MIN).unwrap();
    let problem = Problem::new(&cube, &all_reduce, CommunicationModel::store_and_forward()).unwrap();
    let doubling = |dimensions: [usize; 3]| {
        let mut schedule = Schedule::new();
        for dimension in dimensions {
            schedule.begin_step();
            cube.nodes().for_each(|node| schedule.push(MessageId::new(0), &[cube.out_channels(node)[dimension]]));
        }
        schedule
    };
    let report = verify(&problem, &doubling([0, 1, 2])).unwrap();
    assert_eq!((report.steps, report.deliveries, report.relays, report.redundant), (3, 14, 10, 0));
    // The partner of the first step holds the same sum in the third one.
    let violation = verify(&problem, &doubling([0, 1, 0])).unwrap_err();
    assert_eq!(
        violation.to_string(),
        "after the last step '000' lacks 4 contribution(s) to message 0, first that of '100'"
    );
}

#[test]
fn an_all_reduce_without_one_of_its_steps_is_refused() {
    for step in 0..6 {
        all_reduce().spoil(|draft| drop(draft.remove(step)));
    }
}
