//! Arguments of `lockstep topology`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::topology::GraphFormat;

use super::problem::FailureArgs;

const TOPOLOGY_EXAMPLES: &str = "\
Examples:
  lockstep topology fat-tree:2,4                    terminals, switches, degrees, diameter
  lockstep topology torus:4x4 --format graphml      the network itself
  lockstep topology network.dot -o network.svg      a picture
  lockstep topology torus:4x4 --metrics             bisection width, throughput, paths and others
  lockstep topology --list                          the families and how their specs are written";

/// Arguments of `lockstep topology`.
#[derive(Debug, clap::Args)]
#[command(after_help = TOPOLOGY_EXAMPLES)]
pub(crate) struct TopologyArgs {
    /// A spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present_any = ["list", "metrics"])]
    pub(crate) spec: Option<String>,
    /// List the network families
    #[arg(long, conflicts_with_all = ["spec", "half_duplex", "format", "output", "metrics"])]
    pub(crate) list: bool,
    /// Measure what lockstep design --list lists: these, with commas between, or all that do not take long
    #[arg(long, value_name = "NAMES", num_args = 0..=1, value_delimiter = ',', conflicts_with_all = ["format", "output"])]
    pub(crate) metrics: Option<Vec<String>>,
    /// Let opposite channels of a link share one wire
    #[arg(long)]
    pub(crate) half_duplex: bool,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
    /// Write the network in this format [default: by the extension of --output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<NetworkFormat>,
    /// Write the network to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print properties or families as JSON
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub(crate) json: bool,
}

/// How a network is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum NetworkFormat {
    /// Lockstep's own, which keeps everything
    Json,
    /// A link or channel a line
    Edges,
    /// Graphviz
    Dot,
    /// GraphML
    #[value(name = "graphml")]
    GraphMl,
    /// The node-link JSON of networkx
    NodeLink,
    /// A picture
    Svg,
}

impl NetworkFormat {
    /// The graph format, unless it is a picture.
    pub(crate) fn graph(self) -> Option<GraphFormat> {
        match self {
            Self::Json => Some(GraphFormat::Json),
            Self::Edges => Some(GraphFormat::EdgeList),
            Self::Dot => Some(GraphFormat::Dot),
            Self::GraphMl => Some(GraphFormat::GraphMl),
            Self::NodeLink => Some(GraphFormat::NodeLink),
            Self::Svg => None,
        }
    }
}
