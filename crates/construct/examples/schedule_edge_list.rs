//! Schedules an all-gather on a network from an edge-list file.
//!
//! ```text
//! cargo run --example schedule_edge_list [FILE]
//! ```
//!
//! Each line of the file has the names of two nodes that a link connects. Without a file, the example uses the links of
//! an NVIDIA DGX-1 server. It prints the result of each method, and then what each node sends in each step.

#![allow(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;

use lockstep_construct::shortest;
use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
use lockstep_topology::{GraphFormat, Topology, read_graph};

const DGX_1: &str = "0 1\n0 2\n0 3\n0 3\n0 4\n0 4\n1 2\n1 2\n1 3\n1 5\n1 5\n2 3\n2 3\n2 6\n3 7\n4 5\n4 6\n4 7\n4 7\n\
                     5 6\n5 6\n5 7\n6 7\n6 7\n";

fn read_network() -> Result<Topology, Box<dyn Error>> {
    let (name, text) = match std::env::args().nth(1) {
        Some(file) => (file.clone(), std::fs::read_to_string(file)?),
        None => ("dgx-1".to_owned(), DGX_1.to_owned()),
    };
    Ok(read_graph(&text, GraphFormat::EdgeList, &name)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let network = read_network()?;
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&network, &all_gather, CommunicationModel::store_and_forward())?;

    // No terminal can receive more messages per step than it has channels.
    let messages = network.terminal_count() - 1;
    let degrees = network.terminals().iter().map(|&node| network.in_channels(node).len());
    let bound = messages.div_ceil(degrees.min().ok_or("the network has no terminal")?) as u32;

    let found = shortest(&problem, bound, 1, &Budget::evaluations(1 << 20), |method, effort, steps| match steps {
        Some(steps) => println!("{}: {} attempts, {steps} steps", method.name, effort.attempts),
        None => println!("{}: {} attempts, no shorter schedule", method.name, effort.attempts),
    })?;
    let report = verify(&problem, &found.schedule)?;
    println!("{} steps by {}, lower bound {bound}", report.steps, found.method.unwrap_or_default());

    for (step, transfers) in found.schedule.steps() {
        println!("step {step}:");
        for transfer in transfers.iter() {
            let ends = transfer.path.first().zip(transfer.path.last()).ok_or("a transfer has a path")?;
            let (from, to) = (network.tail(*ends.0), network.head(*ends.1));
            let source = problem.messages().source(transfer.message);
            let [from, to, source] = [from, to, source].map(|node| network.node_name(node));
            println!("  {from} -> {to}: message of {source}");
        }
    }
    Ok(())
}
