//! The optimum of many chunks.

use std::num::NonZeroU32;

use lockstep_bounds::{all, throughput};
use lockstep_schedule::strategy::{instance, random_schedule};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, Schedule, Step, verify};
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use crate::networks::with_capacities;
use crate::oracle::cases;

/// Returns the quotient of the best bound in lowest terms.
fn quotient(problem: &Problem<'_>) -> [u64; 2] {
    let bound = throughput(problem, &Budget::unlimited()).unwrap();
    assert_eq!(bound.check(problem), Ok(()));
    lowest_terms(bound.certificate.quotient().unwrap())
}

fn lowest_terms([numerator, denominator]: [u64; 2]) -> [u64; 2] {
    let (mut a, mut b) = (numerator, denominator);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    [numerator / a, denominator / a]
}

/// Returns the largest number of sources outside a node set, over the capacity into the set; all sets are tried.
fn optimum_of_all_sets(problem: &Problem<'_>) -> [u64; 2] {
    let topology = problem.topology();
    let sources: Vec<NodeId> = problem.messages().ids().map(|id| problem.messages().source(id)).collect();
    let mut best = [0u64, 1];
    for set in 1u32..1 << topology.node_count() {
        let is_in = |node: NodeId| set >> node.number() & 1 == 1;
        let outside = sources.iter().filter(|&&source| !is_in(source)).count() as u64;
        let enters = topology.channels().filter(|&e| !is_in(topology.tail(e)) && is_in(topology.head(e)));
        let capacity: u64 = enters.map(|channel| u64::from(topology.capacity(channel))).sum();
        let receives = topology.terminals().iter().any(|&terminal| is_in(terminal));
        if receives && capacity > 0 && outside * best[1] > best[0] * capacity {
            best = [outside, capacity];
        }
    }
    lowest_terms(best)
}

/// Returns the schedule with neighbouring steps joined, wherever the result is valid; widths add up.
fn with_joined_steps(problem: &Problem<'_>, schedule: &Schedule, joins: &[bool]) -> Schedule {
    fn push(joined: &mut Schedule, step: Step<'_>) {
        step.iter().for_each(|transfer| joined.push(transfer.message, transfer.path));
    }
    let mut starts = vec![0];
    starts.extend((1..schedule.step_count()).filter(|step| !joins[step % joins.len()]));
    let with = |starts: &[usize]| {
        let mut joined = Schedule::new();
        for (place, &start) in starts.iter().enumerate() {
            let end = starts.get(place + 1).copied().unwrap_or(schedule.step_count());
            joined.begin_step_of_width(NonZeroU32::new((end - start) as u32).unwrap());
            (start..end).for_each(|step| push(&mut joined, schedule.step(step)));
        }
        joined
    };
    // Steps are split again until no message moves on in the step of its arrival.
    for step in 1..schedule.step_count() {
        if verify(problem, &with(&starts)).is_ok() {
            break;
        }
        if !starts.contains(&step) {
            starts.push(step);
            starts.sort_unstable();
        }
    }
    with(&starts)
}

proptest! {
    #![proptest_config(cases(48))]

    #[test]
    fn the_best_cut_of_a_broadcast_is_the_best_of_all_node_sets(
        instance in with_capacities(7), is_all in any::<bool>(), chunks in 1u32..4,
    ) {
        let root = instance.topology.terminals()[0];
        let collective = if is_all { Collective::all_gather() } else { Collective::broadcast(root) };
        let packets = CommunicationModel::wormhole();
        let Ok(problem) = Problem::new(&instance.topology, &collective, packets) else { return Ok(()) };
        let is_plain = problem.topology().resource_count() == problem.topology().channel_count();
        let carries_all = problem.topology().nodes().all(|node| !problem.topology().has_failed(node));
        prop_assume!(is_plain && carries_all);
        prop_assert_eq!(quotient(&problem), optimum_of_all_sets(&problem));
        // Chunks multiply the quotient.
        let in_chunks = collective.clone().with_chunks(NonZeroU32::new(chunks).unwrap());
        let chunked = Problem::new(&instance.topology, &in_chunks, packets).unwrap();
        let [numerator, denominator] = quotient(&problem);
        prop_assert_eq!(quotient(&chunked), lowest_terms([numerator * u64::from(chunks), denominator]));
    }

    #[test]
    fn no_quotient_exceeds_the_widths_of_a_schedule(
        instance in instance(7), seed: u64, joins in prop::collection::vec(any::<bool>(), 1..6),
    ) {
        let problem = instance.problem();
        let schedule = with_joined_steps(&problem, &random_schedule(&problem, seed), &joins);
        prop_assert!(verify(&problem, &schedule).is_ok());
        for bound in all(&problem).into_iter().chain(throughput(&problem, &Budget::unlimited())) {
            if let Some([numerator, denominator]) = bound.certificate.quotient() {
                prop_assert!(numerator <= schedule.width_sum() * denominator, "{bound}");
            }
        }
    }
}

/// The figures are those of `ForestColl`, in units of the narrowest link.
#[test]
fn machines_have_the_published_optimum() {
    let cases = [
        ("hypercube:3", [7, 3]),
        ("mesh:4x4", [15, 2]),
        ("torus:4x4", [15, 4]),
        ("ring:8", [7, 2]),
        ("dgx-1", [7, 6]),
        ("mi250:1", [7, 3]),
        ("ndv2:2", [8, 1]),
        ("cluster:nodes=2,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s", [15, 13]),
    ];
    for (spec, optimum) in cases {
        let topology: Topology = spec.parse().unwrap_or_else(|error| panic!("{spec}: {error}"));
        let problem =
            |collective| quotient(&Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap());
        assert_eq!(problem(Collective::all_gather()), optimum, "{spec}");
        assert_eq!(problem(Collective::all_gather().reversed()), optimum, "{spec}");
    }
}

/// Nodes of four channels and one port receive one message per step; the cuts alone allow four.
/// The rule of the servers has more steps, because their first and last steps are not full. The terminals have the larger quotient.
#[test]
fn the_largest_quotient_of_an_all_reduce_counts() {
    let servers: Topology = "cluster:nodes=4,gpus=8,nvlink=370.8GB/s,rails=8,nic=50GB/s".parse().unwrap();
    let all_reduce = Collective::all_reduce().with_chunks(NonZeroU32::new(60).unwrap());
    let problem = Problem::new(&servers, &all_reduce, CommunicationModel::wormhole()).unwrap();
    // 62 transfers of each of 32 * 60 messages pass 32 terminals with 1052 units each.
    assert_eq!(quotient(&problem), lowest_terms([62 * 32 * 60, 32 * 1052]));
}

#[test]
fn ports_limit_the_throughput() {
    let torus: Topology = "torus:4x4".parse().unwrap();
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::store_and_forward() };
    let all_gather = Collective::all_gather();
    assert_eq!(quotient(&Problem::new(&torus, &all_gather, one_port).unwrap()), [15, 1]);
    let all_to_all = Collective::all_to_all();
    let problem = Problem::new(&torus, &all_to_all, CommunicationModel::store_and_forward()).unwrap();
    assert_eq!(quotient(&problem), [8, 1], "n^3 / 8");
}
