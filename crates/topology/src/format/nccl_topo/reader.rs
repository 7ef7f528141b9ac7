//! The reader of topologies of NCCL: hosts, NUMA nodes, PCI devices and network devices.

use std::borrow::Cow;
use std::collections::BTreeMap;

use roxmltree::Node;

use super::bandwidths::{MBIT_PER_S, UNKNOWN_NET_SPEED, inter_cpu_bandwidth, pcie_bandwidth};
use super::device_class::{is_gpu, is_nic};
use super::similar_specs::similar_specs;
use crate::NodeId;
use crate::format::attributes::{EdgeDirection, NodeAttributes, quantity, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::machine_links::{LOCAL, MAX_NUMA_NODES, MB_PER_S, MachineLinks};
use crate::format::parsed_graph::ParsedGraph;
use crate::format::xml::{at, elements, parse, required, root, without_document_type};
use crate::quantity::Quantity;
use crate::text::excerpt;

/// The attributes of each element that the reader uses.
const USED: [(&str, &[&str]); 10] = [
    ("system", &[]),
    ("cpu", &["numaid", "host_hash", "arch", "vendor", "familyid", "modelid"]),
    ("pci", &["busid", "class", "link_speed", "link_width"]),
    ("gpu", &["dev", "rank", "sm", "gcn"]),
    ("nvlink", &["target", "count", "tclass"]),
    ("xgmi", &["target", "count", "tclass"]),
    ("c2c", &["bw", "count"]),
    ("nic", &[]),
    ("net", &["name", "dev", "speed", "latency"]),
    ("pcilink", &["target"]),
];

/// Reads a topology. See [`GraphFormat::NcclTopo`](crate::GraphFormat::NcclTopo).
pub(in crate::format) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
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
        reader.add_link_of(element).map_err(at(element))?;
    }
    reader.note_complete_xgmi();
    reader.join_cpus();
    let links = std::mem::take(&mut reader.links);
    links.add_to(&mut reader.parsed, options.unit_bytes_per_second.is_some());
    if reader.has_assumed_gpus {
        reader.parsed.assume("PCI devices of the classes 0x03 and 0x120000 without <gpu> are GPUs");
    }
    if !system.descendants().any(|node| node.has_tag_name("gpu")) {
        reader.parsed.leave_out(format!(
            "NVLink and XGMI: a file without <gpu> is an input of NCCL (NCCL_TOPO_FILE), and NCCL adds these links when it runs; \
             dump the topology there with NCCL_TOPO_DUMP_FILE, or use {}",
            similar_specs(system)
        ));
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

pub(super) struct Reader<'a> {
    pub(super) parsed: ParsedGraph<'static>,
    /// Name of the machine if the file has none.
    name: &'a str,
    /// The number of each host in the order of the file, by `host_hash`.
    hosts: BTreeMap<&'a str, usize>,
    cpus: Vec<Cpu>,
    /// The nodes of the GPUs, PCIe switches and NICs, by the number of the `<pci>` element.
    devices: BTreeMap<usize, NodeId>,
    /// The same nodes by host and bus id. The first one has the bus id; GPUs come first.
    pub(super) buses: BTreeMap<(usize, String), NodeId>,
    /// The number of PCIe switches and NICs so far, by host and bus id.
    same_bus: BTreeMap<(usize, String), u32>,
    /// The NIC of each NUMA node that is not a PCI device, by host and NUMA node.
    virtual_nics: BTreeMap<(usize, String), NodeId>,
    has_assumed_gpus: bool,
    links: MachineLinks,
    /// The ends of the XGMI links between GPUs of the architecture `gfx90a`.
    pub(super) links_of_gfx90a: Vec<[NodeId; 2]>,
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
        Ok(Self {
            parsed: ParsedGraph::default(),
            name,
            hosts,
            cpus: Vec::new(),
            devices: BTreeMap::new(),
            buses: BTreeMap::new(),
            same_bus: BTreeMap::new(),
            virtual_nics: BTreeMap::new(),
            has_assumed_gpus: false,
            links: MachineLinks::default(),
            links_of_gfx90a: Vec::new(),
        })
    }

    /// Returns the number of the host of an element.
    pub(super) fn host(&self, element: Node<'a, 'a>) -> usize {
        let cpu = element.ancestors().find(|node| node.has_tag_name("cpu"));
        cpu.and_then(|cpu| self.hosts.get(host_hash(cpu))).copied().unwrap_or_default()
    }

    /// Returns the name of a node of a host, which is unique in all hosts.
    pub(super) fn name_on(&self, host: usize, name: &str) -> String {
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
                "the file has no GPU; NCCL adds GPUs when it runs: dump the topology there with NCCL_TOPO_DUMP_FILE",
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
        if self.buses.contains_key(&(host, bus.clone())) {
            return Err(FileFault::DuplicateNode { name: excerpt(&bus) });
        }
        let node = self.declare(host, &name, true)?;
        self.add_device(pci, bus, node);
        Ok(())
    }

    fn add_device(&mut self, pci: Node<'a, 'a>, bus: String, node: NodeId) {
        self.devices.insert(pci.id().get_usize(), node);
        self.buses.entry((self.host(pci), bus)).or_insert(node);
    }

    fn declare_cpu(&mut self, cpu: Node<'a, 'a>) -> Result<(), FileFault> {
        let host = self.host(cpu);
        let name = format!("cpu{}", required(cpu, "numaid", "numaid=\"0\"")?);
        let node = self.declare(host, &name, false)?;
        self.cpus.push(Cpu { node, host, bandwidth: inter_cpu_bandwidth(cpu)? });
        Ok(())
    }

    /// Returns the node of the nearest `<pci>` switch or `<cpu>` around an element.
    pub(super) fn parent(&self, element: Node<'a, 'a>) -> Result<NodeId, FileFault> {
        let host = self.host(element);
        for outer in element.ancestors().skip(1) {
            if outer.has_tag_name("pci") {
                return self.device(outer);
            }
            if outer.has_tag_name("cpu") {
                return self.parsed.find(&self.name_on(host, &format!("cpu{}", required(outer, "numaid", "")?)));
            }
        }
        Err(FileFault::Unsupported("the element is not inside of a <cpu>; move it into one"))
    }

    /// Returns the node of a `<pci>` element.
    fn device(&self, pci: Node<'a, 'a>) -> Result<NodeId, FileFault> {
        let unknown = || FileFault::UnknownNode { name: excerpt(pci.attribute("busid").unwrap_or_default()) };
        self.devices.get(&pci.id().get_usize()).copied().ok_or_else(unknown)
    }

    fn pci(&mut self, pci: Node<'a, 'a>) -> Result<(), FileFault> {
        if !is_gpu(pci) {
            let (host, bus) = (self.host(pci), bus_id(pci, "busid")?);
            let mut name = format!("{}-{bus}", if is_nic(pci) { "nic" } else { "pci" });
            let devices = self.same_bus.entry((host, bus.clone())).or_default();
            *devices += 1;
            if *devices > 1 {
                name = format!("{name}_{devices}");
                self.parsed.assume(
                    "PCI devices of the same bus id are different devices, as in NCCL; the second one is named _2",
                );
            }
            let node = self.declare(host, &name, false)?;
            self.add_device(pci, bus, node);
        }
        let node = self.device(pci)?;
        let parent = self.parent(pci)?;
        self.link(node, parent, EdgeDirection::Both, pcie_bandwidth(pci)?, None);
        Ok(())
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
        self.link(node, parent, EdgeDirection::Both, LOCAL * MB_PER_S, None);
        Ok(())
    }

    fn net(&mut self, net: Node<'a, 'a>) -> Result<(), FileFault> {
        let Some(dev) = net.attribute("dev") else {
            self.parsed.leave_out("network devices without 'dev', which NCCL does not use");
            return Ok(());
        };
        let host = self.host(net);
        let outer = net.ancestors().skip(1).find(|node| node.has_tag_name("pci") || node.has_tag_name("cpu"));
        let nic = if let Some(pci) = outer.filter(|node| node.has_tag_name("pci")) {
            self.device(pci).ok()
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
        self.link(nic, node, EdgeDirection::Both, speed * MBIT_PER_S, latency.transpose()?);
        Ok(())
    }

    /// Joins all NUMA nodes of each host.
    fn join_cpus(&mut self) {
        for from in 0..self.cpus.len() {
            for to in (0..self.cpus.len()).filter(|&to| to != from) {
                let [tail, head] = [from, to].map(|cpu| (self.cpus[cpu].node, self.cpus[cpu].host));
                if tail.1 == head.1 {
                    self.link(tail.0, head.0, EdgeDirection::Forward, self.cpus[from].bandwidth, None);
                }
            }
        }
    }

    pub(super) fn link(
        &mut self,
        from: NodeId,
        to: NodeId,
        direction: EdgeDirection,
        bandwidth: u64,
        latency_ps: Option<u64>,
    ) {
        self.links.push([from, to], direction, bandwidth, latency_ps);
    }

    fn note_unused(&mut self, element: Node<'a, 'a>) {
        let name = element.tag_name().name();
        let used = USED.iter().find(|&&(known, _)| known == name);
        let Some((_, used)) = used else { return self.note_unknown(element) };
        for attribute in element.attributes().filter(|attribute| !used.contains(&attribute.name())) {
            self.note_unknown_attribute(name, attribute.name());
        }
    }
}

fn host_hash<'a>(cpu: Node<'a, 'a>) -> &'a str {
    cpu.attribute("host_hash").unwrap_or_default()
}

/// Returns a bus id in lower case.
pub(super) fn bus_id(element: Node<'_, '_>, attribute: &'static str) -> Result<String, FileFault> {
    Ok(required(element, attribute, "a bus id such as 0000:07:00.0")?.trim().to_ascii_lowercase())
}
