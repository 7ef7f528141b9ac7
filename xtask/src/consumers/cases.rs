//! The plans that all consumers execute.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::process;

/// A network of the table.
struct Network {
    spec: &'static str,
    title: &'static str,
    ranks: usize,
    /// Options of `lockstep plan`.
    options: &'static [&'static str],
    /// The bandwidth of a unit where the network has none: that of the formats.
    unit: Option<&'static str>,
    /// All channels have the same bandwidth.
    is_uniform: bool,
    role: Role,
}

/// The use of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// It is spoiled for every consumer.
    Small,
    /// It is spoiled for consumers that are fast.
    Large,
    /// It runs over MPI and in fast simulators, and is not spoiled.
    Random,
}

const STORE_AND_FORWARD: &[&str] = &["--switching", "sf"];

const NETWORKS: [Network; 4] = [
    Network {
        spec: "dgx-1",
        title: "DGX-1",
        ranks: 8,
        options: STORE_AND_FORWARD,
        unit: None,
        is_uniform: false,
        role: Role::Large,
    },
    Network {
        spec: "hypercube:3",
        title: "3-cube",
        ranks: 8,
        options: STORE_AND_FORWARD,
        unit: Some("1GB/s"),
        is_uniform: true,
        role: Role::Small,
    },
    Network {
        spec: "torus:4x4",
        title: "4x4 torus",
        ranks: 16,
        options: STORE_AND_FORWARD,
        unit: Some("1GB/s"),
        is_uniform: true,
        role: Role::Large,
    },
    Network {
        spec: "cluster:nodes=4,gpus=8,nvlink=300GB/s,rails=8,nic=50GB/s,nvlink-latency=250ns,nic-latency=1us",
        title: "rails 4x8",
        ranks: 32,
        options: &["--scatter", "relay"],
        unit: None,
        is_uniform: false,
        role: Role::Large,
    },
];

/// The collectives of the table.
pub(crate) const COLLECTIVES: [&str; 5] = ["broadcast", "all-gather", "all-to-all", "reduce-scatter", "all-reduce"];

/// The collectives on random networks.
const ALL_COLLECTIVES: [&str; 8] =
    ["broadcast", "scatter", "gather", "reduce", "all-gather", "all-to-all", "reduce-scatter", "all-reduce"];

/// The number of random networks; each has two collectives.
const RANDOM_NETWORKS: u64 = 50;

/// A plan.
pub(crate) struct Case {
    /// The row of the table.
    pub(crate) network: String,
    pub(crate) collective: &'static str,
    /// The plan file.
    pub(crate) plan: PathBuf,
    pub(crate) ranks: usize,
    pub(crate) steps: u64,
    pub(crate) unit: Option<&'static str>,
    pub(crate) is_uniform: bool,
    pub(crate) role: Role,
}

impl Case {
    /// Returns a name for files and messages.
    pub(crate) fn name(&self) -> String {
        let stem = self.plan.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        stem.unwrap_or_default()
    }
}

/// Plans all cases.
///
/// # Errors
///
/// If `lockstep plan` fails, or if a file cannot be read or written.
pub(crate) fn cases(is_quick: bool, program: &Path, folder: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for network in NETWORKS.iter().filter(|network| !is_quick || network.role == Role::Small) {
        for collective in COLLECTIVES {
            let plan = folder.join(format!("{}-{collective}.json", network.title.replace(' ', "-")));
            let mut options = vec!["--collective", collective];
            options.extend(network.options);
            if collective == "broadcast" {
                options.extend(["--chunks", "4"]);
            }
            let steps = make_plan(program, network.spec.as_ref(), &options, &plan, folder)?;
            cases.push(Case {
                network: network.title.to_owned(),
                collective,
                plan,
                ranks: network.ranks,
                steps,
                unit: network.unit,
                is_uniform: network.is_uniform,
                role: network.role,
            });
        }
    }
    if !is_quick {
        for seed in 0..RANDOM_NETWORKS {
            random_cases(seed, program, folder, &mut cases)?;
        }
    }
    Ok(cases)
}

/// Plans two collectives on a random connected network of 8 or 16 nodes, read from a file.
fn random_cases(seed: u64, program: &Path, folder: &Path, cases: &mut Vec<Case>) -> Result<()> {
    let count = ALL_COLLECTIVES.len() as u64;
    let ranks = if (seed / count).is_multiple_of(2) { 8 } else { 16 };
    let file = folder.join(format!("random-{seed}.txt"));
    fs::write(&file, edge_list(seed, ranks)).with_context(|| file.display().to_string())?;
    for number in [seed % count, (seed + count / 2) % count] {
        let collective = ALL_COLLECTIVES[usize::try_from(number)?];
        let plan = folder.join(format!("random-{seed}-{collective}.json"));
        let options = [&["--collective", collective], STORE_AND_FORWARD].concat();
        let steps = make_plan(program, &file, &options, &plan, folder)?;
        cases.push(Case {
            network: format!("random, {ranks} nodes"),
            collective,
            plan,
            ranks: usize::try_from(ranks)?,
            steps,
            unit: Some("1GB/s"),
            is_uniform: true,
            role: Role::Random,
        });
    }
    Ok(())
}

/// The distance of two states of `SplitMix64`.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the random number that follows a state of `SplitMix64` (Steele, Lea and Flood 2014).
pub(crate) fn mix(state: u64) -> u64 {
    let state = state.wrapping_add(GAMMA);
    let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns the edges of a random tree and as many further edges as half of the nodes.
fn edge_list(seed: u64, nodes: u64) -> String {
    let mut state = seed;
    let mut below = |limit: u64| {
        let number = mix(state);
        state = state.wrapping_add(GAMMA);
        number % limit
    };
    let mut edges: Vec<(u64, u64)> = (1..nodes).map(|node| (below(node), node)).collect();
    while (edges.len() as u64) < nodes - 1 + nodes / 2 {
        let (one, other) = (below(nodes), below(nodes));
        let edge = (one.min(other), one.max(other));
        if one != other && !edges.contains(&edge) {
            edges.push(edge);
        }
    }
    let lines: Vec<String> = edges.iter().map(|(one, other)| format!("{one} {other}")).collect();
    lines.join("\n") + "\n"
}

/// Writes a plan and returns the number of its steps.
fn make_plan(program: &Path, network: &Path, options: &[&str], plan: &Path, folder: &Path) -> Result<u64> {
    let mut command = Command::new(program);
    command.args(["plan", "--quiet"]).args(options).arg("-o").arg(plan).arg(network);
    let finished = process::run(&mut command, process::TIME_LIMIT, folder)?;
    ensure!(finished.is_success, "{}: {}", network.display(), finished.reason("error"));
    let text = fs::read_to_string(plan).with_context(|| plan.display().to_string())?;
    // The plan has its number of steps after the schedule.
    let (_, rest) = text.rsplit_once("\n  \"steps\": ").context("a plan has its number of steps")?;
    let digits = rest.split(|digit: char| !digit.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().with_context(|| format!("{}: steps '{digits}'", plan.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_network_is_connected_and_has_no_parallel_edges() {
        for seed in 0..20 {
            let text = edge_list(seed, 16);
            let edges: Vec<(usize, usize)> = text
                .lines()
                .map(|line| {
                    let (one, other) = line.split_once(' ').unwrap();
                    (one.parse().unwrap(), other.parse().unwrap())
                })
                .collect();
            assert_eq!(edges.len(), 23);
            let mut reached = [false; 16];
            reached[0] = true;
            for _ in 0..16 {
                for &(one, other) in &edges {
                    assert!(one < other);
                    let either = reached[one] || reached[other];
                    (reached[one], reached[other]) = (either, either);
                }
            }
            assert!(reached.iter().all(|&is_reached| is_reached));
            let mut sorted = edges;
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 23);
        }
    }
}
