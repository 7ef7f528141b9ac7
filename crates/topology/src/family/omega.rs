//! Unidirectional multistage networks of 2x2 switches.

use super::{Family, FamilyError, log2_terminals, numbered_switches, numbered_terminals};
use crate::layout::column;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const OMEGA: Family = Family {
    name: "omega",
    parameters: "TERMINALS",
    example: "omega:8",
    about: "stages of 2x2 switches with a perfect shuffle before each, one-way",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(omega(terminals.number()?)?)
    },
};

pub(super) const BUTTERFLY: Family = Family {
    name: "butterfly",
    parameters: "TERMINALS",
    example: "butterfly:8",
    about: "stages of 2x2 switches wired as a fast Fourier transform, one-way",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(butterfly(terminals.number()?)?)
    },
};

/// The Omega network of `terminals = 2^n` terminals.
///
/// `n` stages of `terminals / 2` switches with two inputs and two outputs, and a perfect shuffle of the lines before
/// every stage, the first included. One-way: a terminal has one channel into the first stage and one out of the last.
/// Nodes are the terminals `0`, `1`, … and then the switches `s<stage>.<place>`; channels are numbered by stage and
/// line, `(n + 1) * terminals` of them, injection first and ejection last. There is one path between any two terminals.
///
/// ```
/// let omega = lockstep_topology::omega(8)?;
/// assert_eq!((omega.terminal_count(), omega.node_count(), omega.channel_count()), (8, 20, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Lawrie, *Access and alignment of data in an array processor*, IEEE Trans. Computers C-24 (1975).
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `terminals` is a power of two from 2; [`FamilyError::Topology`] if it is too large.
pub fn omega(terminals: u32) -> Result<Topology, FamilyError> {
    let stages = log2_terminals(&OMEGA, terminals)?;
    // Line `i` enters a stage at its left rotation.
    let shuffled = move |line: u32| (line << 1 | line >> (stages - 1)) & (terminals - 1);
    staged(format!("omega:{terminals}"), terminals, stages, |_, line| (shuffled(line) / 2, shuffled(line)))
}

/// The Butterfly network of `terminals = 2^n` terminals.
///
/// Like [`omega`] in size, names and the order of channels, but wired as a fast Fourier transform: lines do not change
/// places between stages, and stage `s` joins the two lines that differ in bit `n - 1 - s`. The switches of a stage are
/// numbered by their lines without that bit. There is one path between any two terminals.
///
/// ```
/// let butterfly = lockstep_topology::butterfly(8)?;
/// assert_eq!((butterfly.terminal_count(), butterfly.node_count(), butterfly.channel_count()), (8, 20, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §3.2.
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `terminals` is a power of two from 2; [`FamilyError::Topology`] if it is too large.
pub fn butterfly(terminals: u32) -> Result<Topology, FamilyError> {
    let stages = log2_terminals(&BUTTERFLY, terminals)?;
    staged(format!("butterfly:{terminals}"), terminals, stages, |stage, line| {
        let bit = stages - 1 - stage;
        (line >> (bit + 1) << bit | line & ((1 << bit) - 1), line)
    })
}

/// A network of stages; `enter` says for a stage and a line before it at which switch the line enters, and where among
/// the lines behind the stage it then is if the switch is set straight.
fn staged(
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
    // The node that drives each line; a switch drives its two lines whichever way it is set.
    let mut driver: Vec<NodeId> = (0..terminals).map(NodeId::new).collect();
    for stage in 0..stages {
        let mut behind = driver.clone();
        for line in 0..terminals {
            let (switch, straight) = enter(stage, line);
            let switch = NodeId::new(terminals + stage * width + switch);
            network.channel(driver[line as usize], switch);
            behind[straight as usize] = switch;
        }
        driver = behind;
    }
    for (line, &switch) in driver.iter().enumerate() {
        network.channel(switch, NodeId::from_index(line));
    }
    let pitch = f64::max(2.0, f64::from(terminals) / f64::from(stages + 1));
    let columns = (1..=stages).flat_map(|place| column(pitch * f64::from(place), width, terminals));
    network.positions(column(0.0, terminals, terminals).chain(columns));
    Ok(network.build()?)
}
