//! Figures 4 and 5: times of an unstructured application on picked networks and on random ones.

use std::num::NonZeroU32;

use anyhow::Result;
use lockstep::Topology;
use lockstep::flow::{
    Clock, DEFAULT_CAPACITY, DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, Endpoints, RateModel, Routing, SimulationOptions,
    Workload, WorkloadOptions, simulate,
};
use rayon::prelude::*;

/// The routings with their names in the reports. The last one is closest to the published figures.
pub(super) const ROUTINGS: [(&str, Routing); 5] = [
    ("SP, lowest tree", Routing::SpTree),
    ("SP, random", Routing::SpRandom),
    ("ECMP, in turn", Routing::EcmpRoundRobin),
    ("ECMP, random", Routing::EcmpRandom),
    ("ECMP, split", Routing::EcmpSplit),
];

/// Draws of the application per network.
const DRAWS: u64 = 3;

/// A network of a figure.
pub(super) struct Entry {
    pub(super) name: String,
    /// Several networks if they are random.
    pub(super) networks: Vec<Topology>,
}

/// Times of one entry.
pub(super) struct Times {
    pub(super) name: String,
    /// By network and routing, in time units.
    pub(super) by_network: Vec<[f64; ROUTINGS.len()]>,
}

impl Times {
    /// Returns the means over the networks, by routing.
    pub(super) fn means(&self) -> [f64; ROUTINGS.len()] {
        std::array::from_fn(|routing| {
            self.by_network.iter().map(|times| times[routing]).sum::<f64>() / self.by_network.len() as f64
        })
    }
}

/// Simulates all entries with `tasks_per_router` tasks on each router.
pub(super) fn times(entries: &[Entry], workload: Workload, tasks_per_router: NonZeroU32) -> Result<Vec<Times>> {
    let all: Vec<_> = entries.iter().flat_map(|entry| &entry.networks).collect();
    let times = all
        .into_par_iter()
        .map(|network| {
            let mut times = [0.0; ROUTINGS.len()];
            for (time, (_, routing)) in times.iter_mut().zip(ROUTINGS) {
                *time = completion(network, workload, tasks_per_router, routing, DRAWS)?;
            }
            Ok(times)
        })
        .collect::<Result<Vec<_>>>()?;
    let mut times = times.into_iter();
    let gather = |entry: &Entry| Times {
        name: entry.name.clone(),
        by_network: times.by_ref().take(entry.networks.len()).collect(),
    };
    Ok(entries.iter().map(gather).collect())
}

/// Returns the mean time of `draws` draws of an application.
pub(super) fn completion(
    network: &Topology,
    workload: Workload,
    tasks_per_terminal: NonZeroU32,
    routing: Routing,
    draws: u64,
) -> Result<f64> {
    let tasks = network.terminal_count() as u32 * tasks_per_terminal.get();
    let mut sum = 0.0;
    for seed in 1..=draws {
        let size = WorkloadOptions { tasks, flows_per_task: DEFAULT_FLOWS_PER_TASK, size: DEFAULT_SIZE, seed };
        let options = SimulationOptions {
            tasks_per_terminal,
            routing,
            rates: RateModel::EqualShare,
            clock: Clock::Integer,
            endpoints: Endpoints::Direct,
            capacity: DEFAULT_CAPACITY,
            outstanding: None,
            startup: 0.0,
            seed,
        };
        sum += simulate(network, &workload.programs(&size)?, &options)?.makespan;
    }
    Ok(sum / draws as f64)
}

/// Returns random networks of `routers` routers with `ports` ports each, as in the paper.
pub(super) fn irregular(routers: u32, ports: u32) -> Result<Entry> {
    let network = |seed: u32| Ok(format!("jellyfish:{routers},{ports},{seed}").parse::<Topology>()?);
    let networks = (1..=3).map(network).collect::<Result<_>>()?;
    Ok(Entry { name: format!("Irreg-{}", 2 * ports), networks })
}
