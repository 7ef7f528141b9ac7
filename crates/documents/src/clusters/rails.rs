//! All-gathers on servers with rails.

use anyhow::Result;
use lockstep::{
    Budget, Collective, CommunicationModel, DEFAULT_EVALUATIONS, Plan, PlanOptions, Planner, Problem, Topology,
};
use lockstep_report::Table;

use super::page::TEMPLATE;
use crate::process::{Cost, Program};
use crate::shuffle::shuffled;

const NETWORKS: [&str; 10] = [
    "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
    "cluster:nodes=8,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
    "cluster:nodes=16,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
    "cluster:nodes=32,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
    "cluster:nodes=128,gpus=8,nvlink=300GB/s,rails=8,nic=25GB/s",
    "cluster:nodes=16,gpus=6,nvlink=300GB/s,rails=6,nic=25GB/s",
    "cluster:nodes=16,gpus=8,nvlink=300GB/s,rails=16,nic=25GB/s",
    "cluster:nodes=16,gpus=8,nvlink=250GB/s,rails=8,nic=75GB/s",
    "dgx-a100:8",
    "dgx-h100:8",
];

/// Number of processes per network.
const RUNS: u64 = 3;

pub(super) fn block(program: &Program) -> Result<String> {
    let mut table =
        Table::new(["network", "terminals", "steps", "at least", "shuffled", "at least", "rule", "time", "memory"]);
    for network in NETWORKS {
        eprintln!("{network}");
        let topology: Topology = network.parse()?;
        let other = shuffled(&topology, 1);
        let file = program.write_network(&other)?;
        let output = program.file("plan.lsb");
        let words = ["plan", &file, "--collective", "aab", "--output", &output, "--quiet"].map(str::to_owned);
        let costs: Result<Vec<Cost>> = (1..=RUNS).map(|seed| program.run(&words, seed, 2)).collect();
        let cost = Cost::median(costs?);
        let [given, other] = [planned(&topology)?, planned(&other)?];
        table.push([
            network.to_owned(),
            topology.terminal_count().to_string(),
            given.step_count().to_string(),
            given.lower_bound().steps.to_string(),
            other.step_count().to_string(),
            other.lower_bound().steps.to_string(),
            other.lower_bound().rule.to_string(),
            format!("{:.2} s", cost.time.as_secs_f64()),
            format!("{} MB", cost.peak / 1_000_000),
        ]);
    }
    let rows = table.to_markdown();
    Ok(TEMPLATE.fill("rails", &[("count", &NETWORKS.len()), ("runs", &RUNS), ("rows", &rows)]))
}

fn planned(topology: &Topology) -> Result<Plan> {
    let all_gather = Collective::all_gather();
    let problem = Problem::new(topology, &all_gather, CommunicationModel::wormhole())?;
    Ok(Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(DEFAULT_EVALUATIONS), |_| {})?)
}
