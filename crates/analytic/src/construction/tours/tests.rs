//! Tests of all-to-alls on tori and meshes.

use lockstep_bounds::best_reaching;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::Topology;
use lockstep_topology::strategy::shuffled;
use proptest::prelude::*;
use proptest::sample::select;

use super::TOURS;

/// Returns the number of steps on a network, after the verifier has accepted the schedule, and the lower bound.
fn steps(topology: &Topology) -> (u32, u32) {
    let all_to_all = Collective::all_to_all();
    let problem = Problem::new(topology, &all_to_all, CommunicationModel::wormhole()).unwrap();
    let schedule = TOURS.schedule(&problem, 0, &Budget::unlimited()).unwrap();
    verify(&problem, &schedule).unwrap();
    let steps = schedule.step_count() as u32;
    (steps, best_reaching(&problem, steps).steps)
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

#[test]
fn meshes_of_some_sides_meet_the_bound() {
    for sides in ["1x8", "3x3", "4x4", "7x7", "8x8", "11x11", "12x12", "4x8", "3x7", "4x4x4", "4x4x8"] {
        let (steps, bound) = steps(&format!("mesh:{sides}").parse().unwrap());
        assert_eq!(steps, bound, "mesh:{sides}");
    }
}

/// One step in `n` is lost, and a few more on small networks.
#[test]
fn square_networks_of_other_sides_are_near_the_bound() {
    for (family, side) in ["torus", "mesh"].into_iter().flat_map(|family| [13, 14, 17, 18].map(|side| (family, side))) {
        let (steps, bound) = steps(&format!("{family}:{side}x{side}").parse().unwrap());
        let quotient = f64::from(steps) / f64::from(bound);
        assert!(quotient < 1.0 + 1.2 / f64::from(side), "{family}, side {side}: {steps}, bound {bound}");
    }
}

/// A torus or a mesh, and the same network with other numbers.
fn network() -> impl Strategy<Value = (Topology, Topology)> {
    let sides = vec!["3x3", "2x5", "4x4", "5x5", "6x3", "1x9", "3x3x3", "4x3x5", "2x3x4", "10x3"];
    (select(vec!["torus", "mesh"]), select(sides)).prop_flat_map(|(family, sides)| {
        let network: Topology = format!("{family}:{sides}").parse().unwrap();
        (Just(network.clone()), shuffled(network))
    })
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    #[test]
    fn node_numbers_do_not_matter((network, other) in network()) {
        let (given, bound) = steps(&network);
        prop_assert!(given >= bound);
        prop_assert_eq!(steps(&other).0, given);
    }
}
