//! What programs of AMD print about each pair of GPUs, common to the formats `rocm-smi` and `amd-smi`.
//!
//! # Source
//!
//! `rocm_smi_getLinkInfo` in `src/misc/rocm_smi_wrap.cc` of github.com/ROCm/rccl for the weights of direct links. The driver
//! counts 15 for each XGMI link of a path; both programs print one hop for every path over XGMI, however long it is:
//! github.com/ROCm/rocm-systems/issues/5763.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::attributes::{EdgeAttributes, EdgeDirection, NodeAttributes, whole_number};
use super::console_text::behind_word;
use super::device_tree::{add_link, add_tree, joined_groups};
use super::error::{FileFault, ReadError};
use super::graph_file::{GraphFile, ReadOptions};
use super::machine_links::MB_PER_S;
use super::parsed_graph::ParsedGraph;
use crate::NodeId;
use crate::channel_rates::greatest_common_divisor;
use crate::text::excerpt;

/// The type of a path over XGMI.
const XGMI: &str = "XGMI";

/// The weight of a path over one XGMI link.
const ONE_LINK: u64 = 15;

/// The weights of paths between parts of one GPU, and between parts of two GPUs that a link joins.
const PARTITIONS: [u64; 2] = [13, 41];

/// The switches over GPUs without direct links: of one NUMA node, and of the machine.
const LEVELS: [&str; 2] = ["numa-node", "system"];

/// A table with a line and a column per GPU.
#[derive(Debug, Default)]
pub(super) struct Table<'a> {
    /// The line of the names.
    pub(super) line: usize,
    pub(super) names: Vec<Cow<'a, str>>,
    pub(super) rows: Vec<Vec<Cow<'a, str>>>,
}

/// The tables of a machine. Tables that were not printed are empty.
#[derive(Debug, Default)]
pub(super) struct GpuPairs<'a> {
    /// The command that prints all tables.
    pub(super) command: &'static str,
    pub(super) types: Table<'a>,
    pub(super) weights: Table<'a>,
    pub(super) hops: Table<'a>,
    /// The least and the greatest bandwidth in MB/s, such as `50000-200000`.
    pub(super) bandwidths: Table<'a>,
    /// `DISABLED` or `False` if a GPU has no access to the memory of the other.
    pub(super) access: Table<'a>,
    /// The NUMA node of each GPU, by the name of the GPU.
    pub(super) numa_nodes: BTreeMap<Cow<'a, str>, &'a str>,
}

impl<'a> Table<'a> {
    /// Adds a line of the text: the names, or the row of a GPU. `is_name` tells a name from a prefix of the line.
    pub(super) fn push_line(
        &mut self,
        number: usize,
        line: &'a str,
        is_name: impl Fn(&str) -> bool,
    ) -> Result<(), FileFault> {
        if line.trim().is_empty() {
            return Ok(());
        }
        if self.names.is_empty() {
            let names = line.split_whitespace().skip_while(|word| !is_name(word));
            (self.line, self.names) = (number, names.map(Cow::Borrowed).collect());
            return Ok(());
        }
        if self.rows.len() == self.names.len() && !line.split_whitespace().any(is_name) {
            // A text below the table.
            return Ok(());
        }
        let row = self.names.get(self.rows.len()).and_then(|name| behind_word(line, name));
        let row: Vec<Cow<'a, str>> = row.unwrap_or_default().split_whitespace().map(Cow::Borrowed).collect();
        if row.len() != self.names.len() {
            let found = format!("'{}'", excerpt(line.trim()));
            let expected = "a line per GPU, in the order of the first line, with an entry per GPU";
            return Err(FileFault::Unexpected { found, expected });
        }
        self.rows.push(row);
        Ok(())
    }

    /// Returns the entry of two GPUs, if the table was printed.
    fn entry(&self, first: usize, second: usize) -> Option<&str> {
        self.rows.get(first).map(|row| &*row[second])
    }
}

impl<'a> GpuPairs<'a> {
    /// Builds the network.
    pub(super) fn build(
        self,
        mut parsed: ParsedGraph<'a>,
        name: &str,
        options: &ReadOptions,
    ) -> Result<GraphFile, ReadError> {
        self.check_tables()?;
        let place = |fault| ReadError::line(self.types.line, fault);
        let host = parsed.host(Cow::Owned(name.to_owned()));
        let mut gpus: Vec<NodeId> = Vec::new();
        for gpu in &self.types.names {
            let attributes = NodeAttributes { host: Some(host), ..NodeAttributes::default() };
            parsed.declare(gpu.clone(), attributes).map_err(place)?;
            gpus.push(parsed.find(gpu).map_err(place)?);
        }
        let links = self.links(&mut parsed).map_err(place)?;
        let bandwidths = self.link_bandwidths(&links, &mut parsed).map_err(place)?;
        let mut is_joined = vec![vec![false; gpus.len()]; gpus.len()];
        for &[first, second] in &links {
            (is_joined[first][second], is_joined[second][first]) = (true, true);
        }
        let has_paths = self.types.rows.iter().flatten().any(|kind| !matches!(&**kind, XGMI | "0" | "X" | "SELF"));
        let is_whole = joined_groups(gpus.len(), |first, second| is_joined[first][second]).len() == 1;
        Self::add_links(&mut parsed, &gpus, &links, &bandwidths, is_whole);
        if is_whole && gpus.len() > 1 {
            if has_paths {
                parsed.leave_out("paths over PCIe, because XGMI joins all GPUs");
            }
        } else {
            parsed.assume("a path over PCIe has capacity 1; GPUs of a NUMA node share a switch");
            let nearness = |first: usize, second: usize| self.nearness(first, second);
            add_tree(&mut parsed, gpus, &LEVELS, nearness, host).map_err(place)?;
        }
        parsed.finish(name, options)
    }

    /// Checks that all tables are complete, have the same GPUs, and say the same in both directions.
    fn check_tables(&self) -> Result<(), ReadError> {
        let types = &self.types;
        let fault = |line, found, expected| Err(ReadError::line(line, FileFault::Unexpected { found, expected }));
        for table in [types, &self.weights, &self.hops, &self.bandwidths, &self.access] {
            if table.rows.len() < table.names.len() {
                let found = format!("{} lines for {} GPUs", table.rows.len(), table.names.len());
                return fault(table.line, found, "a line per GPU; the table is incomplete");
            }
            if !table.names.is_empty() && table.names != types.names {
                let found = "other GPUs than the table of link types has".to_owned();
                return fault(table.line, found, "the same GPUs in all tables");
            }
        }
        for table in [types, &self.weights, &self.hops, &self.bandwidths, &self.access] {
            for (first, row) in table.rows.iter().enumerate() {
                for (second, entry) in row.iter().enumerate().take(first) {
                    let is_used = std::ptr::eq(table, types) || types.entry(first, second) == Some(XGMI);
                    if is_used && table.rows[second][first] != *entry {
                        let found =
                            format!("'{}' between GPUs {first} and {second} in one direction only", excerpt(entry));
                        return fault(table.line, found, "the same in both directions");
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the pairs of GPUs that a link joins.
    fn links(&self, parsed: &mut ParsedGraph<'_>) -> Result<Vec<[usize; 2]>, FileFault> {
        let count = self.types.names.len();
        let pairs = (0..count).flat_map(|first| (first + 1..count).map(move |second| [first, second]));
        let mut paths: Vec<[usize; 2]> = pairs.filter(|&[u, v]| self.types.entry(u, v) == Some(XGMI)).collect();
        let before = paths.len();
        paths.retain(|&[u, v]| !matches!(self.access.entry(u, v), Some("DISABLED" | "False")));
        if paths.len() < before {
            parsed.leave_out("XGMI paths without access to the memory of the other GPU");
        }
        let weight = |&[u, v]: &[usize; 2]| self.weights.entry(u, v)?.parse().ok().filter(|&weight: &u64| weight > 0);
        let weights: Vec<u64> = paths.iter().filter_map(weight).collect();
        if weights.is_empty() {
            self.assume_links(&mut paths, parsed);
            return Ok(paths);
        }
        if let Some(&[u, v]) = paths.iter().find(|path| weight(path).is_none()) {
            let [first, second] = [u, v].map(|gpu| excerpt(&self.types.names[gpu]));
            let weight = excerpt(self.weights.entry(u, v).unwrap_or_default());
            let found = format!("the weight '{weight}' between {first} and {second}");
            return Err(FileFault::Unexpected { found, expected: "a weight from 1 on, as other XGMI paths have" });
        }
        if weights.iter().any(|weight| PARTITIONS.contains(weight)) {
            parsed.assume(
                "paths of the weights 13 and 41 are links between parts of GPUs, as in RCCL; in fact the parts of a GPU share links",
            );
        }
        let is_link = |weight: u64| weight == ONE_LINK || PARTITIONS.contains(&weight);
        if !weights.iter().all(|&weight| is_link(weight)) {
            parsed.leave_out(
                "XGMI paths over other GPUs: one link has the weight 15, a path over two links 30; hops do not tell, because they \
                 are 1 for all",
            );
        }
        paths.retain(|path| weight(path).is_some_and(is_link));
        Ok(paths)
    }

    /// Keeps the paths that may be links if no weight tells.
    fn assume_links(&self, paths: &mut Vec<[usize; 2]>, parsed: &mut ParsedGraph<'_>) {
        let before = paths.len();
        if paths.iter().any(|&path| self.most_bandwidth(path).is_some()) {
            paths.retain(|&path| self.most_bandwidth(path).is_some());
            if paths.len() < before {
                parsed.leave_out("XGMI paths without a bandwidth: they lead over other GPUs");
            }
            return;
        }
        paths.retain(|&[u, v]| self.hops.entry(u, v).is_none_or(|hops| hops == "1"));
        if paths.is_empty() {
            return;
        }
        let reason = if self.weights.rows.is_empty() {
            format!("the file has no weights; print all tables with {}", self.command)
        } else {
            "the weights are 0 and say nothing, as on virtual machines".to_owned()
        };
        parsed.assume(format!("all XGMI paths of one hop are links, because {reason}"));
    }

    /// Returns the greatest bandwidth between two GPUs as the program prints it, unless it is unknown.
    fn most_bandwidth(&self, [first, second]: [usize; 2]) -> Option<&str> {
        let (_, most) = self.bandwidths.entry(first, second)?.split_once('-')?;
        Some(most).filter(|&most| most != "0")
    }

    /// Returns the bandwidth of each link in bytes per second, or an empty list if some have none.
    fn link_bandwidths(&self, links: &[[usize; 2]], parsed: &mut ParsedGraph<'_>) -> Result<Vec<u64>, FileFault> {
        let mut bandwidths = Vec::new();
        for most in links.iter().filter_map(|&link| self.most_bandwidth(link)) {
            let expected = "the least and the greatest one in MB/s, such as 50000-200000";
            bandwidths.push(whole_number("bandwidth", most, 1..=1_000_000_000, expected)? * MB_PER_S);
        }
        if bandwidths.len() == links.len() {
            return Ok(bandwidths);
        }
        if bandwidths.is_empty() {
            parsed.assume("an XGMI link has capacity 1; the file does not tell its bandwidth");
        } else {
            parsed.leave_out("bandwidths, because some links have none; each link has capacity 1");
        }
        Ok(Vec::new())
    }

    fn add_links(
        parsed: &mut ParsedGraph<'_>,
        gpus: &[NodeId],
        links: &[[usize; 2]],
        bandwidths: &[u64],
        is_whole: bool,
    ) {
        let common = bandwidths.iter().copied().fold(0, greatest_common_divisor);
        if common > 0 && is_whole {
            parsed.assume("a link has the greatest bandwidth that the program prints for it, in each direction");
        } else if common > 0 {
            parsed.assume(
                "capacities of XGMI links are in proportion to their bandwidths; those of paths over PCIe are unknown",
            );
        }
        for (place, &[first, second]) in links.iter().enumerate() {
            let (u, v, bandwidth) = (gpus[first], gpus[second], bandwidths.get(place).copied());
            if is_whole {
                let attributes = EdgeAttributes { bandwidth, ..EdgeAttributes::default() };
                parsed.add_edge(u, v, EdgeDirection::Both, attributes);
            } else {
                add_link(parsed, u, v, bandwidth.map_or(1, |bandwidth| bandwidth / common));
            }
        }
    }

    /// Returns the level of the switch between two GPUs. Two hops over PCIe are a path inside of a NUMA node.
    fn nearness(&self, first: usize, second: usize) -> Option<usize> {
        let numa = |gpu: usize| self.numa_nodes.get(&self.types.names[gpu]);
        let is_same_node = numa(first).is_some_and(|node| numa(second) == Some(node));
        let is_near = self.types.entry(first, second) != Some(XGMI) && self.hops.entry(first, second) == Some("2");
        (is_same_node || is_near).then_some(0)
    }
}
