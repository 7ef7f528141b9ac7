//! Algorithms for small messages on tori, beside our fronts.

use std::path::Path;

use anyhow::{Context, Result};
use lockstep::topology::Quantity;
use lockstep_report::Table;
use serde::Deserialize;

use super::page::TEMPLATE;
use crate::process::Program;

const NETWORKS: [&str; 2] = ["torus:8x8", "torus:16x16"];

const COLLECTIVES: [&str; 2] = ["all-gather", "all-reduce"];

/// What `lockstep front --json` prints, as far as it is needed here.
#[derive(Deserialize)]
struct Front {
    times: Vec<Time>,
    algorithms: Vec<AlgorithmTime>,
}

#[derive(Deserialize)]
struct Time {
    bytes: u64,
    synchronous_ps: u64,
}

#[derive(Deserialize)]
struct AlgorithmTime {
    algorithm: String,
    bytes: u64,
    synchronous_ps: u64,
}

pub(super) fn block(program: &Program, pictures: Option<&Path>) -> Result<String> {
    let mut table = Table::new(["network", "collective", "algorithm", "as fast as the front", "smallest", "largest"]);
    let mut links = Vec::new();
    for network in NETWORKS {
        for collective in COLLECTIVES {
            eprintln!("{network} {collective}");
            let name = format!("{}-{collective}.svg", network.replace(':', "-"));
            let picture =
                pictures.map_or_else(|| program.file(&name), |folder| folder.join(&name).display().to_string());
            let words = format!(
                "front {network} -c {collective} --unit 50GB/s --latency 500ns --sizes 32B..512MiB --algorithms --quiet --json --plot"
            );
            let words: Vec<String> = words.split(' ').map(str::to_owned).chain([picture]).collect();
            let front: Front = serde_json::from_str(&program.output(&words)?)?;
            push_rows(&mut table, [network, collective], &front)?;
            links.push(format!("[{network} {collective}](clusters/{name})"));
        }
    }
    Ok(TEMPLATE.fill("algorithms", &[("rows", &table.to_markdown()), ("pictures", &links.join(", "))]))
}

/// Adds a row per algorithm.
fn push_rows(table: &mut Table, [network, collective]: [&str; 2], front: &Front) -> Result<()> {
    for times in front.algorithms.chunk_by(|time, next| time.algorithm == next.algorithm) {
        let ratio = |place: usize| {
            let least = front.times.get(place).context("a size of the front")?;
            anyhow::ensure!(times[place].bytes == least.bytes, "the sizes differ");
            Ok(times[place].synchronous_ps as f64 / least.synchronous_ps as f64)
        };
        let ratios: Vec<f64> = (0..times.len()).map(ratio).collect::<Result<_>>()?;
        let fast: Vec<u64> =
            times.iter().zip(&ratios).filter(|&(_, &ratio)| ratio <= 1.0).map(|(time, _)| time.bytes).collect();
        let range = match fast[..] {
            [] => "-".to_owned(),
            [only] => Quantity::Size.format(only),
            [first, .., last] => format!("{} to {}", Quantity::Size.format(first), Quantity::Size.format(last)),
        };
        let ends =
            [ratios.first(), ratios.last()].map(|ratio| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}")));
        let [smallest, largest] = ends;
        let name = times[0].algorithm.clone();
        table.push([network.to_owned(), collective.to_owned(), name, range, smallest, largest]);
    }
    Ok(())
}
