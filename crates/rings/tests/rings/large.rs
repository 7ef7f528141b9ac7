//! Networks beyond the exact search, at their bounds.

use std::time::Instant;

use lockstep_rings::{RingCount, RingKind, RingVerdict, check_bound, search};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::cases::request;

#[test]
fn regular_networks_use_every_channel() {
    for (spec, rings) in [
        ("complete:16", 15),
        ("complete:32", 31),
        ("complete:64", 63),
        ("complete:9", 8),
        ("hypercube:5", 5),
        ("hypercube:6", 6),
        ("torus:8x8", 4),
        ("torus:8x12", 4),
        ("torus:4x4x4", 6),
        ("torus:16x16", 4),
        ("torus:32x32", 4),
        ("circulant:64,1,5,9", 6),
        ("kautz:3,3", 3),
    ] {
        check(spec, rings, rings.into());
    }
}

#[test]
fn switched_networks_meet_their_cuts() {
    for (spec, rings, bandwidth) in
        [("fat-tree:4,3", 2, 1), ("fat-tree:8,3", 1, 1), ("clos:8,8,8", 8, 1), ("dgx-h100:1", 2, 1)]
    {
        check(spec, rings, bandwidth);
    }
}

#[test]
fn rings_over_servers_use_every_network_card() {
    for (spec, rings, bandwidth) in [
        ("dgx-a100:2", 8, 8),
        ("dgx-a100:3", 8, 8),
        ("dgx-h100:16", 8, 8),
        ("dgx-a100:127", 8, 8),
        ("dgx-a100:128", 8, 8),
        ("dgx-a100:9", 1, 1),
        ("dgx-a100:6", 5, 5),
        ("cluster:nodes=4,gpus=72,nvlink=900GB/s,rails=72,nic=50GB/s", 18, 18),
        ("cluster:nodes=5,gpus=8,nvlink=300GB/s,rails=1,nic=25GB/s", 8, 8),
        ("cluster:nodes=7,gpus=4,nvlink=300GB/s,rails=4,nic=25GB/s", 4, 4),
    ] {
        check(spec, rings, bandwidth);
    }
}

/// Servers of 6, 8 and 8 terminals with a rail for each of the first six, without names of hosts, in a random order of nodes.
#[test]
fn unequal_servers_share_their_common_rails() {
    let mut network = TopologyBuilder::new("unequal");
    let rails: Vec<_> = (0..6).map(|rail| network.switch(format!("r{rail}"))).collect();
    for (server, count) in [6, 8, 8].into_iter().enumerate() {
        let terminals: Vec<_> = (0..count).map(|place| network.terminal(format!("t{server}.{place}"))).collect();
        let switch = network.switch(format!("s{server}"));
        for (place, &terminal) in terminals.iter().enumerate() {
            let link = network.link(terminal, switch);
            network.set_capacity(link, 9);
            if let Some(&rail) = rails.get(place) {
                network.link(terminal, rail);
            }
        }
    }
    let topology = network.build().unwrap();
    let mut places: Vec<_> = topology.nodes().collect();
    places.rotate_left(7);
    places.reverse();
    for topology in [topology.relabelled(&places), topology] {
        let answer = search(&topology, &request(RingKind::Ring, RingCount::AtMost(8))).unwrap();
        let (set, load) = answer.set.as_ref().unwrap();
        assert_eq!((answer.verdict(), set.len(), load.bandwidth()), (RingVerdict::Optimal, 6, 6.into()));
    }
}

fn check(spec: &str, rings: u32, bandwidth: u64) {
    let topology: Topology = spec.parse().unwrap();
    let request = request(RingKind::Ring, RingCount::Exactly(rings));
    let begin = Instant::now();
    let answer = search(&topology, &request).unwrap();
    println!("{spec:20} {rings:2} rings: limit {} {:?} {:?}", answer.limit, answer.verdict(), begin.elapsed());
    check_bound(&request.problem(&topology).unwrap(), &answer.bound).unwrap();
    let (_, load) = answer.set.as_ref().unwrap();
    assert_eq!((answer.verdict(), load.bandwidth()), (RingVerdict::Optimal, bandwidth.into()), "{spec}");
}
