use lockstep_schedule::strategy::instance_with_capacities;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Ports, Problem, ScatterRule, Schedule, verify};
use lockstep_topology::strategy::{shuffled, with_parallel_channels};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};
use proptest::prelude::*;

use super::HIERARCHICAL;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;

/// Servers of `gpus` GPUs, each with links to the switch of its server and to `rails` rail switches of its own column.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    servers: usize,
    gpus: usize,
    /// Rail switches per GPU. GPUs share them if there are fewer rail switches than GPUs.
    rails: usize,
    /// The columns have this number of different rail switches.
    columns: usize,
    inner: u64,
    outer: u64,
}

const RAILS: Cluster = Cluster { servers: 4, gpus: 8, rails: 1, columns: 8, inner: 12, outer: 1 };

impl Cluster {
    fn build(self) -> Topology {
        let mut network = TopologyBuilder::new("cluster");
        let rails: Vec<NodeId> =
            (0..self.columns * self.rails).map(|rail| network.switch(format!("rail {rail}"))).collect();
        for server in 0..self.servers {
            let switch = network.switch(format!("switch {server}"));
            for gpu in 0..self.gpus {
                let terminal = network.terminal(format!("{server}.{gpu}"));
                let link = network.link(terminal, switch);
                network.set_capacity(link, self.inner);
                for rail in 0..self.rails {
                    let link = network.link(terminal, rails[gpu % self.columns * self.rails + rail]);
                    network.set_capacity(link, self.outer);
                }
            }
        }
        network.build().unwrap()
    }
}

fn find(problem: &Problem<'_>) -> Result<Schedule, MethodError> {
    let budget = Budget::unlimited();
    (HIERARCHICAL.find)(&MethodRequest::first(problem, &budget))
}

/// Returns the number of steps of the all-gather in `chunks` chunks, which the verifier accepts.
fn steps_on(topology: &Topology, chunks: u32, ports: Ports) -> usize {
    let collective = Collective::all_gather().with_chunks(chunks.try_into().unwrap());
    let model = CommunicationModel { ports, ..CommunicationModel::wormhole() };
    let problem = Problem::new(topology, &collective, model).unwrap();
    let schedule = find(&problem).unwrap();
    let report = verify(&problem, &schedule).unwrap();
    assert_eq!(report.redundant, 0);
    report.steps
}

#[test]
fn n_servers_with_a_rail_per_gpu_take_n_steps() {
    for servers in [2, 3, 4, 8, 16, 32] {
        let network = Cluster { servers, ..RAILS }.build();
        assert_eq!(steps_on(&network, 1, Ports::All), servers);
    }
}

/// A member sends one of `g (n - 1)` messages to the other servers in each step.
#[test]
fn all_to_alls_keep_every_rail_busy() {
    for (servers, gpus) in [(2, 8), (4, 8), (16, 8), (5, 6), (3, 3)] {
        let network = Cluster { servers, gpus, columns: gpus, ..RAILS }.build();
        let model = CommunicationModel { scatter: ScatterRule::Relay, ..CommunicationModel::wormhole() };
        for (chunks, network) in [(1, &network), (2, &network), (1, &network.reversed())] {
            let collective = Collective::all_to_all().with_chunks(chunks.try_into().unwrap());
            let problem = Problem::new(network, &collective, model).unwrap();
            let report = verify(&problem, &find(&problem).unwrap()).unwrap();
            assert_eq!(report.steps, chunks as usize * gpus * (servers - 1), "{servers} servers of {gpus} GPUs");
            assert_eq!(report.redundant, 0);
        }
    }
}

/// The last arrivals take one more step than the ⌈c(n - 1) / r⌉ steps between the servers.
#[test]
fn the_last_arrivals_take_one_more_step() {
    for (cluster, chunks, steps) in [
        (Cluster { gpus: 6, columns: 6, ..RAILS }, 1, 4),
        (Cluster { servers: 9, inner: 14, rails: 2, ..RAILS }, 1, 5),
        (Cluster { servers: 9, inner: 14, outer: 2, ..RAILS }, 1, 5),
        (Cluster { servers: 8, columns: 2, ..RAILS }, 1, 8),
        (Cluster { servers: 8, columns: 1, ..RAILS }, 1, 8),
        (Cluster { servers: 5, inner: 13, ..RAILS }, 3, 13),
        (Cluster { servers: 16, gpus: 4, columns: 4, inner: 10, outer: 3, ..RAILS }, 2, 11),
        (Cluster { servers: 4, inner: 65_536, outer: 65_535, ..RAILS }, 1, 2),
    ] {
        assert_eq!(steps_on(&cluster.build(), chunks, Ports::All), steps, "{cluster:?}");
    }
}

/// With narrow switches, the channels of a terminal are never idle: it receives `n g - 1` messages.
#[test]
fn narrow_switches_delay_the_last_arrivals() {
    let network = Cluster { inner: 10, outer: 3, ..RAILS }.build();
    assert_eq!(steps_on(&network, 1, Ports::All), 4);
    let network = Cluster { inner: 3, outer: 1, ..RAILS }.build();
    // 7 own and 21 other messages leave over a link of capacity 3.
    assert_eq!(steps_on(&network, 1, Ports::All), 10);
}

#[test]
fn parallel_channels_count_as_one_wide_channel() {
    let network = with_parallel_channels(&RAILS.build()).0;
    assert!(!network.has_capacities());
    assert_eq!(steps_on(&network, 1, Ports::All), 4);
}

#[test]
fn port_limits_hold() {
    // 31 messages through one receive port.
    assert_eq!(steps_on(&RAILS.build(), 1, Ports::limit(1).unwrap()), 31);
}

#[test]
fn networks_without_groups_are_not_supported() {
    let all_gather = Collective::all_gather();
    for spec in ["ring:8", "star:8", "fat-tree:2,3", "complete:6"] {
        let topology: Topology = spec.parse().unwrap();
        let problem = Problem::new(&topology, &all_gather, CommunicationModel::wormhole()).unwrap();
        assert_eq!(find(&problem).unwrap_err(), MethodError::Unsupported, "{spec}");
    }
    let one_server = Cluster { servers: 1, ..RAILS }.build();
    let problem = Problem::new(&one_server, &all_gather, CommunicationModel::wormhole()).unwrap();
    assert_eq!(find(&problem).unwrap_err(), MethodError::Unsupported);
}

proptest! {
    #[test]
    fn node_numbers_do_not_matter(
        (network, shuffled, chunks) in (2..6usize, 2..5usize, 1..3usize, 1..3u64, 1..4u32).prop_flat_map(
            |(servers, gpus, rails, outer, chunks)| {
                let network = Cluster { servers, gpus, rails, columns: gpus, inner: 4, outer }.build();
                (Just(network.clone()), shuffled(network), Just(chunks))
            }
        ),
    ) {
        prop_assert_eq!(steps_on(&shuffled, chunks, Ports::All), steps_on(&network, chunks, Ports::All));
    }

    #[test]
    fn schedules_of_any_network_are_valid(instance in instance_with_capacities(12)) {
        let problem = instance.problem();
        if let Ok(schedule) = find(&problem) {
            let report = verify(&problem, &schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            prop_assert_eq!(report.unwrap().redundant, 0);
        }
    }
}
