//! Line graphs.

use std::ops::Range;

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::numbered_terminals;
use super::operand::check_operand;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const LINE: Family = Family {
    name: "line",
    aliases: &[],
    parameters: "POWER,SPEC",
    example: "line:1,complete:4",
    about: "line graph of SPEC, taken POWER times: a node per channel, a channel to each that follows it",
    cayley: None,
    generate: |parameters| {
        let (power, operand) = parameters.number_and_operand()?;
        Ok(line_graph(&operand, power)?)
    },
};

/// The largest power. A line graph has more nodes than its network, unless that is a union of cycles.
const MAX_POWER: u32 = 32;

/// Generates the line graph of a network, `power` times over: its nodes are the channels of the network, and a channel leads
/// from each to those that begin where it ends.
///
/// If channels are one way, this keeps the degree and multiplies the number of nodes by it. The diameter grows by one.
///
/// - Nodes: one terminal per channel, by its tail and then by its number, named by numbers.
/// - Channels: for each node of the network, its in-degree times its out-degree; one-way, by tail, then by head.
/// - In-degree and out-degree `d` and diameter `k + power`, if all nodes of the network have in-degree and out-degree `d > 1`
///   and its diameter is `k`.
///
/// ```
/// use lockstep_topology::{complete, line_graph};
///
/// let kautz = line_graph(&complete(4)?, 1)?;
/// assert_eq!((kautz.name(), kautz.node_count(), kautz.channel_count()), ("line:1,complete:4", 12, 36));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] if the power is not 1 to 32, or the network has no channels, or it has switches, failures,
/// shared channels, capacities, latencies or bandwidths; [`FamilyError::Topology`] if the line graph is too large.
///
/// # Source
///
/// Fiol, Yebra, Alegre, *Line digraph iterations and the (d, k) digraph problem*, IEEE Transactions on Computers 33 (1984).
pub fn line_graph(network: &Topology, power: u32) -> Result<Topology, FamilyError> {
    check_operand(&LINE, network)?;
    let name = |power: u32| format!("line:{power},{}", network.name());
    if !(1..=MAX_POWER).contains(&power) {
        return Err(LINE.unsupported("power", power, format!("1 to {MAX_POWER}"), name(power.clamp(1, MAX_POWER))));
    }
    if network.channel_count() == 0 {
        return Err(LINE.unsupported("number of channels", 0u32, "1 or more", LINE.example));
    }
    let mut digraph = Digraph::of(network);
    for _ in 1..power {
        TopologyBuilder::check_size(digraph.heads.len() as u64, digraph.line_channel_count())?;
        digraph = digraph.line();
    }
    let nodes = digraph.heads.len();
    let mut line = TopologyBuilder::sized(name(power), nodes as u64, digraph.line_channel_count())?;
    numbered_terminals(&mut line, nodes as u32);
    for (node, following) in digraph.following().enumerate() {
        for next in following {
            line.channel(NodeId::from_index(node), NodeId::new(next));
        }
    }
    line.positions(circle(nodes as u32));
    Ok(line.build()?)
}

/// The channels of a network by tail.
struct Digraph {
    /// The first channel of each node, followed by the number of channels.
    start: Vec<u32>,
    heads: Vec<u32>,
}

impl Digraph {
    fn of(network: &Topology) -> Self {
        let mut digraph = Self { start: vec![0], heads: Vec::with_capacity(network.channel_count()) };
        for node in network.nodes() {
            let channels = network.out_channels(node).iter();
            digraph.heads.extend(channels.map(|&channel| network.head(channel).number()));
            digraph.start.push(digraph.heads.len() as u32);
        }
        digraph
    }

    /// Returns, for each channel, the channels that begin where it ends.
    fn following(&self) -> impl Iterator<Item = Range<u32>> {
        self.heads.iter().map(|&head| self.start[head as usize]..self.start[head as usize + 1])
    }

    fn line_channel_count(&self) -> u64 {
        self.following().map(|channels| channels.len() as u64).sum()
    }

    fn line(&self) -> Self {
        let mut line = Self { start: vec![0], heads: Vec::with_capacity(self.line_channel_count() as usize) };
        for channels in self.following() {
            line.heads.extend(channels);
            line.start.push(line.heads.len() as u32);
        }
        line
    }
}
