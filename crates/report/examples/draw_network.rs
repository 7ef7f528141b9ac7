//! Draws a graph file as an SVG picture.
//!
//! ```text
//! cargo run -p lockstep-report --example draw_network -- cluster.dot cluster.svg
//! ```
//!
//! The input is a file in any of the formats of `lockstep-topology`, or a spec such as `torus:4x4`. Without a second
//! argument the picture is printed. Without arguments the program draws a fat tree.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::fs;

use lockstep_report::{DrawingLimits, topology_svg};
use lockstep_topology::{GraphFormat, Topology, read_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().unwrap_or_else(|| "fat-tree:2,3".to_owned());
    let network = match fs::read_to_string(&input) {
        Ok(text) => read_graph(&text, GraphFormat::detect(&input, &text), &input)?,
        Err(file_error) => {
            let spec_error = |error| format!("{input} is neither a file ({file_error}) nor a spec ({error})");
            input.parse::<Topology>().map_err(spec_error)?
        }
    };
    let picture = topology_svg(&network, &DrawingLimits::PAGE);
    match arguments.next() {
        Some(output) => {
            fs::write(&output, picture)?;
            println!("wrote {output}: {} nodes, {} channels", network.node_count(), network.channel_count());
        }
        None => print!("{picture}"),
    }
    Ok(())
}
