use std::num::NonZeroU32;

use lockstep_schedule::{
    BaseSchedule, Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, Schedule, verify,
};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{CayleyGraph, NodeId, Topology};
use proptest::prelude::*;

use super::construct::construct;
use super::group_table::GroupTable;
use super::{CAYLEY, all_gather, all_to_all};

const FORWARD: CommunicationModel = CommunicationModel::store_and_forward();

/// Networks of the literature whose schedules meet the bound.
const KNOWN: [&str; 34] = [
    "hypercube:1",
    "hypercube:2",
    "hypercube:3",
    "hypercube:4",
    "hypercube:5",
    "hypercube:6",
    "hypercube:7",
    "folded-hypercube:3",
    "folded-hypercube:4",
    "folded-hypercube:5",
    "torus:3x3",
    "torus:4x4",
    "torus:5x5",
    "torus:4x6",
    "torus:3x7",
    "torus:8x8",
    "torus:5x9",
    "torus:9x9",
    "torus:3x3x3",
    "torus:4x4x4",
    "torus:2x3x5",
    "torus:3x4",
    "torus:2x6",
    "torus:7x8",
    "torus:3x3x4",
    "ring:3",
    "ring:9",
    "ring:16",
    "circulant:8,1,4",
    "circulant:8,1,3",
    "circulant:13,1,5",
    "circulant:16,1,6",
    "circulant:25,3,4",
    "circulant:32,1,7,9",
];

fn graph(spec: &str) -> CayleyGraph {
    spec.parse().unwrap()
}

fn made(topology: &Topology, collective: &Collective, model: CommunicationModel) -> Option<Schedule> {
    let problem = Problem::new(topology, collective, model).unwrap();
    let schedule = construct(&problem, 0, &Budget::unlimited())?;
    verify(&problem, &schedule).unwrap();
    Some(schedule)
}

/// Checks that each step uses each generator at most once, so that translates share no channel.
fn check_generators(base: &BaseSchedule) {
    for step in 0..base.step_count() {
        let mut used: Vec<u16> = base.step(step).map(|transfer| transfer.path[0]).collect();
        used.sort_unstable();
        assert!(used.windows(2).all(|pair| pair[0] != pair[1]) && base.step(step).all(|one| one.path.len() == 1));
    }
    assert!(base.step(base.step_count() - 1).len() > 0);
}

fn check_gather(graph: &CayleyGraph, base: &BaseSchedule) {
    check_generators(base);
    let mut informed_in = vec![usize::MAX; graph.node_count() as usize];
    informed_in[0] = 0;
    for step in 0..base.step_count() {
        for transfer in base.step(step) {
            let head = graph.add(transfer.from.into(), graph.generators()[usize::from(transfer.path[0])]) as usize;
            assert!(informed_in[transfer.from as usize] <= step, "the sender holds the message before the step");
            assert_eq!(std::mem::replace(&mut informed_in[head], step + 1), usize::MAX, "every element once");
        }
    }
    assert!(informed_in.iter().all(|&step| step < usize::MAX));
}

fn check_exchange(graph: &CayleyGraph, base: &BaseSchedule) {
    check_generators(base);
    let mut at = vec![0; graph.node_count() as usize];
    let (mut moves, mut uses) = (vec![0; at.len()], vec![0; graph.degree()]);
    for step in 0..base.step_count() {
        let mut messages: Vec<u32> = base.step(step).map(|transfer| transfer.message).collect();
        messages.sort_unstable();
        assert!(messages.windows(2).all(|pair| pair[0] != pair[1]), "a message moves once a step");
        for transfer in base.step(step) {
            let (message, generator) = (transfer.message as usize, usize::from(transfer.path[0]));
            assert_eq!(u64::from(transfer.from), at[message]);
            at[message] = graph.add(at[message], graph.generators()[generator]);
            moves[message] += 1;
            uses[generator] += 1;
        }
    }
    assert!((0..graph.node_count()).eq(at), "every message ends at its receiver");
    assert_eq!(Some(base.step_count()), moves.into_iter().chain(uses).max(), "the open shop has no surplus step");
}

#[test]
fn known_networks_are_scheduled_at_the_bound() {
    for spec in KNOWN {
        let topology: Topology = spec.parse().unwrap();
        for collective in [Collective::all_gather(), Collective::all_to_all()] {
            let steps = made(&topology, &collective, FORWARD).unwrap().step_count() as u32;
            let problem = Problem::new(&topology, &collective, FORWARD).unwrap();
            let bound = lockstep_bounds::best_reaching(&problem, steps).steps;
            assert_eq!(steps, bound, "{} on {spec}", collective.abbreviation());
        }
    }
}

#[test]
fn all_gathers_meet_the_bound_of_ports_and_diameter() {
    let circulant = (5..40).flat_map(|nodes| (2..=nodes / 2).map(move |chord| format!("circulant:{nodes},1,{chord}")));
    let plane = (2..12).flat_map(|n| (n..14).map(move |m| format!("torus:{n}x{m}")));
    let space = (2..6).flat_map(|n| (2..5).map(move |m| format!("torus:{n}x{m}x3")));
    let cubes = (2..12).flat_map(|d| [format!("hypercube:{d}"), format!("folded-hypercube:{d}")]);
    for spec in circulant.chain(plane).chain(space).chain(cubes).chain(KNOWN.map(str::to_owned)) {
        let graph = graph(&spec);
        let base = all_gather(&graph, &Budget::unlimited()).unwrap();
        check_gather(&graph, &base);
        let ports = (graph.node_count() as usize - 1).div_ceil(graph.degree());
        let diameter = GroupTable::of_graph(&graph).unwrap().diameter() as usize;
        assert_eq!(base.step_count(), ports.max(diameter), "{spec}");
    }
}

/// The steps of an all-to-all: half of the distances round a cycle go in each direction; a cycle of two has one
/// direction.
fn torus_exchange(sides: &[u64]) -> u64 {
    let nodes: u64 = sides.iter().product();
    let uses = |&side: &u64| (nodes / side * (side * side / 4)).div_ceil(if side == 2 { 1 } else { 2 });
    sides.iter().map(uses).max().unwrap()
}

#[test]
fn exchanges_on_tori_meet_the_bound_of_their_longest_side() {
    let plane = (2..11).flat_map(|n| (n..13).map(move |m| format!("torus:{n}x{m}")));
    let space = (2..6).flat_map(|n| (2..7).map(move |m| format!("torus:{n}x{m}x4")));
    for spec in plane.chain(space).chain(["torus:64x64".into(), "hypercube:10".into(), "torus:3x3x3x3".into()]) {
        let graph = graph(&spec);
        let base = all_to_all(&graph, &Budget::unlimited()).unwrap();
        check_exchange(&graph, &base);
        let (sides, steps) = (graph.sides(), torus_exchange(graph.sides()));
        let longest = sides.iter().copied().max().unwrap();
        let alone = longest >= 4 && longest % 2 == 0 && sides.iter().filter(|&side| side % 2 == 0).count() == 1;
        let late = if alone { longest.div_ceil(4) } else { 0 };
        assert!((steps..=steps + late).contains(&(base.step_count() as u64)), "{spec}");
    }
}

#[test]
fn mirrored_tori_with_one_even_side_are_optimal() {
    let rings = (2..25).map(|half| format!("ring:{}", 2 * half));
    let tori = [3, 5, 7].into_iter().flat_map(|odd| (2..8).map(move |half| format!("torus:{odd}x{}", 2 * half)));
    for spec in rings.chain(tori).chain(["torus:3x4x5".into(), "torus:3x3x6".into()]) {
        let topology: Topology = spec.parse().unwrap();
        let schedule = made(&topology, &Collective::all_to_all(), FORWARD).unwrap();
        assert_eq!(schedule.step_count() as u64, torus_exchange(graph(&spec).sides()), "{spec}");
    }
}

#[test]
fn wormhole_networks_use_single_channels() {
    let relay = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
    let torus: Topology = "torus:4x5".parse().unwrap();
    for collective in [Collective::all_gather(), Collective::all_to_all()] {
        let schedule = made(&torus, &collective, relay).unwrap();
        assert_eq!(schedule, made(&torus, &collective, FORWARD).unwrap());
        let (problem, steps) = (Problem::new(&torus, &collective, relay).unwrap(), schedule.step_count() as u32);
        assert_eq!(steps, lockstep_bounds::best_reaching(&problem, steps).steps);
    }
}

#[test]
fn other_problems_are_not_supported() {
    let (gather, exchange) = (Collective::all_gather(), Collective::all_to_all());
    let torus: Topology = "torus:4x4".parse().unwrap();
    let two = CommunicationModel { ports: Ports::limit(2).unwrap(), ..FORWARD };
    let four = CommunicationModel { ports: Ports::limit(4).unwrap(), ..FORWARD };
    assert!(made(&torus, &gather, four).is_some());
    assert_eq!(made(&torus, &gather, two), None, "fewer ports than channels");
    assert_eq!(made(&torus, &exchange, CommunicationModel::wormhole()), None, "a direct scatter");
    assert_eq!(made(&torus.half_duplex(), &gather, FORWARD), None, "half duplex");
    assert_eq!(made(&torus, &Collective::broadcast(NodeId::new(0)), FORWARD), None, "one source");
    assert_eq!(made(&"mesh:4x4".parse().unwrap(), &gather, FORWARD), None, "no group");
    assert_eq!(made(&"ring:1700".parse().unwrap(), &exchange, FORWARD), None, "more than 2^30 transfers");
    assert_eq!(made(&"ring:40000".parse().unwrap(), &gather, FORWARD), None, "more than 2^30 transfers");
    let budget = Budget::unlimited();
    budget.cancel();
    assert_eq!(construct(&Problem::new(&torus, &gather, FORWARD).unwrap(), 0, &budget), None);
    for spec in ["hypercube:24", "torus:1x1"] {
        assert_eq!(all_gather(&graph(spec), &Budget::unlimited()), None, "{spec}");
    }
    assert_eq!(all_to_all(&graph("ring:100000"), &Budget::unlimited()), None, "more than 2^25 transfers a source");
    let apart = CayleyGraph::new("two cycles", &[8], &[2, 6]).unwrap();
    assert_eq!(all_gather(&apart, &Budget::unlimited()), None);
}

#[test]
fn chunks_are_sent_one_after_the_other() {
    let torus: Topology = "torus:3x3".parse().unwrap();
    let chunked = Collective::all_gather().with_chunks(NonZeroU32::new(3).unwrap());
    let problem = Problem::new(&torus, &chunked, FORWARD).unwrap();
    let schedule = CAYLEY.schedule(&problem, 0, &Budget::unlimited()).unwrap();
    verify(&problem, &schedule).unwrap();
    let steps = schedule.step_count() as u32;
    assert_eq!(steps, lockstep_bounds::best_reaching(&problem, steps).steps);
}

/// A group and generators, with or without their inverses.
fn any_graph() -> impl Strategy<Value = CayleyGraph> {
    let sides = prop::collection::vec(1u64..6, 1..4);
    (sides, prop::collection::btree_set(1u64..125, 1..6), any::<bool>()).prop_map(|(sides, generators, both)| {
        let nodes: u64 = sides.iter().product();
        let group = CayleyGraph::new("group", &sides, &[]).unwrap();
        let generators = generators.into_iter().map(|generator| generator % nodes);
        let with_opposites = generators.flat_map(|one| [Some(one), both.then(|| group.subtract(0, one))]);
        let mut generators: Vec<u64> = with_opposites.flatten().filter(|&generator| generator != 0).collect();
        generators.sort_unstable();
        generators.dedup();
        CayleyGraph::new("random", &sides, &generators).unwrap()
    })
}

proptest! {
    #[test]
    fn every_group_is_scheduled_without_conflicts(graph in any_graph()) {
        let (gather, exchange) =
            (all_gather(&graph, &Budget::unlimited()), all_to_all(&graph, &Budget::unlimited()));
        prop_assert_eq!(gather.is_some(), GroupTable::of_graph(&graph).is_some());
        prop_assert_eq!(exchange.is_some(), gather.is_some());
        if let (Some(gather), Some(exchange)) = (gather, exchange) {
            check_gather(&graph, &gather);
            check_exchange(&graph, &exchange);
        }
    }

    #[test]
    fn the_numbering_does_not_matter(
        topology in prop::sample::select(&KNOWN[..]).prop_flat_map(|spec| shuffled(spec.parse().unwrap())),
        scatter: bool,
    ) {
        let collective = if scatter { Collective::all_to_all() } else { Collective::all_gather() };
        let steps = made(&topology, &collective, FORWARD).unwrap().step_count() as u32;
        let bound = lockstep_bounds::best_reaching(&Problem::new(&topology, &collective, FORWARD).unwrap(), steps);
        prop_assert_eq!(bound.steps, steps);
    }
}
