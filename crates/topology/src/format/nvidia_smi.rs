//! The format `nvidia-smi`: the matrix that `nvidia-smi topo -m` prints, or the links that `nvidia-smi nvlink -R` prints.
//!
//! # Grammar
//!
//! A line names the devices: `GPU0 GPU1 … NIC0 … CPU Affinity NUMA Affinity GPU NUMA ID`. A line per device has its name, a
//! class per device, and the affinities. Classes are `X`, `NV#`, `PIX`, `PXB`, `PHB`, `NODE` and `SYS`. Text before the
//! matrix, the legend, terminal colours, and prefixes of lines such as a host or a time are skipped.
//!
//! # Source
//!
//! The legend that the program prints, and public bug reports that quote its output.

use std::borrow::Cow;

use super::nvidia_nvlink;
use crate::NodeId;
use crate::format::attributes::{Label, NodeAttributes};
use crate::format::console_text::{behind_word, plain};
use crate::format::device_tree::{add_link, add_switch, add_tree, joined_groups};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

const EXPECTED_CLASS: &str =
    "X, NV# (such as NV4), PIX, PXB, PHB, NODE or SYS; print the matrix with nvidia-smi topo -m";

/// The classes of paths over PCIe, nearest first, and the names of the switches that join their devices.
const CLASSES: [(&str, &str); 5] =
    [("PIX", "pcie-switch"), ("PXB", "pcie-tree"), ("PHB", "host-bridge"), ("NODE", "numa-node"), ("SYS", "system")];

/// Other names of classes in old versions.
const OLD_CLASSES: [(&str, &str); 2] = [("SOC", "SYS"), ("PSB", "PXB")];

/// The most NVLinks of a GPU: H100 and B200 have 18.
const MAX_NVLINKS: u64 = 18;

/// What a cell of the matrix says about two devices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Class {
    Itself,
    /// A number of NVLinks.
    NvLinks(u64),
    /// The position in [`CLASSES`].
    Pcie(usize),
}

/// Returns true if a text has the first line of the matrix, or NVLinks.
pub(super) fn looks_like(text: &str) -> bool {
    has_matrix(text) || nvidia_nvlink::looks_like(text)
}

fn has_matrix(text: &str) -> bool {
    text.lines().any(|line| device_names(&plain(line)).is_some())
}

/// Reads a matrix, or NVLinks. See [`GraphFormat::NvidiaSmi`](crate::GraphFormat::NvidiaSmi).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let has_nvlinks = nvidia_nvlink::looks_like(text);
    if has_nvlinks && !has_matrix(text) {
        return nvidia_nvlink::read(text, name, options);
    }
    let mut parsed = ParsedGraph::default();
    if has_nvlinks {
        parsed.leave_out("the lines of nvidia-smi nvlink, because the file has the matrix of nvidia-smi topo -m, too");
    }
    let matrix = Matrix::read(text, &mut parsed)?;
    let host = parsed.host(Cow::Borrowed(name));
    let place = |fault| ReadError::line(matrix.first_line, fault);
    let mut gpus = Vec::new();
    for (device, device_name) in matrix.names.iter().enumerate().filter(|(_, name)| is_gpu(name)) {
        let attributes = NodeAttributes { host: Some(host), ..NodeAttributes::default() };
        parsed.declare(Cow::Owned(device_name.clone()), attributes).map_err(place)?;
        gpus.push((device, parsed.find(device_name).map_err(place)?));
    }
    let groups = matrix.add_nvlinks(&mut parsed, &gpus, host).map_err(place)?;
    if groups == 1 && gpus.len() > 1 {
        let is_pcie = |class: &Class| matches!(class, Class::Pcie(_));
        if matrix.classes.iter().flatten().any(is_pcie) {
            parsed.leave_out("PCIe paths and NICs, because NVLinks join all GPUs");
        }
    } else {
        matrix.add_pcie(&mut parsed, &gpus, host).map_err(place)?;
    }
    parsed.finish(name, options)
}

/// The matrix of classes.
struct Matrix {
    names: Vec<String>,
    classes: Vec<Vec<Class>>,
    /// The line of the names.
    first_line: usize,
}

impl Matrix {
    fn read(text: &str, parsed: &mut ParsedGraph<'_>) -> Result<Self, ReadError> {
        let mut lines = (1..).zip(text.lines());
        let header = lines.find_map(|(number, line)| Some((number, device_names(&plain(line))?)));
        let (first_line, names) = header.ok_or_else(|| {
            let expected = "a line of device names such as 'GPU0 GPU1 CPU Affinity'; print it with nvidia-smi topo -m";
            ReadError::line(1, FileFault::Unexpected { found: "no matrix".to_owned(), expected })
        })?;
        let mut matrix = Self { names, classes: Vec::new(), first_line };
        for (number, line) in lines {
            let line = plain(line);
            if matrix.classes.len() == matrix.names.len() {
                if device_names(&line).is_some_and(|names| is_certain(&line, &names)) {
                    let found = "a second matrix".to_owned();
                    let expected = "the matrix of one machine; put each matrix into a file of its own";
                    return Err(ReadError::line(number, FileFault::Unexpected { found, expected }));
                }
            } else if !line.trim().is_empty() {
                matrix.push_row(&line, parsed).map_err(|fault| ReadError::line(number, fault))?;
            }
        }
        if let Some(missing) = matrix.names.get(matrix.classes.len()) {
            let found = format!("no line of {}", excerpt(missing));
            let fault = FileFault::Unexpected { found, expected: "a line per device; the matrix is incomplete" };
            return Err(ReadError::line(first_line + matrix.classes.len(), fault));
        }
        Ok(matrix)
    }

    fn push_row(&mut self, line: &str, parsed: &mut ParsedGraph<'_>) -> Result<(), FileFault> {
        let row = self.classes.len();
        let name = &self.names[row];
        let mut words = behind_word(line, name).map(str::split_whitespace).ok_or_else(|| {
            let word = line.split_whitespace().next().unwrap_or_default();
            let found = format!("'{}' in the place of {}", excerpt(word), excerpt(name));
            FileFault::Unexpected { found, expected: "the line of each device, in the order of the first line" }
        })?;
        let mut classes = Vec::new();
        for column in 0..self.names.len() {
            let Some(word) = words.next() else {
                let found = format!("{column} classes for {} devices", self.names.len());
                return Err(FileFault::Unexpected { found, expected: "a class per device" });
            };
            let class = class(word).filter(|class| (*class == Class::Itself) == (column == row));
            let class = class.ok_or_else(|| {
                let found =
                    format!("'{}' between {} and {}", excerpt(word), excerpt(name), excerpt(&self.names[column]));
                FileFault::Unexpected { found, expected: EXPECTED_CLASS }
            })?;
            if column < row && self.classes[column][row] != class {
                let found =
                    format!("'{}', but the line of {} says otherwise", excerpt(word), excerpt(&self.names[column]));
                return Err(FileFault::Unexpected { found, expected: "the same class in both lines" });
            }
            classes.push(class);
        }
        if words.next().is_some() {
            parsed.ignore("device", "affinity");
        }
        self.classes.push(classes);
        Ok(())
    }

    /// Returns the number of NVLinks between two devices.
    fn nvlinks(&self, from: usize, to: usize) -> Option<u64> {
        match self.classes[from][to] {
            Class::NvLinks(count) => Some(count),
            _ => None,
        }
    }

    /// Adds the NVLinks. Returns the number of groups of GPUs that they join.
    fn add_nvlinks(
        &self,
        parsed: &mut ParsedGraph<'_>,
        gpus: &[(usize, NodeId)],
        host: Label,
    ) -> Result<usize, FileFault> {
        let links = |first: usize, second: usize| self.nvlinks(gpus[first].0, gpus[second].0);
        let groups = joined_groups(gpus.len(), |first, second| links(first, second).is_some());
        let (mut switches, mut has_links) = (0, false);
        for group in groups.iter().filter(|group| group.len() > 1) {
            has_links = true;
            let sum = |gpu: usize| group.iter().filter_map(|&other| links(gpu, other)).fold(0, u64::saturating_add);
            if group.iter().any(|&gpu| sum(gpu) > MAX_NVLINKS) {
                let switch = add_switch(parsed, &format!("nvswitch{switches}"), host)?;
                switches += 1;
                for &gpu in group {
                    let most = group.iter().filter_map(|&other| links(gpu, other)).max().unwrap_or(1);
                    add_link(parsed, gpus[gpu].1, switch, most);
                }
                continue;
            }
            for (place, &first) in group.iter().enumerate() {
                for &second in &group[place + 1..] {
                    if let Some(capacity) = links(first, second) {
                        add_link(parsed, gpus[first].1, gpus[second].1, capacity);
                    }
                }
            }
        }
        if has_links {
            parsed.assume("NV# is a link of capacity #, the number of NVLinks");
        }
        if switches > 0 {
            parsed.assume(
                "GPUs with more than 18 NVLinks in their line are on an NVLink switch; a GPU has NV# links to it",
            );
        }
        Ok(groups.len())
    }

    /// Adds a tree of switches for the PCIe classes.
    fn add_pcie(&self, parsed: &mut ParsedGraph<'_>, gpus: &[(usize, NodeId)], host: Label) -> Result<(), FileFault> {
        let mut leaves = Vec::new();
        for (device, name) in self.names.iter().enumerate() {
            let gpu = gpus.binary_search_by_key(&device, |&(gpu, _)| gpu);
            leaves.push(match gpu {
                Ok(place) => gpus[place].1,
                Err(_) => add_switch(parsed, name, host)?,
            });
        }
        let nearness = |first: usize, second: usize| match self.classes[first][second] {
            Class::Pcie(level) => Some(level),
            _ => None,
        };
        parsed.assume("a PCIe path has capacity 1; devices of one class share a switch");
        add_tree(parsed, leaves, &CLASSES.map(|(_, switch)| switch), nearness, host)
    }
}

/// Returns the device names if a line is the first one of a matrix. Words before the first GPU are a prefix.
fn device_names(line: &str) -> Option<Vec<String>> {
    let is_device = |word: &&str| !matches!(*word, "CPU" | "NUMA");
    let prefix = line.split_whitespace().take_while(|word| !is_gpu(word)).count();
    let words = || line.split_whitespace().skip(prefix).take_while(is_device);
    if words().next().is_none() || words().any(|name| class(name).is_some()) {
        return None;
    }
    let names: Vec<String> = words().map(str::to_owned).collect();
    let is_header = if prefix == 0 { names.len() > 1 || line.contains("Affinity") } else { is_certain(line, &names) };
    is_header.then_some(names)
}

/// Returns true if a line of device names is not a sentence that begins with one.
fn is_certain(line: &str, names: &[String]) -> bool {
    line.contains("Affinity") || names.iter().all(|name| is_gpu(name) || name.starts_with("NIC"))
}

fn is_gpu(name: &str) -> bool {
    name.strip_prefix("GPU").is_some_and(|number| number.parse::<u32>().is_ok())
}

fn class(word: &str) -> Option<Class> {
    if word == "X" {
        return Some(Class::Itself);
    }
    if let Some(count) = word.strip_prefix("NV") {
        return count.parse().ok().filter(|count| (1..=1000).contains(count)).map(Class::NvLinks);
    }
    let word = OLD_CLASSES.iter().find(|(old, _)| *old == word).map_or(word, |&(_, new)| new);
    CLASSES.iter().position(|&(class, _)| class == word).map(Class::Pcie)
}
