//! Checks of readers that the fuzz targets share.

use std::error::Error;

use lockstep_topology::{ChannelId, GraphFormat, NodeId, Topology, read_graph, write_graph};

/// Reads a graph file. A network must survive each format that supports it, and an error must be one line.
pub fn graph(text: &str, format: GraphFormat) {
    let _ = GraphFormat::detect("", text);
    match read_graph(text, format, "fuzz") {
        Err(error) => one_line_refusal(&error),
        // A few words of DOT make many channels, and large networks find no more bugs.
        Ok(network) if network.channel_count() <= 1 << 12 => {
            for format in GraphFormat::ALL {
                round_trip(&network, format);
            }
        }
        Ok(_) => {}
    }
}

/// Checks that the message of an error is not empty.
pub fn refusal(error: &dyn Error) {
    assert!(!error.to_string().is_empty());
}

/// Checks that the message of an error is one line for any input.
pub fn one_line_refusal(error: &dyn Error) {
    refusal(error);
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
}

fn round_trip(network: &Topology, format: GraphFormat) {
    match write_graph(network, format) {
        Err(error) => one_line_refusal(&error),
        Ok(text) => {
            let again = read_graph(&text, format, "again").expect("a written network can be read");
            assert_eq!(essence(network), essence(&again), "{format}: {text}");
        }
    }
}

/// Returns what decides the validity of schedules, by names: nodes whose names are numbers may change their order.
fn essence(network: &Topology) -> impl PartialEq + std::fmt::Debug {
    let name = |node: NodeId| network.node_name(node).to_owned();
    let mut nodes: Vec<_> = network.nodes().map(|v| (name(v), network.is_terminal(v), network.routes(v))).collect();
    nodes.sort_unstable();
    let ends = |channel: ChannelId| (name(network.tail(channel)), name(network.head(channel)));
    let mut resources = vec![Vec::new(); network.resource_count()];
    for channel in network.channels() {
        resources[network.resource(channel).index()].push(ends(channel));
    }
    for channels in &mut resources {
        channels.sort_unstable();
    }
    resources.sort_unstable();
    (nodes, resources)
}
