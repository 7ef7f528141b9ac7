//! The format `slurm`: `topology.conf` of Slurm with the plugin topology/tree.
//!
//! # Grammar
//!
//! A line has `SwitchName=` and its children, `Nodes=` or `Switches=` or both, and optionally `LinkSpeed=`. Keys are in any
//! case, children are host lists, `#` begins a comment, and a backslash at the end of a line continues it.
//!
//! # Source
//!
//! The manual page topology.conf(5) of Slurm.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::NodeId;
use crate::channel_rates::greatest_common_divisor;
use crate::format::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::host_list;
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

const SWITCH_NAME: &str = "switchname";

/// A line of the file: a switch and its children.
struct SwitchLine {
    line: usize,
    name: String,
    nodes: Vec<String>,
    switches: Vec<String>,
    /// `LinkSpeed`, in an arbitrary unit.
    speed: Option<u64>,
}

/// Returns true if a line of the text begins with `SwitchName=`.
pub(super) fn looks_like(text: &str) -> bool {
    let is_switch = |line: &str| {
        let key = line.split('=').next().unwrap_or_default();
        line.contains('=') && key.trim().eq_ignore_ascii_case(SWITCH_NAME)
    };
    text.lines().any(is_switch)
}

/// Reads a configuration. See [`GraphFormat::Slurm`](crate::GraphFormat::Slurm).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let mut lines = Vec::new();
    let mut names = 0;
    for (line, words) in logical_lines(text) {
        let switch = switch_line(line, &words, &mut parsed).map_err(|fault| ReadError::line(line, fault))?;
        names += switch.nodes.len() + switch.switches.len();
        if names > host_list::MAX_NAMES {
            let fault = FileFault::Unsupported("the file has more than 65536 children of switches; read a part of it");
            return Err(ReadError::line(line, fault));
        }
        lines.push(switch);
    }
    // Slurm numbers nodes in the order of slurm.conf, which is usually that of the leaf switches.
    for node in lines.iter().flat_map(|line| &line.nodes) {
        parsed.node(Cow::Owned(node.clone()));
    }
    for switch in &lines {
        let attributes = NodeAttributes { switch: Some(true), ..NodeAttributes::default() };
        let declared = parsed.declare(Cow::Owned(switch.name.clone()), attributes);
        declared.map_err(|fault| ReadError::line(switch.line, fault))?;
    }
    let unit = lines.iter().filter_map(|line| line.speed).fold(0, greatest_common_divisor);
    for line in &lines {
        add_links(&mut parsed, line, unit).map_err(|fault| ReadError::line(line.line, fault))?;
    }
    parsed.assume("a switch has one link to each of its children");
    if unit > 0 {
        parsed.assume(format!("LinkSpeed is the speed of the links to the children; {unit} is one unit of capacity"));
        if lines.iter().any(|line| line.speed.is_none()) {
            parsed.assume("links of switches without LinkSpeed have capacity 1");
        }
    }
    parsed.finish(name, options)
}

fn add_links(parsed: &mut ParsedGraph<'_>, line: &SwitchLine, unit: u64) -> Result<(), FileFault> {
    let switch = parsed.find(&line.name)?;
    let capacity = line.speed.map(|speed| speed / unit.max(1));
    let attributes = EdgeAttributes { capacity, ..EdgeAttributes::default() };
    let children: Vec<NodeId> =
        line.nodes.iter().chain(&line.switches).map(|child| parsed.find(child)).collect::<Result<_, _>>()?;
    for child in children {
        parsed.add_edge(child, switch, EdgeDirection::Both, attributes);
    }
    Ok(())
}

/// Returns the first number and the text of each line without comments, with continued lines joined.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut joined: Vec<(usize, String)> = Vec::new();
    let mut is_continued = false;
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        let (line, continues) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match joined.last_mut().filter(|_| is_continued) {
            Some((_, whole)) => whole.push_str(line),
            None => joined.push((number, line.to_owned())),
        }
        is_continued = continues;
    }
    joined.retain(|(_, line)| !line.trim().is_empty());
    joined
}

/// Returns the names without repetitions, because Slurm takes a list of nodes as a set.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

fn switch_line(line: usize, text: &str, parsed: &mut ParsedGraph<'_>) -> Result<SwitchLine, FileFault> {
    const EXPECTED: &str = "SwitchName=NAME with Nodes=LIST or Switches=LIST";
    let (mut name, mut nodes, mut switches, mut speed) = (None, Vec::new(), Vec::new(), None);
    for word in text.split_whitespace() {
        let unexpected = || FileFault::Unexpected { found: format!("'{}'", excerpt(word)), expected: EXPECTED };
        let (key, value) = word.split_once('=').ok_or_else(unexpected)?;
        let value = value.trim_matches('"');
        match key.to_ascii_lowercase().as_str() {
            SWITCH_NAME if !value.is_empty() => name = Some(value.to_owned()),
            "nodes" => nodes = distinct(host_list::expand(value)?),
            "switches" => switches = distinct(host_list::expand(value)?),
            "linkspeed" => {
                speed = Some(whole_number("LinkSpeed", value, 1..=u64::MAX, "a whole number from 1 on")?);
            }
            "blockname" | "blocksizes" => {
                let blocks = "blocks of topology/block have no links; describe the switches with SwitchName";
                return Err(FileFault::Unsupported(blocks));
            }
            SWITCH_NAME => return Err(unexpected()),
            _ => parsed.ignore("switch", key),
        }
    }
    let missing = |found: &str| FileFault::Unexpected { found: found.to_owned(), expected: EXPECTED };
    let name = name.ok_or_else(|| missing("a line without SwitchName"))?;
    if nodes.is_empty() && switches.is_empty() {
        return Err(missing("a switch without children"));
    }
    Ok(SwitchLine { line, name, nodes, switches, speed })
}
