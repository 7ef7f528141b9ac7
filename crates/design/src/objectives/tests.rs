//! Tests of the objectives: known scores, and relations between scores.

use lockstep_topology::Topology;
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::{CablingCode, Machine, Network, NoScore, strategy};

fn score(name: &str, network: &mut Network) -> Result<f64, NoScore> {
    objective(name).unwrap().score(network, &mut ChaCha8Rng::seed_from_u64(1))
}

fn of(spec: &str) -> Network {
    Network::of(&spec.parse::<Topology>().unwrap())
}

#[test]
fn known_networks_have_known_scores() {
    for (spec, name, expected) in [
        ("hypercube:5", "kernighan-lin", 16.0),
        ("torus:4x4", "bisection", 8.0),
        ("mesh:5x5", "exact-bisection", 6.0),
        ("ring:32", "paths", 32.0 / 31.0),
        // 496 pairs with 512 paths, and 32 terminals paired with themselves.
        ("ring:32", "paths-with-selves", 544.0 / 528.0),
        ("hypercube:3", "edge-disjoint-paths", 12.0 / 7.0),
        ("hypercube:3", "vertex-disjoint-paths", 12.0 / 7.0),
        ("hypercube:3", "links", 3.0),
        ("star:5", "worst-degree", 4.0),
        ("complete:7", "throughput", 6.0),
        ("ring:5", "distance", 1.5),
        ("ring:5", "diameter", 2.0),
        ("torus:8x8", "bfb-latency", 8.0),
        ("torus:8x8", "bfb-bandwidth", 63.0 / 64.0),
        ("kautz:3,2", "bfb-bandwidth", 1.0),
        // 15/2 steps per chunk through 4 ports of 16 nodes.
        ("mesh:4x4", "bfb-bandwidth", 15.0 / 8.0),
        ("complete:7", "spectral-gap", 7.0),
        ("torus:4x4", "edge-connectivity", 4.0),
    ] {
        let found = score(name, &mut of(spec)).unwrap();
        assert!((found - expected).abs() < 1e-6, "{name} of {spec}: {found}, expected {expected}");
    }
}

#[test]
fn a_missing_score_has_a_reason() {
    assert_eq!(score("cable-length", &mut of("ring:4")), Err(NoScore::NoCabinets));
    assert_eq!(score("exact-bisection", &mut of("ring:41")), Err(NoScore::TooLarge { terminals: 41, most: 40 }));
    assert_eq!(score("bfb-latency", &mut of("dgx-1")), Err(NoScore::Capacities));
    assert_eq!(score("bfb-bandwidth", &mut of("omega:8")), Err(NoScore::Switches));
    let reason = score("bfb-bandwidth", &mut of("star:18")).unwrap_err().to_string();
    assert!(reason.starts_with("channels from 17 nodes enter '0', more than 16"), "{reason}");
    let machine = Machine::new(1, 2, 1).unwrap();
    let mut disconnected = Network::of_code(&machine, &CablingCode([0, 0].into())).unwrap();
    for name in [
        "paths",
        "paths-with-selves",
        "edge-disjoint-paths",
        "vertex-disjoint-paths",
        "distance",
        "diameter",
        "bfb-latency",
    ] {
        assert_eq!(score(name, &mut disconnected), Err(NoScore::Disconnected), "{name}");
    }
    assert_eq!(score("edge-connectivity", &mut disconnected), Ok(0.0));
}

#[test]
fn cables_between_cabinets_are_longer() {
    // Two cabinets of one chassis with two cables between them: 2 m at each end, and one row of cabinets.
    let machine = Machine::new(1, 1, 2).unwrap();
    let mut network = Network::of_code(&machine, &"2,0".parse().unwrap()).unwrap();
    assert_eq!(score("external-cables", &mut network), Ok(2.0));
    assert_eq!(score("cable-length", &mut network), Ok(2.0 * (4.0 + 2.1)));
}

#[test]
fn an_unknown_objective_lists_all_names() {
    let error = objective("speed").err().unwrap().to_string();
    assert!(error.starts_with("unknown objective 'speed'; choose kernighan-lin, bisection, "), "{error}");
    for objective in objectives() {
        assert_eq!(super::objective(objective.name()).unwrap().about(), objective.about());
    }
}

/// The objectives whose estimate exceeds 5 s, which `lockstep topology --metrics` skips unless they are requested.
#[test]
fn estimates_keep_the_choice_of_fast_objectives() {
    for (spec, slow) in [
        ("hypercube:5", &[][..]),
        ("torus:64x64", &[]),
        ("ring:1000", &[]),
        ("random-regular:1000,4,1", &["edge-disjoint-paths", "vertex-disjoint-paths"]),
        ("random-regular:1600,4,1", &["edge-disjoint-paths", "vertex-disjoint-paths", "throughput"]),
    ] {
        let size = of(spec).size();
        let found = objectives().iter().filter(|objective| objective.estimated_ns(&size) > 5_000_000_000);
        assert_eq!(found.map(|objective| objective.name()).collect::<Vec<_>>(), slow, "{spec}");
    }
}

proptest! {
    #[test]
    fn scores_satisfy_their_inequalities((machine, code) in strategy::machine_and_code()) {
        let network = &mut Network::of_code(&machine, &code).unwrap();
        let mut of = |name| score(name, network);
        let exact = of("exact-bisection").unwrap();
        prop_assert!(exact <= of("bisection").unwrap());
        prop_assert_eq!(of("links"), Ok(code.links() as f64));
        prop_assert!(of("links").unwrap() <= of("worst-degree").unwrap());
        prop_assert!(of("external-cables").unwrap() <= f64::from(machine.chassis_count()) * code.links() as f64);
        prop_assert_eq!(of("spectral-gap").unwrap() > 1e-9, of("edge-connectivity").unwrap() > 0.0);
        if let Ok(paths) = of("paths") {
            prop_assert!(1.0 <= paths && of("vertex-disjoint-paths").unwrap() <= paths);
            prop_assert!(of("distance").unwrap() <= of("diameter").unwrap());
            prop_assert_eq!(of("bfb-latency"), of("diameter"));
            let nodes = f64::from(machine.router_count());
            prop_assert!(of("bfb-bandwidth").unwrap() >= (nodes - 1.0) / nodes - 1e-9);
            prop_assert!(of("paths-with-selves").unwrap() <= paths);
            let most = of("worst-degree").unwrap();
            prop_assert!(of("throughput").unwrap() * of("distance").unwrap() <= most + 1e-9);
        } else {
            prop_assert_eq!(of("edge-connectivity"), Ok(0.0));
        }
    }
}
