//! Arguments that describe a problem: the network, the collective, the communication model and the failures.

use std::num::NonZeroU32;

use anyhow::{Context, bail};
use clap::ValueEnum;
use lockstep::faults::FaultSet;
use lockstep::schedule::{Ports, Routing, ScatterRule, Switching};
use lockstep::{CollectiveName, CommunicationModel, Topology};

/// Arguments of every command that looks at a problem.
#[derive(Debug, clap::Args)]
pub(crate) struct ProblemArgs {
    /// The network: a spec such as mesh:4x4, a graph file, or - for standard input
    pub(crate) spec: String,
    /// oab (broadcast), oas (scatter), aab (all-gather), aas (all-to-all), gather, reduce, reduce-scatter, all-reduce
    #[arg(short, long, value_name = "COLLECTIVE", value_parser = str::parse::<CollectiveName>)]
    pub(crate) collective: CollectiveName,
    /// The one terminal of oab, oas, gather or reduce, by name or number [default: the first]
    #[arg(short, long, value_name = "NODE")]
    pub(crate) root: Option<String>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
}

/// Over what has failed in the help.
const FAILURES: &str = "Failures";

/// What of the network has failed.
#[derive(Debug, clap::Args)]
pub(crate) struct FailureArgs {
    /// Let the links between two nodes fail, by names or numbers; repeat for more
    #[arg(id = "fail_link", long = "fail-link", help_heading = FAILURES, value_name = "U-V")]
    links: Vec<String>,
    /// Let the channels from one node to another fail
    #[arg(id = "fail_channel", long = "fail-channel", help_heading = FAILURES, value_name = "U->V")]
    channels: Vec<String>,
    /// Let a node fail, with all its links
    #[arg(id = "fail_node", long = "fail-node", help_heading = FAILURES, value_name = "NODE")]
    nodes: Vec<String>,
}

impl FailureArgs {
    /// Whether nothing is said to have failed.
    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.channels.is_empty() && self.nodes.is_empty()
    }

    /// All faults, by the names that were given.
    pub(crate) fn set(&self) -> FaultSet {
        let links = self.links.iter().fold(FaultSet::new(), FaultSet::link_written);
        let channels = self.channels.iter().fold(links, FaultSet::channel_written);
        self.nodes.iter().fold(channels, FaultSet::node)
    }

    /// The network after them.
    pub(crate) fn apply_to(&self, topology: Topology) -> anyhow::Result<Topology> {
        if self.is_empty() {
            return Ok(topology);
        }
        self.set().apply_to(&topology).with_context(|| topology.name().to_owned())
    }
}

/// Over the rules of the network in the help.
const MODEL: &str = "Model";

/// The rules of the network.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// How messages cross inner nodes
    #[arg(long, help_heading = MODEL, value_name = "HOW", default_value = "wormhole")]
    switching: SwitchingArg,
    /// Transfers that a terminal starts, and that it finishes, in a step: all (as many as it has channels) or a number
    #[arg(long, help_heading = MODEL, value_name = "PORTS", default_value = "all", value_parser = ports)]
    ports: Ports,
    /// Paths that a transfer may take: shortest ones, or any without a loop
    #[arg(long, help_heading = MODEL, value_name = "PATHS", default_value = "minimal")]
    routing: RoutingArg,
    /// How scatter messages travel: in one transfer, or passed on [default: direct; relay with --switching sf]
    #[arg(long, help_heading = MODEL, value_name = "HOW")]
    scatter: Option<ScatterArg>,
    /// Let opposite channels of a link share one wire
    #[arg(long, help_heading = MODEL)]
    pub(crate) half_duplex: bool,
    /// Cut every message into so many
    #[arg(long, help_heading = MODEL, value_name = "CHUNKS", default_value = "1", value_parser = chunks)]
    pub(crate) chunks: NonZeroU32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SwitchingArg {
    /// A transfer holds its whole path for one step
    Wormhole,
    /// A transfer crosses one channel
    #[value(name = "sf", alias = "store-and-forward")]
    StoreAndForward,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum RoutingArg {
    Minimal,
    Any,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ScatterArg {
    Direct,
    Relay,
}

fn ports(text: &str) -> Result<Ports, String> {
    let limit = || Ports::limit(text.parse().ok()?);
    let ports = if text == "all" { Some(Ports::All) } else { limit() };
    ports.ok_or_else(|| "expected 'all' or a number from 1".to_owned())
}

fn chunks(text: &str) -> Result<NonZeroU32, String> {
    text.parse().map_err(|_| "expected a number from 1".to_owned())
}

impl ModelArgs {
    pub(crate) fn model(&self) -> anyhow::Result<CommunicationModel> {
        let switching = match self.switching {
            SwitchingArg::Wormhole => Switching::Wormhole,
            SwitchingArg::StoreAndForward => Switching::StoreAndForward,
        };
        let scatter = match (switching, self.scatter) {
            (Switching::StoreAndForward, Some(ScatterArg::Direct)) => {
                bail!("--switching sf always passes messages on; leave out --scatter direct")
            }
            (Switching::Wormhole, None | Some(ScatterArg::Direct)) => ScatterRule::Direct,
            _ => ScatterRule::Relay,
        };
        let routing = match self.routing {
            RoutingArg::Minimal => Routing::Minimal,
            RoutingArg::Any => Routing::Any,
        };
        Ok(CommunicationModel { switching, ports: self.ports, routing, scatter })
    }
}
