//! The format `rocm-smi`: the tables that `rocm-smi --showtopo` prints.
//!
//! # Grammar
//!
//! Titles between `=` begin the tables. `Link Type between two GPUs` and `Hops between two GPUs` have a line of names and a
//! line per GPU; link types are `XGMI`, `PCIE` and others. `Numa Nodes` has lines `GPU[0] : (Topology) Numa Node: 0`.
//!
//! # Source
//!
//! The output that the documentation of ROCm and public bug reports quote.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::NodeId;
use crate::format::attributes::NodeAttributes;
use crate::format::device_tree::{add_link, add_tree, joined_groups};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

const WEIGHTS: &str = "Weight between two GPUs";
const HOPS: &str = "Hops between two GPUs";
const LINK_TYPES: &str = "Link Type between two GPUs";
const NUMA_NODES: &str = "Numa Nodes";

/// The link type of a direct link between GPUs.
const XGMI: &str = "XGMI";

/// The switches over GPUs without direct links: of one NUMA node, and of the machine.
const LEVELS: [&str; 2] = ["numa-node", "system"];

/// A table with a line per GPU.
#[derive(Debug, Default)]
struct Table<'a> {
    /// The line of the names.
    line: usize,
    names: Vec<&'a str>,
    rows: Vec<Vec<&'a str>>,
}

#[derive(Debug, Default)]
struct Tables<'a> {
    link_types: Table<'a>,
    hops: Table<'a>,
    has_weights: bool,
    /// The NUMA node of each GPU, by the number of the GPU.
    numa_nodes: BTreeMap<&'a str, &'a str>,
}

/// Returns true if the text has the table of link types.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| title(line) == Some(LINK_TYPES))
}

/// Reads the tables. See [`GraphFormat::RocmSmi`](crate::GraphFormat::RocmSmi).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let tables = Tables::read(text)?;
    let mut parsed = ParsedGraph::default();
    let place = |fault| ReadError::line(tables.link_types.line, fault);
    let host = parsed.host(Cow::Borrowed(name));
    let mut gpus: Vec<NodeId> = Vec::new();
    for gpu in &tables.link_types.names {
        let attributes = NodeAttributes { host: Some(host), ..NodeAttributes::default() };
        parsed.declare(Cow::Owned((*gpu).to_owned()), attributes).map_err(place)?;
        gpus.push(parsed.find(gpu).map_err(place)?);
    }
    let is_link = |first, second| tables.is_link(first, second);
    let groups = joined_groups(gpus.len(), is_link).len();
    for (first, &u) in gpus.iter().enumerate() {
        for (_, &v) in gpus.iter().enumerate().skip(first + 1).filter(|&(second, _)| is_link(first, second)) {
            add_link(&mut parsed, u, v, 1).map_err(place)?;
        }
    }
    parsed.assume("XGMI of one hop is a link of capacity 1; the program does not print the number of links");
    if tables.has_weights {
        parsed.ignore("GPU", "weight");
    }
    if groups == 1 && gpus.len() > 1 {
        if tables.link_types.rows.iter().flatten().any(|&kind| !matches!(kind, XGMI | "0" | "X")) {
            parsed.leave_out("paths over PCIe, because XGMI joins all GPUs");
        }
    } else {
        parsed.assume("a path over PCIe has capacity 1; GPUs of a NUMA node share a switch");
        let nearness = |first: usize, second: usize| tables.nearness(first, second);
        add_tree(&mut parsed, gpus, &LEVELS, nearness, host).map_err(place)?;
    }
    parsed.finish(name, options)
}

impl<'a> Tables<'a> {
    fn read(text: &'a str) -> Result<Self, ReadError> {
        let mut tables = Self::default();
        let mut section = "";
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(title) = title(line) {
                section = title;
                tables.has_weights |= section == WEIGHTS;
                continue;
            }
            let table = match section {
                LINK_TYPES => &mut tables.link_types,
                HOPS => &mut tables.hops,
                NUMA_NODES => {
                    if let Some((gpu, numa)) = numa_line(line) {
                        tables.numa_nodes.insert(gpu, numa);
                    }
                    continue;
                }
                _ => continue,
            };
            table.push_line(number, line).map_err(|fault| ReadError::line(number, fault))?;
        }
        let missing =
            |found: String, line, expected| Err(ReadError::line(line, FileFault::Unexpected { found, expected }));
        let types = &tables.link_types;
        if types.names.is_empty() {
            let expected = "the table 'Link Type between two GPUs'; print it with rocm-smi --showtopo";
            return missing("no link types".to_owned(), 1, expected);
        }
        for table in [types, &tables.hops] {
            if table.rows.len() < table.names.len() {
                let found = format!("{} lines for {} GPUs", table.rows.len(), table.names.len());
                return missing(found, table.line, "a line per GPU; the table is incomplete");
            }
        }
        if !tables.hops.names.is_empty() && tables.hops.names != types.names {
            let found = "other GPUs than the table of link types has".to_owned();
            return missing(found, tables.hops.line, "the same GPUs in all tables");
        }
        tables.check_symmetry()?;
        Ok(tables)
    }

    fn check_symmetry(&self) -> Result<(), ReadError> {
        let rows = &self.link_types.rows;
        for (first, row) in rows.iter().enumerate() {
            for (second, kind) in row.iter().enumerate().take(first) {
                if rows[second][first] != *kind || self.is_link(first, second) != self.is_link(second, first) {
                    let found = format!("'{}' between GPUs {first} and {second} in one direction only", excerpt(kind));
                    let fault = FileFault::Unexpected { found, expected: "the same link in both directions" };
                    return Err(ReadError::line(self.link_types.line, fault));
                }
            }
        }
        Ok(())
    }

    /// Returns true if a direct link joins two GPUs.
    fn is_link(&self, first: usize, second: usize) -> bool {
        let is_near = self.hops.rows.get(first).is_none_or(|row| row[second] == "1");
        self.link_types.rows[first][second] == XGMI && is_near
    }

    /// Returns the level of the switch between two GPUs.
    fn nearness(&self, first: usize, second: usize) -> Option<usize> {
        let numa = |gpu: usize| self.numa_nodes.get(self.link_types.names[gpu].strip_prefix("GPU")?);
        (numa(first)? == numa(second)?).then_some(0)
    }
}

impl<'a> Table<'a> {
    fn push_line(&mut self, number: usize, line: &'a str) -> Result<(), FileFault> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((first, rest)) = words.split_first() else { return Ok(()) };
        if self.names.is_empty() {
            (self.line, self.names) = (number, words);
            return Ok(());
        }
        let expected_name = self.names.get(self.rows.len());
        if expected_name != Some(first) || rest.len() != self.names.len() {
            let found = format!("'{}'", excerpt(line.trim()));
            let expected = "a line per GPU, in the order of the first line, with an entry per GPU";
            return Err(FileFault::Unexpected { found, expected });
        }
        self.rows.push(rest.to_vec());
        Ok(())
    }
}

/// Returns the text between the signs `=` of a title.
fn title(line: &str) -> Option<&str> {
    let line = line.trim();
    (line.starts_with("==") && line.ends_with("==")).then(|| line.trim_matches('=').trim())
}

/// Returns the GPU and its NUMA node: `GPU[0] : (Topology) Numa Node: 0`.
fn numa_line(line: &str) -> Option<(&str, &str)> {
    let (gpu, rest) = line.trim().strip_prefix("GPU[")?.split_once(']')?;
    let (_, numa) = rest.split_once("Numa Node:")?;
    Some((gpu, numa.trim()))
}
