//! Specs of machines that resemble a file without `<gpu>`.

use roxmltree::Node;

use super::bandwidths::pcie_generation;
use super::device_class::{is_gpu, is_nic};
use crate::format::xml::elements;

/// The number of GPUs of the machines of NVIDIA that have a spec.
const GPUS: usize = 8;

/// Returns the specs of machines with as many GPUs of the same generation, or of all generations if none fits.
///
/// The generation follows from the device id of the first GPU. Files without device ids tell it by the speed of PCIe and by the
/// number of network cards: servers of V100 have few in clouds.
pub(super) fn similar_specs<'a>(system: Node<'a, 'a>) -> &'static str {
    let devices = || system.descendants().filter(|node| node.has_tag_name("pci"));
    let gpus: Vec<Node<'a, 'a>> = devices().filter(|&pci| is_gpu(pci)).collect();
    let nics = devices().filter(|&pci| is_nic(pci) && elements(pci, "pci").next().is_none()).count();
    let [vendor, device] =
        ["vendor", "device"].map(|id| gpus.first().and_then(|pci| pci.attribute(id)).unwrap_or_default());
    match (vendor, gpus.len()) {
        ("0x1002", 16) if device.starts_with("0x740") => return "the spec mi250:1",
        ("" | "0x10de", GPUS) => {}
        _ => return "a spec that fits, such as dgx-a100:1 or dgx-h100:1",
    }
    let is_fast = gpus.iter().any(|&pci| matches!(pcie_generation(pci), "32" | "64"));
    match device.get(..4) {
        Some("0x1d") => "the spec ndv2:1 or dgx-1",
        Some("0x20") => "the spec dgx-a100:1",
        Some("0x23") => "the spec dgx-h100:1",
        _ if is_fast => "the spec dgx-h100:1",
        _ if nics <= 1 => "the spec ndv2:1, dgx-1 or dgx-a100:1",
        _ => "the spec dgx-a100:1",
    }
}
