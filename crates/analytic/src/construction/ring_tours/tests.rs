//! Tests of all-to-alls on tori.

use lockstep_bounds::best;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::Topology;
use lockstep_topology::strategy::shuffled;
use proptest::prelude::*;
use proptest::sample::select;

use super::RING_TOURS;

/// Returns the number of steps on a network, after the verifier has accepted the schedule, and the lower bound.
fn steps(topology: &Topology) -> (u32, u32) {
    let all_to_all = Collective::all_to_all();
    let problem = Problem::new(topology, &all_to_all, CommunicationModel::wormhole()).unwrap();
    let schedule = RING_TOURS.schedule(&problem, 0, &Budget::unlimited()).unwrap();
    verify(&problem, &schedule).unwrap();
    (schedule.step_count() as u32, best(&problem).steps)
}

#[test]
fn tori_of_some_sides_meet_the_bound() {
    let square = ["7x7", "8x8", "11x11", "12x12", "16x16"];
    let other = ["8", "9", "3x7", "4x5", "4x8", "6x8", "7x11", "8x9", "8x12", "10x12"];
    let more_axes = ["4x4x4", "2x8x8", "4x8x8", "8x8x8", "4x4x4x4"];
    for sides in square.into_iter().chain(other).chain(more_axes) {
        let (steps, bound) = steps(&format!("torus:{sides}").parse().unwrap());
        assert_eq!(steps, bound, "torus:{sides}");
    }
}

/// One step in `n` is lost, and a few more on small tori.
#[test]
fn square_tori_of_other_sides_are_near_the_bound() {
    for side in [13, 14, 17, 18, 21, 22] {
        let (steps, bound) = steps(&format!("torus:{side}x{side}").parse().unwrap());
        let quotient = f64::from(steps) / f64::from(bound);
        assert!(quotient < 1.0 + 1.2 / f64::from(side), "side {side}: {steps}, bound {bound}");
    }
}

/// A torus, and the same network with other numbers.
fn torus() -> impl Strategy<Value = (Topology, Topology)> {
    let sides = vec!["3x3", "2x5", "4x4", "5x5", "6x3", "8", "9", "3x3x3", "4x3x5", "2x3x4", "10x3"];
    select(sides).prop_flat_map(|sides| {
        let torus: Topology = format!("torus:{sides}").parse().unwrap();
        (Just(torus.clone()), shuffled(torus))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn node_numbers_do_not_matter((torus, other) in torus()) {
        let (given, bound) = steps(&torus);
        prop_assert!(given >= bound);
        prop_assert_eq!(steps(&other).0, given);
    }
}
