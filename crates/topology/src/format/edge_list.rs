//! Edge lists: one link or channel a line.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::format::GraphFormat;
use crate::format::edges::{Wire, links_and_channels};
use crate::format::error::{FileFault, ReadError, WriteError};
use crate::format::parsed_graph::{Direction, Draft, NodeAttributes, number_in};
use crate::text::excerpt;
use crate::{NodeId, Topology};

const NODES: &str = "nodes:";
const SWITCHES: &str = "switches:";
const FAILED: &str = "failed:";
const ARROW: &str = "->";
const COMMENT: char = '#';

const EXPECTED_LINE: &str =
    "'u v' for a link, 'u -> v' for a channel, 'switches: u v …', 'failed: u v …' or 'nodes: u v …'";
const EXPECTED_NAMES: &str = "node names with spaces between them";

/// How many names the writer puts on a line.
const NAMES_A_LINE: usize = 16;

pub(super) fn read(text: &str, name: &str) -> Result<Topology, ReadError> {
    let mut draft = Draft::default();
    let switch = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
    let failed = NodeAttributes { failed: Some(true), ..NodeAttributes::default() };
    let mut described = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = without_comment(line).trim();
        let mut keywords = [(SWITCHES, switch), (FAILED, failed)].into_iter();
        let is_it = |(keyword, attributes)| Some((line.strip_prefix(keyword)?, attributes));
        match keywords.find_map(is_it) {
            Some((names, attributes)) => {
                described.extend(names.split_whitespace().map(|name| (number, name, attributes)));
            }
            None => read_line(&mut draft, line).map_err(|fault| ReadError::line(number, fault))?,
        }
    }
    for (number, name, attributes) in described {
        let known = draft.find(name).and_then(|node| draft.describe(node, attributes));
        known.map_err(|fault| ReadError::line(number, fault))?;
    }
    draft.finish(name)
}

fn read_line<'a>(draft: &mut Draft<'a>, line: &'a str) -> Result<(), FileFault> {
    if line.is_empty() {
        return Ok(());
    }
    if let Some(names) = line.strip_prefix(NODES) {
        for name in names.split_whitespace() {
            if name.contains(ARROW) {
                return Err(unexpected(name, EXPECTED_NAMES));
            }
            draft.mention(Cow::Borrowed(name));
        }
        return Ok(());
    }
    let (ends, direction) = match line.split_once(ARROW) {
        Some((tail, head)) => (one_word(tail).zip(one_word(head)), Direction::Forward),
        None => (two_words(line), Direction::Both),
    };
    let (u, v) = ends.ok_or_else(|| unexpected(line, EXPECTED_LINE))?;
    let [(u, _), (v, _)] = [u, v].map(|name| draft.mention(Cow::Borrowed(name)));
    draft.join(u, v, direction, None)
}

fn unexpected(found: &str, expected: &'static str) -> FileFault {
    FileFault::Unexpected { found: format!("'{}'", excerpt(found)), expected }
}

/// The line up to the first `#` that begins a word.
fn without_comment(line: &str) -> &str {
    let begins_word = |&(at, _): &(usize, &str)| {
        let before = &line[..at];
        before.is_empty() || before.ends_with(char::is_whitespace) || before.ends_with(ARROW)
    };
    line.match_indices(COMMENT).find(begins_word).map_or(line, |(at, _)| &line[..at])
}

fn one_word(text: &str) -> Option<&str> {
    let mut words = text.split_whitespace();
    words.next().filter(|word| words.next().is_none() && !word.contains(ARROW))
}

fn two_words(text: &str) -> Option<(&str, &str)> {
    let mut words = text.split_whitespace();
    words.next().zip(words.next()).filter(|_| words.next().is_none())
}

pub(super) fn write(topology: &Topology) -> Result<String, WriteError> {
    check(topology)?;
    let (nodes, channels) = (topology.node_count(), topology.channel_count());
    let mut text = format!("{COMMENT} {}: {nodes} nodes, {channels} channels\n", excerpt(topology.name()));
    let wires = links_and_channels(topology);
    if !order_is_plain(topology, &wires) {
        push_names(&mut text, NODES, topology.nodes().map(|node| topology.node_name(node)));
    }
    let switches = topology.nodes().filter(|&node| !topology.is_terminal(node) && !topology.has_failed(node));
    push_names(&mut text, SWITCHES, switches.map(|node| topology.node_name(node)));
    push_names(&mut text, FAILED, topology.failed_nodes().iter().map(|&node| topology.node_name(node)));
    for wire in wires {
        let (tail, head) = (topology.node_name(wire.tail), topology.node_name(wire.head));
        let arrow = if wire.is_link { "" } else { "-> " };
        writeln!(text, "{tail} {arrow}{head}").expect("writing to a string");
    }
    Ok(text)
}

/// Checks that an edge list can say everything that decides which schedules are valid.
fn check(topology: &Topology) -> Result<(), WriteError> {
    const RULE: &str =
        "a word without white space and '->' that does not begin with '#', 'nodes:', 'switches:' or 'failed:'";
    let format = GraphFormat::EdgeList;
    for node in topology.nodes() {
        let name = topology.node_name(node);
        let reserved = name.starts_with(COMMENT) || [NODES, SWITCHES, FAILED].iter().any(|word| name.starts_with(word));
        if name.is_empty() || name.contains(char::is_whitespace) || name.contains(ARROW) || reserved {
            return Err(WriteError::Name { format, name: excerpt(name), rule: RULE });
        }
        if let Some(routes) = topology.routes_against_rule(node) {
            return Err(WriteError::Routes { format, name: excerpt(name), routes });
        }
    }
    if let Some(group) = topology.shared_groups().first() {
        let channels: Vec<_> = group.iter().take(2).map(|&channel| excerpt(&topology.channel_name(channel))).collect();
        return Err(WriteError::Shared { format, channels: channels.join(" and ") });
    }
    Ok(())
}

/// Whether the lines of the wires alone give every node its number.
fn order_is_plain(topology: &Topology, wires: &[Wire]) -> bool {
    let mut seen = vec![false; topology.node_count()];
    let mut first_mentions = wires.iter().flat_map(|wire| [wire.tail, wire.head]).filter(|node| {
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
        if place % NAMES_A_LINE == 0 {
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
