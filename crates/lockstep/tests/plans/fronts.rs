//! Fronts: the best schedule for every size.

use std::num::{NonZeroU32, NonZeroU64};

use lockstep::schedule::strategy::instance_with_capacities;
use lockstep::schedule::{NotFound, Picoseconds, Ports};
use lockstep::topology::TopologyBuilder;
use lockstep::{
    Budget, Collective, CollectiveName, CommunicationModel, EngineChoice, Front, FrontError, FrontOptions, NodeId,
    PlanError, Problem, Timing, Topology, algorithm_times, coarse_networks, front, verify,
};
use proptest::prelude::*;

use crate::Setup;

fn front_of(problem: &Problem<'_>, options: FrontOptions) -> Front {
    front(problem, &options, &Budget::unlimited(), |_| {}).unwrap()
}

/// Returns the numbers of steps, the sums of widths and the chunks of the schedules.
fn figures(front: &Front) -> Vec<(u32, u64, u32)> {
    let figures = |plan: &lockstep::FrontPlan| (plan.steps, plan.cost.width_sum, plan.file.collective().chunks().get());
    front.plans.iter().map(figures).collect()
}

fn shuffled(topology: &Topology) -> Topology {
    let count = topology.node_count();
    let order: Vec<NodeId> = (0..count).map(|place| NodeId::from_index((place * 5 + 3) % count)).collect();
    topology.relabelled(&order)
}

/// SCCL lists (2, 3, 2) and (3, 7, 6). It also lists (2, 2, 1), which takes more time than (2, 3, 2) for every size.
#[test]
fn dgx_1_has_the_published_front() {
    let setup = Setup::new("dgx-1", "all-gather", CommunicationModel::store_and_forward());
    let published = [(2, 3, 2), (3, 7, 6)];
    let found = front_of(&setup.problem(), FrontOptions::default());
    assert_eq!(figures(&found), published);
    assert_eq!(found.bound.width_per_chunk(&setup.problem()), [7, 6]);
    assert_eq!(found.bound.latency.steps, 2);
    let topology = shuffled(&setup.topology);
    let problem = Problem::new(&topology, &setup.collective, setup.model).unwrap();
    assert_eq!(figures(&front_of(&problem, FrontOptions::default())), published, "other node numbers");
}

/// For large sizes, 15 steps for 13 chunks are the optimum of `ForestColl`, 15/13.
#[test]
fn large_sizes_reach_the_throughput_optimum() {
    let setup = Setup::new(
        "cluster:nodes=2,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
        "all-gather",
        CommunicationModel::wormhole(),
    );
    let options = FrontOptions { sizes: [1 << 40, 1 << 41], ..FrontOptions::default() };
    let found = front_of(&setup.problem(), options);
    assert_eq!(figures(&found).last().map(|&(_, width_sum, chunks)| (width_sum, chunks)), Some((15, 13)));
}

/// Short vectors are exchanged whole by Swing, in four blocks for the four channels of a node, and long ones are split. The
/// front is never above an algorithm.
#[test]
fn the_front_of_an_all_reduce_on_a_torus_begins_with_swing() {
    let setup = Setup::new("torus:4x4", "all-reduce", CommunicationModel::wormhole());
    let timed = setup.topology.with_times(50_000_000_000, 500_000).unwrap();
    for topology in [shuffled(&timed), timed] {
        let problem = Problem::new(&topology, &setup.collective, setup.model).unwrap();
        let options = FrontOptions { evaluations: 100, deliveries: 1 << 16, ..FrontOptions::default() };
        let found = front_of(&problem, options);
        assert_eq!(found.plans[0].engine, "swing of whole vectors");
        assert_eq!(figures(&found), [(4, 4, 4), (8, 30, 4)]);
        let algorithms = algorithm_times(&problem, &Budget::unlimited()).unwrap();
        assert!(algorithms.iter().any(|times| times.name == "bucket"));
        for bytes in (10..30).map(|power| 1u64 << power) {
            let least = found.plans.iter().map(|plan| plan.time(Timing::Synchronous, bytes)).min().unwrap();
            for times in &algorithms {
                assert!(least <= times.time(bytes), "{} takes less time for {bytes} bytes", times.name);
            }
        }
    }
}

/// The fewest steps for few blocks take paths of several channels. Paths between neighbours take more steps, but less latency:
/// on the mesh 7 steps of one channel each, where 6 steps along longer paths take more than 3.5 us.
#[test]
fn few_blocks_move_between_neighbours_if_that_takes_less_time() {
    let setup = Setup::new("mesh:4x4", "all-reduce", CommunicationModel::wormhole());
    let topology = setup.topology.with_times(25_000_000_000, 500_000).unwrap();
    let problem = Problem::new(&topology, &setup.collective, setup.model).unwrap();
    let found = front_of(&problem, FrontOptions { chunks: NonZeroU32::MIN, ..FrontOptions::default() });
    let time = found.plans[0].time(Timing::Synchronous, 1 << 10);
    assert!(time <= Picoseconds::new(3_700_000), "{time:?}");
    let schedule = found.plans[0].file.schedule();
    assert!(schedule.steps().all(|(_, step)| step.iter().all(|transfer| transfer.path.len() == 1)));
}

#[test]
fn a_network_without_bandwidths_has_no_front() {
    let setup = Setup::new("ring:4", "all-gather", CommunicationModel::wormhole());
    let error = front(&setup.problem(), &FrontOptions::default(), &Budget::unlimited(), |_| {}).unwrap_err();
    assert!(matches!(error, FrontError::NoUnit { .. }), "{error}");
    let timed = setup.topology.with_times(1_000_000_000, 1_000).unwrap();
    let problem = Problem::new(&timed, &setup.collective, setup.model).unwrap();
    let options = FrontOptions { sizes: [2, 1], ..FrontOptions::default() };
    let error = front(&problem, &options, &Budget::unlimited(), |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "the smallest size, 2 bytes, exceeds the largest one, 1 bytes");
}

#[test]
fn a_cancelled_front_is_marked_and_valid() {
    let setup = Setup::new("dgx-1", "all-reduce", CommunicationModel::wormhole());
    let budget = Budget::unlimited();
    let found = front(&setup.problem(), &FrontOptions::default(), &budget, |_| budget.cancel()).unwrap();
    assert!(found.is_cut_short);
    assert!(!found.plans.is_empty());
}

/// A deadline at any check leads to a verified front, or to an error that says so. With a later deadline, no size takes more time.
#[test]
fn more_time_never_gives_a_slower_front() {
    // On one thread, the order of the checks is that of the work.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    for (spec, collective, timing, grace) in [
        ("dgx-1", "all-gather", Timing::Synchronous, 0),
        ("mesh:3x3", "all-reduce", Timing::Synchronous, 20),
        ("torus:3x3", "all-gather", Timing::Asynchronous, 10),
    ] {
        let setup = Setup::new(spec, collective, CommunicationModel::wormhole());
        let unit = setup.topology.unit_bytes_per_second().unwrap_or(1_000_000_000);
        let topology = if setup.topology.has_latencies() {
            setup.topology
        } else {
            setup.topology.with_times(unit, 1_000_000).unwrap()
        };
        let problem = Problem::new(&topology, &setup.collective, setup.model).unwrap();
        let chunks = NonZeroU32::new(2).unwrap();
        let options = FrontOptions { chunks, evaluations: 200, deliveries: 1 << 12, timing, ..FrontOptions::default() };
        let sizes: Vec<u64> = lockstep::sizes_between(options.sizes).collect();
        let mut known: Option<Vec<Picoseconds>> = None;
        let mut check = 1;
        loop {
            let budget = Budget::unlimited().ended_at_check(check, grace);
            let context = format!("{spec} {collective}, check {check}");
            let found = pool.install(|| front(&problem, &options, &budget, |_| {}));
            let is_whole = matches!(&found, Ok(found) if !found.is_cut_short);
            match (found, &known) {
                (Ok(found), _) => {
                    for plan in &found.plans {
                        assert!(verify(&plan.file.problem(), plan.file.schedule()).is_ok(), "{context}");
                    }
                    let times: Option<Vec<_>> = found.times(timing, &sizes, &Budget::unlimited()).into_iter().collect();
                    let times = times.expect("no limit");
                    if let Some(known) = &known {
                        assert!(
                            times.iter().zip(known).all(|(time, known)| time <= known),
                            "{context}: {times:?}, {known:?}"
                        );
                    }
                    known = Some(times);
                }
                (Err(FrontError::Plan(PlanError::NotFound(NotFound::Unfinished { .. }))), None) => {}
                (Err(error), known) => panic!("{context}: {error} after {known:?}"),
            }
            if is_whole {
                break;
            }
            check += 1 + check / 4;
        }
    }
}

/// Times that are not had in time are left out, and the others are those of each size.
#[test]
fn times_end_with_the_budget() {
    let setup = Setup::new("dgx-1", "all-gather", CommunicationModel::wormhole());
    let found = front_of(&setup.problem(), FrontOptions::default());
    let sizes = [1 << 10, 1 << 20, 1 << 30];
    let times = |budget| found.times(Timing::Asynchronous, &sizes, &budget);
    let alone = sizes.map(|bytes| Some(found.plans[found.best(bytes)].time(Timing::Asynchronous, bytes)));
    assert_eq!(times(Budget::unlimited()), alone);
    assert_eq!(times(Budget::seconds(0)), [None; 3]);
    let algorithms = |budget| algorithm_times(&setup.problem(), &budget).unwrap().len();
    assert_eq!((algorithms(Budget::seconds(0)), algorithms(Budget::unlimited()) > 0), (0, true));
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    #[test]
    fn every_schedule_is_valid_and_best_in_its_range(
        instance in instance_with_capacities(6), latency_ps in 1u64..3_000_000, bytes in 1u64..1 << 30,
    ) {
        let timed = instance.topology.with_times(1_000_000_000, latency_ps).unwrap();
        let problem = Problem::new(&timed, &instance.collective, instance.model).unwrap();
        let chunks = NonZeroU32::new(3).unwrap();
        let options = FrontOptions { chunks, evaluations: 500, deliveries: 1 << 12, ..FrontOptions::default() };
        let found = front_of(&problem, options);
        prop_assert_eq!(figures(&found), figures(&front_of(&problem, options)));
        prop_assert!(found.plans.is_sorted_by(|one, other| one.least_size < other.least_size));
        prop_assert_eq!(found.plans[0].least_size, options.sizes[0]);
        for plan in &found.plans {
            prop_assert!(verify(&plan.file.problem(), plan.file.schedule()).is_ok());
            prop_assert!(plan.steps >= found.bound.latency.steps);
            prop_assert!(plan.time(Timing::Asynchronous, bytes) <= plan.time(Timing::Synchronous, bytes));
        }
    }

    #[test]
    fn no_plan_is_below_the_bound_of_its_front(
        instance in instance_with_capacities(6), is_asynchronous: bool,
        latencies in prop::collection::vec(prop_oneof![Just(0), 1..3_000_000u64], 1..5), sizes in prop::collection::vec(0u64..1 << 30, 4),
    ) {
        let timed = with_latencies(&instance.topology.with_times(1_000_000_000, 0).unwrap(), &latencies);
        let problem = Problem::new(&timed, &instance.collective, instance.model).unwrap();
        let chunks = NonZeroU32::new(3).unwrap();
        let timing = if is_asynchronous { Timing::Asynchronous } else { Timing::Synchronous };
        let found = front_of(&problem, FrontOptions { chunks, evaluations: 500, deliveries: 1 << 12, timing, ..FrontOptions::default() });
        for plan in &found.plans {
            for timing in [Timing::Synchronous, Timing::Asynchronous] {
                for &bytes in &sizes {
                    let [time, bound] = [plan.time(timing, bytes), found.bound.time(timing, bytes)];
                    prop_assert!(time >= bound, "{timing:?}, {bytes} bytes: {time} is below {bound}");
                }
            }
        }
    }
}

/// Gives the channels latencies.
fn with_latencies(topology: &Topology, latencies: &[u64]) -> Topology {
    let mut document = serde_json::to_value(topology).unwrap();
    document["latency_ps"] =
        topology.channel_numbers().map(|channel| latencies[channel.index() % latencies.len()]).collect();
    serde_json::from_value(document).unwrap()
}

/// Two terminals with a link of two units, and one port: a message takes the time of one unit.
#[test]
fn ports_limit_the_asynchronous_time() {
    let mut pair = TopologyBuilder::new("pair");
    let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
    let link = pair.link(a, b);
    pair.set_capacity(link, 2);
    let pair = pair.build().unwrap().with_times(1_000_000_000, 1_000_000).unwrap();
    let collective = Collective::all_gather();
    let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::store_and_forward() };
    let problem = Problem::new(&pair, &collective, model).unwrap();
    let sizes = [1 << 16; 2];
    let found = front_of(&problem, FrontOptions { sizes, timing: Timing::Asynchronous, ..FrontOptions::default() });
    let bound = found.bound.time(Timing::Asynchronous, 1 << 16);
    let time = found.plans[0].time(Timing::Asynchronous, 1 << 16);
    assert_eq!((bound.number(), time.number()), (32_768_000, 33_768_000));
}

/// Rings reach the bound of the bandwidth in the dgx-1, but take more steps than other schedules.
#[test]
fn the_front_of_an_engine_has_its_schedules_only() {
    let topology: Topology = "dgx-1".parse().unwrap();
    let collective = Collective::all_reduce();
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
    let engine: EngineChoice = "rings".parse().unwrap();
    let found = front_of(&problem, FrontOptions { engine, ..FrontOptions::default() });
    assert!(found.plans.iter().all(|plan| plan.engine == "rings"));
    let largest = found.plans.last().unwrap();
    assert_eq!((largest.cost.width_sum, largest.file.collective().chunks().get()), (14, 6));
}

/// The collectives that are planned as broadcasts, and others, under both kinds of switching.
#[test]
fn every_collective_has_a_front() {
    for collective in
        ["broadcast", "scatter", "all-gather", "all-to-all", "gather", "reduce", "reduce-scatter", "all-reduce"]
    {
        for model in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
            let setup = Setup::new("mesh:2x3", collective, model);
            let timed = setup.topology.with_times(1_000_000_000, 1_000_000).unwrap();
            let problem = Problem::new(&timed, &setup.collective, setup.model).unwrap();
            let options =
                FrontOptions { evaluations: FrontOptions::default().evaluations / 4, ..FrontOptions::default() };
            let found = front_of(&problem, options);
            let bytes = options.sizes[1];
            let [best, bound] = [
                found.plans.last().unwrap().time(Timing::Synchronous, bytes),
                found.bound.time(Timing::Synchronous, bytes),
            ];
            assert!(best >= bound, "{collective}: {best} and {bound}");
            // At most one and a half times the bound for large sizes.
            assert!(2 * best.number() <= 3 * bound.number(), "{collective}, {model}: {best} and {bound}");
        }
    }
}

#[test]
fn a_front_of_a_broadcast_keeps_its_root() {
    let setup = Setup::new("dgx-1", "broadcast", CommunicationModel::store_and_forward());
    let found = front_of(&setup.problem(), FrontOptions::default());
    let root = NodeId::new(0);
    assert!(found.plans.iter().all(|plan| plan.file.collective().root() == Some(root)));
}

/// Within few evaluations, large sizes take the best rings, and the network may have many units of capacity.
#[test]
fn large_sizes_are_as_fast_as_the_best_rings() {
    use lockstep_rings::{RingCost, RingCount, RingKind, RingRequest, search};
    for spec in ["dgx-h100:4", "torus:4x4", "cluster:nodes=3,gpus=4,nvlink=370.8GB/s,rails=4,nic=50GB/s"] {
        let topology: Topology = spec.parse().unwrap();
        let unit = topology.unit_bytes_per_second().unwrap_or(25_000_000_000);
        let topology = topology.with_times(unit, 1_000).unwrap();
        let request = RingRequest {
            terminals: None,
            kind: RingKind::Ring,
            channels: RingCount::AtMost(16),
            relay: 0,
            gateway: None,
            seed: 1,
            work: 100_000,
            is_stopped: &|| false,
        };
        let (set, load) = search(&topology, &request).unwrap().set.unwrap();
        for name in [CollectiveName::AllGather, CollectiveName::ReduceScatter, CollectiveName::AllReduce] {
            let bytes = 1 << 33;
            let rings = RingCost::of_rings(&topology, &set, &load, name)
                .unwrap()
                .time_ps(bytes, NonZeroU64::new(unit).unwrap());
            let collective = name.with_root(None).unwrap();
            let options = FrontOptions { sizes: [bytes, bytes], ..FrontOptions::default() };
            let best = coarse_networks(&topology).into_iter().map(|network| {
                let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
                let found = front(&problem, &options, &Budget::evaluations(1 << 16), |_| {}).unwrap();
                assert!(found.plans.iter().all(|plan| verify(&plan.file.problem(), plan.file.schedule()).is_ok()));
                found.plans[0].time(Timing::Synchronous, bytes).number()
            });
            let best = best.min().unwrap();
            assert!(best <= rings + rings / 100, "{spec} {name}: {best} ps, {rings} ps around the rings");
        }
    }
}

/// More evaluations compare more schedules, and the same number gives the same front.
#[test]
fn evaluations_limit_the_work_of_all_schedules() {
    let setup = Setup::new("dgx-1", "all-reduce", CommunicationModel::wormhole());
    let found = |evaluations| {
        front(&setup.problem(), &FrontOptions::default(), &Budget::evaluations(evaluations), |_| {}).unwrap()
    };
    let fronts = [1 << 12, 1 << 17, 1 << 20].map(found);
    assert!(fronts.is_sorted_by_key(|front| front.compared), "more schedules are compared");
    assert!(fronts[0].compared < fronts[2].compared);
    assert!(fronts.iter().all(|front| !front.is_cut_short), "evaluations are the same on every machine");
    assert_eq!(figures(&fronts[1]), figures(&found(1 << 17)));
}
