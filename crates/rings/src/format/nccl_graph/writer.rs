//! The writer of graph files.

use std::fmt::Write as _;

use super::{NcclGraph, NcclGraphs};

/// Writes a graph file that all releases of NCCL and RCCL read: numbers of devices are hexadecimal with `0x`, and no element has a
/// `rank`, because it ties a file to one communicator.
///
/// ```
/// use lockstep_rings::format::nccl_graph;
///
/// let text = "<graphs version=\"1\">\n  <graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"20\" \
///     speedinter=\"20\" latencyinter=\"0\" typeintra=\"NVL\" typeinter=\"PIX\" samechannels=\"0\">\n    <channel>\n      \
///     <gpu dev=\"0x0\"/>\n      <gpu dev=\"0x1\"/>\n    </channel>\n  </graph>\n</graphs>\n";
/// let (graphs, _notes) = nccl_graph::read(text)?;
/// assert_eq!(nccl_graph::write(&graphs), text);
/// # Ok::<(), lockstep_rings::format::FormatError>(())
/// ```
pub fn write(graphs: &NcclGraphs) -> String {
    let mut text = String::from("<graphs version=\"1\">\n");
    for graph in &graphs.graphs {
        write_graph(&mut text, graph);
    }
    text.push_str("</graphs>\n");
    text
}

fn write_graph(text: &mut String, graph: &NcclGraph) {
    let NcclGraph { id, pattern, cross_nic, speed_intra, speed_inter, latency_inter, .. } = graph;
    let (count, same) = (graph.channels.len(), u8::from(graph.same_channels));
    let _ = write!(
        text,
        "  <graph id=\"{}\" pattern=\"{pattern}\" crossnic=\"{cross_nic}\" nchannels=\"{count}\" speedintra=\"{speed_intra}\" \
         speedinter=\"{speed_inter}\" latencyinter=\"{latency_inter}\" typeintra=\"{}\" typeinter=\"{}\" samechannels=\"{same}\"",
        id.number(),
        graph.type_intra,
        graph.type_inter
    );
    if graph.channels.is_empty() {
        text.push_str("/>\n");
        return;
    }
    text.push_str(">\n");
    for channel in &graph.channels {
        text.push_str("    <channel>\n");
        let (entry, exit) = channel.nics.map_or((None, None), |[entry, exit]| (Some(entry), Some(exit)));
        let gpus = channel.gpus.iter().map(|&gpu| ("gpu", gpu));
        let ends = [entry, exit].map(|nic| nic.map(|nic| ("net", nic)));
        for (name, dev) in ends[0].into_iter().chain(gpus).chain(ends[1]) {
            let _ = writeln!(text, "      <{name} dev=\"{dev:#x}\"/>");
        }
        text.push_str("    </channel>\n");
    }
    text.push_str("  </graph>\n");
}
