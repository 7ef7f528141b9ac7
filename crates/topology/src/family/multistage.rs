//! One-way multistage networks of 2x2 switches: the construction that Omega and butterfly networks share.

use super::error::FamilyError;
use super::numbered_nodes::{numbered_switches, numbered_terminals};
use crate::layout::column;
use crate::{NodeId, Topology, TopologyBuilder};

/// Builds a multistage network with `terminals` lines and `stages` stages of 2x2 switches.
///
/// `enter(stage, line)` returns the switch that the line enters, and its line after the stage if the switch is set
/// straight.
pub(super) fn multistage_network(
    name: String,
    terminals: u32,
    stages: u32,
    enter: impl Fn(u32, u32) -> (u32, u32),
) -> Result<Topology, FamilyError> {
    let (lines, width) = (u64::from(terminals), terminals / 2);
    let nodes = lines + u64::from(stages) * u64::from(width);
    let mut network = TopologyBuilder::sized(name, nodes, (u64::from(stages) + 1) * lines)?;
    numbered_terminals(&mut network, terminals);
    for stage in 0..stages {
        numbered_switches(&mut network, stage, width);
    }
    // The node that drives each line. A switch drives the same two lines in both settings.
    let mut driver: Vec<NodeId> = (0..terminals).map(NodeId::new).collect();
    for stage in 0..stages {
        let mut next_driver = driver.clone();
        for line in 0..terminals {
            let (switch, straight) = enter(stage, line);
            let switch = NodeId::new(terminals + stage * width + switch);
            network.channel(driver[line as usize], switch);
            next_driver[straight as usize] = switch;
        }
        driver = next_driver;
    }
    for (line, &switch) in driver.iter().enumerate() {
        network.channel(switch, NodeId::from_index(line));
    }
    let pitch = f64::max(2.0, f64::from(terminals) / f64::from(stages + 1));
    let columns = (1..=stages).flat_map(|place| column(pitch * f64::from(place), width, terminals));
    network.positions(column(0.0, terminals, terminals).chain(columns));
    Ok(network.build()?)
}
