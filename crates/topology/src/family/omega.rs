//! Omega networks.

use super::definition::Family;
use super::error::FamilyError;
use super::multistage::multistage_network;
use super::power_of_two::log2_terminals;
use crate::Topology;

pub(super) const OMEGA: Family = Family {
    name: "omega",
    aliases: &[],
    parameters: "TERMINALS",
    example: "omega:8",
    about: "stages of 2x2 switches with a perfect shuffle before each, one-way",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(omega(terminals.number()?)?)
    },
};

/// Generates the Omega network of `terminals = 2^n` terminals.
///
/// `n` stages of `terminals / 2` switches with two inputs and two outputs, and a perfect shuffle of the lines before
/// each stage. The network is one-way: a terminal has one channel into the first stage and one out of the last.
///
/// - Nodes: the terminals `0`, `1`, …, then the switches `s<stage>.<place>`.
/// - Channels: `(n + 1) * terminals`, by stage and line, injection first and ejection last.
/// - Exactly one path of `n + 1` channels between any two terminals.
///
/// ```
/// let omega = lockstep_topology::omega(8)?;
/// assert_eq!((omega.terminal_count(), omega.node_count(), omega.channel_count()), (8, 20, 32));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] unless `terminals` is a power of two from 2; [`FamilyError::Topology`] if the network is
/// too large.
///
/// # Source
///
/// Lawrie, *Access and alignment of data in an array processor*, IEEE Trans. Computers C-24 (1975).
pub fn omega(terminals: u32) -> Result<Topology, FamilyError> {
    let stages = log2_terminals(&OMEGA, terminals)?;
    // The perfect shuffle moves a line to its left rotation.
    let shuffled = move |line: u32| (line << 1 | line >> (stages - 1)) & (terminals - 1);
    multistage_network(format!("omega:{terminals}"), terminals, stages, |_, line| (shuffled(line) / 2, shuffled(line)))
}
