//! The format `ibnetdiscover`: an InfiniBand fabric as `ibnetdiscover` prints it.
//!
//! # Grammar
//!
//! `Switch 36 "S-0002c9…"  # "leaf 1" …`, `Ca 1 "H-0002c9…"  # "node01 HCA-1"` or `Rt …` begins a node; `Hca` is an older word
//! for `Ca`. Its ports follow:
//! `[1] "H-0002c9…"[1](guid)  # "node01 HCA-1" lid 4 4xEDR`. Each link is in the lines of both ends.
//!
//! # Source
//!
//! The manual page ibnetdiscover(8) of rdma-core, the data rates of the InfiniBand roadmap, and the networks of
//! github.com/linux-rdma/ibsim.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// The beginnings of the lines of nodes.
const KINDS: [&str; 4] = ["Switch", "Ca", "Hca", "Rt"];

/// The data rate of a lane in Mbit/s, without the bits of the line code.
const LANE_MBIT_PER_S: [(&str, u64); 9] = [
    ("SDR", 2_000),
    ("DDR", 4_000),
    ("QDR", 8_000),
    ("FDR10", 10_000),
    ("FDR", 14_000),
    ("EDR", 25_000),
    ("HDR", 50_000),
    ("NDR", 100_000),
    ("XDR", 200_000),
];

/// Bytes per second of 1 Mbit/s.
const MBIT_PER_S: u64 = 125_000;

/// A part of the description of the adapter inside of a switch that reduces data.
const AGGREGATION: &str = "Aggregation Node";

struct IbNode<'a> {
    id: &'a str,
    description: &'a str,
    is_adapter: bool,
    line: usize,
}

/// A port: the id of its node, and its number.
type Port<'a> = (&'a str, u32);

#[derive(Default)]
struct Fabric<'a> {
    nodes: Vec<IbNode<'a>>,
    /// The line and the rate in bytes per second of each link, by its ports in ascending order.
    links: BTreeMap<[Port<'a>; 2], (usize, Option<u64>)>,
}

/// Returns true if a line of the text begins a node.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| node_line(line).is_some())
}

/// Reads a fabric. See [`GraphFormat::IbNetDiscover`](crate::GraphFormat::IbNetDiscover).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let mut fabric = Fabric::default();
    for (number, line) in (1..).zip(text.lines()) {
        fabric.read_line(number, line, &mut parsed).map_err(|fault| ReadError::line(number, fault))?;
    }
    fabric.build(parsed, name, options)
}

impl<'a> Fabric<'a> {
    fn read_line(&mut self, number: usize, line: &'a str, parsed: &mut ParsedGraph<'a>) -> Result<(), FileFault> {
        if let Some((kind, id, description)) = node_line(line) {
            self.nodes.push(IbNode { id, description, is_adapter: matches!(kind, "Ca" | "Hca"), line: number });
        } else if line.starts_with('[') {
            let expected = "a port such as '[1] \"S-0002c90000000001\"[2] # \"leaf 1\" lid 4 4xEDR'";
            let unexpected = || FileFault::Unexpected { found: format!("'{}'", excerpt(line.trim())), expected };
            let before =
                FileFault::Unsupported("a port comes before the first node; put it behind the line of its node");
            let node = self.nodes.last().ok_or(before)?;
            let (port, peer) = port_line(line).ok_or_else(unexpected)?;
            let rate = rate(line)?;
            if rate.is_none() && line.split_whitespace().any(|word| word.starts_with("w=")) {
                parsed.leave_out("widths of links such as 'w=12', because the file has no speeds");
            }
            let mut ends = [(node.id, port), peer];
            ends.sort_unstable();
            let (_, known) = self.links.entry(ends).or_insert((number, rate));
            *known = known.or(rate);
        } else if let Some((key, _)) = line.split_once('=').filter(|_| !line.starts_with('#')) {
            parsed.ignore("node", key.trim());
        }
        Ok(())
    }

    fn build(self, mut parsed: ParsedGraph<'a>, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
        let is_used = |node: &&IbNode<'_>| !node.description.contains(AGGREGATION);
        if self.nodes.iter().any(|node| !is_used(&node)) {
            parsed.leave_out("aggregation nodes inside of switches, because the model has no reduction in switches");
        }
        let nodes: Vec<&IbNode<'_>> = self.nodes.iter().filter(is_used).collect();
        let descriptions: BTreeSet<&str> = nodes.iter().map(|node| node.description).collect();
        let are_named = descriptions.len() == nodes.len() && !descriptions.contains("");
        if are_named {
            parsed.assume("the first word of the description of an adapter is its host");
        }
        let mut names = BTreeMap::new();
        // Terminals come first.
        for node in nodes.iter().filter(|node| node.is_adapter).chain(nodes.iter().filter(|node| !node.is_adapter)) {
            let host = node.description.split_whitespace().next().filter(|_| are_named && node.is_adapter);
            let host = host.map(|host| parsed.host(Cow::Borrowed(host)));
            let attributes = NodeAttributes { terminal: Some(node.is_adapter), host, ..NodeAttributes::default() };
            let node_name = if are_named { node.description } else { node.id };
            let declared = parsed.declare(Cow::Borrowed(node_name), attributes);
            declared.map_err(|fault| ReadError::line(node.line, fault))?;
            names.insert(node.id, node_name);
        }
        let left_out: BTreeSet<&str> = self.nodes.iter().filter(|node| !is_used(node)).map(|node| node.id).collect();
        let mut has_rate = false;
        for (ends, (line, bandwidth)) in &self.links {
            if ends.iter().any(|(id, _)| left_out.contains(id)) {
                continue;
            }
            has_rate |= bandwidth.is_some();
            let attributes = EdgeAttributes { bandwidth: *bandwidth, ..EdgeAttributes::default() };
            let end = |id: &str| {
                let name = names.get(id).ok_or_else(|| FileFault::UnknownNode { name: excerpt(id) })?;
                parsed.find(name)
            };
            let both = end(ends[0].0).and_then(|u| Ok((u, end(ends[1].0)?)));
            let (u, v) = both.map_err(|fault| ReadError::line(*line, fault))?;
            parsed.add_edge(u, v, EdgeDirection::Both, attributes);
        }
        if has_rate {
            parsed.assume(
                "links carry the data rate of their InfiniBand generation: 1GB/s for 4xSDR, 12.5GB/s for 4xEDR",
            );
        }
        parsed.finish(name, options)
    }
}

/// Returns the kind, the id and the description of a node.
fn node_line(line: &str) -> Option<(&str, &str, &str)> {
    let (kind, rest) = line.split_once(char::is_whitespace)?;
    let kind = KINDS.into_iter().find(|known| *known == kind)?;
    let (ports, rest) = rest.split_once('"')?;
    ports.trim().parse::<u32>().ok()?;
    let (id, rest) = rest.split_once('"')?;
    let description = rest.split_once('#').and_then(|(_, comment)| comment.split('"').nth(1)).unwrap_or_default();
    Some((kind, id, description.trim()))
}

/// Returns the own port number and the port of the other end.
fn port_line(line: &str) -> Option<(u32, Port<'_>)> {
    let (port, rest) = line.strip_prefix('[')?.split_once(']')?;
    let (_, rest) = rest.split_once('"')?;
    let (id, rest) = rest.split_once('"')?;
    let (peer_port, _) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    Some((port.trim().parse().ok()?, (id, peer_port.trim().parse().ok()?)))
}

/// Returns the rate of a word such as `4xEDR` in the comment of a port.
fn rate(line: &str) -> Result<Option<u64>, FileFault> {
    let comment = line.rsplit('"').next().unwrap_or_default();
    let width_and_speed = comment.split_whitespace().find_map(|word| {
        let (width, speed) = word.split_once('x')?;
        Some((width.parse::<u64>().ok().filter(|width| (1..=12).contains(width))?, speed))
    });
    let Some((width, speed)) = width_and_speed else { return Ok(None) };
    let data_rate = LANE_MBIT_PER_S.iter().find(|&&(known, _)| known == speed).map(|&(_, rate)| rate);
    let expected = "SDR, DDR, QDR, FDR10, FDR, EDR, HDR, NDR or XDR";
    let data_rate =
        data_rate.ok_or_else(|| FileFault::Value { attribute: "speed", found: excerpt(speed), expected })?;
    Ok(Some(width * data_rate * MBIT_PER_S))
}
