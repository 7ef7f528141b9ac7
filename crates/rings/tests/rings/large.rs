//! Networks beyond the exact search, at their bounds.

use std::time::Instant;

use lockstep_rings::{RingCount, RingKind, RingVerdict, check_bound, search};
use lockstep_topology::Topology;

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
        ("hypercube:7", 7),
        ("torus:8x8", 4),
        ("torus:8x12", 4),
        ("torus:4x4x4", 6),
        ("torus:16x16", 4),
        ("torus:32x32", 4),
        ("torus:8x8x16", 6),
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
