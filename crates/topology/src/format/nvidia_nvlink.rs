//! The NVLinks of a machine, as `nvidia-smi nvlink -R` prints them. A part of the format `nvidia-smi`.
//!
//! # Grammar
//!
//! A line per GPU, `GPU 0: NAME (UUID: …)`, has a line per NVLink below it: `Link 0: Remote Device 00000000:0A:00.0: Link 2`
//! names the bus id at the other end, and the number that the link has there. The bus ids of the GPUs themselves are not
//! printed. GPUs are numbered in the order of their bus ids, and both ends of a link confirm it.
//!
//! # Source
//!
//! Public bug reports that quote the output.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::NodeId;
use crate::format::attributes::{Label, NodeAttributes};
use crate::format::console_text::plain;
use crate::format::device_tree::{add_link, add_switch, joined_groups};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::parsed_graph::ParsedGraph;
use crate::text::excerpt;

/// The maximum number of GPUs, more than any machine has.
const MAX_GPUS: usize = 1 << 10;

/// A GPU and its NVLinks.
struct Gpu {
    line: usize,
    number: u32,
    /// The far end of each link: the bus id, and the number that the link has there.
    links: BTreeMap<u32, (String, u32)>,
}

/// Returns true if a text has the line of a GPU and one of its NVLinks.
pub(super) fn looks_like(text: &str) -> bool {
    let mut lines = text.lines().map(plain);
    lines.any(|line| gpu_line(&line).is_some()) && lines.any(|line| link_line(&line).is_some())
}

/// Reads the NVLinks of all GPUs.
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let mut parsed = ParsedGraph::default();
    let gpus = gpus(text, &mut parsed)?;
    let host = parsed.host(Cow::Borrowed(name));
    let mut nodes = Vec::new();
    for gpu in &gpus {
        let (name, place) = (format!("GPU{}", gpu.number), |fault| ReadError::line(gpu.line, fault));
        let attributes = NodeAttributes { host: Some(host), ..NodeAttributes::default() };
        parsed.declare(Cow::Owned(name.clone()), attributes).map_err(place)?;
        nodes.push(parsed.find(&name).map_err(place)?);
    }
    let buses = Buses::new(&gpus);
    if buses.are_of_gpus(&gpus) {
        buses.add_links(&mut parsed, &gpus, &nodes);
    } else {
        let added = buses.add_switches(&mut parsed, &gpus, &nodes, host);
        added.map_err(|fault| ReadError::line(gpus.first().map_or(1, |gpu| gpu.line), fault))?;
    }
    parsed.finish(name, options)
}

fn gpus(text: &str, parsed: &mut ParsedGraph<'_>) -> Result<Vec<Gpu>, ReadError> {
    let mut gpus: Vec<Gpu> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        let text = plain(text);
        let fault = if let Some(number) = gpu_line(&text) {
            gpus.push(Gpu { line, number, links: BTreeMap::new() });
            Ok(())
        } else if let (Some((number, end)), Some(gpu)) = (link_line(&text), gpus.last_mut()) {
            add_end(gpu, number, end, parsed)
        } else {
            Ok(())
        };
        fault.map_err(|fault| ReadError::line(line, fault))?;
    }
    if let Some(gpu) = gpus.get(MAX_GPUS) {
        return Err(ReadError::line(
            gpu.line,
            FileFault::Unsupported("more than 1024 GPUs; read the links of one machine"),
        ));
    }
    gpus.sort_by_key(|gpu| gpu.number);
    if let Some([_, second]) = gpus.array_windows().find(|[first, second]| first.number == second.number) {
        let found = format!("GPU {} a second time", second.number);
        let expected = "the NVLinks of one machine; put each machine into a file of its own";
        return Err(ReadError::line(second.line, FileFault::Unexpected { found, expected }));
    }
    Ok(gpus)
}

/// Adds the far end of a link to a GPU.
fn add_end(gpu: &mut Gpu, number: u32, end: &str, parsed: &mut ParsedGraph<'_>) -> Result<(), FileFault> {
    if end.to_ascii_lowercase().contains("inactive") {
        parsed.leave_out("inactive NVLinks");
        return Ok(());
    }
    let remote = end.strip_prefix("Remote Device").and_then(|end| end.trim().rsplit_once(": Link "));
    let remote = remote.and_then(|(bus, link)| Some((bus.trim().to_ascii_lowercase(), link.trim().parse().ok()?)));
    let Some((bus, link)) = remote else {
        let found = format!("'{}'", excerpt(end));
        let expected =
            "'Remote Device 00000000:0A:00.0: Link 2'; print the ends of the links with nvidia-smi nvlink -R";
        return Err(FileFault::Unexpected { found, expected });
    };
    if bus.starts_with("ffffffff") {
        return Err(FileFault::Unsupported(
            "the driver does not know the remote device; start the fabric manager, and print the links again",
        ));
    }
    if gpu.links.insert(number, (bus, link)).is_some() {
        let found = format!("link {number} a second time");
        return Err(FileFault::Unexpected { found, expected: "each link of a GPU once" });
    }
    Ok(())
}

/// The bus ids at the far ends, in ascending order.
struct Buses<'a>(Vec<&'a str>);

impl<'a> Buses<'a> {
    fn new(gpus: &'a [Gpu]) -> Self {
        let mut buses: Vec<&str> = gpus.iter().flat_map(|gpu| gpu.links.values().map(|(bus, _)| &**bus)).collect();
        buses.sort_unstable();
        buses.dedup();
        Self(buses)
    }

    fn place(&self, bus: &str) -> Option<usize> {
        self.0.binary_search(&bus).ok()
    }

    /// Returns the places of the GPUs with links.
    fn linked(gpus: &[Gpu]) -> Vec<usize> {
        (0..gpus.len()).filter(|&gpu| !gpus[gpu].links.is_empty()).collect()
    }

    /// Returns true if the bus ids are those of the GPUs with links, in this order: both ends of each link confirm it.
    fn are_of_gpus(&self, gpus: &[Gpu]) -> bool {
        let linked = Self::linked(gpus);
        let confirms = |(own, &gpu): (usize, &usize)| {
            gpus[gpu].links.iter().all(|(number, (bus, link))| {
                let other = self.place(bus).and_then(|place| linked.get(place));
                let end = other.and_then(|&other| gpus[other].links.get(link));
                let is_other = other.is_some_and(|&other| other != gpu);
                is_other && end.is_some_and(|(bus, back)| back == number && self.place(bus) == Some(own))
            })
        };
        linked.len() == self.0.len() && linked.iter().enumerate().all(confirms)
    }

    /// Adds the links between GPUs, one per NVLink.
    fn add_links(&self, parsed: &mut ParsedGraph<'_>, gpus: &[Gpu], nodes: &[NodeId]) {
        let linked = Self::linked(gpus);
        if !linked.is_empty() {
            parsed.assume("GPUs are numbered in the order of their bus ids; both ends of each NVLink confirm it");
        }
        if linked.len() < gpus.len() {
            parsed.leave_out("PCIe paths of GPUs without NVLinks, which nvidia-smi topo -m prints");
        }
        for (own, &gpu) in linked.iter().enumerate() {
            for (number, (bus, link)) in &gpus[gpu].links {
                if let Some(other) = self.place(bus).filter(|&other| (own, number) < (other, link)) {
                    add_link(parsed, nodes[gpu], nodes[linked[other]], 1);
                }
            }
        }
    }

    /// Adds an NVLink switch per group of GPUs that have links to the same devices.
    fn add_switches(
        &self,
        parsed: &mut ParsedGraph<'_>,
        gpus: &[Gpu],
        nodes: &[NodeId],
        host: Label,
    ) -> Result<(), FileFault> {
        let remotes: Vec<Vec<usize>> = gpus.iter().map(|gpu| self.remotes(gpu)).collect();
        let are_joined = |first: usize, second: usize| remotes[first].iter().any(|bus| remotes[second].contains(bus));
        let groups = joined_groups(gpus.len(), are_joined);
        for (number, group) in groups.iter().filter(|group| !remotes[group[0]].is_empty()).enumerate() {
            if group.len() == 1 || group.iter().any(|&gpu| remotes[gpu] != remotes[group[0]]) {
                let found =
                    format!("GPU {} with links to {}", gpus[group[0]].number, excerpt(self.0[remotes[group[0]][0]]));
                let expected = "links to the other GPUs in the order of their bus ids, or to switches that all GPUs have \
                                in common; print nvidia-smi nvlink -R of all GPUs, or the matrix of nvidia-smi topo -m";
                return Err(FileFault::Unexpected { found, expected });
            }
            let switch = add_switch(parsed, &format!("nvswitch{number}"), host)?;
            for &gpu in group {
                add_link(parsed, nodes[gpu], switch, gpus[gpu].links.len() as u64);
            }
        }
        parsed.assume(
            "devices to which all GPUs have links are NVLink switches, and become one; a GPU has a link to it whose capacity is \
             its number of NVLinks",
        );
        if remotes.iter().any(Vec::is_empty) {
            parsed.leave_out("PCIe paths of GPUs without NVLinks, which nvidia-smi topo -m prints");
        }
        Ok(())
    }

    /// Returns the places of the bus ids to which a GPU has links, each once, in ascending order.
    fn remotes(&self, gpu: &Gpu) -> Vec<usize> {
        let mut places: Vec<usize> = gpu.links.values().filter_map(|(bus, _)| self.place(bus)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}

/// Returns the number of the GPU in `GPU 0: NAME (UUID: …)`.
fn gpu_line(line: &str) -> Option<u32> {
    let (name, _) = line.split_once("(UUID:")?;
    let (_, rest) = name.split_once("GPU ")?;
    rest.split_once(':')?.0.parse().ok()
}

/// Returns the number of a link and the text behind it: `Link 0: Remote Device 00000000:0A:00.0: Link 2`.
fn link_line(line: &str) -> Option<(u32, &str)> {
    let (_, rest) = line.split_once("Link ")?;
    let (number, end) = rest.split_once(": ")?;
    Some((number.parse().ok()?, end.trim()))
}
