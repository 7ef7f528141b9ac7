//! Reports which failures of a network given as GraphML disconnect its terminals.
//!
//! ```text
//! cargo run -p lockstep-faults --example survivability -- backbone.graphml
//! ```
//!
//! Nodes with the attribute `terminal` false are switches, all others are terminals. Without an argument the program
//! examines a small campus network, in which one link is a single point of failure.
#![allow(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;

use lockstep_faults::{FaultDiameter, FaultKind, FaultSpace, Survivability};
use lockstep_schedule::Transport;
use lockstep_topology::{GraphFormat, Topology, read_graph};

fn main() -> Result<(), Box<dyn Error>> {
    let text = match std::env::args().nth(1) {
        Some(file) => std::fs::read_to_string(file)?,
        None => include_str!("campus.graphml").to_owned(),
    };
    let network = read_graph(&text, GraphFormat::GraphMl, "network")?;
    println!("{}: {} terminals, {} links", network.name(), network.terminal_count(), network.links().len());
    for (kind, at_once) in [(FaultKind::Link, 1), (FaultKind::Node, 1), (FaultKind::Link, 2)] {
        report(&network, kind, at_once)?;
    }
    Ok(())
}

/// Examines all sets of `at_once` faults of one kind.
fn report(network: &Topology, kind: FaultKind, at_once: usize) -> Result<(), Box<dyn Error>> {
    let space = FaultSpace::new(network, kind, at_once);
    let diameter = FaultDiameter::over(network, Transport::Direct, space.iter())?;
    println!("{at_once} {kind} fault(s): {} of {} sets disconnect terminals", diameter.disconnecting, diameter.sets);
    for faults in space.iter() {
        let survivability = Survivability::of(&faults.apply_to(network)?, Transport::Direct);
        if let Survivability::CutOff(cut_off) = &survivability {
            let names: Vec<&str> = cut_off.terminals.iter().map(|&node| network.node_name(node)).collect();
            println!("  without {}: {} cut off", faults.name(network), names.join(", "));
        }
    }
    if let Some(farthest) = diameter.farthest {
        let [from, to] = farthest.pair.map(|node| network.node_name(node));
        println!(
            "  otherwise the largest distance is {} channels, from {from} to {to} without {}",
            farthest.distance,
            farthest.faults.name(network)
        );
    }
    Ok(())
}
