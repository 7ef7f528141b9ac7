//! Arguments of `lockstep topology`.

use std::path::PathBuf;

use clap::ValueEnum;
use lockstep::topology::GraphFormat;

use super::network::NetworkArgs;

const TOPOLOGY_EXAMPLES: &str = "\
Examples:
  lockstep topology fat-tree:2,4                    show terminals, switches, degrees, diameter
  lockstep topology torus:4x4 --format graphml      print the network as GraphML
  lockstep topology network.dot -o network.svg      draw the network
  lockstep topology network.dot -o network.html     write a page: picture, properties and metrics
  lockstep topology torus:4x4 --metrics             show bisection width, throughput and others
  lockstep topology --list                          list the families and their specs";

/// Arguments of `lockstep topology`.
#[derive(Debug, clap::Args)]
#[command(after_help = TOPOLOGY_EXAMPLES)]
pub(crate) struct TopologyArgs {
    /// Network: a spec such as mesh:4x4, a graph file, or - for standard input
    #[arg(required_unless_present_any = ["list", "metrics"])]
    pub(crate) spec: Option<String>,
    /// List the network families
    #[arg(long, conflicts_with_all = ["spec", "half_duplex", "format", "output", "metrics"])]
    pub(crate) list: bool,
    /// Compute metrics: a comma-separated list (see lockstep design --list), or all fast ones
    #[arg(long, value_name = "NAMES", num_args = 0..=1, value_delimiter = ',', conflicts_with_all = ["format", "output"])]
    pub(crate) metrics: Option<Vec<String>>,
    /// Treat every link as half duplex
    #[arg(long)]
    pub(crate) half_duplex: bool,
    #[command(flatten)]
    pub(crate) network: NetworkArgs,
    /// Format of the written network [default: from the extension of --output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<NetworkFormat>,
    /// Write the network to FILE; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the properties or the families as JSON
    #[arg(long, conflicts_with_all = ["format", "output"])]
    pub(crate) json: bool,
}

/// Format of a written network.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum NetworkFormat {
    /// JSON of Lockstep: keeps all properties
    Json,
    /// Edge list: one link or channel per line
    Edges,
    /// DOT, the language of Graphviz
    Dot,
    /// GraphML
    #[value(name = "graphml")]
    GraphMl,
    /// Node-link JSON, as networkx writes it
    NodeLink,
    /// SVG picture
    Svg,
    /// Interactive HTML page with the properties and all fast metrics
    Html,
}

impl NetworkFormat {
    /// Returns the name of a graph format on the command line, or `None` if it has none.
    pub(crate) fn of(graph: GraphFormat) -> Option<Self> {
        Self::value_variants().iter().copied().find(|format| format.graph() == Some(graph))
    }

    /// Returns the graph format; `None` for a picture or a page.
    pub(crate) fn graph(self) -> Option<GraphFormat> {
        match self {
            Self::Json => Some(GraphFormat::Json),
            Self::Edges => Some(GraphFormat::EdgeList),
            Self::Dot => Some(GraphFormat::Dot),
            Self::GraphMl => Some(GraphFormat::GraphMl),
            Self::NodeLink => Some(GraphFormat::NodeLink),
            Self::Svg | Self::Html => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::builder::PossibleValue;

    use super::*;

    #[test]
    fn every_written_format_has_its_name_on_the_command_line() {
        for graph in GraphFormat::WRITTEN {
            let format = NetworkFormat::of(graph).and_then(|format| format.to_possible_value());
            assert_eq!(format.as_ref().map(PossibleValue::get_name), Some(graph.name()));
        }
    }
}
