//! Steps reached, determinism and budgets.

use std::time::Duration;

use lockstep_construct::{methods, schedule};
use lockstep_schedule::{
    Budget, Collective, CommunicationModel, NotFound, Ports, Problem, Routing, Schedule, StopReason, verify,
};
use lockstep_topology::{NodeId, Topology};
use rayon::ThreadPoolBuilder;

const WORMHOLE: CommunicationModel = CommunicationModel::wormhole();
const STORE_AND_FORWARD: CommunicationModel = CommunicationModel::store_and_forward();

fn network(spec: &str) -> Topology {
    spec.parse().unwrap()
}

/// Returns enough evaluations for `count` attempts of every method.
fn attempts(problem: &Problem<'_>, count: u64) -> Budget {
    let effort: u64 = methods().iter().map(|method| method.evaluations_per_delivery).sum();
    Budget::evaluations(count * effort * problem.messages().delivery_count())
}

/// Returns the number of steps of the shortest of some schedules.
fn steps(spec: &str, collective: &Collective, model: CommunicationModel, goal: u32) -> usize {
    let network = network(spec);
    let problem = Problem::new(&network, collective, model).unwrap();
    match schedule(&problem, goal, 1, &attempts(&problem, 20)) {
        Ok(schedule) => verify(&problem, &schedule).unwrap().steps,
        Err(NotFound::TooLong { reached, .. }) => reached as usize,
        Err(other) => panic!("{other}"),
    }
}

/// Each number is a lower bound: by receptions for all-gather, by doubling or counting for broadcast.
#[test]
fn broadcasts_reach_their_bounds() {
    let root = NodeId::new(0);
    let all_gather = Collective::all_gather();
    let broadcast = Collective::broadcast(root);
    let cases = [
        ("mesh:4x4", &all_gather, WORMHOLE, 8),
        ("kautz:3,2", &all_gather, WORMHOLE, 4),
        ("omega:8", &all_gather, WORMHOLE, 7),
        ("omega:16", &all_gather, WORMHOLE, 15),
        ("fat-tree:2,4", &all_gather, WORMHOLE, 15),
        ("clos:4,4,4", &all_gather, WORMHOLE, 15),
        ("full-b-tree:31", &all_gather, WORMHOLE, 30),
        ("hypercube:6", &all_gather, STORE_AND_FORWARD, 11),
        ("torus:8x8", &all_gather, STORE_AND_FORWARD, 16),
        ("kautz:2,4", &all_gather, STORE_AND_FORWARD, 12),
        ("random-regular:64,4,1", &all_gather, STORE_AND_FORWARD, 16),
        ("mesh:4x4", &broadcast, WORMHOLE, 3),
        ("kautz:3,2", &broadcast, WORMHOLE, 2),
        ("torus:8x8", &broadcast, WORMHOLE, 3),
        ("torus:16x16", &broadcast, WORMHOLE, 4),
        ("omega:16", &broadcast, WORMHOLE, 4),
        ("b-tree:16", &broadcast, WORMHOLE, 4),
        ("full-b-tree:63", &broadcast, WORMHOLE, 5),
        ("hypercube:6", &broadcast, STORE_AND_FORWARD, 6),
    ];
    for (spec, collective, model, bound) in cases {
        assert_eq!(steps(spec, collective, model, bound), bound as usize, "{spec} {}", collective.abbreviation());
    }
}

/// The lower bounds: the load of a middle cut, `|A| |B|` on trees, messages per port.
#[test]
fn scatters_come_near_their_bounds() {
    let root = NodeId::new(0);
    let (total_exchange, scatter) = (Collective::all_to_all(), Collective::scatter(root));
    let cases = [
        ("kautz:3,2", &total_exchange, WORMHOLE, 7, 7),
        ("mesh:4x4", &total_exchange, WORMHOLE, 16, 17),
        ("b-tree:16", &total_exchange, WORMHOLE, 64, 64),
        ("full-b-tree:31", &total_exchange, WORMHOLE, 240, 240),
        ("fat-tree:2,4", &total_exchange, WORMHOLE, 15, 17),
        ("clos:4,4,4", &total_exchange, WORMHOLE, 15, 18),
        ("torus:8x8", &total_exchange, WORMHOLE, 64, 71),
        ("torus:8x8", &total_exchange, STORE_AND_FORWARD, 64, 66),
        ("hypercube:6", &total_exchange, STORE_AND_FORWARD, 32, 34),
        ("mesh:4x4", &scatter, WORMHOLE, 8, 8),
        ("omega:16", &scatter, WORMHOLE, 15, 15),
        ("hypercube:6", &scatter, STORE_AND_FORWARD, 11, 11),
    ];
    for (spec, collective, model, bound, most) in cases {
        let steps = steps(spec, collective, model, bound);
        assert!((bound as usize..=most).contains(&steps), "{spec} {}: {steps}", collective.abbreviation());
    }
}

/// A boundary node of the mesh has three channels for fifteen messages, but shortest paths load one of them with six.
#[test]
fn detours_save_a_step() {
    let mesh = network("mesh:4x4");
    let scatter = Collective::scatter(mesh.node_named("01").unwrap());
    assert_eq!(steps("mesh:4x4", &scatter, WORMHOLE, 5), 6);
    assert_eq!(steps("mesh:4x4", &scatter, CommunicationModel { routing: Routing::Any, ..WORMHOLE }, 5), 5);
}

#[test]
fn an_all_reduce_takes_twice_the_steps_of_a_reduce_scatter() {
    let (all_reduce, half) = (Collective::all_reduce(), Collective::reduce_scatter());
    assert_eq!(steps("torus:4x4", &half, STORE_AND_FORWARD, 4), 4);
    assert_eq!(steps("torus:4x4", &all_reduce, STORE_AND_FORWARD, 8), 8);
}

/// Returns the results of some searches.
fn outcomes() -> Vec<Result<Schedule, NotFound>> {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..WORMHOLE };
    let cases = [
        ("omega:8", Collective::all_to_all(), WORMHOLE, 8),
        ("mesh:4x4", Collective::all_to_all(), WORMHOLE, 16),
        ("torus:4x4", Collective::all_gather(), one_port, 16),
        ("kautz:2,3", Collective::all_reduce(), STORE_AND_FORWARD, 12),
    ];
    let search = |(spec, collective, model, goal): (&str, Collective, CommunicationModel, u32)| {
        let network = network(spec);
        let problem = Problem::new(&network, &collective, model).unwrap();
        schedule(&problem, goal, 7, &attempts(&problem, 10))
    };
    cases.into_iter().map(search).collect()
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let on = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(outcomes);
    let alone = on(1);
    assert!(alone.iter().any(Result::is_ok));
    assert_eq!(alone, on(4));
}

#[test]
fn seeds_matter() {
    let mesh = network("mesh:4x4");
    let collective = Collective::all_to_all();
    let problem = Problem::new(&mesh, &collective, WORMHOLE).unwrap();
    let with_seed = |seed| schedule(&problem, u32::MAX, seed, &Budget::evaluations(1)).unwrap();
    assert_eq!(with_seed(1), with_seed(1));
    assert_ne!(with_seed(1), with_seed(2));
}

#[test]
fn an_unreachable_goal_returns_the_steps_reached() {
    let cube = network("hypercube:3");
    let collective = Collective::all_gather();
    let problem = Problem::new(&cube, &collective, STORE_AND_FORWARD).unwrap();
    let error = schedule(&problem, 2, 1, &attempts(&problem, 10)).unwrap_err();
    assert_eq!(error, NotFound::TooLong { steps: 2, reached: 3 });
}

#[test]
fn spent_evaluations_are_enough_for_one_schedule() {
    let ring = network("ring:8");
    let collective = Collective::all_to_all();
    let problem = Problem::new(&ring, &collective, WORMHOLE).unwrap();
    verify(&problem, &schedule(&problem, u32::MAX, 1, &Budget::evaluations(0)).unwrap()).unwrap();
    let cancelled = Budget::unlimited();
    cancelled.cancel();
    let error = schedule(&problem, u32::MAX, 1, &cancelled).unwrap_err();
    assert_eq!(error, NotFound::Unfinished { reason: StopReason::Cancelled });
}

/// The first attempt of the best method would take far longer.
#[test]
fn a_large_problem_has_a_quick_schedule() {
    for (spec, collective) in [("torus:20x20", Collective::all_to_all()), ("torus:20x20", Collective::all_gather())] {
        let torus = network(spec);
        let problem = Problem::new(&torus, &collective, WORMHOLE).unwrap();
        let quick = Budget::unlimited().ended_at_check(u64::MAX, 0);
        verify(&problem, &schedule(&problem, u32::MAX, 1, &quick).unwrap()).unwrap();
        // The time ends just after the quick schedule, or in the middle of it.
        let checks = 2 * problem.messages().delivery_count() / 256;
        schedule(&problem, 1, 1, &Budget::unlimited().ended_at_check(checks, 0)).unwrap_err();
        let error = schedule(&problem, 1, 1, &Budget::unlimited().ended_at_check(3, 2)).unwrap_err();
        assert_eq!(error, NotFound::Unfinished { reason: StopReason::Deadline });
    }
}

#[test]
fn cancellation_ends_an_endless_search() {
    let ring = network("ring:8");
    let collective = Collective::all_to_all();
    let problem = Problem::new(&ring, &collective, WORMHOLE).unwrap();
    let budget = Budget::unlimited();
    let canceller = budget.clone();
    let outcome = std::thread::scope(|scope| {
        let search = scope.spawn(|| schedule(&problem, 1, 1, &budget));
        std::thread::sleep(Duration::from_millis(20));
        canceller.cancel();
        search.join().unwrap()
    });
    assert_eq!(outcome, Err(NotFound::Stopped { steps: 1, reason: StopReason::Cancelled }));
}
