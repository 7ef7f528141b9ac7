//! The format `astra-sim`: the network file of the analytical backend of ASTRA-sim, in YAML.
//!
//! # Grammar
//!
//! `topology: [ Ring, Switch ]`, `npus_count: [ 4, 2 ]`, `bandwidth: [ 50.0, 25.0 ]` in GB/s and `latency: [ 500.0, 700.0 ]`
//! in ns, one entry per dimension, in brackets or as lines that begin with `-`. The network is the product of the
//! dimensions, the first one counts fastest. A switch is a node of its own.
//!
//! # Source
//!
//! The input format of github.com/astra-sim/astra-network-analytical.

use std::borrow::Cow;

use crate::NodeId;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, quantity, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::quantity::Quantity;
use crate::text::excerpt;

/// Maximum number of NPUs and of links: their number is not limited by the length of the file.
const MAX_SIZE: u64 = 1 << 18;

const KEYS: [&str; 4] = ["topology", "npus_count", "bandwidth", "latency"];

const TOO_LARGE: FileFault =
    FileFault::Unsupported("the network has more than 2^18 NPUs or links; choose smaller numbers in npus_count");

/// A key with its list.
struct List<'a> {
    key: &'a str,
    line: usize,
    values: Vec<&'a str>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    Ring,
    FullyConnected,
    Switch,
}

struct Dimension {
    shape: Shape,
    size: u64,
    attributes: EdgeAttributes,
}

/// Returns true if the text has the keys `topology` and `npus_count`.
pub(super) fn looks_like(text: &str) -> bool {
    let has = |key: &str| text.lines().any(|line| line.split_once(':').is_some_and(|(found, _)| found.trim() == key));
    has(KEYS[0]) && has(KEYS[1])
}

/// Reads a network. See [`GraphFormat::AstraSim`](crate::GraphFormat::AstraSim).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let lists = lists(text)?;
    for list in lists.iter().filter(|list| !KEYS.contains(&list.key)) {
        parsed.ignore("network", list.key);
    }
    let dimensions = dimensions(&lists)?;
    let counts = lists.iter().find(|list| list.key == KEYS[1]).map_or(1, |list| list.line);
    let nodes = size(&dimensions).map_err(|fault| ReadError::line(counts, fault))?;
    for node in 0..nodes {
        parsed.node(Cow::Owned(node.to_string()));
    }
    let mut stride = 1;
    for (number, dimension) in dimensions.iter().enumerate() {
        for first in (0..nodes).filter(|node| node / stride % dimension.size == 0) {
            let group = (0..dimension.size).map(|place| NodeId::from_index((first + place * stride) as usize));
            let group: Vec<NodeId> = group.collect();
            let added = add_group(&mut parsed, &group, dimension, &format!("switch{number}.{first}"));
            added.map_err(|fault| ReadError::line(counts, fault))?;
        }
        stride *= dimension.size;
    }
    if dimensions.iter().any(|dimension| dimension.attributes.bandwidth.is_some()) {
        parsed.assume("1 GB/s is 10^9 bytes per second, and the bandwidth is that of each link in each direction");
    }
    parsed.finish(name, options)
}

/// Returns the number of NPUs.
fn size(dimensions: &[Dimension]) -> Result<u64, FileFault> {
    let mut nodes = 1u64;
    for dimension in dimensions {
        nodes = nodes.checked_mul(dimension.size).filter(|&nodes| nodes <= MAX_SIZE).ok_or(TOO_LARGE)?;
    }
    let mut links = 0;
    for dimension in dimensions {
        let per_node = if dimension.shape == Shape::FullyConnected { dimension.size } else { 2 };
        links += nodes * per_node / 2;
    }
    if links <= MAX_SIZE { Ok(nodes) } else { Err(TOO_LARGE) }
}

fn add_group(
    parsed: &mut ParsedGraph<'_>,
    group: &[NodeId],
    dimension: &Dimension,
    switch: &str,
) -> Result<(), FileFault> {
    let mut link = |u, v| parsed.add_edge(u, v, EdgeDirection::Both, dimension.attributes);
    match dimension.shape {
        _ if group.len() < 2 => {}
        Shape::Ring => {
            // The ring of two NPUs has one link.
            let count = if group.len() == 2 { 1 } else { group.len() };
            for place in 0..count {
                link(group[place], group[(place + 1) % group.len()]);
            }
        }
        Shape::FullyConnected => {
            let pairs = (0..group.len()).flat_map(|first| (first + 1..group.len()).map(move |second| (first, second)));
            for (first, second) in pairs {
                link(group[first], group[second]);
            }
        }
        Shape::Switch => {
            let attributes = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
            parsed.declare(Cow::Owned(switch.to_owned()), attributes)?;
            let switch = parsed.find(switch)?;
            for &npu in group {
                parsed.add_edge(npu, switch, EdgeDirection::Both, dimension.attributes);
            }
        }
    }
    Ok(())
}

/// Returns the lists of all keys.
fn lists(text: &str) -> Result<Vec<List<'_>>, ReadError> {
    let mut lists: Vec<List<'_>> = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or_default().trim();
        let unexpected = || {
            let found = format!("'{}'", excerpt(content));
            ReadError::line(line, FileFault::Unexpected { found, expected: "a line such as 'topology: [ Ring ]'" })
        };
        if content.is_empty() || content == "---" {
            continue;
        }
        if let Some(item) = content.strip_prefix('-') {
            lists.last_mut().ok_or_else(unexpected)?.values.push(unquoted(item));
            continue;
        }
        let (key, value) = content.split_once(':').ok_or_else(unexpected)?;
        let value = value.trim();
        let values = match value.strip_prefix('[') {
            Some(inner) => inner.strip_suffix(']').ok_or_else(unexpected)?,
            None => value,
        };
        let values = values.split(',').map(unquoted).filter(|value| !value.is_empty()).collect();
        lists.push(List { key: key.trim(), line, values });
    }
    Ok(lists)
}

fn unquoted(value: &str) -> &str {
    value.trim().trim_matches(['"', '\''])
}

fn dimensions(lists: &[List<'_>]) -> Result<Vec<Dimension>, ReadError> {
    let find = |key: &'static str| {
        let mut found = lists.iter().filter(|list| list.key == key);
        match (found.next(), found.next()) {
            (_, Some(second)) => {
                let fault = FileFault::Unsupported("this key is already there; remove one of them");
                Err(ReadError::line(second.line, fault))
            }
            (first, None) => Ok(first),
        }
    };
    let required = |key: &'static str| {
        let fault = || FileFault::Unexpected { found: format!("no key '{key}'"), expected: "topology and npus_count" };
        find(key)?.ok_or_else(|| ReadError::line(1, fault()))
    };
    let (shapes, sizes) = (required(KEYS[0])?, required(KEYS[1])?);
    let (bandwidths, latencies) = (find(KEYS[2])?, find(KEYS[3])?);
    for list in [Some(sizes), bandwidths, latencies].into_iter().flatten() {
        if list.values.len() != shapes.values.len() || shapes.values.is_empty() {
            let found = format!("{} entries of {}", list.values.len(), list.key);
            let expected = "an entry per dimension of topology, at least one";
            return Err(ReadError::line(list.line, FileFault::Unexpected { found, expected }));
        }
    }
    let mut dimensions = Vec::new();
    for (place, (&shape, size)) in shapes.values.iter().zip(&sizes.values).enumerate() {
        let shape = match shape {
            "Ring" => Shape::Ring,
            "FullyConnected" => Shape::FullyConnected,
            "Switch" => Shape::Switch,
            found => {
                let (attribute, expected) = ("topology", "Ring, FullyConnected or Switch");
                let fault = FileFault::Value { attribute, found: excerpt(found), expected };
                return Err(ReadError::line(shapes.line, fault));
            }
        };
        let size = whole_number("npus_count", size, 1..=MAX_SIZE, "a whole number from 1 to 262144");
        let size = size.map_err(|fault| ReadError::line(sizes.line, fault))?;
        let value = |list: Option<&List<'_>>, attribute, kind: Quantity, unit: &str| {
            let Some(list) = list else { return Ok(None) };
            let value = quantity(attribute, kind, &format!("{}{unit}", list.values[place]));
            value.map(Some).map_err(|fault| ReadError::line(list.line, fault))
        };
        let bandwidth = value(bandwidths, "bandwidth", Quantity::Bandwidth, "GB/s")?;
        let latency_ps = value(latencies, "latency", Quantity::Time, "ns")?;
        let attributes = EdgeAttributes { bandwidth, latency_ps, ..EdgeAttributes::default() };
        dimensions.push(Dimension { shape, size, attributes });
    }
    Ok(dimensions)
}
