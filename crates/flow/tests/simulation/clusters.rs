//! Networks with bandwidths and latencies.

use std::num::NonZeroU64;

use lockstep_flow::{Programs, RateModel, SimulationOptions, StepMode, simulate, time_unit_ps};
use lockstep_schedule::strategy::random_schedule;
use lockstep_schedule::{Collective, CommunicationModel, Problem, TransferSpeed};
use lockstep_topology::strategy::{any_topology, with_capacities};
use lockstep_topology::{Topology, TopologyBuilder};
use proptest::prelude::*;

use super::{EQUAL_SHARE, MAX_MIN, receive, send};

/// Two terminals that a channel of capacity 3 and 2 ns latency connects over a switch with one of capacity 1 and 5 ns.
fn narrow() -> Topology {
    let mut network = TopologyBuilder::new("narrow");
    let (a, b, switch) = (network.terminal("a"), network.terminal("b"), network.switch("s"));
    let (first, second) = (network.channel(a, switch), network.channel(switch, b));
    network.set_capacity([first], 3);
    network.set_latency([first], 2_000);
    network.set_latency([second], 5_000);
    network.set_unit(1_000_000_000);
    network.build().unwrap()
}

#[test]
fn a_flow_takes_its_bytes_and_its_latencies() {
    let programs = Programs { tasks: vec![vec![send(1, 1_000)], vec![receive(0)]] };
    for rates in [RateModel::EqualShare, RateModel::MaxMin] {
        // 1 ns per byte, and time units of 1 us.
        let options = SimulationOptions { rates, ..EQUAL_SHARE };
        let network = narrow();
        assert!((time_unit_ps(&network, &options).unwrap() - 1e6).abs() < 1e-3);
        let simulation = simulate(&network, &programs, &options).unwrap();
        assert!((simulation.makespan - 1.007).abs() < 1e-9, "{}", simulation.makespan);
        assert_eq!(simulation.busiest.map(|busiest| busiest.units), Some(1_000.0));
    }
}

/// Three flows share a channel of capacity 3 and no other one.
#[test]
fn flows_share_a_capacity() {
    let mut network = TopologyBuilder::new("wide");
    let (a, b) = (network.terminal("a"), network.terminal("b"));
    let channel = network.channel(a, b);
    network.set_capacity([channel], 3);
    let network = network.build().unwrap();
    let programs = Programs { tasks: vec![vec![send(1, 5_000); 3], vec![receive(0); 3]] };
    for options in [EQUAL_SHARE, MAX_MIN] {
        assert!((simulate(&network, &programs, &options).unwrap().makespan - 5.0).abs() < 1e-9);
    }
}

proptest! {
    /// In a broadcast of packets, every channel carries at most one message.
    #[test]
    fn transfers_that_share_no_channel_take_their_asynchronous_time(
        topology in any_topology(9).prop_flat_map(|network| with_capacities(network, 3)),
        seed: u64, latency_ps in 0u64..5_000, bytes in 1u64..5_000,
    ) {
        let topology = topology.with_times(1_000_000_000, latency_ps).unwrap();
        prop_assume!(topology.resource_count() == topology.channel_count() && topology.is_direct());
        let broadcast = Collective::broadcast(topology.terminals()[0]);
        let packets = CommunicationModel::store_and_forward();
        let Ok(problem) = Problem::new(&topology, &broadcast, packets) else { return Ok(()) };
        let schedule = random_schedule(&problem, seed);
        let unit_bytes_per_second = NonZeroU64::new(1_000_000_000).unwrap();
        let exact = TransferSpeed { chunk_bytes: bytes, unit_bytes_per_second }.asynchronous_time(&problem, &schedule);
        let programs = Programs::of_schedule(&problem, &schedule, bytes, StepMode::Free).unwrap();
        for options in [EQUAL_SHARE, MAX_MIN] {
            let time = simulate(&topology, &programs, &options).unwrap().makespan * time_unit_ps(&topology, &options).unwrap();
            // The exact time rounds every transmission up to a picosecond.
            let error = (exact.number() as f64 - time).abs();
            prop_assert!(error <= 1.0 + topology.node_count() as f64, "{exact} and {time} ps");
        }
    }
}

#[test]
fn networks_without_bandwidths_have_no_time_unit() {
    let ring: Topology = "ring:4".parse().unwrap();
    assert_eq!(time_unit_ps(&ring, &EQUAL_SHARE), None);
}
