//! Prints the bisection width and the throughput of a network from a file.
//!
//! Usage: `cargo run --example network_metrics -- FILE`, where `FILE` is GraphML, DOT, JSON or an edge list. Without a
//! file, the program measures the Petersen graph.

#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::path::Path;

use lockstep_metrics::{
    BisectionEffort, Bisector, Distances, Graph, ThroughputGoal, ThroughputSearch, exact_bisection,
};
use lockstep_topology::{GraphFormat, read_graph};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Largest number of terminals for which the bisection width is proved.
const MAX_PROVED: usize = 40;

const PETERSEN: &str = "0 1\n1 2\n2 3\n3 4\n4 0\n0 5\n1 6\n2 7\n3 8\n4 9\n5 7\n7 9\n9 6\n6 8\n8 5\n";

fn main() -> Result<(), Box<dyn Error>> {
    let (name, text, format) = match std::env::args().nth(1) {
        None => ("Petersen graph".to_owned(), PETERSEN.to_owned(), GraphFormat::EdgeList),
        Some(path) => {
            let extension = Path::new(&path).extension().and_then(|extension| extension.to_str()).unwrap_or_default();
            let format = GraphFormat::from_extension(extension).ok_or("unknown extension of the file")?;
            (path.clone(), std::fs::read_to_string(&path)?, format)
        }
    };
    let network = read_graph(&text, format, &name)?;
    let graph = Graph::of(&network);
    println!("{name}: {} terminals, {} arcs", graph.terminals().len(), graph.arc_count());

    let distances = Distances::of(&graph).ok_or("some terminal cannot reach another")?;
    println!("mean distance   {:.3}, diameter {}", distances.mean(), distances.diameter);

    if graph.terminals().len() <= MAX_PROVED {
        let bisection = exact_bisection(&graph, 10_000_000)?.bisection;
        bisection.check(&graph)?;
        println!("bisection width {} cables, at least {}", bisection.cut, bisection.lower_bound);
    } else {
        let effort = BisectionEffort { starts: 4, rounds: 20 };
        let cut = Bisector::default().bisect(&graph, effort, &mut ChaCha8Rng::seed_from_u64(1));
        println!("bisection width at most {cut} cables");
    }

    let goal = ThroughputGoal { gap: 0.01, searches: 100_000 };
    let certificate = ThroughputSearch::default().certify(&graph, &[], goal)?;
    certificate.check(&graph, &[])?;
    let bounds = certificate.throughput;
    println!("throughput      {:.3} to {:.3} channels per terminal", bounds.lower, bounds.upper);
    Ok(())
}
