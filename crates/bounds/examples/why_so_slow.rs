//! Prints why a collective on a network cannot be faster: the lower bounds of a network from a file, best first.
//!
//! Run it with `cargo run --example why_so_slow`, or with an edge list and the name of a collective without a root, for
//! instance `cargo run --example why_so_slow -- network.edges all-to-all`.
#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::{env, fs};

use lockstep_bounds::all;
use lockstep_schedule::{CollectiveName, CommunicationModel, Problem};
use lockstep_topology::{GraphFormat, read_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/server.edges");
    let file = arguments.next().unwrap_or_else(|| server.to_owned());
    let name: CollectiveName = arguments.next().as_deref().unwrap_or("all-gather").parse()?;

    let network = read_graph(&fs::read_to_string(&file)?, GraphFormat::EdgeList, &file)?;
    let collective = name.with_root(None)?;
    for model in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
        let problem = Problem::new(&network, &collective, model)?;
        println!("{name} with {model}:");
        for bound in all(&problem) {
            // The check shares no code with the rule that found the bound.
            bound.check(&problem)?;
            println!("  at least {} steps by {}: {}", bound.steps, bound.rule, bound.certificate.explain(&network));
        }
    }
    Ok(())
}
