//! Arguments that describe a problem: the network, the collective and the communication model.

use std::num::NonZeroU32;
use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use lockstep::schedule::{Ports, Routing, ScatterRule, Switching};
use lockstep::{CollectiveName, CommunicationModel};

use super::network::NetworkArgs;

/// Arguments that describe a problem.
#[derive(Debug, clap::Args)]
pub(crate) struct ProblemArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    pub(crate) spec: String,
    /// broadcast, scatter, all-gather (ag), all-to-all (a2a), gather, reduce, reduce-scatter (rs) or all-reduce (ar)
    #[arg(
        short,
        long,
        value_name = "COLLECTIVE",
        value_parser = str::parse::<CollectiveName>,
        required_unless_present = "messages",
        conflicts_with = "messages"
    )]
    pub(crate) collective: Option<CollectiveName>,
    /// Root terminal of a broadcast, scatter, gather or reduce, by name or number [default: the first]; repeat for more
    #[arg(short, long, value_name = "NODE", conflicts_with = "messages")]
    pub(crate) root: Vec<String>,
    /// Terminals of a group that performs the collective alone: names, numbers and ranges such as 0-3; repeat for more
    #[arg(long, value_name = "NODES", conflicts_with = "messages")]
    pub(crate) group: Vec<String>,
    /// All-reduce a vector in BLOCKS blocks [default: the number of terminals, times --chunks]
    #[arg(long, value_name = "BLOCKS", value_parser = count, conflicts_with_all = ["messages", "chunks"])]
    pub(crate) blocks: Option<NonZeroU32>,
    /// Messages to send, one JSON object per line: {"source": NODE, "receivers": [NODE, ...], "chunks": 1}
    #[arg(long, value_name = "FILE")]
    pub(crate) messages: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
}

/// Help heading of the communication model.
const MODEL: &str = "Model";

/// The communication model.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelArgs {
    /// Switching technique
    #[arg(long, help_heading = MODEL, value_name = "HOW", default_value = "wormhole")]
    switching: SwitchingArg,
    /// Maximum number of transfers that a terminal sends, and that it receives, per step: a number, or all (one per channel)
    #[arg(long, help_heading = MODEL, value_name = "PORTS", default_value = "all", value_parser = ports)]
    ports: Ports,
    /// Paths that a transfer may take: minimal (shortest paths only) or any (all paths without a loop)
    #[arg(long, help_heading = MODEL, value_name = "PATHS", default_value = "minimal")]
    routing: RoutingArg,
    /// Transport of scatter messages: direct (in one transfer) or relay (via other terminals) [default: direct; relay with --switching sf]
    #[arg(long, help_heading = MODEL, value_name = "HOW")]
    scatter: Option<ScatterArg>,
    /// Treat every link as half duplex
    #[arg(long, help_heading = MODEL)]
    pub(crate) half_duplex: bool,
    /// Split every message into CHUNKS chunks
    #[arg(long, help_heading = MODEL, value_name = "CHUNKS", default_value = "1", value_parser = count)]
    pub(crate) chunks: NonZeroU32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum SwitchingArg {
    /// A transfer occupies its whole path for one step
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

/// Parses a number of ports.
pub(super) fn ports(text: &str) -> Result<Ports, String> {
    let limit = || Ports::limit(text.parse().ok()?);
    let ports = if text == "all" { Some(Ports::All) } else { limit() };
    ports.ok_or_else(|| "expected 'all' or a number from 1".to_owned())
}

fn count(text: &str) -> Result<NonZeroU32, String> {
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
                bail!("--scatter direct: store-and-forward switching always relays messages; remove the option")
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
