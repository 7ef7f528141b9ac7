use lockstep_schedule::strategy::{any_model, fastest_schedule, random_schedule};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Routing, verify};
use lockstep_topology::strategy::{any_topology, shuffled};
use lockstep_topology::{Topology, TopologyBuilder};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::*;
use crate::kit::testing::{any_instance, renumbered};

fn all_reduce(
    problem: &Problem<'_>,
    best: Option<&Schedule>,
    goal: u32,
    seed: u64,
    budget: &Budget,
) -> Option<FoundSchedule> {
    super::all_reduce(&EngineRequest { best, ..EngineRequest::new(*problem, goal, seed, budget) })
}

fn steps(network: &Topology, blocks: u32, goal: u32) -> u32 {
    let collective = Collective::all_reduce_in_blocks(network, &[], blocks.try_into().unwrap()).unwrap();
    steps_under(&Problem::new(network, &collective, CommunicationModel::wormhole()).unwrap(), goal)
}

fn steps_under(problem: &Problem<'_>, goal: u32) -> u32 {
    let found = all_reduce(problem, None, goal, 1, &Budget::evaluations(1 << 22)).expect("a schedule");
    verify(problem, &found.schedule).unwrap().steps as u32
}

#[test]
fn stars_and_trees_sum_one_block_per_step() {
    let cases =
        [("star:8", 8, 9), ("star:16", 16, 17), ("star:8", 1, 2), ("star:5", 12, 13), ("full-b-tree:15", 15, 20)];
    for (spec, blocks, expected) in cases {
        assert_eq!(steps(&spec.parse().unwrap(), blocks, expected), expected, "{spec}");
    }
}

#[test]
fn partners_double_what_they_hold() {
    let cases =
        [("hypercube:3", 1, 3), ("hypercube:3", 3, 3), ("hypercube:4", 5, 8), ("torus:4x4", 1, 4), ("ring:4", 2, 2)];
    for (spec, blocks, expected) in cases {
        assert_eq!(steps(&spec.parse().unwrap(), blocks, expected), expected, "{spec} in {blocks} blocks");
    }
}

/// Lists of terminals exchange their sums: all at once, in pairs over switches, or after some have sent theirs to others.
#[test]
fn lists_exchange_their_sums() {
    let cases = [
        ("complete:8", 1, 1),
        ("complete:8", 2, 2),
        ("torus:3x3", 1, 2),
        ("fat-tree:2,3", 1, 3),
        ("clos:4,4,4", 1, 4),
        ("clos:3,3,3", 1, 5),
        ("omega:8", 1, 3),
        ("mesh:4x4", 1, 5),
        ("mesh:4x4", 4, 7),
        ("ring:6", 1, 3),
        ("ring:6", 2, 4),
        ("ring:12", 1, 4),
        ("full-b-tree:15", 1, 5),
        ("kautz:2,3", 1, 4),
        ("mesh:5x5", 1, 4),
        ("torus:6x6", 1, 4),
        ("torus:8x8", 1, 5),
        ("random-regular:16,4,1", 1, 3),
    ];
    for (spec, blocks, expected) in cases {
        let found = steps(&spec.parse().unwrap(), blocks, expected);
        assert!(found <= expected, "{spec} in {blocks} blocks: {found} steps");
    }
}

/// With one port, sums at most double. 25 terminals are no power of two: nine send what they hold to others, and get the
/// result at last.
#[test]
fn lists_exchange_their_sums_over_one_port() {
    for (spec, expected) in [("torus:5x5", 6), ("mesh:5x5", 6), ("torus:6x6", 7), ("random-regular:32,4,1", 6)] {
        let network: Topology = spec.parse().unwrap();
        let collective = Collective::all_reduce_in_blocks(&network, &[], 1.try_into().unwrap()).unwrap();
        let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
        let problem = Problem::new(&network, &collective, model).unwrap();
        let found = all_reduce(&problem, None, expected, 1, &Budget::evaluations(1 << 22)).expect("a schedule");
        assert!(verify(&problem, &found.schedule).unwrap().steps <= expected as usize, "{spec}");
    }
}

/// Every transfer of an exchange is needed: without it, some sum is not complete.
#[test]
fn exchanges_send_nothing_in_vain() {
    let network: Topology = "mesh:5x5".parse().unwrap();
    let collective = Collective::all_reduce_in_blocks(&network, &[], 1.try_into().unwrap()).unwrap();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    let found = all_reduce(&problem, None, 4, 1, &Budget::evaluations(1 << 22)).expect("a schedule");
    assert_eq!(found.method, Some("exchange"));
    for left_out in 0..found.schedule.transfer_count() {
        let (mut schedule, mut place) = (Schedule::new(), 0);
        for (_, step) in found.schedule.steps() {
            schedule.begin_step();
            for transfer in step.iter() {
                if place != left_out {
                    schedule.push(transfer.message, transfer.path);
                }
                place += 1;
            }
        }
        assert!(verify(&problem, &schedule).is_err(), "transfer {left_out} is not needed");
    }
}

/// Trees and steps chosen together are shorter than trees that are pipelined.
#[test]
fn negotiated_trees_are_shorter() {
    let cases = [
        ("mesh:4x4", 16, 14),
        ("mesh:5x5", 25, 23),
        ("de-bruijn:2,3", 8, 11),
        ("de-bruijn:2,4", 16, 21),
        ("clos:3,3,3", 4, 11),
    ];
    for (spec, blocks, expected) in cases {
        let found = steps(&spec.parse().unwrap(), blocks, expected);
        assert!(found <= expected, "{spec} in {blocks} blocks: {found} steps");
    }
}

/// The trees of a pipeline alone take 33 and 58 steps, and negotiated trees with the same work 32 and 55.
#[test]
fn lists_from_both_ends_of_time_are_shorter() {
    for (spec, blocks, expected) in [("mesh:6x6", 36, 31), ("mesh:8x8", 64, 52)] {
        let network = renumbered(&spec.parse().unwrap());
        assert!(steps(&network, blocks, expected) <= expected, "{spec}");
    }
}

/// Where paths may be longer than necessary, shortest paths over other terminals still come first.
#[test]
fn longer_paths_do_not_cost_steps() {
    let any_path = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    for (spec, expected) in [("mesh:2x6", 11), ("mesh:4x4", 13), ("mesh:5x3", 13)] {
        let (network, collective): (Topology, _) = (spec.parse().unwrap(), Collective::all_reduce());
        let found = steps_under(&Problem::new(&network, &collective, any_path).unwrap(), expected);
        assert!(found <= expected, "{spec}: {found} steps");
    }
}

/// With store-and-forward switching, the solver finds these schedules. They are valid with wormhole switching too.
#[test]
fn the_solver_plans_transfers_between_neighbours() {
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
    for (spec, expected) in [("torus:4x3", 4), ("random-regular:10,4,721", 4)] {
        let network: Topology = spec.parse().unwrap();
        let collective = Collective::all_reduce_in_blocks(&network, &[], 1.try_into().unwrap()).unwrap();
        let problem = Problem::new(&network, &collective, one_port).unwrap();
        assert_eq!(steps_under(&problem, expected), expected, "{spec}");
    }
}

/// Two neighbours exchange their sums, so that no block waits for the way to one root.
#[test]
fn two_roots_per_block_save_a_step() {
    for (spec, expected) in [("ring:6", 5), ("ring:14", 13), ("hypercube:3", 5), ("ring:64", 63), ("ring:100", 99)] {
        let network: Topology = spec.parse().unwrap();
        assert_eq!(steps(&network, network.terminal_count() as u32, expected), expected, "{spec}");
    }
}

/// The neighbours form long cycles here. Paths over other terminals are shorter.
#[test]
fn paths_over_other_terminals_save_steps() {
    let paths: [&[usize]; 8] = [
        &[0, 1, 2, 0, 5, 6, 7, 1],
        &[2, 1, 4, 2, 3, 0],
        &[3, 4],
        &[3, 0],
        &[0, 2, 8, 9],
        &[9, 10, 1],
        &[9, 11, 12, 13],
        &[13, 6],
    ];
    let mut builder = TopologyBuilder::new("cycles");
    let nodes: Vec<_> = (0..14).map(|node| builder.terminal(node.to_string())).collect();
    for channel in paths.iter().flat_map(|path| path.windows(2)) {
        builder.channel(nodes[channel[0]], nodes[channel[1]]);
    }
    let network = builder.build().unwrap();
    let collective = Collective::all_reduce();
    let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
    let problem = Problem::new(&network, &collective, model).unwrap();
    let found = all_reduce(&problem, None, 34, 1, &Budget::evaluations(1 << 22)).expect("a schedule");
    // The same search takes 41 steps if it uses neighbours alone.
    assert!(verify(&problem, &found.schedule).unwrap().steps <= 34);
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    /// Only the structure matters: any numbering of the nodes.
    #[test]
    fn numbers_of_nodes_do_not_matter(mesh in shuffled("mesh:4x4".parse().unwrap()), star in shuffled("star:8".parse().unwrap())) {
        prop_assert!(steps(&mesh, 16, 15) <= 15);
        prop_assert_eq!(steps(&star, 8, 9), 9);
    }

    /// All spines between two leaves carry about the same number of transfers.
    #[test]
    fn parallel_spines_are_balanced(blocks in 8u32..16) {
        let clos: Topology = "clos:4,4,4".parse().unwrap();
        let collective = Collective::all_reduce_in_blocks(&clos, &[], blocks.try_into().unwrap()).unwrap();
        let problem = Problem::new(&clos, &collective, CommunicationModel::wormhole()).unwrap();
        let found = all_reduce(&problem, None, 1, 1, &Budget::evaluations(1)).expect("a schedule");
        let mut uses = vec![0u32; clos.channel_bound()];
        for transfer in found.schedule.steps().flat_map(|(_, step)| step.iter()) {
            transfer.path.iter().for_each(|channel| uses[channel.index()] += 1);
        }
        for leaf in clos.nodes().filter(|&node| clos.in_channels(node).iter().any(|&into| clos.is_terminal(clos.tail(into)))) {
            let to_spines = clos.out_channels(leaf).iter().map(|channel| uses[channel.index()]);
            let (least, most) = (to_spines.clone().min().unwrap(), to_spines.max().unwrap());
            prop_assert!(most <= least + 2 + least / 2, "{least} to {most}");
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    #[test]
    fn schedules_are_valid_and_shorter(instance in any_instance(7), seed: u64, has_start: bool) {
        let problem = instance.problem();
        let start = has_start.then(|| random_schedule(&problem, seed));
        let found = all_reduce(&problem, start.as_ref(), 1, seed, &Budget::evaluations(1 << 12));
        if instance.collective.pattern() != Pattern::ReduceBroadcast {
            prop_assert!(found.is_none());
        } else if let Some(found) = found {
            let report = verify(&problem, &found.schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert!(start.is_none_or(|start| found.schedule.step_count() < start.step_count()));
        } else {
            prop_assert!(has_start || instance.topology.has_buses(), "no schedule");
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(64))]

    /// Alone, the lists from both ends of time give valid schedules: under all models, for groups, and for any number of blocks.
    #[test]
    fn lists_from_both_ends_of_time_are_valid(instance in any_instance(8), seed: u64) {
        let problem = instance.problem();
        prop_assume!(instance.collective.pattern() == Pattern::ReduceBroadcast);
        let others: Vec<_> = PARTS.iter().copied().filter(|&part| part != TWO_SIDED_LISTS).collect();
        let budget = Budget::evaluations(1 << 12).without(&others);
        let start = random_schedule(&problem, seed);
        if let Some(found) = all_reduce(&problem, Some(&start), 1, seed, &budget) {
            prop_assert_eq!(found.method, Some("two-sided lists"));
            let report = verify(&problem, &found.schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert!(found.schedule.step_count() < start.step_count());
        }
    }
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(16))]

    /// The result depends on the arguments only.
    #[test]
    fn the_same_seed_gives_the_same_schedule(model in any_model(), seed: u64) {
        let torus: Topology = "torus:3x3".parse().unwrap();
        let collective = Collective::all_reduce();
        let problem = Problem::new(&torus, &collective, model).unwrap();
        let run = || all_reduce(&problem, None, 1, seed, &Budget::evaluations(1 << 10));
        prop_assert_eq!(run(), run());
    }
}

/// Compares the engine with exhaustive search on random networks of up to five nodes, under all models.
#[test]
fn tiny_all_reduces_are_optimal() {
    let parts = (any_topology(5), 1..=4u32, any_model());
    let (mut runner, mut cases) = (TestRunner::deterministic(), 0);
    while cases < 60 {
        let (network, blocks, model) = parts.new_tree(&mut runner).unwrap().current();
        let Ok(collective) = Collective::all_reduce_in_blocks(&network, &[], blocks.try_into().unwrap()) else {
            continue;
        };
        let Ok(problem) = Problem::new(&network, &collective, model) else { continue };
        let Ok(Some(fastest)) = fastest_schedule(&problem, usize::MAX, &mut 300_000) else { continue };
        let Some(found) = all_reduce(&problem, None, fastest.step_count() as u32, 1, &Budget::evaluations(1 << 16))
        else {
            continue;
        };
        assert_eq!(found.schedule.step_count(), fastest.step_count(), "{network:?} under {model:?}");
        cases += 1;
    }
}

/// On a one-way ring, one of two neighbours sends directly, and the other one around the ring at the same time. A tree into one
/// of them and a tree out of it take one step more.
#[test]
fn two_members_of_a_one_way_ring_exchange_both_ways() {
    let mut ring = TopologyBuilder::new("one way");
    let nodes = [0, 1, 2].map(|number| ring.terminal(format!("{number}")));
    for place in 0..3 {
        ring.channel(nodes[place], nodes[(place + 1) % 3]);
    }
    let ring = ring.build().unwrap();
    let members = vec![nodes[..2].to_vec()];
    let collective = Collective::all_reduce_in_blocks(&ring, &members, 1.try_into().unwrap()).unwrap();
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    let found = all_reduce(&problem, None, 1, 1, &Budget::evaluations(1 << 12)).expect("a schedule");
    assert_eq!(verify(&problem, &found.schedule).unwrap().steps, 2);
    assert_eq!(found.method, Some("satisfiability"));
}

/// Partial sums of five members meet in several places. A tree into a root and a tree out of it take four steps.
#[test]
fn partial_sums_meet_in_several_places() {
    let mut network = TopologyBuilder::new("one way");
    let nodes: Vec<_> = (0..9).map(|node| network.terminal(node.to_string())).collect();
    let ends = "0-1 1-0 1-2 2-3 3-0 0-4 4-0 2-5 5-1 1-6 6-3 4-7 7-8 8-6";
    for (from, to) in ends.split(' ').filter_map(|ends| ends.split_once('-')) {
        let [from, to] = [from, to].map(|node| nodes[node.parse::<usize>().unwrap()]);
        network.channel(from, to);
    }
    let network = network.build().unwrap();
    let members = [0, 3, 4, 6, 8].map(|place| nodes[place]).to_vec();
    let collective = Collective::all_reduce_in_blocks(&network, &[members], 1.try_into().unwrap()).unwrap();
    let model = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    let problem = Problem::new(&network, &collective, model).unwrap();
    let found = all_reduce(&problem, None, 3, 1, &Budget::evaluations(1 << 20)).expect("a schedule");
    assert_eq!(verify(&problem, &found.schedule).unwrap().steps, 3);
}

/// The shortest paths into all hosts share a bus, but a longer path into one of them avoids it.
#[test]
fn longer_paths_avoid_a_bus() {
    let mut network = TopologyBuilder::new("bus");
    let hosts: Vec<_> = (0..3).map(|node| network.terminal(node.to_string())).collect();
    let [left, right, detour] = ["left", "right", "detour"].map(|name| network.switch(name));
    let mut into = Vec::new();
    for (host, switch) in [(0, left), (1, left), (2, right)] {
        network.channel(hosts[host], switch);
        let last = network.channel(switch, hosts[host]);
        into.extend((host < 2).then_some(last));
    }
    into.push(network.channel(left, right));
    network.channel(right, left);
    network.channel(left, detour);
    network.channel(detour, right);
    network.share(into);
    let network = network.build().unwrap();
    let model = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    let collective = Collective::all_reduce();
    let problem = Problem::new(&network, &collective, model).unwrap();
    let found = all_reduce(&problem, None, 7, 1, &Budget::evaluations(1 << 20)).expect("a schedule");
    assert!(verify(&problem, &found.schedule).unwrap().steps <= 7);
}

/// Terminals that take no part pass sums on. When the sums take another way, none of them keeps a transfer of nothing.
#[test]
fn relays_of_nothing_are_left_out() {
    let mut network = TopologyBuilder::new("one way");
    let nodes: Vec<_> = (0..16).map(|node| network.terminal(node.to_string())).collect();
    let ends =
        "0-1 1-0 0-2 2-0 0-3 3-4 4-5 5-1 0-6 6-7 7-8 8-1 3-9 9-6 6-10 10-11 11-12 12-3 0-13 13-14 14-15 15-5 0-15";
    for (from, to) in ends.split(' ').filter_map(|ends| ends.split_once('-')) {
        let [from, to] = [from, to].map(|node| nodes[node.parse::<usize>().unwrap()]);
        network.channel(from, to);
    }
    let network = network.build().unwrap();
    let members = [7, 10, 15].map(|place| nodes[place]).to_vec();
    let collective = Collective::all_reduce_in_blocks(&network, &[members], 6.try_into().unwrap()).unwrap();
    let problem = Problem::new(&network, &collective, CommunicationModel::wormhole()).unwrap();
    for seed in 0..8 {
        let found = all_reduce(&problem, None, 1, seed, &Budget::evaluations(1 << 20)).expect("a schedule");
        verify(&problem, &found.schedule).unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
    }
}

/// A schedule may have millions of transfers.
#[test]
fn nothing_begins_after_the_end_of_the_time() {
    let cube: Topology = "hypercube:4".parse().unwrap();
    let collective = Collective::all_reduce();
    let problem = Problem::new(&cube, &collective, CommunicationModel::wormhole()).unwrap();
    let over = Budget::unlimited();
    over.cancel();
    let known = all_reduce(&problem, None, 8, 1, &Budget::evaluations(1 << 16)).unwrap().schedule;
    assert!(all_reduce(&problem, Some(&known), 1, 1, &over).is_none());
    let task = SchedulingTask::new(&problem).unwrap();
    let slots = task.slots();
    let mut routes = neighbour_routes(&task, &slots).unwrap();
    // 16 blocks use 4 dimensions in 4 waves.
    let doubled = |below, is_stopped| recursive_doubling(&problem, &routes, below, || is_stopped);
    assert_eq!(doubled(17, false).map(|schedule| schedule.step_count()), Some(16));
    assert!(doubled(16, false).is_none() && doubled(17, true).is_none());
    assert!(Transfers::of_schedule(&slots, &known, &mut routes, || true).is_none());
}
