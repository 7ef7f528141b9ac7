//! The shapes of `data/rings/cases.json`: the least `rho` for each number of rings and chains.
//!
//! `cargo test -p lockstep-rings cases -- --nocapture` prints the table.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use lockstep_rings::{RingBound, RingCount, RingKind, RingRequest, RingVerdict, check_bound, search, verify};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use serde::Deserialize;

/// A shape: all nodes of its channels that are not terminals are switches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) name: String,
    terminals: Vec<String>,
    /// Tail, head and capacity.
    channels: Vec<(String, String, u64)>,
    /// Whether each ring enters terminal `X` from the node to which it leaves it.
    same_nic: bool,
    /// The greatest bandwidth that lengths allow.
    bound: Option<String>,
    rings: Vec<Optimum>,
    chains: Vec<ChainOptimum>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Optimum {
    #[serde(rename = "K")]
    rings: u32,
    rho: Option<String>,
    /// `bound` or `sat`.
    proof: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChainOptimum {
    #[serde(rename = "K")]
    chains: u32,
    rho: Option<String>,
    busbw: Option<String>,
}

impl Case {
    pub(crate) fn topology(&self) -> Topology {
        let mut network = TopologyBuilder::new(&self.name);
        let mut nodes = BTreeMap::new();
        for name in &self.terminals {
            nodes.insert(name.as_str(), network.terminal(name));
        }
        for name in self.channels.iter().flat_map(|(tail, head, _)| [tail, head]) {
            nodes.entry(name).or_insert_with(|| network.switch(name));
        }
        for (tail, head, capacity) in &self.channels {
            let channel = network.channel(nodes[tail.as_str()], nodes[head.as_str()]);
            network.set_capacity([channel], *capacity);
        }
        network.build().unwrap()
    }

    fn gateway(&self, topology: &Topology) -> Option<NodeId> {
        self.same_nic.then(|| topology.node_named("X").unwrap())
    }
}

pub(crate) fn cases() -> Vec<Case> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/rings/cases.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn request(kind: RingKind, channels: RingCount) -> RingRequest<'static> {
    RingRequest {
        terminals: None,
        kind,
        channels,
        relay: 0,
        gateway: None,
        seed: 1,
        work: 20_000_000,
        is_stopped: &|| false,
    }
}

/// Searches, checks everything that the answer claims, and returns `rho` and the bound.
fn least_rho(case: &Case, kind: RingKind, rings: u32) -> (Option<String>, RingBound, Duration) {
    let topology = case.topology();
    let request = RingRequest { gateway: case.gateway(&topology), ..request(kind, RingCount::Exactly(rings)) };
    let begin = Instant::now();
    let answer = search(&topology, &request).unwrap();
    let time = begin.elapsed();
    let problem = request.problem(&topology).unwrap();
    check_bound(&problem, &answer.bound).unwrap();
    assert_eq!(answer.bound.bandwidth(&problem, request.channels), answer.limit);
    let rho = answer.set.as_ref().map(|(set, load)| {
        assert_eq!(&verify(&topology, set).unwrap(), load);
        assert_eq!(set.len(), rings as usize);
        load.rho().to_string()
    });
    let verdict = if rho.is_some() { RingVerdict::Optimal } else { RingVerdict::Impossible };
    assert_eq!(answer.verdict(), verdict, "{}, {rings} {}s: {rho:?}, limit {}", case.name, kind.name(), answer.limit);
    (rho, answer.bound, time)
}

#[test]
fn every_shape_has_its_least_load() {
    for case in cases() {
        for optimum in &case.rings {
            let (rho, bound, time) = least_rho(&case, RingKind::Ring, optimum.rings);
            println!("{:40} {:2} rings  rho {:5} {time:?}", case.name, optimum.rings, rho.as_deref().unwrap_or("-"));
            assert_eq!(rho, optimum.rho, "{}, {} rings", case.name, optimum.rings);
            // A shape whose lengths meet the optimum needs no other proof.
            assert!(optimum.proof != "bound" || bound.refutations.is_empty(), "{}", case.name);
        }
        for optimum in &case.chains {
            let (rho, _, time) = least_rho(&case, RingKind::Chain, optimum.chains);
            println!("{:40} {:2} chains rho {:5} {time:?}", case.name, optimum.chains, rho.as_deref().unwrap_or("-"));
            assert_eq!(rho, optimum.rho, "{}, {} chains", case.name, optimum.chains);
        }
    }
}

#[test]
fn the_best_number_of_rings_meets_the_bound() {
    for case in cases() {
        let topology = case.topology();
        let most = case.rings.iter().map(|optimum| optimum.rings).max().unwrap();
        let request =
            RingRequest { gateway: case.gateway(&topology), ..request(RingKind::Ring, RingCount::AtMost(most)) };
        let begin = Instant::now();
        let answer = search(&topology, &request).unwrap();
        println!(
            "{:40} up to {most} rings: limit {} {:?} {:?}",
            case.name,
            answer.limit,
            answer.verdict(),
            begin.elapsed()
        );
        check_bound(&request.problem(&topology).unwrap(), &answer.bound).unwrap();
        assert!(matches!(answer.verdict(), RingVerdict::Optimal | RingVerdict::Impossible), "{}", case.name);
        let limit = answer.bound.lengths.bandwidth().unwrap().to_string();
        assert_eq!(limit, case.bound.clone().unwrap_or("0".into()), "{}", case.name);
    }
}

#[test]
fn chains_have_their_bus_bandwidth() {
    for case in cases() {
        for optimum in case.chains.iter().filter(|optimum| optimum.rho.is_some()) {
            let topology = case.topology();
            let answer = search(&topology, &request(RingKind::Chain, RingCount::Exactly(optimum.chains))).unwrap();
            let (_, load) = answer.set.unwrap();
            assert_eq!(Some(load.bus_bandwidth().to_string()), optimum.busbw, "{}", case.name);
        }
    }
}

#[test]
fn hops_are_the_shortest() {
    for (name, rings, length) in [
        ("8 PCIe GPUs, 2 sockets x 2 switches", 1, 26),
        ("8 PCIe GPUs, 2 sockets x 2 switches", 2, 52),
        ("7 + 8 ranks on rails", 7, 210),
        ("server of 8 GPUs, 4 NICs, same NIC", 4, 72),
    ] {
        let case = cases().into_iter().find(|case| case.name == name).unwrap();
        let topology = case.topology();
        let request =
            RingRequest { gateway: case.gateway(&topology), ..request(RingKind::Ring, RingCount::Exactly(rings)) };
        let answer = search(&topology, &request).unwrap();
        assert_eq!((answer.set.unwrap().0.length(), answer.is_shortest), (length, true), "{name}, {rings} rings");
    }
}
