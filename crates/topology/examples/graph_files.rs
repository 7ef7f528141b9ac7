//! Converts a network between graph file formats, and compares two graph files.
//!
//! The format of a file follows from its extension: `json`, `edges`, `dot`, `gv`, `graphml`, otherwise from its text.
//!
//! ```text
//! cargo run -p lockstep-topology --example graph_files -- convert cluster.dot cluster.graphml
//! cargo run -p lockstep-topology --example graph_files -- compare cluster.dot cluster.graphml
//! ```
//!
//! Without arguments, the program converts a torus to each format and compares the result with the torus.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use lockstep_topology::{GraphFormat, Topology, read_graph, torus, write_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["convert", input, output] => {
            let format = GraphFormat::detect(output, "");
            fs::write(output, write_graph(&read(input)?, format)?)?;
            println!("wrote {output} as {format}");
        }
        ["compare", one, other] => print_differences(&read(one)?, &read(other)?),
        [] => {
            let original = torus(&[3, 4])?;
            for format in GraphFormat::WRITTEN {
                let text = write_graph(&original, format)?;
                println!("{format}: {} bytes", text.len());
                print_differences(&original, &read_graph(&text, format, "copy")?);
            }
        }
        _ => return Err("usage: graph_files [convert INPUT OUTPUT | compare FILE FILE]".into()),
    }
    Ok(())
}

fn read(file: &str) -> Result<Topology, Box<dyn Error>> {
    let text = fs::read_to_string(file)?;
    let name = Path::new(file).file_stem().and_then(|stem| stem.to_str()).unwrap_or(file);
    read_graph(&text, GraphFormat::detect(file, &text), name).map_err(|error| format!("{file}: {error}").into())
}

/// Compares nodes and channels by name, so that the order in the files does not matter.
fn print_differences(one: &Topology, other: &Topology) {
    let [before, after] = [one, other].map(elements);
    let mut difference_count = 0;
    for element in before.keys().chain(after.keys().filter(|element| !before.contains_key(*element))) {
        let counts = [&before, &after].map(|elements| elements.get(element).copied().unwrap_or(0));
        if counts[0] != counts[1] {
            difference_count += 1;
            println!("  {element}: {} in the first, {} in the second", counts[0], counts[1]);
        }
    }
    println!("  {difference_count} differences");
}

/// Counts each node with its role, and each channel.
fn elements(network: &Topology) -> BTreeMap<String, usize> {
    let role = |node| if network.is_terminal(node) { "terminal" } else { "switch" };
    let nodes = network.nodes().map(|node| format!("{} {}", role(node), network.node_name(node)));
    let channels = network.channels().map(|channel| format!("channel {}", network.channel_name(channel)));
    let mut counts = BTreeMap::new();
    for element in nodes.chain(channels) {
        *counts.entry(element).or_insert(0) += 1;
    }
    counts
}
