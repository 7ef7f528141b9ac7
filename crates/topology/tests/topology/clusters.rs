//! The bandwidths of clusters, and the links of their nodes.

use std::collections::BTreeMap;

use lockstep_topology::{ChannelId, Topology};

use crate::families::{channel_ends, parse};

/// The capacities of the channels between these kinds of nodes, by the first letter of their names.
fn capacities(topology: &Topology) -> BTreeMap<String, Vec<u32>> {
    let mut capacities = BTreeMap::<String, Vec<u32>>::new();
    for channel in topology.channels() {
        let [tail, head] = [topology.tail(channel), topology.head(channel)].map(|node| &topology.node_name(node)[..1]);
        let found = capacities.entry(format!("{tail}{head}")).or_default();
        found.push(topology.capacity(channel));
        found.sort_unstable();
        found.dedup();
    }
    capacities
}

#[test]
fn clusters_have_the_bandwidths_of_their_machines() {
    const GB: u64 = 1_000_000_000;
    let rates = |spec: &str, expected: &[(&str, u32)], unit: u64| {
        let topology = parse(spec);
        let expected = expected.iter().map(|&(ends, capacity)| (ends.to_owned(), vec![capacity])).collect();
        assert_eq!((capacities(&topology), topology.unit_bytes_per_second()), (expected, Some(unit)), "{spec}");
    };
    rates("dgx-a100:2", &[("gR", 1), ("Rg", 1), ("gV", 12), ("Vg", 12)], 25 * GB);
    rates("dgx-h100:4", &[("gR", 1), ("Rg", 1), ("gV", 9), ("Vg", 9)], 50 * GB);
    rates("nvl72", &[("gV", 1), ("Vg", 1)], 900 * GB);
    let uneven = "cluster:nodes=4,gpus=6,nvlink=100GB/s,rails=12,nic=30GB/s";
    rates(uneven, &[("gR", 3), ("Rg", 3), ("gV", 10), ("Vg", 10)], 10 * GB);
    let (tpu, torus) = (parse("tpu:4x4"), parse("torus:4x4"));
    assert_eq!((channel_ends(&tpu), tpu.unit_bytes_per_second()), (channel_ends(&torus), Some(50 * GB)));
    let dragonfly = parse("dragonfly:4,2,2,terminal=25GB/s,local=50GB/s,global=75GB/s");
    assert_eq!(channel_ends(&dragonfly), channel_ends(&parse("dragonfly:4,2,2")));
    let of_ends = |channel| [dragonfly.tail(channel), dragonfly.head(channel)].map(|node| dragonfly.node_name(node));
    for channel in dragonfly.channels() {
        let [tail, head] = of_ends(channel).map(|name| name.split_once('.').map(|(group, _)| group));
        let expected = if tail.is_none() || head.is_none() {
            1
        } else if tail == head {
            2
        } else {
            3
        };
        assert_eq!(dragonfly.capacity(channel), expected, "{}", dragonfly.channel_name(channel));
    }
    let fat_tree = parse("fat-tree:2,3,oversubscription=4");
    assert_eq!(fat_tree.channels().filter(|&channel| fat_tree.capacity(channel) == 4).count(), 16);
}

#[test]
fn every_gpu_of_a_server_has_the_same_bandwidth() {
    for (spec, units, latency) in [("dgx-1", 6, 700_000), ("ndv2:1", 6, 700_000), ("mi250:1", 7, 0)] {
        let topology = parse(spec);
        for &gpu in topology.terminals() {
            let sum = |channels: &[ChannelId]| channels.iter().map(|&channel| topology.capacity(channel)).sum::<u32>();
            assert_eq!((sum(topology.out_channels(gpu)), sum(topology.in_channels(gpu))), (units, units), "{spec}");
            assert!(topology.out_channels(gpu).iter().all(|&channel| topology.latency_ps(channel) == latency));
            assert_eq!(topology.host(gpu), Some("server0"));
        }
    }
}

#[test]
fn rails_join_the_gpus_of_the_same_place() {
    let topology = parse("cluster:nodes=3,gpus=6,nvlink=10GB/s,rails=12,nic=3GB/s");
    for rail in 0..12 {
        let switch = topology.node_named(&format!("R{rail}")).unwrap();
        let gpus: Vec<&str> =
            topology.out_channels(switch).iter().map(|&out| topology.node_name(topology.head(out))).collect();
        assert_eq!(gpus, (0..3).map(|server| format!("g{server}_{}", rail / 2)).collect::<Vec<_>>());
    }
}
