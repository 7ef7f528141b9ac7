//! Arguments of `lockstep simulate`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use lockstep::flow::{
    Clock, DEFAULT_CAPACITY, DEFAULT_FLOWS_PER_TASK, DEFAULT_SIZE, Endpoints, RateModel, Routing, SimulationOptions,
    Workload,
};

use super::problem::FailureArgs;

const SIMULATE_EXAMPLES: &str = "\
Examples:
  lockstep simulate torus:8x8 --workload chained --routing ecmp-split
  lockstep simulate net.json --workload all-to-all --rates max-min --json
  lockstep simulate jellyfish:10000,10,1 --workload uniform --routing sp-random
  lockstep simulate --schedule s.json --size 1000000       a plan without its synchronized steps
  lockstep simulate ring:4 --programs p.json               tasks that send, receive and compute

Workloads: chained (a task waits for all that it was to receive before it sends on), phased or
phased:N (all send, then all receive), uniform (all send at once), all-to-all.
Routings: sp-tree (of the lowest numbers), sp-random (one path a pair), ecmp-round-robin,
ecmp-random, ecmp-split (all shortest paths at once).";

/// Over what is sent.
const TRAFFIC: &str = "Traffic";
/// Over what carries it.
const NETWORK: &str = "Network";

/// Arguments of `lockstep simulate`.
#[derive(Debug, clap::Args)]
#[command(after_help = SIMULATE_EXAMPLES)]
pub(crate) struct SimulateArgs {
    /// A spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present = "schedule")]
    pub(crate) spec: Option<String>,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
    #[command(flatten)]
    pub(crate) traffic: TrafficArgs,
    #[command(flatten)]
    pub(crate) carriage: CarriageArgs,
    /// Write the programs of all tasks to this file, for --programs; - is standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) write_programs: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// List when each flow began and ended
    #[arg(long, requires = "json")]
    pub(crate) all: bool,
}

/// What is sent.
#[derive(Debug, clap::Args)]
pub(crate) struct TrafficArgs {
    /// Who sends to whom, and who waits for what: chained, phased, phased:N, uniform or all-to-all
    #[arg(long, help_heading = TRAFFIC, value_name = "NAME", default_value_t = Workload::Chained)]
    pub(crate) workload: Workload,
    /// Take the programs of all tasks from this file
    #[arg(long, help_heading = TRAFFIC, value_name = "FILE", conflicts_with_all = ["workload", "schedule", "flows", "size"])]
    pub(crate) programs: Option<PathBuf>,
    /// Send what this schedule or plan file says, on its own network
    #[arg(long, help_heading = TRAFFIC, value_name = "FILE", conflicts_with_all = ["spec", "workload", "flows", "tasks"])]
    pub(crate) schedule: Option<PathBuf>,
    /// Flows of a task, in each phase
    #[arg(long, help_heading = TRAFFIC, value_name = "N", default_value_t = DEFAULT_FLOWS_PER_TASK)]
    pub(crate) flows: u32,
    /// Units of a flow, or of a message of the schedule
    #[arg(long, help_heading = TRAFFIC, value_name = "UNITS", default_value_t = DEFAULT_SIZE)]
    pub(crate) size: u64,
    /// Tasks on a terminal
    #[arg(long, help_heading = TRAFFIC, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(crate) tasks: NonZeroU32,
    /// Seed of the workload, and of paths that are drawn
    #[arg(short, long, help_heading = TRAFFIC, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
}

/// What carries it.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct CarriageArgs {
    /// Which shortest paths flows take: sp-tree, sp-random, ecmp-round-robin, ecmp-random or ecmp-split
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Routing::EcmpSplit)]
    routing: Routing,
    /// How flows share links: equal-share (of the fullest one, the rest is lost) or max-min (fair)
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = RateModel::EqualShare)]
    rates: RateModel,
    /// Which times there are: real, or integer (what ends, ends with a time unit)
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Clock::Real)]
    clock: Clock,
    /// How tasks are connected: direct (without limit), terminal-links or task-links
    #[arg(long, help_heading = NETWORK, value_name = "NAME", default_value_t = Endpoints::Direct)]
    endpoints: Endpoints,
    /// Units that a link carries in a time unit
    #[arg(long, help_heading = NETWORK, value_name = "UNITS", default_value_t = DEFAULT_CAPACITY)]
    capacity: f64,
    /// The most flows of a task that are under way at a time [default: no limit]
    #[arg(long, help_heading = NETWORK, value_name = "N")]
    outstanding: Option<NonZeroU32>,
}

impl SimulateArgs {
    /// How programs are run.
    pub(crate) fn options(&self) -> SimulationOptions {
        let CarriageArgs { routing, rates, clock, endpoints, capacity, outstanding } = self.carriage;
        let TrafficArgs { tasks: tasks_per_terminal, seed, .. } = self.traffic;
        SimulationOptions { tasks_per_terminal, routing, rates, clock, endpoints, capacity, outstanding, seed }
    }
}
