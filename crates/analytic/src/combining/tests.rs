//! Schedules of all algorithms against the verifier and published figures.

use std::num::NonZeroU32;

use lockstep_schedule::strategy::{instance, instance_with_capacities};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, Schedule, verify};
use lockstep_topology::strategy::shuffled;
use lockstep_topology::{NodeId, Topology};
use proptest::prelude::*;

use super::{CombiningSchedule, Exchange, schedules};

fn chunks(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// All schedules of a problem, verified, with their names.
fn verified(problem: &Problem<'_>) -> Vec<(String, Schedule)> {
    let budget = Budget::unlimited();
    let checked = schedules(problem, &budget).map(|found| {
        let name = found.to_string();
        let verification = verify(problem, &found.schedule);
        let verification = verification.unwrap_or_else(|violation| panic!("{name}: {violation}"));
        if found.exchange == Exchange::Parts {
            assert_eq!(verification.redundant, 0, "{name}");
        }
        let CombiningSchedule { schedule, .. } = found;
        (name, schedule)
    });
    checked.collect()
}

fn all(spec: &str, collective: &Collective, model: CommunicationModel) -> Vec<(String, Schedule)> {
    let topology: Topology = spec.parse().unwrap();
    verified(&Problem::new(&topology, collective, model).unwrap())
}

/// The steps and the width sum of the schedule of an algorithm.
fn figures(spec: &str, collective: &Collective, model: CommunicationModel, name: &str) -> Option<(usize, u64)> {
    let found = all(spec, collective, model);
    let (_, schedule) = found.iter().find(|(found, _)| found == name)?;
    Some((schedule.step_count(), schedule.width_sum()))
}

/// Each schedule is whole, or left out with all later ones.
#[test]
fn schedules_end_with_the_time_of_the_budget() {
    let torus: Topology = "torus:8x8".parse().unwrap();
    for collective in [Collective::all_gather(), Collective::all_reduce()] {
        let problem = Problem::new(&torus, &collective, CommunicationModel::wormhole()).unwrap();
        let found = |budget: &Budget| -> Vec<(String, Schedule)> {
            schedules(&problem, budget).map(|found| (found.to_string(), found.schedule)).collect()
        };
        let all = found(&Budget::unlimited());
        let mut counts = Vec::new();
        for check in (0..).map(|power| 1 << power) {
            let some = found(&Budget::unlimited().cancelled_at_check(check));
            assert!(all.starts_with(&some), "{collective:?}, check {check}");
            counts.push(some.len());
            if some.len() == all.len() {
                break;
            }
        }
        assert_eq!(counts[0], 0);
        assert!(counts.is_sorted() && counts.iter().any(|&count| 0 < count && count < all.len()), "{counts:?}");
    }
}

proptest! {
    #[test]
    fn schedules_are_valid_on_any_problem(instance in instance(14)) {
        verified(&instance.problem());
    }

    #[test]
    fn schedules_are_valid_with_capacities(instance in instance_with_capacities(14)) {
        verified(&instance.problem());
    }

    /// Tori are recognised under any numbering.
    #[test]
    fn numbers_make_no_difference_on_a_torus(
        torus in shuffled("torus:4x8".parse().unwrap()), reduces: bool,
    ) {
        let collective = if reduces { Collective::reduce_scatter() } else { Collective::all_gather() };
        let model = CommunicationModel::wormhole();
        let found = verified(&Problem::new(&torus, &collective, model).unwrap());
        let expected = all("torus:4x8", &collective, model);
        let figures = |list: &[(String, Schedule)]| -> Vec<_> {
            list.iter().map(|(name, schedule)| (name.clone(), schedule.step_count())).collect()
        };
        prop_assert_eq!(figures(&found), figures(&expected));
    }
}

#[test]
fn every_algorithm_has_its_steps() {
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
    let steps = |spec: &str| -> Vec<(String, usize)> {
        all(spec, &Collective::all_gather(), model)
            .into_iter()
            .map(|(name, schedule)| (name, schedule.step_count()))
            .collect()
    };
    let expected =
        |list: &[(&str, usize)]| -> Vec<_> { list.iter().map(|&(name, count)| (name.to_owned(), count)).collect() };
    assert_eq!(
        steps("torus:4x8"),
        expected(&[
            ("ring", 31),
            ("bucket", 10),
            ("recursive-doubling", 5),
            ("swing", 5),
            ("bine", 5),
            ("bruck", 4),
            ("bruck-by-axis", 4),
            ("dissemination", 5),
        ])
    );
    assert_eq!(
        steps("torus:3x7"),
        expected(&[
            ("ring", 20),
            ("bucket", 8),
            ("recursive-doubling", 6),
            ("bine", 6),
            ("bruck", 3),
            ("bruck-by-axis", 3),
            ("dissemination", 5)
        ])
    );
    assert_eq!(
        steps("fat-tree:2,3"),
        expected(&[("ring", 7), ("recursive-doubling", 3), ("bine", 3), ("bruck", 3), ("dissemination", 3)])
    );
}

/// The exact bandwidth terms of multiport Swing: the sum of the widths of a reduce-scatter over the number of blocks.
#[test]
fn swing_has_the_published_bandwidth() {
    let table = [
        ("ring:8", 9, 16),
        ("ring:16", 23, 32),
        ("torus:4x4", 15, 64),
        ("torus:8x8", 69, 256),
        ("torus:16x16", 291, 1024),
        ("torus:4x4x4", 21, 128),
        ("torus:8x8x8", 175, 1024),
        ("torus:4x4x4x4", 255, 2048),
    ];
    for (spec, numerator, denominator) in table {
        let topology: Topology = spec.parse().unwrap();
        let nodes = topology.node_count() as u64;
        let parts = topology.out_channels(NodeId::new(0)).len() as u32;
        let collective = Collective::reduce_scatter().with_chunks(chunks(parts));
        let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
        let found = schedules(&problem, &Budget::unlimited()).find(|found| found.algorithm.name == "swing").unwrap();
        assert_eq!(found.schedule.step_count(), nodes.ilog2() as usize, "{spec}");
        assert_eq!(found.schedule.width_sum() * denominator, numerator * nodes * u64::from(parts), "{spec}");
        if nodes <= 256 {
            verify(&problem, &found.schedule).unwrap();
        }
    }
}

/// The bucket algorithm meets the bandwidth bound `(N - 1) / 2D` per chunk on tori of equal sides.
#[test]
fn bucket_has_the_optimal_bandwidth() {
    for (spec, parts, nodes) in [("torus:4x4", 4, 16_u64), ("torus:5x5", 4, 25), ("torus:3x3x3", 6, 27)] {
        let collective = Collective::all_gather().with_chunks(chunks(parts));
        let (_, width) = figures(spec, &collective, CommunicationModel::store_and_forward(), "bucket").unwrap();
        assert_eq!(width, nodes - 1, "{spec}");
    }
}

#[test]
fn whole_vectors_take_half_of_the_steps() {
    let collective = Collective::all_reduce();
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
    let steps = |spec: &str, name: &str| figures(spec, &collective, model, name).map(|(steps, _)| steps);
    for name in ["recursive-doubling", "swing", "bine"] {
        assert_eq!(steps("torus:4x4", name), Some(8), "{name}");
        assert_eq!(steps("torus:4x4", &format!("{name} of whole vectors")), Some(4), "{name}");
    }
    assert_eq!(steps("ring:9", "bruck of whole vectors"), Some(2));
    assert_eq!(steps("ring:8", "bruck of whole vectors"), None);
    assert_eq!(steps("ring:8", "dissemination of whole vectors"), Some(3));
    assert_eq!(steps("ring:6", "recursive-doubling of whole vectors"), Some(4));
    assert_eq!(steps("ring:9", "ring of whole vectors"), None);
}

#[test]
fn messages_of_one_receiver_must_be_relayed() {
    let (direct, relayed) = (CommunicationModel::wormhole(), ScatterRule::Relay);
    let relayed = CommunicationModel { scatter: relayed, ..direct };
    for collective in
        [Collective::all_to_all(), Collective::scatter(NodeId::new(3)), Collective::gather(NodeId::new(3))]
    {
        assert!(all("torus:4x4", &collective, direct).is_empty());
        let found = all("torus:4x4", &collective, relayed);
        assert_eq!(found.len(), 8);
    }
}

/// The minimum for one port: `n - 1 + ceil(log2 p)` steps of width 1 for `n` blocks on `p` terminals.
#[test]
fn the_circulant_broadcast_is_optimal_on_a_switch() {
    let model = CommunicationModel { ports: Ports::limit(1).unwrap(), ..CommunicationModel::wormhole() };
    for terminals in [2_u32, 3, 5, 8, 9, 13, 16, 17] {
        for blocks in [1, 2, 3, 4, 7, 10] {
            let spec = format!("star:{terminals}");
            let expected = u64::from(blocks) - 1 + u64::from(terminals.next_power_of_two().ilog2());
            let topology: Topology = spec.parse().unwrap();
            let root = topology.terminals()[terminals as usize / 2];
            for collective in [Collective::broadcast(root), Collective::reduce(root)] {
                let figures = figures(&spec, &collective.with_chunks(chunks(blocks)), model, "circulant");
                assert_eq!(figures, Some((expected as usize, expected)), "{spec} in {blocks}");
            }
        }
    }
}

/// Terminals on different hosts and different rails have no path without a relay.
#[test]
fn hosts_with_rails_exchange_along_both_axes() {
    let spec = "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s";
    let found = all(spec, &Collective::all_gather(), CommunicationModel::wormhole());
    let figures = |name: &str| {
        let (_, schedule) = found.iter().find(|(found, _)| found == name).unwrap();
        (schedule.step_count(), schedule.width_sum())
    };
    // Over a rail: 1 and 2 messages. Over the 12 channels to the switch of a host: 7 times 4 messages.
    assert_eq!(figures("bruck-by-axis"), (3, 6));
    // Over the 12 channels: 4, 8 and 16 messages.
    assert_eq!(figures("recursive-doubling"), (5, 7));
    assert_eq!(figures("bucket").0, 10);
}
