//! The format `rocm-smi`: the tables that `rocm-smi --showtopo` prints.
//!
//! # Grammar
//!
//! Titles between `=` begin the tables. `Weight`, `Hops` and `Link Type between two GPUs` have a line of names and a line per
//! GPU; link types are `XGMI`, `PCIE` and others. `Numa Nodes` has lines `GPU[0] : (Topology) Numa Node: 0`. The tables
//! `Bandwidth` of `--shownodesbw` and `Link accessibility between two GPUs` of `--showtopoaccess` are read if they are there.
//! Lines may have a prefix, such as a host.
//!
//! # Source
//!
//! The output that the documentation of ROCm and public bug reports quote.

use std::borrow::Cow;

use crate::format::error::{FileFault, ReadError};
use crate::format::gpu_pairs::GpuPairs;
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

const COMMAND: &str = "rocm-smi --showtopo";

const LINK_TYPES: &str = "Link Type between two GPUs";

/// Returns true if the text has the table of link types.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| title(line) == Some(LINK_TYPES))
}

/// Reads the tables. See [`GraphFormat::RocmSmi`](crate::GraphFormat::RocmSmi).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut pairs = GpuPairs { command: COMMAND, ..GpuPairs::default() };
    let mut section = "";
    for (number, line) in (1..).zip(text.lines()) {
        let title = title(line);
        section = title.unwrap_or(section);
        let table = match section {
            "Weight between two GPUs" => &mut pairs.weights,
            "Hops between two GPUs" => &mut pairs.hops,
            LINK_TYPES => &mut pairs.types,
            "Link accessibility between two GPUs" => &mut pairs.access,
            "Bandwidth" => &mut pairs.bandwidths,
            "Numa Nodes" => {
                if let Some((gpu, numa)) = numa_line(line) {
                    pairs.numa_nodes.insert(Cow::Owned(format!("GPU{gpu}")), numa);
                }
                continue;
            }
            _ => continue,
        };
        if title.is_some() && !table.names.is_empty() {
            let found = format!("a second table '{}'", excerpt(section));
            let expected = "the tables of one machine; put each machine into a file of its own";
            return Err(ReadError::line(number, FileFault::Unexpected { found, expected }));
        }
        if title.is_none() {
            let is_name = |word: &str| word.strip_prefix("GPU").is_some_and(|number| number.parse::<u32>().is_ok());
            table.push_line(number, line, is_name).map_err(|fault| ReadError::line(number, fault))?;
        }
    }
    if pairs.types.names.is_empty() {
        let expected = "the table 'Link Type between two GPUs'; print it with rocm-smi --showtopo";
        let found = "no link types".to_owned();
        return Err(ReadError::line(1, FileFault::Unexpected { found, expected }));
    }
    pairs.build(ParsedGraph::default(), name, options)
}

/// Returns the text between the signs `=` of a title.
fn title(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let title = line.ends_with("==").then(|| line.find("==").map(|at| &line[at..]))??;
    Some(title.trim_matches('=').trim())
}

/// Returns the GPU and its NUMA node: `GPU[0] : (Topology) Numa Node: 0`.
fn numa_line(line: &str) -> Option<(&str, &str)> {
    let (_, rest) = line.split_once("GPU[")?;
    let (gpu, rest) = rest.split_once(']')?;
    let (_, numa) = rest.split_once("Numa Node:")?;
    Some((gpu, numa.trim()))
}
