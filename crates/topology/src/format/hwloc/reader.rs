//! The network of a machine.

use std::borrow::Cow;
use std::collections::BTreeMap;

use roxmltree::Node;

use super::devices::{Devices, bus};
use super::matrices::{self, DirectLink};
use super::objects::{ElementNumber, is_on_bus, kind, number};
use super::places::Places;
use crate::NodeId;
use crate::format::attributes::{EdgeDirection, Label, NodeAttributes, quantity, whole_number};
use crate::format::error::{FileFault, ReadError};
use crate::format::graph_file::{GraphFile, ReadOptions};
use crate::format::machine_links::{MB_PER_S, MachineLinks, numa_bandwidth};
use crate::format::parsed_graph::ParsedGraph;
use crate::format::xml::{at, elements, parse, root, without_document_type};
use crate::quantity::Quantity;

/// The bandwidth that NCCL assumes for a PCIe link of unknown speed, in MB/s.
const UNKNOWN_PCIE: u64 = 12_000;

/// The architectures of hwloc with their names in NCCL.
const ARCHITECTURES: [(&str, &str); 4] =
    [("x86_64", "x86_64"), ("ppc64le", "ppc64"), ("ppc64", "ppc64"), ("aarch64", "arm64")];

/// Reads a topology. See [`GraphFormat::Hwloc`](crate::GraphFormat::Hwloc).
pub(in crate::format) fn read(text: &str, name: &str, options: &ReadOptions) -> Result<GraphFile, ReadError> {
    let text = without_document_type(text);
    let document = parse(&text)?;
    let topology = root(&document, "topology", "<topology> as the root element, as lstopo --of xml writes it")?;
    let mut machines = elements(topology, "object");
    let machine = match (machines.next(), machines.next()) {
        (Some(machine), None) if kind(machine) == "Machine" => machine,
        (Some(other), _) => {
            let fault = FileFault::Unsupported("expected one object of type Machine; write each machine with lstopo");
            return Err(at(other)(fault));
        }
        (None, _) => {
            return Err(at(topology)(FileFault::Unsupported("<topology> has no <object>; write it with lstopo")));
        }
    };
    let is_old = topology.attribute("version").is_none_or(|version| version.starts_with('1'));
    let mut reader = Reader::new(machine, is_old, name)?;
    reader.declare_devices(machine)?;
    for device in std::mem::take(&mut reader.on_pci) {
        reader.join_upwards(device).map_err(at(device))?;
    }
    let matrices = matrices::read(topology, machine)?;
    for link in &matrices {
        reader.direct_link(link).map_err(at(link.matrix))?;
    }
    reader.join_places().map_err(at(machine))?;
    reader.note(&matrices);
    let Reader { mut parsed, links, .. } = reader;
    links.add_to(&mut parsed, options.unit_bytes_per_second.is_some());
    parsed.finish(name, options)
}

struct Reader<'a> {
    parsed: ParsedGraph<'static>,
    host: Label,
    places: Places<'a>,
    devices: Devices<'a>,
    /// The node of each place.
    of_place: Vec<NodeId>,
    /// The node of each PCI device and bridge that has one.
    of_element: BTreeMap<ElementNumber, NodeId>,
    /// The GPUs and network cards.
    on_pci: Vec<Node<'a, 'a>>,
    /// The number of children of each bridge on the ways from devices to places.
    branches: BTreeMap<ElementNumber, usize>,
    links: MachineLinks,
    has_unknown_speed: bool,
    has_several_places: bool,
}

impl<'a> Reader<'a> {
    fn new(machine: Node<'a, 'a>, is_old: bool, name: &str) -> Result<Self, ReadError> {
        let (places, devices) = (Places::read(machine, is_old)?, Devices::read(machine));
        let mut parsed = ParsedGraph::default();
        let host = parsed.host(Cow::Owned(places.info("HostName").unwrap_or(name).to_owned()));
        Ok(Self {
            parsed,
            host,
            places,
            devices,
            of_place: Vec::new(),
            of_element: BTreeMap::new(),
            on_pci: Vec::new(),
            branches: BTreeMap::new(),
            links: MachineLinks::default(),
            has_unknown_speed: false,
            has_several_places: false,
        })
    }

    fn declare(&mut self, name: &str, is_terminal: bool) -> Result<NodeId, FileFault> {
        let attributes =
            NodeAttributes { terminal: Some(is_terminal), host: Some(self.host), ..NodeAttributes::default() };
        self.parsed.declare(Cow::Owned(name.to_owned()), attributes)?;
        self.parsed.find(name)
    }

    /// Declares GPUs, NUMA nodes and network cards. The GPUs are the terminals; without any, the NUMA nodes are.
    fn declare_devices(&mut self, machine: Node<'a, 'a>) -> Result<(), ReadError> {
        let has_gpus = !self.devices.gpus.is_empty();
        if !has_gpus && self.places.names.len() == 1 {
            return Err(at(machine)(FileFault::Unsupported(
                "the file has no GPU and one NUMA node; write the topology of a machine with several of them, with its I/O \
                 devices",
            )));
        }
        for (name, device) in self.devices.gpus.clone() {
            self.declare_device(&name, device, true).map_err(at(device))?;
        }
        for name in self.places.names.clone() {
            let node = self.declare(&name, !has_gpus).map_err(at(machine))?;
            self.of_place.push(node);
        }
        for (name, device) in self.devices.networks.clone() {
            self.declare_device(&name, device, false).map_err(at(device))?;
        }
        Ok(())
    }

    fn declare_device(&mut self, name: &str, device: Node<'a, 'a>, is_terminal: bool) -> Result<(), FileFault> {
        let node = self.declare(name, is_terminal)?;
        self.of_element.insert(number(device), node);
        self.on_pci.push(device);
        let mut child = device;
        while let Some(bridge) = bridge_over(child) {
            let branches = self.branches.entry(number(bridge)).or_default();
            *branches += 1;
            if *branches > 1 {
                break;
            }
            child = bridge;
        }
        Ok(())
    }

    /// Adds the link from a device or bridge to the next bridge that branches, or to its NUMA node, and so on from there.
    fn join_upwards(&mut self, device: Node<'a, 'a>) -> Result<(), FileFault> {
        let mut lower = device;
        loop {
            let (mut upper, mut slowest) = (lower, link_speed(lower)?);
            let branching = loop {
                let Some(bridge) = bridge_over(upper) else { break None };
                if self.branches.get(&number(bridge)).is_some_and(|&branches| branches > 1) {
                    break Some(bridge);
                }
                upper = bridge;
                slowest = [slowest, link_speed(bridge)?].into_iter().flatten().min();
            };
            let from = self.of_element[&number(lower)];
            let (to, is_new) = match branching {
                Some(bridge) => match self.of_element.get(&number(bridge)) {
                    Some(&node) => (node, false),
                    None => (self.declare(&format!("pci-{}", bus(bridge)), false)?, true),
                },
                None => (self.place_over(upper), false),
            };
            self.has_unknown_speed |= slowest.is_none();
            let bandwidth = slowest.unwrap_or(UNKNOWN_PCIE * MB_PER_S);
            self.links.push([from, to], EdgeDirection::Both, bandwidth, None);
            match branching.filter(|_| is_new) {
                Some(bridge) => {
                    self.of_element.insert(number(bridge), to);
                    lower = bridge;
                }
                None => return Ok(()),
            }
        }
    }

    /// Returns the node of the NUMA node over a device or bridge.
    fn place_over(&mut self, device: Node<'a, 'a>) -> NodeId {
        let outer = device.ancestors().skip(1).find(|object| !is_on_bus(*object)).unwrap_or(device);
        let (place, is_one) = self.places.of(outer);
        self.has_several_places |= !is_one;
        self.of_place[place]
    }

    /// Adds a link of a matrix, in one direction.
    fn direct_link(&mut self, link: &DirectLink<'a>) -> Result<(), FileFault> {
        let [Some(from), Some(to)] = [self.end(link.from)?, self.end(link.to)?] else { return Ok(()) };
        if from == to {
            return Ok(());
        }
        self.links.push([from, to], EdgeDirection::Forward, link.mb_per_s * MB_PER_S, None);
        Ok(())
    }

    /// Returns the node of an object of a matrix: a GPU, an NVLink switch, or the NUMA node of another object.
    fn end(&mut self, object: Node<'a, 'a>) -> Result<Option<NodeId>, FileFault> {
        let device = match kind(object) {
            "OSDev" => object.parent_element().filter(|parent| kind(*parent) == "PCIDev"),
            "PCIDev" => Some(object),
            _ => return Ok(Some(self.of_place[self.places.of(object).0])),
        };
        let Some(device) = device else {
            self.parsed.leave_out("links between parts of a GPU");
            return Ok(None);
        };
        if let Some(&node) = self.of_element.get(&number(device)) {
            return Ok(Some(node));
        }
        if device.attribute("subtype") == Some("NVSwitch") {
            let node = self.declare(&format!("nvswitch-{}", bus(device)), false)?;
            self.of_element.insert(number(device), node);
            return Ok(Some(node));
        }
        self.parsed.leave_out("links to devices that are not GPUs of the network");
        Ok(None)
    }

    /// Joins all NUMA nodes.
    fn join_places(&mut self) -> Result<(), FileFault> {
        if self.of_place.len() == 1 {
            return Ok(());
        }
        let info = |name| self.places.info(name).unwrap_or_default();
        let number = |attribute: &'static str| match info(attribute) {
            "" => Ok(0),
            value => whole_number(attribute, value, 0..=100_000, "a whole number"),
        };
        let architecture = ARCHITECTURES.iter().find(|(name, _)| *name == info("Architecture"));
        let architecture = architecture.map_or("", |&(_, name)| name);
        let (family, model) = (number("CPUFamilyNumber")?, number("CPUModelNumber")?);
        let mb_per_s = numa_bandwidth(architecture, info("CPUVendor"), family, model);
        for (index, &from) in self.of_place.iter().enumerate() {
            for &to in &self.of_place[index + 1..] {
                self.links.push([from, to], EdgeDirection::Both, mb_per_s * MB_PER_S, None);
            }
        }
        self.parsed.assume(format!(
            "each pair of NUMA nodes has a link of {}GB/s, as in NCCL for this processor, because hwloc does not know it; \
             write the network as an edge list to set another bandwidth",
            mb_per_s / 1000
        ));
        Ok(())
    }

    /// Tells what the reader has assumed and left out.
    fn note(&mut self, matrices: &[DirectLink<'_>]) {
        let parsed = &mut self.parsed;
        if self.has_unknown_speed {
            parsed.assume(
                "PCIe links without pci_link_speed have 12GB/s, as in NCCL; write the file as an administrator, or set \
                 pci_link_speed in GB/s",
            );
        }
        if self.has_several_places {
            parsed.assume("devices that belong to several NUMA nodes are at the first of them");
        }
        let gpus = self.devices.gpus.len();
        if gpus == 0 {
            parsed.assume("NUMA nodes are the terminals, because the file has no GPU");
        }
        if self.devices.is_by_class {
            parsed
                .assume("PCI devices of the classes 0302, 0380 and 12 are GPUs, because the file has no names of GPUs");
        }
        if gpus > 1 && matrices.is_empty() {
            parsed.assume(
                "GPUs are joined over PCIe only, because the file has no matrix of their bandwidths; write it with an lstopo \
                 that supports NVML, ROCm SMI or Level Zero",
            );
        }
        if self.devices.has_others {
            parsed.leave_out("display controllers that are not GPUs of the network");
        }
    }
}

/// Returns the bridge that a device or bridge is on. Host bridges are a part of their NUMA node.
fn bridge_over<'a>(device: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    let is_host = |bridge: &Node<'a, 'a>| bridge.attribute("bridge_type").is_some_and(|kind| kind.starts_with("0-"));
    device.parent_element().filter(|parent| kind(*parent) == "Bridge" && !is_host(parent))
}

/// Returns the bandwidth of the PCIe link of a device or bridge in bytes per second, if it is known.
fn link_speed(device: Node<'_, '_>) -> Result<Option<u64>, FileFault> {
    let speed = device.attribute("pci_link_speed").unwrap_or("0").trim();
    if speed.bytes().all(|byte| matches!(byte, b'0' | b'.')) {
        return Ok(None);
    }
    quantity("pci_link_speed", Quantity::Bandwidth, &format!("{speed}GB/s")).map(Some)
}
