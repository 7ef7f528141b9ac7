//! Arguments of `lockstep simulate`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use lockstep::Topology;
use lockstep::flow::{
    Clock, DEFAULT_CAPACITY, DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, Endpoints, RateModel, Routing, SimulationOptions,
    StepMode, Workload,
};
use lockstep::topology::Sizes;

use super::listed::Listed;
use super::network::NetworkArgs;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  lockstep simulate torus:8x8 --workload chained --routing ecmp-split
  lockstep simulate net.json --workload all-to-all --rates max-min --json
  lockstep simulate jellyfish:10000,10,1 --workload uniform --routing sp-random
  lockstep simulate --schedule s.json --size 1MB           replay a plan without synchronized steps
  lockstep simulate --schedule s.json --size 64KiB..1MiB   the same for several sizes
  lockstep simulate ring:4 --programs p.json               run the task programs of a file

Workloads: chained (a task receives all its flows before it sends the next ones), phased or phased:N
(all tasks send, then all receive), uniform (all flows start at once), all-to-all.
Routings: sp-tree (shortest paths via the lowest node numbers), sp-random (one random shortest path
per pair), ecmp-round-robin, ecmp-random, ecmp-split (equal shares on all shortest paths).";

/// Help heading of the traffic.
const TRAFFIC: &str = "Traffic";
/// Help heading of the network.
const NETWORK: &str = "Network";

/// Arguments of `lockstep simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present = "schedule")]
    pub(crate) spec: Option<String>,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    #[command(flatten)]
    pub(crate) carriage: CarriageArgs,
    /// Write the programs of all tasks to FILE, as input for --programs; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) write_programs: Option<PathBuf>,
    /// Print the result as JSON, on one line per size if there are several
    #[arg(long)]
    pub(crate) json: bool,
    /// List the start and end time of each flow
    #[arg(long, requires = "json")]
    pub(crate) all: bool,
}

/// The traffic.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficArgs {
    /// Workload: chained, phased, phased:N, uniform or all-to-all
    #[arg(long, help_heading = TRAFFIC, value_name = "NAME", default_value_t = Workload::Chained)]
    #[arg(hide_possible_values = true, value_parser = workloads())]
    pub(crate) workload: Workload,
    /// Read the programs of all tasks from FILE
    #[arg(long, help_heading = TRAFFIC, value_name = "FILE", conflicts_with_all = ["workload", "schedule", "flows", "size"])]
    pub(crate) programs: Option<PathBuf>,
    /// Replay the transfers of a schedule or plan file on its own network
    #[arg(long, help_heading = TRAFFIC, value_name = "FILE", conflicts_with_all = ["spec", "workload", "flows", "tasks", "seed"])]
    pub(crate) schedule: Option<PathBuf>,
    /// Start of the transfers of a step: free (each as soon as its data has arrived) or synchronous (after all transfers of the step before)
    #[arg(long, help_heading = TRAFFIC, value_name = "MODE", default_value_t = StepMode::Free, requires = "schedule", conflicts_with = "spec")]
    #[arg(hide_possible_values = true, value_parser = listed(StepMode::ALL, StepMode::name))]
    pub(crate) steps: StepMode,
    /// Flows per task and phase
    #[arg(long, help_heading = TRAFFIC, value_name = "N", default_value_t = DEFAULT_FLOWS_PER_TASK)]
    pub(crate) flows: u32,
    /// Size of each flow, or of each message of the schedule, in units or as 64KiB (one unit per byte), or several sizes such as
    /// 64KiB..1MiB; the chunks of a message share it, rounded up
    #[arg(long, visible_alias = "sizes", alias = "bytes", help_heading = TRAFFIC, value_name = "SIZES", default_value_t = Sizes::from(DEFAULT_SIZE))]
    pub(crate) size: Sizes,
    /// Tasks per terminal
    #[arg(long, help_heading = TRAFFIC, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(crate) tasks: NonZeroU32,
    /// Seed of the workload and of random paths
    #[arg(short, long, help_heading = TRAFFIC, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// The network that carries the traffic.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CarriageArgs {
    /// Routing on shortest paths: sp-tree, sp-random, ecmp-round-robin, ecmp-random or ecmp-split
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Routing::EcmpSplit, conflicts_with = "schedule")]
    #[arg(hide_possible_values = true, value_parser = listed(Routing::ALL, Routing::name))]
    routing: Routing,
    /// Rates of flows that share links: equal-share (the least equal share along the path) or max-min (max-min fair)
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = RateModel::EqualShare)]
    #[arg(hide_possible_values = true, value_parser = listed(RateModel::ALL, RateModel::name))]
    rates: RateModel,
    /// Clock: real, or integer (flows end at whole time units)
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Clock::Real)]
    #[arg(hide_possible_values = true, value_parser = listed(Clock::ALL, Clock::name))]
    clock: Clock,
    /// Links between tasks and the network: direct (unlimited), terminal-links (one per terminal) or task-links (one per task)
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Endpoints::Direct)]
    #[arg(hide_possible_values = true, value_parser = listed(Endpoints::ALL, Endpoints::name))]
    endpoints: Endpoints,
    /// Capacity of a link in units per time unit; in a network with bandwidths, units are bytes [default: 1000; with bandwidths, the time unit is 1 us]
    #[arg(long, help_heading = NETWORK, value_name = "UNITS")]
    capacity: Option<f64>,
    /// Maximum number of active flows per task [default: no limit]
    #[arg(long, help_heading = NETWORK, value_name = "N")]
    outstanding: Option<NonZeroU32>,
    /// Time between the send of a flow and its first use of links, in time units
    #[arg(long, help_heading = NETWORK, value_name = "TIME", default_value_t = 0.0)]
    startup: f64,
}

impl SimulateArgs {
    /// Returns the options of the simulation of a network.
    pub(crate) fn options(&self, topology: &Topology) -> SimulationOptions {
        let CarriageArgs { routing, rates, clock, endpoints, capacity, outstanding, startup } = self.carriage;
        let TrafficArgs { tasks: tasks_per_terminal, seed, .. } = self.traffic;
        // Bytes per microsecond.
        let of_unit = |unit: u64| unit as f64 / 1e6;
        let capacity = capacity.unwrap_or_else(|| topology.unit_bytes_per_second().map_or(DEFAULT_CAPACITY, of_unit));
        SimulationOptions { tasks_per_terminal, routing, rates, clock, endpoints, capacity, outstanding, startup, seed }
    }
}

/// Reads one of these values by its name.
fn listed<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> Listed<T> {
    Listed::new(values.iter().map(|&value| name(value)))
}

/// Reads a workload.
fn workloads() -> Listed<Workload> {
    Listed::new(Workload::NAMES.map(|name| name.trim_end_matches("PHASES")))
}
