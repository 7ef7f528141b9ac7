//! The search against an independent one.

use std::num::NonZeroU32;

use lockstep_exhaustion::{Exhaustion, ExhaustionError, exhaust_all_reduce};
use lockstep_schedule::strategy::{Instance, fastest_schedule, instance, instance_with_capacities};
use lockstep_schedule::{Collective, CommunicationModel, Problem, verify};
use lockstep_topology::{NodeId, Topology};
use proptest::collection::vec;
use proptest::prelude::*;

/// Partial steps of the independent search.
const EFFORT: u64 = 300_000;

/// An all-reduce of some or all terminals in a few blocks.
fn all_reduce(instances: impl Strategy<Value = Instance>) -> impl Strategy<Value = Instance> {
    (instances, vec(any::<bool>(), 6), 1..=3u32).prop_filter_map("not connected", |(instance, is_member, blocks)| {
        let Instance { topology, model, .. } = instance;
        let members = topology.terminals().iter().zip(is_member).filter(|(_, is_member)| *is_member);
        let members: Vec<NodeId> = members.map(|(&terminal, _)| terminal).collect();
        let groups = if members.len() < 2 { Vec::new() } else { vec![members] };
        let collective = Collective::all_reduce_in_blocks(&topology, &groups, NonZeroU32::new(blocks)?).ok()?;
        let is_possible = Problem::new(&topology, &collective, model).is_ok();
        is_possible.then_some(Instance { topology, collective, model })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn the_shortest_schedule_is_found(instance in all_reduce(instance(6))) {
        let problem = instance.problem();
        let Ok(Some(fastest)) = fastest_schedule(&problem, usize::MAX, &mut EFFORT.clone()) else { return Ok(()) };
        for steps in 1..=fastest.step_count() as u32 {
            match exhaust_all_reduce(&problem, steps) {
                Ok(Exhaustion::Schedule(schedule)) => {
                    prop_assert_eq!(steps, fastest.step_count() as u32, "a schedule below the optimum");
                    prop_assert_eq!(verify(&problem, &schedule).unwrap().steps, steps as usize);
                }
                Ok(Exhaustion::Infeasible { states }) => {
                    prop_assert!(steps < fastest.step_count() as u32, "no schedule at the optimum");
                    prop_assert_eq!(states.len() as u32, steps - 1);
                }
                Err(error) => {
                    prop_assert_eq!(error, ExhaustionError::TooLarge);
                    return Ok(());
                }
            }
        }
    }

    /// More steps leave room for a schedule.
    #[test]
    fn schedules_with_capacities_are_valid(instance in all_reduce(instance_with_capacities(5)), more in 0..3u32) {
        let problem = instance.problem();
        for steps in 1..20 {
            match exhaust_all_reduce(&problem, steps) {
                Ok(Exhaustion::Schedule(_)) => {
                    if let Ok(found) = exhaust_all_reduce(&problem, steps + more) {
                        let Exhaustion::Schedule(schedule) = found else { panic!("none in {more} more steps") };
                        prop_assert!(verify(&problem, &schedule).is_ok());
                    }
                    return Ok(());
                }
                Ok(Exhaustion::Infeasible { .. }) => {}
                Err(_) => return Ok(()),
            }
        }
    }
}

#[test]
fn other_problems_are_refused() {
    let topology: Topology = "ring:4".parse().unwrap();
    let error = |spec: &str, collective: &Collective, steps: u32| {
        let topology: Topology = spec.parse().unwrap();
        let problem = Problem::new(&topology, collective, CommunicationModel::wormhole()).unwrap();
        exhaust_all_reduce(&problem, steps).unwrap_err()
    };
    assert_eq!(error("ring:4", &Collective::all_gather(), 1), ExhaustionError::NoAllReduce);
    assert_eq!(error("ring:4", &Collective::all_reduce(), 0), ExhaustionError::Steps);
    assert_eq!(error("ring:4", &Collective::all_reduce(), 65), ExhaustionError::Steps);
    assert_eq!(error("ring:8", &Collective::all_reduce(), 4), ExhaustionError::TooLarge);
    // One block of twelve terminals fits, but has too many states.
    let one = Collective::all_reduce_in_blocks(&topology, &[], NonZeroU32::MIN).unwrap();
    assert_eq!(error("complete:11", &one, 3), ExhaustionError::TooLarge);
}
