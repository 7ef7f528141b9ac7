//! The format `nccl-topo`: the topology of a machine as NCCL dumps it.
//!
//! # Grammar
//!
//! `<system>` contains a `<cpu>` per NUMA node. A `<cpu>` or a `<pci>` switch contains `<pci>` devices; a device contains
//! `<gpu>` or `<nic>`. A `<gpu>` contains `<nvlink target= count= tclass=>` and `<c2c bw= count=>`, a `<nic>` contains
//! `<net name= dev= speed= latency=>`, a `<pci>` also `<pcilink target=>`.
//!
//! # Source
//!
//! `src/graph/xml.cc`, `src/graph/topo.cc` and `src/graph/topo.h` of github.com/NVIDIA/nccl, whose bandwidths these are.
//! NCCL also merges two levels of Broadcom switches; here they stay apart.

use std::borrow::Cow;
use std::collections::BTreeMap;

use roxmltree::Node;

use crate::NodeId;
use crate::format::attributes::{EdgeDirection, NodeAttributes, quantity, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::machine_links::{LOCAL, MAX_NUMA_NODES, MB_PER_S, MachineLinks, numa_bandwidth};
use crate::format::parsed_graph::ParsedGraph;
use crate::format::xml::{at, elements, parse, required, root, without_document_type};
use crate::quantity::Quantity;
use crate::text::excerpt;

/// Bytes per second of 1 Mbit/s.
const MBIT_PER_S: u64 = 125_000;

/// The speed that NCCL assumes for a network device without one, in Mbit/s.
const UNKNOWN_NET_SPEED: u64 = 10_000;

/// The bandwidth of a PCIe lane in units of 100 Mbit/s, by the beginning of `link_speed`.
const LANES: [(&str, u64); 6] = [("2.5", 15), ("5", 30), ("8", 60), ("16", 120), ("32", 240), ("64", 480)];

/// The bandwidth of a lane of unknown speed, in units of 100 Mbit/s.
const UNKNOWN_LANE: u64 = 60;

/// The bandwidth of an NVLink in MB/s, by the least compute capability.
const NVLINKS: [(u64, u64); 7] =
    [(100, 40_100), (90, 20_600), (87, 20_000), (86, 12_000), (70, 20_000), (60, 18_000), (0, 20_000)];

/// The attributes of each element that the reader uses.
const USED: [(&str, &[&str]); 9] = [
    ("system", &[]),
    ("cpu", &["numaid", "host_hash", "arch", "vendor", "familyid", "modelid"]),
    ("pci", &["busid", "class", "link_speed", "link_width"]),
    ("gpu", &["dev", "rank", "sm"]),
    ("nvlink", &["target", "count", "tclass"]),
    ("c2c", &["bw", "count"]),
    ("nic", &[]),
    ("net", &["name", "dev", "speed", "latency"]),
    ("pcilink", &["target"]),
];

/// Reads a topology. See [`GraphFormat::NcclTopo`](crate::GraphFormat::NcclTopo).
pub(super) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let text = without_document_type(text);
    let document = parse(&text)?;
    let system = root(&document, "system", "<system> as the root element, as NCCL_TOPO_DUMP_FILE writes it")?;
    let mut reader = Reader::new(system, name)?;
    reader.declare_gpus(system)?;
    for cpu in elements(system, "cpu") {
        reader.declare_cpu(cpu).map_err(at(cpu))?;
    }
    for element in system.descendants().filter(Node::is_element) {
        let fault = match element.tag_name().name() {
            "pci" => reader.pci(element),
            "nic" => reader.nic(element),
            "net" => reader.net(element),
            _ => Ok(()),
        };
        fault.map_err(at(element))?;
    }
    // Links name nodes that may be declared after them.
    for element in system.descendants().filter(Node::is_element) {
        reader.note_unused(element);
        let fault = match element.tag_name().name() {
            "nvlink" => reader.nvlink(element),
            "c2c" => reader.c2c(element),
            "pcilink" => reader.pcilink(element),
            _ => Ok(()),
        };
        fault.map_err(at(element))?;
    }
    reader.join_cpus().map_err(|fault| ReadError::field("system", fault))?;
    let links = std::mem::take(&mut reader.links);
    links.add_to(&mut reader.parsed, options.unit_bytes_per_second.is_some(), "system")?;
    if reader.has_assumed_gpus {
        reader.parsed.assume("PCI devices of class 0x03 without <gpu> are GPUs");
    }
    reader.parsed.finish(name, options)
}

/// A NUMA node.
struct Cpu {
    node: NodeId,
    host: usize,
    /// The bandwidth to other NUMA nodes of the host in bytes per second.
    bandwidth: u64,
}

struct Reader<'a> {
    parsed: ParsedGraph<'static>,
    /// Name of the machine if the file has none.
    name: &'a str,
    /// The number of each host in the order of the file, by `host_hash`.
    hosts: BTreeMap<&'a str, usize>,
    cpus: Vec<Cpu>,
    /// The GPUs, PCIe switches and NICs, by host and bus id.
    devices: BTreeMap<(usize, String), NodeId>,
    /// The NIC of each NUMA node that is not a PCI device, by host and NUMA node.
    virtual_nics: BTreeMap<(usize, String), NodeId>,
    has_assumed_gpus: bool,
    links: MachineLinks,
}

impl<'a> Reader<'a> {
    fn new(system: Node<'a, 'a>, name: &'a str) -> Result<Self, ReadError> {
        let mut hosts = BTreeMap::new();
        for cpu in elements(system, "cpu") {
            let next = hosts.len();
            hosts.entry(host_hash(cpu)).or_insert(next);
        }
        if hosts.is_empty() {
            return Err(at(system)(FileFault::Unsupported("<system> has no <cpu>; dump the topology again")));
        }
        if let Some(cpu) = elements(system, "cpu").nth(MAX_NUMA_NODES) {
            return Err(at(cpu)(FileFault::Unsupported(
                "more than 576 <cpu> elements, the limit of NCCL; remove some",
            )));
        }
        let (devices, virtual_nics) = (BTreeMap::new(), BTreeMap::new());
        let parsed = ParsedGraph::default();
        Ok(Self {
            parsed,
            name,
            hosts,
            cpus: Vec::new(),
            devices,
            virtual_nics,
            has_assumed_gpus: false,
            links: MachineLinks::default(),
        })
    }

    /// Returns the number of the host of an element.
    fn host(&self, element: Node<'a, 'a>) -> usize {
        let cpu = element.ancestors().find(|node| node.has_tag_name("cpu"));
        cpu.and_then(|cpu| self.hosts.get(host_hash(cpu))).copied().unwrap_or_default()
    }

    /// Returns the name of a node of a host, which is unique in all hosts.
    fn name_on(&self, host: usize, name: &str) -> String {
        if self.hosts.len() > 1 { format!("host{host}.{name}") } else { name.to_owned() }
    }

    fn declare(&mut self, host: usize, name: &str, is_terminal: bool) -> Result<NodeId, FileFault> {
        let machine = if self.hosts.len() > 1 { format!("host{host}") } else { self.name.to_owned() };
        let label = self.parsed.host(Cow::Owned(machine));
        let attributes = NodeAttributes { terminal: Some(is_terminal), host: Some(label), ..NodeAttributes::default() };
        let name = self.name_on(host, name);
        self.parsed.declare(Cow::Owned(name.clone()), attributes)?;
        self.parsed.find(&name)
    }

    /// Declares the GPUs first, in the order of their ranks, so that they are numbered like the ranks.
    fn declare_gpus(&mut self, system: Node<'a, 'a>) -> Result<(), ReadError> {
        let mut gpus = Vec::new();
        for pci in system.descendants().filter(|node| node.has_tag_name("pci") && is_gpu(*node)) {
            let gpu = elements(pci, "gpu").next();
            let rank = gpu.and_then(|gpu| gpu.attribute("rank"));
            let limits = (0..=u32::MAX.into(), "a rank from 0 on");
            let rank = rank.map(|rank| whole_number("rank", rank, limits.0, limits.1)).transpose().map_err(at(pci))?;
            gpus.push((rank.unwrap_or(u64::MAX), pci, gpu));
        }
        if gpus.is_empty() {
            return Err(at(system)(FileFault::Unsupported(
                "the file has no GPU; dump the topology of a machine with GPUs",
            )));
        }
        gpus.sort_by_key(|&(rank, ..)| rank);
        for (_, pci, gpu) in gpus {
            self.declare_gpu(pci, gpu).map_err(at(pci))?;
        }
        Ok(())
    }

    fn declare_gpu(&mut self, pci: Node<'a, 'a>, gpu: Option<Node<'a, 'a>>) -> Result<(), FileFault> {
        let (host, bus) = (self.host(pci), bus_id(pci, "busid")?);
        self.has_assumed_gpus |= gpu.is_none();
        if elements(pci, "gpu").nth(1).is_some() {
            self.parsed.leave_out("further <gpu> elements of one PCI device: ranks that share a GPU, or parts of it");
        }
        let name = gpu.and_then(|gpu| gpu.attribute("dev")).map_or(format!("gpu-{bus}"), |dev| format!("gpu{dev}"));
        let node = self.declare(host, &name, true)?;
        self.add_device(host, bus, node)
    }

    fn add_device(&mut self, host: usize, bus: String, node: NodeId) -> Result<(), FileFault> {
        let name = excerpt(&bus);
        let old = self.devices.insert((host, bus), node);
        if old.is_some() { Err(FileFault::DuplicateNode { name }) } else { Ok(()) }
    }

    fn declare_cpu(&mut self, cpu: Node<'a, 'a>) -> Result<(), FileFault> {
        let host = self.host(cpu);
        let name = format!("cpu{}", required(cpu, "numaid", "numaid=\"0\"")?);
        let node = self.declare(host, &name, false)?;
        self.cpus.push(Cpu { node, host, bandwidth: inter_cpu_bandwidth(cpu)? });
        Ok(())
    }

    /// Returns the node of the nearest `<pci>` switch or `<cpu>` around an element.
    fn parent(&self, element: Node<'a, 'a>) -> Result<NodeId, FileFault> {
        let host = self.host(element);
        for outer in element.ancestors().skip(1) {
            if outer.has_tag_name("pci") {
                let bus = bus_id(outer, "busid")?;
                return self.devices.get(&(host, bus)).copied().ok_or_else(|| FileFault::UnknownNode {
                    name: excerpt(outer.attribute("busid").unwrap_or_default()),
                });
            }
            if outer.has_tag_name("cpu") {
                return self.parsed.find(&self.name_on(host, &format!("cpu{}", required(outer, "numaid", "")?)));
            }
        }
        Err(FileFault::Unsupported("the element is not inside of a <cpu>; move it into one"))
    }

    fn pci(&mut self, pci: Node<'a, 'a>) -> Result<(), FileFault> {
        let (host, bus) = (self.host(pci), bus_id(pci, "busid")?);
        let node = if is_gpu(pci) {
            self.devices.get(&(host, bus.clone())).copied().ok_or(FileFault::UnknownNode { name: excerpt(&bus) })?
        } else {
            let is_nic = elements(pci, "nic").next().is_some() || class(pci).starts_with("0x02");
            let node = self.declare(host, &format!("{}-{bus}", if is_nic { "nic" } else { "pci" }), false)?;
            self.add_device(host, bus, node)?;
            node
        };
        let parent = self.parent(pci)?;
        self.link(node, parent, EdgeDirection::Both, pcie_bandwidth(pci)?, None)
    }

    /// Adds a NIC that is not a PCI device, such as that of a virtual machine.
    fn nic(&mut self, nic: Node<'a, 'a>) -> Result<(), FileFault> {
        let Some(cpu) = nic.parent().filter(|parent| parent.has_tag_name("cpu")) else { return Ok(()) };
        let (host, numa) = (self.host(nic), required(cpu, "numaid", "")?.to_owned());
        if self.virtual_nics.contains_key(&(host, numa.clone())) {
            return Ok(());
        }
        let node = self.declare(host, &format!("nic-cpu{numa}"), false)?;
        self.virtual_nics.insert((host, numa), node);
        let parent = self.parent(nic)?;
        self.link(node, parent, EdgeDirection::Both, LOCAL * MB_PER_S, None)
    }

    fn net(&mut self, net: Node<'a, 'a>) -> Result<(), FileFault> {
        let Some(dev) = net.attribute("dev") else {
            self.parsed.leave_out("network devices without 'dev', which NCCL does not use");
            return Ok(());
        };
        let host = self.host(net);
        let outer = net.ancestors().skip(1).find(|node| node.has_tag_name("pci") || node.has_tag_name("cpu"));
        let nic = if let Some(pci) = outer.filter(|node| node.has_tag_name("pci")) {
            self.devices.get(&(host, bus_id(pci, "busid")?)).copied()
        } else {
            let numa = outer.and_then(|cpu| cpu.attribute("numaid")).unwrap_or_default();
            self.virtual_nics.get(&(host, numa.to_owned())).copied()
        };
        let nic = nic.ok_or(FileFault::Unsupported("<net> is not inside of a <nic>; move it into one"))?;
        let speed = match net.attribute("speed").map(str::trim) {
            None | Some("0" | "-1") => {
                self.parsed.assume("network devices of unknown speed have 10 Gbit/s, as in NCCL");
                UNKNOWN_NET_SPEED
            }
            Some(speed) => whole_number("speed", speed, 1..=1_000_000_000, "Mbit/s, a whole number from 1 to 10^9")?,
        };
        let latency = net.attribute("latency").map(|us| quantity("latency", Quantity::Time, &format!("{us}us")));
        let name = net.attribute("name").unwrap_or("net");
        let is_new = self.parsed.find(&self.name_on(host, name)).is_err();
        let name = if is_new { name.to_owned() } else { format!("{name}.{dev}") };
        let node = self.declare(host, &name, false)?;
        self.link(nic, node, EdgeDirection::Both, speed * MBIT_PER_S, latency.transpose()?)
    }

    fn nvlink(&mut self, nvlink: Node<'a, 'a>) -> Result<(), FileFault> {
        let host = self.host(nvlink);
        let gpu = self.parent(nvlink)?;
        let sm = nvlink.parent().and_then(|gpu| gpu.attribute("sm")).unwrap_or("0");
        let sm = whole_number("sm", sm, 0..=100_000, "a compute capability such as 90")?;
        let per_link = NVLINKS.iter().find(|&&(least, _)| sm >= least).map_or(LOCAL, |&(_, bandwidth)| bandwidth);
        let bandwidth = count(nvlink)? * per_link * MB_PER_S;
        let class = nvlink.attribute("tclass").unwrap_or("0x03");
        if class.starts_with("0x03") {
            let target = bus_id(nvlink, "target")?;
            let Some(&target) = self.devices.get(&(host, target)) else {
                self.parsed.leave_out("NVLinks to GPUs that the file does not list");
                return Ok(());
            };
            // The other GPU lists its own direction.
            return self.link(gpu, target, EdgeDirection::Forward, bandwidth, None);
        }
        if class == "0x068001" {
            let cpu = nvlink.ancestors().find(|node| node.has_tag_name("cpu"));
            let numa = cpu.and_then(|cpu| cpu.attribute("numaid")).unwrap_or_default();
            let cpu = self.parsed.find(&self.name_on(host, &format!("cpu{numa}")))?;
            return self.link(gpu, cpu, EdgeDirection::Both, bandwidth, None);
        }
        // NCCL takes all NVLink switches of all hosts for one.
        let (switch, is_new) = self.parsed.node(Cow::Borrowed("nvswitch"));
        if is_new {
            self.parsed.set_attributes(switch, NodeAttributes { switch: Some(true), ..NodeAttributes::default() })?;
        }
        self.link(gpu, switch, EdgeDirection::Both, bandwidth, None)
    }

    fn c2c(&mut self, c2c: Node<'a, 'a>) -> Result<(), FileFault> {
        let gpu = self.parent(c2c)?;
        let bandwidth = required(c2c, "bw", "bw=\"25781\"")?;
        let bandwidth = whole_number("bw", bandwidth, 1..=1_000_000_000, "MB/s, a whole number from 1 to 10^9")?;
        let cpu = c2c.ancestors().find(|node| node.has_tag_name("cpu"));
        let numa = cpu.and_then(|cpu| cpu.attribute("numaid")).unwrap_or_default();
        let cpu = self.parsed.find(&self.name_on(self.host(c2c), &format!("cpu{numa}")))?;
        self.link(gpu, cpu, EdgeDirection::Both, count(c2c)? * bandwidth * MB_PER_S, None)
    }

    fn pcilink(&mut self, pcilink: Node<'a, 'a>) -> Result<(), FileFault> {
        let switch = self.parent(pcilink)?;
        let target = (self.host(pcilink), bus_id(pcilink, "target")?);
        let Some(&target) = self.devices.get(&target) else {
            self.parsed.leave_out("PCIe links to switches that the file does not list");
            return Ok(());
        };
        self.link(switch, target, EdgeDirection::Forward, LOCAL * MB_PER_S, None)
    }

    /// Joins all NUMA nodes of each host.
    fn join_cpus(&mut self) -> Result<(), FileFault> {
        for from in 0..self.cpus.len() {
            for to in (0..self.cpus.len()).filter(|&to| to != from) {
                let [tail, head] = [from, to].map(|cpu| (self.cpus[cpu].node, self.cpus[cpu].host));
                if tail.1 == head.1 {
                    self.link(tail.0, head.0, EdgeDirection::Forward, self.cpus[from].bandwidth, None)?;
                }
            }
        }
        Ok(())
    }

    fn link(
        &mut self,
        from: NodeId,
        to: NodeId,
        direction: EdgeDirection,
        bandwidth: u64,
        latency_ps: Option<u64>,
    ) -> Result<(), FileFault> {
        self.links.push(&self.parsed, [from, to], direction, bandwidth, latency_ps)
    }

    fn note_unused(&mut self, element: Node<'a, 'a>) {
        let name = element.tag_name().name();
        let used = USED.iter().find(|&&(known, _)| known == name);
        let Some((_, used)) = used else { return self.parsed.ignore("element", name) };
        for attribute in element.attributes().filter(|attribute| !used.contains(&attribute.name())) {
            self.parsed.ignore(name, attribute.name());
        }
    }
}

fn host_hash<'a>(cpu: Node<'a, 'a>) -> &'a str {
    cpu.attribute("host_hash").unwrap_or_default()
}

fn class<'a>(pci: Node<'a, 'a>) -> &'a str {
    pci.attribute("class").unwrap_or_default()
}

fn is_gpu(pci: Node<'_, '_>) -> bool {
    elements(pci, "gpu").next().is_some() || class(pci).starts_with("0x03")
}

/// Returns a bus id in lower case.
fn bus_id(element: Node<'_, '_>, attribute: &'static str) -> Result<String, FileFault> {
    Ok(required(element, attribute, "a bus id such as 0000:07:00.0")?.trim().to_ascii_lowercase())
}

fn count(element: Node<'_, '_>) -> Result<u64, FileFault> {
    let value = required(element, "count", "count=\"4\"")?;
    whole_number("count", value, 1..=1000, "a number of links from 1 to 1000")
}

/// Returns the bandwidth of a PCIe device to its parent in bytes per second.
fn pcie_bandwidth(pci: Node<'_, '_>) -> Result<u64, FileFault> {
    let width = pci.attribute("link_width").unwrap_or("0");
    let lanes = match whole_number("link_width", width, 0..=64, "a number of lanes from 0 to 64")? {
        // The system does not tell the width.
        0 => 16,
        lanes => lanes,
    };
    let speed = pci.attribute("link_speed").unwrap_or_default().trim();
    let generation = speed.split_whitespace().next().unwrap_or_default();
    let generation = generation.strip_suffix(".0").unwrap_or(generation);
    let lane = LANES.iter().find(|&&(known, _)| known == generation).map_or(UNKNOWN_LANE, |&(_, lane)| lane);
    Ok(lanes * lane * 100 * MBIT_PER_S)
}

/// Returns the bandwidth between NUMA nodes in bytes per second.
fn inter_cpu_bandwidth(cpu: Node<'_, '_>) -> Result<u64, FileFault> {
    let number = |attribute| {
        let value = cpu.attribute(attribute).unwrap_or("0");
        whole_number(attribute, value, 0..=100_000, "a whole number")
    };
    let (family, model) = (number("familyid")?, number("modelid")?);
    let attribute = |name| cpu.attribute(name).unwrap_or_default();
    Ok(numa_bandwidth(attribute("arch"), attribute("vendor"), family, model) * MB_PER_S)
}
