//! The format `edges`: edge lists with one link or channel per line.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes};
use crate::format::edges::{Edge, links_and_channels};
use crate::format::error::{FileFault, ReadError, WriteError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::graph_format::GraphFormat;
use crate::format::parsed_graph::{ParsedGraph, number_in};
use crate::quantity::Quantity;
use crate::text::{excerpt, without_comment};
use crate::{NodeId, Topology};

const NODES: &str = "nodes:";
const SWITCHES: &str = "switches:";
const FAILED: &str = "failed:";
const UNIT: &str = "unit:";
const KEYWORDS: [&str; 4] = [NODES, SWITCHES, FAILED, UNIT];
const ARROW: &str = "->";
const RATES: [&str; 3] = [" bandwidth=", " capacity=", " latency="];
const COMMENT: char = '#';

/// The characters that begin a comment at the beginning of a line.
const COMMENTS: [char; 2] = [COMMENT, '%'];

const EXPECTED_LINE: &str = "'u v' or 'u v bandwidth=25GB/s' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …', 'nodes: u v …' or 'unit: 25GB/s'";
const EXPECTED_NAMES: &str = "node names separated by spaces";

/// Number of names that the writer puts on a line.
const NAMES_PER_LINE: usize = 16;

/// Returns true if the first line is the title that [`write()`] gives a network.
pub(super) fn has_title(text: &str) -> bool {
    let title = text.lines().next().unwrap_or_default();
    title.starts_with(COMMENT) && title.contains(" nodes, ") && title.ends_with(" channels")
}

/// Returns true if a line of a text is one that no other list of edges has, such as `a -> b` or `switches: s`.
pub(super) fn looks_like(text: &str) -> bool {
    let is_own = |line: &str| {
        KEYWORDS.iter().any(|keyword| line.starts_with(keyword))
            || line.contains(ARROW)
            || RATES.iter().any(|rate| line.contains(rate))
    };
    has_title(text) || text.lines().map(str::trim_start).any(is_own)
}

/// Reads an edge list. See [`GraphFormat::EdgeList`] for its grammar.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    if let Some(fault) = counts(text) {
        return Err(ReadError::line(1, fault));
    }
    let mut parsed = ParsedGraph::default();
    let switch = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
    let failed = NodeAttributes { failed: Some(true), ..NodeAttributes::default() };
    let mut described = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = without_comment(line);
        let mut keywords = [(SWITCHES, switch), (FAILED, failed)].into_iter();
        let is_it = |(keyword, attributes)| Some((line.strip_prefix(keyword)?, attributes));
        match keywords.find_map(is_it) {
            Some((names, attributes)) => {
                described.extend(names.split_whitespace().map(|name| (number, name, attributes)));
            }
            None => read_line(&mut parsed, line).map_err(|fault| ReadError::line(number, fault))?,
        }
    }
    for (number, name, attributes) in described {
        let known = parsed.find(name).and_then(|node| parsed.set_attributes(node, attributes));
        known.map_err(|fault| ReadError::line(number, fault))?;
    }
    if !has_title(text) {
        parsed.note_links_in_both_directions();
    }
    parsed.finish(name, options)
}

/// Returns the fault of a text whose first line may be the numbers of nodes and edges: two numbers, of which the second is the
/// number of the other lines, and the first is at least the number of nodes on them.
fn counts(text: &str) -> Option<FileFault> {
    let mut lines = text.lines();
    let first = lines.next()?;
    let mut numbers = first.split_whitespace().map(|word| number_in(word).map(|number| number as usize));
    let (nodes, edges) = (numbers.next()??, numbers.next()??);
    if numbers.next().is_some() {
        return None;
    }
    let (mut names, mut count) = (BTreeSet::new(), 0);
    for line in lines.map(without_comment).filter(|line| !line.is_empty()) {
        let (u, (v, rest)) = two_words(line).filter(|_| count < edges)?;
        names.extend([u, v]);
        count += 1;
        if names.len() > nodes || !rest.is_empty() {
            return None;
        }
    }
    (count == edges && count > 0 && !looks_like(text)).then(|| FileFault::Unexpected {
        found: format!("'{}' above {edges} edges of {} nodes", excerpt(first.trim()), names.len()),
        expected: "an edge; delete the line if it is the numbers of nodes and edges, otherwise put a line '# edges' above it",
    })
}

fn read_line<'a>(parsed: &mut ParsedGraph<'a>, line: &'a str) -> Result<(), FileFault> {
    if line.is_empty() {
        return Ok(());
    }
    if let Some(names) = line.strip_prefix(NODES) {
        for name in names.split_whitespace() {
            if name.contains(ARROW) {
                return Err(unexpected(name, EXPECTED_NAMES));
            }
            parsed.node(Cow::Borrowed(name));
        }
        return Ok(());
    }
    if let Some(unit) = line.strip_prefix(UNIT) {
        parsed.set_graph_attribute("unit", unit)?;
        return Ok(());
    }
    let (ends, direction) = match line.split_once(ARROW) {
        Some((tail, rest)) => (one_word(tail).zip(first_word(rest)), EdgeDirection::Forward),
        None => (two_words(line), EdgeDirection::Both),
    };
    let (u, (v, rest)) = ends.ok_or_else(|| unexpected(line, EXPECTED_LINE))?;
    let mut attributes = EdgeAttributes::default();
    for word in rest.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| unexpected(line, EXPECTED_LINE))?;
        if !attributes.set(key, value)? {
            parsed.ignore("edge", key);
        }
    }
    let [(u, _), (v, _)] = [u, v].map(|name| parsed.node(Cow::Borrowed(name)));
    parsed.add_edge(u, v, direction, attributes);
    Ok(())
}

fn unexpected(found: &str, expected: &'static str) -> FileFault {
    FileFault::Unexpected { found: format!("'{}'", excerpt(found)), expected }
}

fn one_word(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    words.next().filter(|word| words.next().is_none() && !word.contains(ARROW))
}

/// Returns the first word and the text after it.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let (word, rest) = text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()));
    (!word.is_empty() && !word.contains(ARROW)).then_some((word, rest))
}

/// Returns the first word, the second word and the text after it.
fn two_words(text: &str) -> Option<(&str, (&str, &str))> {
    let (first, rest) = first_word(text)?;
    Some((first, first_word(rest)?))
}

/// Writes an edge list.
pub(super) fn write(topology: &Topology) -> Result<String, WriteError> {
    check(topology)?;
    let (nodes, channels) = (topology.node_count(), topology.channel_count());
    let mut text = format!("{COMMENT} {}: {nodes} nodes, {channels} channels\n", excerpt(topology.name()));
    let edges = links_and_channels(topology);
    if !edges_define_order(topology, &edges) {
        push_names(&mut text, NODES, topology.nodes().map(|node| topology.node_name(node)));
    }
    let switches = topology.nodes().filter(|&node| !topology.is_terminal(node) && !topology.has_failed(node));
    push_names(&mut text, SWITCHES, switches.map(|node| topology.node_name(node)));
    push_names(&mut text, FAILED, topology.failed_nodes().iter().map(|&node| topology.node_name(node)));
    if let Some(unit) = topology.unit_bytes_per_second() {
        writeln!(text, "{UNIT} {}", Quantity::Bandwidth.format(unit)).expect("writing to a string never fails");
    }
    for edge in edges {
        let (tail, head) = (topology.node_name(edge.tail), topology.node_name(edge.head));
        let arrow = if edge.is_link { "" } else { "-> " };
        write!(text, "{tail} {arrow}{head}").expect("writing to a string never fails");
        for (name, value) in edge.rates() {
            write!(text, " {name}={value}").expect("writing to a string never fails");
        }
        text.push('\n');
    }
    Ok(text)
}

/// Checks that an edge list can represent every property that affects which schedules are valid.
fn check(topology: &Topology) -> Result<(), WriteError> {
    const RULE: &str = "a word without white space and without '->' that does not begin with '#', '%', 'nodes:', 'switches:', 'failed:' or 'unit:'";
    let format = GraphFormat::EdgeList;
    for node in topology.nodes() {
        let name = topology.node_name(node);
        let reserved = name.starts_with(COMMENTS) || KEYWORDS.iter().any(|word| name.starts_with(word));
        if name.is_empty() || name.contains(char::is_whitespace) || name.contains(ARROW) || reserved {
            return Err(WriteError::Name { format, name: excerpt(name), rule: RULE });
        }
        if let Some(routes) = topology.routes_override(node) {
            return Err(WriteError::Routes { format, name: excerpt(name), routes });
        }
    }
    if let Some(group) = topology.shared_groups().first() {
        let channels: Vec<_> = group.iter().take(2).map(|&channel| excerpt(&topology.channel_name(channel))).collect();
        return Err(WriteError::Shared { format, channels: channels.join(" and ") });
    }
    Ok(())
}

/// Returns true if the edges alone give each node its number.
fn edges_define_order(topology: &Topology, edges: &[Edge]) -> bool {
    let mut seen = vec![false; topology.node_count()];
    let mut first_mentions = edges.iter().flat_map(|edge| [edge.tail, edge.head]).filter(|node| {
        let is_first = !seen[node.index()];
        seen[node.index()] = true;
        is_first
    });
    if topology.nodes().all(|node| number_in(topology.node_name(node)) == Some(node.number())) {
        first_mentions.count() == topology.node_count()
    } else {
        topology.nodes().all(|node: NodeId| first_mentions.next() == Some(node))
    }
}

fn push_names<'a>(text: &mut String, keyword: &str, names: impl Iterator<Item = &'a str>) {
    for (place, name) in names.enumerate() {
        if place % NAMES_PER_LINE == 0 {
            text.push_str(if place == 0 { "" } else { "\n" });
            text.push_str(keyword);
        }
        text.push(' ');
        text.push_str(name);
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
}
