//! PCI devices: GPUs and network cards.

use roxmltree::Node;

use super::objects::{kind, objects};
use crate::format::xml::elements;

/// The beginnings of the names of GPUs in the systems that compute on them, the preferred one first.
const COMPUTE: [&str; 5] = ["cuda", "rsmi", "ze", "nvml", "opencl"];

/// The PCI classes of GPUs without a display: 3D controllers, other display controllers, and accelerators.
const ACCELERATORS: [&str; 3] = ["0302", "0380", "12"];

/// The PCI class of display controllers.
const DISPLAYS: &str = "03";

/// The PCI class of network cards.
const NETWORKS: &str = "02";

/// The devices of a machine in the order of the file.
pub(super) struct Devices<'a> {
    /// The GPUs with their names, in the order of the numbers in the names.
    pub(super) gpus: Vec<(String, Node<'a, 'a>)>,
    /// The network cards with their names.
    pub(super) networks: Vec<(String, Node<'a, 'a>)>,
    /// Whether the GPUs are those with a PCI class, because no device has the name of a GPU that computes.
    pub(super) is_by_class: bool,
    /// Whether there are display controllers that are not GPUs of the network.
    pub(super) has_others: bool,
}

impl<'a> Devices<'a> {
    pub(super) fn read(machine: Node<'a, 'a>) -> Self {
        let devices = || objects(machine).filter(|object| kind(*object) == "PCIDev");
        let mut computing = Vec::new();
        for device in devices() {
            if let Some((order, name)) = compute_name(device) {
                computing.push((order, name.to_owned(), device));
            }
        }
        computing.sort_by_key(|&(order, ..)| order);
        let is_by_class = computing.is_empty();
        let gpus: Vec<(String, Node<'a, 'a>)> = if is_by_class {
            let is_gpu = |device: &Node<'a, 'a>| ACCELERATORS.iter().any(|class| has_class(*device, class));
            devices().filter(is_gpu).map(|device| (format!("gpu-{}", bus(device)), device)).collect()
        } else {
            computing.into_iter().map(|(_, name, device)| (name, device)).collect()
        };
        let displays = devices().filter(|device| has_class(*device, DISPLAYS)).count();
        let used = gpus.iter().filter(|(_, device)| has_class(*device, DISPLAYS)).count();
        let networks = devices().filter(|device| has_class(*device, NETWORKS));
        let networks = networks.map(|device| (network_name(device), device)).collect();
        let is_by_class = is_by_class && !gpus.is_empty();
        Self { gpus, networks, is_by_class, has_others: used < displays }
    }
}

/// Returns the bus id of a device, which is its name if it has no other.
pub(super) fn bus(device: Node<'_, '_>) -> String {
    device.attribute("pci_busid").unwrap_or("without-busid").trim().to_ascii_lowercase()
}

fn has_class(device: Node<'_, '_>, class: &str) -> bool {
    device.attribute("pci_type").is_some_and(|text| text.trim_start().starts_with(class))
}

/// Returns the names of the devices of the operating system on a PCI device.
fn names<'a>(device: Node<'a, 'a>) -> impl Iterator<Item = (&'a str, Node<'a, 'a>)> {
    let parts = elements(device, "object").filter(|object| kind(*object) == "OSDev");
    parts.filter_map(|part| Some((part.attribute("name")?, part)))
}

/// Returns the name of a GPU that computes: its place in [`COMPUTE`] with its number, and the name.
fn compute_name<'a>(device: Node<'a, 'a>) -> Option<((usize, u64), &'a str)> {
    let order = |name: &str| {
        let (place, rest) =
            COMPUTE.iter().enumerate().find_map(|(place, start)| Some((place, name.strip_prefix(start)?)))?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
        Some((place, digits.parse::<u64>().ok()?))
    };
    names(device).filter_map(|(name, _)| Some((order(name)?, name))).min()
}

/// Returns the name of a network card: that of its InfiniBand device, otherwise of its first device.
fn network_name(device: Node<'_, '_>) -> String {
    let is_infiniband =
        |part: Node<'_, '_>| elements(part, "info").any(|info| info.attribute("name") == Some("NodeGUID"));
    let first = names(device).next();
    let name = names(device).find(|&(_, part)| is_infiniband(part)).or(first);
    name.map_or_else(|| format!("nic-{}", bus(device)), |(name, _)| name.to_owned())
}
