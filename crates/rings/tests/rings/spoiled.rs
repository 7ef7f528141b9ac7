//! Ring sets and certificates that are changed, which must be refused.

use lockstep_rings::{
    RefutationProof, RingBound, RingCount, RingKind, RingProblem, RingSet, check_bound, search, verify,
};
use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::cases::{cases, request};

/// Copies a set of rings and changes the last one: its order and its hops.
fn with_changed_end(set: &RingSet, change: impl Fn(&mut Vec<NodeId>, &mut Vec<Vec<ChannelId>>)) -> RingSet {
    let mut new = RingSet::new(set.kind(), set.terminals().to_vec(), set.relay());
    for ring in 0..set.len() {
        let mut order = set.order(ring).to_vec();
        let mut hops = set.hops(ring).map(<[_]>::to_vec).collect();
        if ring + 1 == set.len() {
            change(&mut order, &mut hops);
        }
        new.push(&order, hops);
    }
    new
}

#[test]
fn changed_sets_are_refused() {
    for (spec, kind) in [("torus:3x3", RingKind::Ring), ("clos:4,2,3", RingKind::Ring), ("torus:3x3", RingKind::Chain)]
    {
        let topology: Topology = spec.parse().unwrap();
        let (set, _) = search(&topology, &request(kind, RingCount::Exactly(2))).unwrap().set.unwrap();
        let refused = |set: &RingSet, part: &str| {
            let error = verify(&topology, set).unwrap_err().to_string();
            assert!(error.contains(part), "{spec}: {error}");
        };
        let refused_order = |change: &dyn Fn(&mut Vec<NodeId>), part: &str| {
            refused(&with_changed_end(&set, |order, _| change(order)), part);
        };
        let refused_hops = |change: &dyn Fn(&mut Vec<Vec<ChannelId>>), part: &str| {
            refused(&with_changed_end(&set, |_, hops| change(hops)), part);
        };
        refused_order(&|order| order[1] = order[0], "ring 1 visits");
        refused_order(&|order| order.swap(1, 2), "ring 1, hop");
        refused_order(&|order| order[1] = NodeId::new(9999), "visits node 9999");
        refused_hops(&|hops| hops[2].clear(), "hop 2");
        let shortened = |hops: &mut Vec<Vec<ChannelId>>| {
            hops[2].pop();
        };
        refused_hops(&shortened, "hop 2");
        refused_hops(&|hops| hops.swap(0, 1), "ring 1, hop 0");
        refused_hops(&|hops| hops[0][0] = ChannelId::new(9999), "channel 9999 does not exist");
        refused_hops(&|hops| hops[0] = [&hops[0][..], &hops[0][..1]].concat(), "ring 1, hop 0");
        let shorter = with_changed_end(&set, |order, hops| {
            order.pop();
            hops.pop();
        });
        refused(&shorter, "ring 1 does not visit");
        refused(&RingSet::new(kind, set.terminals().to_vec(), 0), "0 rings");
        refused(&RingSet::new(kind, Vec::new(), 0), "0 rings");
        let failed = topology.with_failures([], [set.hops(0).next().unwrap()[0]]);
        assert!(verify(&failed, &set).unwrap_err().to_string().contains("has failed"));
    }
}

#[test]
fn a_relay_must_be_allowed() {
    let path: Topology = "mesh:1x3".parse().unwrap();
    let channel = |from: u32, to: u32| {
        let leads = |&channel: &ChannelId| path.head(channel) == NodeId::new(to);
        path.out_channels(NodeId::new(from)).iter().copied().find(leads).unwrap()
    };
    for relay in [0, 1] {
        let mut set = RingSet::new(RingKind::Ring, path.terminals().to_vec(), relay);
        set.push(path.terminals(), [vec![channel(0, 1)], vec![channel(1, 2)], vec![channel(2, 1), channel(1, 0)]]);
        let verified = verify(&path, &set).map(|load| load.bandwidth().to_string());
        match relay {
            0 => assert!(verified.unwrap_err().to_string().contains("crosses 1 terminals")),
            _ => assert_eq!(verified.unwrap(), "1"),
        }
    }
}

/// Returns the bound with one number changed by one, for each of its numbers.
fn spoiled(bound: &RingBound) -> Vec<RingBound> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut RingBound)| {
        let mut new = bound.clone();
        change(&mut new);
        all.push(new);
    };
    let lengths = &bound.lengths;
    for place in 0..lengths.lengths.len() {
        add(&|bound| bound.lengths.lengths[place].1 += 1);
        add(&|bound| bound.lengths.lengths[place].1 -= 1);
        add(&|bound| bound.lengths.lengths[place].0 = lockstep_topology::ResourceId::new(1 << 30));
        add(&|bound| {
            bound.lengths.lengths.remove(place);
        });
    }
    for place in 0..lengths.cuts.len() {
        add(&|bound| bound.lengths.cuts[place].1 += 1);
        add(&|bound| bound.lengths.cuts[place].1 -= 1);
        add(&|bound| bound.lengths.cuts[place].0.clear());
    }
    for place in 0..lengths.leave.len() {
        for change in [1, -1, i64::MAX / 2] {
            add(&|bound| bound.lengths.leave[place] = bound.lengths.leave[place].wrapping_add(change));
            add(&|bound| bound.lengths.enter[place] = bound.lengths.enter[place].wrapping_add(change));
        }
    }
    add(&|bound| bound.lengths.length += 1);
    add(&|bound| bound.lengths.volume += 1);
    add(&|bound| {
        bound.lengths.leave.pop();
    });
    for place in 0..bound.refutations.len() {
        if bound.refutations[place].rho.is_some() {
            add(&|bound| bound.refutations[place].rho = Some(lockstep_rings::Rational::from(1000)));
        }
        if let RefutationProof::Satisfiability { .. } = bound.refutations[place].proof {
            add(&|bound| {
                let RefutationProof::Satisfiability { proof, .. } = &mut bound.refutations[place].proof else { return };
                proof.pop();
            });
            add(&|bound| {
                let RefutationProof::Satisfiability { cuts, .. } = &mut bound.refutations[place].proof else { return };
                cuts.push(vec![]);
            });
        }
    }
    all
}

#[test]
fn changed_certificates_are_refused() {
    for case in cases() {
        let topology = case.topology();
        let kind = if case.name.contains("PCIe") { RingKind::Chain } else { RingKind::Ring };
        let answer = search(&topology, &request(kind, RingCount::AtMost(3))).unwrap();
        let problem = RingProblem::new(&topology, kind, None, 0).unwrap();
        assert_eq!(check_bound(&problem, &answer.bound), Ok(()), "{}", case.name);
        for bound in spoiled(&answer.bound) {
            assert!(check_bound(&problem, &bound).is_err(), "{}: {bound:?}", case.name);
        }
    }
}

#[test]
fn parity_concerns_cubic_networks_only() {
    let refuted = |spec: &str| {
        let topology: Topology = spec.parse().unwrap();
        let answer = search(&topology, &request(RingKind::Ring, RingCount::Exactly(3))).unwrap();
        let problem = RingProblem::new(&topology, RingKind::Ring, None, 0).unwrap();
        check_bound(&problem, &answer.bound).unwrap();
        answer.bound.refutations.iter().any(|refutation| refutation.proof == RefutationProof::CubicParity)
    };
    assert!(refuted("hypercube:3") && refuted("circulant:8,1,4") && refuted("complete:4"));
    assert!(!refuted("circulant:10,1,5") && !refuted("torus:4x4"));
}
