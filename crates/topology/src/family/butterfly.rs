//! Butterfly networks.

use super::definition::Family;
use super::error::FamilyError;
use super::multistage::multistage_network;
use super::power_of_two::log2_terminals;
use crate::Topology;

pub(super) const BUTTERFLY: Family = Family {
    name: "butterfly",
    aliases: &[],
    parameters: "TERMINALS",
    example: "butterfly:8",
    about: "stages of 2x2 switches wired as a fast Fourier transform, one-way",
    cayley: None,
    generate: |parameters| {
        let [terminals] = parameters.fields()?;
        Ok(butterfly(terminals.number()?)?)
    },
};

/// Generates the butterfly network of `terminals = 2^n` terminals.
///
/// `n` stages of `terminals / 2` switches with two inputs and two outputs, wired as a fast Fourier transform: stage `s`
/// joins the two lines that differ in bit `n - 1 - s`. Lines keep their places between stages. The network is one-way.
///
/// - Nodes: the terminals `0`, `1`, …, then the switches `s<stage>.<place>`. The place of a switch is the number of its
///   lines without the bit in which they differ.
/// - Channels: `(n + 1) * terminals`, by stage and line, injection first and ejection last.
/// - Exactly one path of `n + 1` channels between any two terminals.
///
/// ```
/// let butterfly = lockstep_topology::butterfly(8)?;
/// assert_eq!((butterfly.terminal_count(), butterfly.node_count(), butterfly.channel_count()), (8, 20, 32));
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
/// Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §3.2.
pub fn butterfly(terminals: u32) -> Result<Topology, FamilyError> {
    let stages = log2_terminals(&BUTTERFLY, terminals)?;
    multistage_network(format!("butterfly:{terminals}"), terminals, stages, |stage, line| {
        let bit = stages - 1 - stage;
        (line >> (bit + 1) << bit | line & ((1 << bit) - 1), line)
    })
}
