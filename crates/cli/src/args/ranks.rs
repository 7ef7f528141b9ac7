//! Arguments of the ranks of a collective, and of the costs of their messages.

use anyhow::{Context, bail};
use lockstep::schedule::Ports;
use lockstep::topology::Quantity;
use lockstep::{NodeId, Topology};
use lockstep_tune::RoundCosts;

use super::problem::ports;
use crate::problem_input::{node_list, terminal};

/// The ranks of a collective on a network, and the costs of their messages.
#[derive(Debug, clap::Args)]
pub(crate) struct RankArgs {
    /// Number of ranks: the first terminals of the network [default: all]
    #[arg(long, value_name = "RANKS")]
    pub(crate) ranks: Option<u32>,
    /// Terminals of the ranks, in the order of the ranks: names, numbers and ranges such as 0-3
    #[arg(long, value_name = "NODES", conflicts_with = "ranks")]
    pub(crate) group: Option<String>,
    /// Root terminal of broadcasts, reductions, gathers and scatters, by name or number [default: that of rank 0]
    #[arg(short, long, value_name = "NODE")]
    pub(crate) root: Option<String>,
    /// Start-up time: the time that a rank needs for every message, such as 300ns, in addition to the latency of its path
    /// [default: the least latency of a channel]
    #[arg(long, value_name = "TIME", value_parser = |text: &str| Quantity::Time.parse(text))]
    pub(crate) alpha: Option<u64>,
    /// Maximum number of messages at one unit of bandwidth that a terminal sends, and that it receives, at a time: a number, or all (one per
    /// channel)
    #[arg(long, value_name = "PORTS", default_value = "all", value_parser = ports)]
    pub(crate) ports: Ports,
}

impl RankArgs {
    /// Returns the terminals of the ranks.
    pub(crate) fn members(&self, topology: &Topology) -> anyhow::Result<Vec<NodeId>> {
        let terminals = topology.terminals();
        Ok(match (&self.group, self.ranks) {
            (Some(group), _) => node_list(topology, "--group", group)?,
            (None, Some(ranks)) => match terminals.get(..ranks as usize) {
                Some(members) => members.to_vec(),
                None => bail!("--ranks: {ranks} exceeds the {} terminals of {}", terminals.len(), topology.name()),
            },
            (None, None) => terminals.to_vec(),
        })
    }

    /// Returns the rank of the root among the members.
    pub(crate) fn root_rank(&self, topology: &Topology, members: &[NodeId]) -> anyhow::Result<usize> {
        let Some(name) = &self.root else { return Ok(0) };
        let root = terminal(topology, "--root", name)?;
        let rank = members.iter().position(|&member| member == root);
        rank.with_context(|| format!("--root: '{name}' is no rank; choose a terminal of the ranks"))
    }

    /// Returns the costs of a message.
    pub(crate) fn costs(&self, topology: &Topology) -> RoundCosts {
        let costs = RoundCosts::of_network(topology, self.ports);
        RoundCosts { start_up_ps: self.alpha.unwrap_or(costs.start_up_ps), ..costs }
    }
}
