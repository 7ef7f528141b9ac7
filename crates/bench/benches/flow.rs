//! Flow-level simulation, from the networks of the `ExaNeSt` paper to 10,000 routers with 100,000 flows.

use std::num::NonZeroU32;

use criterion::Criterion;
use lockstep_flow::{
    Clock, DEFAULT_CAPACITY, DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, Endpoints, RateModel, Routing, SimulationOptions,
    Workload, WorkloadOptions, simulate,
};
use lockstep_topology::Topology;

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("flow simulation");
    let cases = [
        ("jellyfish:32,4,1", Workload::Chained, Routing::SpTree),
        ("jellyfish:32,4,1", Workload::Chained, Routing::EcmpSplit),
        ("jellyfish:1000,8,1", Workload::Chained, Routing::EcmpSplit),
        ("jellyfish:1000,8,1", Workload::Uniform, Routing::SpRandom),
        ("torus:16x16", Workload::Uniform, Routing::EcmpSplit),
        ("jellyfish:10000,8,1", Workload::Chained, Routing::EcmpSplit),
        ("jellyfish:10000,8,1", Workload::Uniform, Routing::SpRandom),
    ];
    for (spec, workload, routing) in cases {
        let topology: Topology = spec.parse().expect("a valid spec");
        let tasks = topology.terminal_count() as u32;
        let shape = WorkloadOptions { tasks, flows_per_task: DEFAULT_FLOWS_PER_TASK, size: DEFAULT_SIZE, seed: 1 };
        let programs = workload.programs(&shape).expect("a small workload");
        for &rates in RateModel::ALL {
            let options = SimulationOptions {
                tasks_per_terminal: NonZeroU32::MIN,
                routing,
                rates,
                clock: Clock::Real,
                endpoints: Endpoints::Direct,
                capacity: DEFAULT_CAPACITY,
                outstanding: None,
                startup: 0.0,
                seed: 1,
            };
            group.bench_function(format!("{spec} {workload} {routing} {rates}"), |bencher| {
                bencher.iter(|| simulate(&topology, &programs, &options).expect("the chains are finite"));
            });
        }
    }
    group.finish();
    criterion.final_summary();
}
