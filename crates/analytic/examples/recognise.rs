//! Recognises the structure of a network from its links alone, and prints the constructions that support it.
//!
//! The argument is a file with one link per line, as two node names. Without an argument, the program uses a torus
//! whose nodes are in random order.
//!
//! ```text
//! cargo run --example recognise -- network.edges
//! ```

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use lockstep_analytic::{GroupLabelling, constructions};
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::{GraphFormat, NodeId, Topology, read_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let edges = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => shuffled_torus()?,
    };
    let network = read_graph(&edges, GraphFormat::EdgeList, "network")?;
    println!("{} nodes, {} channels", network.node_count(), network.channel_count());

    let budget = Budget::unlimited();
    if let Some(labelling) = GroupLabelling::of(&network, &budget) {
        println!("a Cayley graph of an abelian group with {} generators", labelling.degree());
        if let Some(axes) = labelling.axes() {
            println!("a torus with the sides {:?}", axes.sides());
        }
    }
    let root = network.terminals()[0];
    let collectives =
        [Collective::broadcast(root), Collective::scatter(root), Collective::all_gather(), Collective::all_to_all()];
    for model in [CommunicationModel::wormhole(), CommunicationModel::store_and_forward()] {
        for collective in &collectives {
            let problem = Problem::new(&network, collective, model)?;
            for construction in constructions() {
                if let Some(schedule) = construction.schedule(&problem, 0, &budget) {
                    let steps = verify(&problem, &schedule)?.steps;
                    println!(
                        "{} {}: {steps} steps by {}",
                        model.switching,
                        collective.abbreviation(),
                        construction.name
                    );
                }
            }
        }
    }
    Ok(())
}

/// The links of the 5 x 5 torus, with names that do not show the coordinates.
fn shuffled_torus() -> Result<String, Box<dyn Error>> {
    let torus: Topology = "torus:5x5".parse()?;
    let name = |node: NodeId| (node.number() * 7 + 3) % 25;
    let ends = torus.channels().map(|channel| (name(torus.tail(channel)), name(torus.head(channel))));
    let mut links: Vec<String> = ends.filter(|(u, v)| u < v).map(|(u, v)| format!("{u} {v}")).collect();
    links.sort_unstable();
    Ok(links.join("\n"))
}
