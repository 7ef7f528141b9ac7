//! Counts the equal-cost (ECMP) paths of a network: how many shortest paths pairs of terminals have at each distance.
//!
//! ```text
//! cargo run -p lockstep-paths --example equal_cost_paths -- fat-tree:4,3
//! ```
//!
//! It also prints the number of channel-disjoint paths, which bounds the link failures that a pair survives.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::collections::BTreeMap;
use std::error::Error;

use lockstep_paths::{ShortestPaths, disjoint_paths};
use lockstep_topology::Topology;

/// The pairs of terminals at one distance.
#[derive(Default)]
struct DistanceClass {
    pair_count: u64,
    fewest_paths: u64,
    most_paths: u64,
    disjoint_paths: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let spec = std::env::args().nth(1).unwrap_or_else(|| "fat-tree:4,3".to_owned());
    let network: Topology = spec.parse()?;
    let shortest = ShortestPaths::all_pairs(&network)?;

    let mut classes: BTreeMap<u32, DistanceClass> = BTreeMap::new();
    for &source in network.terminals() {
        for &target in network.terminals().iter().filter(|&&target| target != source) {
            let Some(distance) = shortest.distance(source, target) else { continue };
            let count = shortest.count(source, target);
            let class = classes.entry(distance).or_insert_with(|| DistanceClass {
                fewest_paths: u64::MAX,
                // One pair per distance, because a maximum flow per pair would take long.
                disjoint_paths: disjoint_paths(&network, source, target).len(),
                ..DistanceClass::default()
            });
            class.pair_count += 1;
            class.fewest_paths = class.fewest_paths.min(count);
            class.most_paths = class.most_paths.max(count);
        }
    }

    println!("{spec}: {} terminals, {} channels", network.terminal_count(), network.channel_count());
    println!("distance     pairs  shortest paths  disjoint paths of the first pair");
    for (distance, class) in &classes {
        let range = match class {
            DistanceClass { fewest_paths, most_paths, .. } if fewest_paths == most_paths => fewest_paths.to_string(),
            DistanceClass { fewest_paths, most_paths, .. } => format!("{fewest_paths} to {most_paths}"),
        };
        println!("{distance:8}  {:8}  {range:>14}  {:14}", class.pair_count, class.disjoint_paths);
    }
    Ok(())
}
