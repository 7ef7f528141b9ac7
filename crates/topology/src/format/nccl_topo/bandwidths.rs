//! The bandwidths with which NCCL and RCCL compute.

use roxmltree::Node;

use crate::format::attributes::whole_number;
use crate::format::error::FileFault;
use crate::format::machine_links::{MB_PER_S, numa_bandwidth};

/// Bytes per second of 1 Mbit/s.
pub(super) const MBIT_PER_S: u64 = 125_000;

/// The speed that NCCL assumes for a network device without one, in Mbit/s.
pub(super) const UNKNOWN_NET_SPEED: u64 = 10_000;

/// The bandwidth of a PCIe lane in units of 100 Mbit/s, by the beginning of `link_speed`.
const LANES: [(&str, u64); 6] = [("2.5", 15), ("5", 30), ("8", 60), ("16", 120), ("32", 240), ("64", 480)];

/// The bandwidth of a lane of unknown speed, in units of 100 Mbit/s.
const UNKNOWN_LANE: u64 = 60;

/// The bandwidth of an NVLink in MB/s, by the least compute capability.
const NVLINKS: [(u64, u64); 7] =
    [(100, 40_100), (90, 20_600), (87, 20_000), (86, 12_000), (70, 20_000), (60, 18_000), (0, 20_000)];

/// The bandwidth of an XGMI link in MB/s, by the beginning of the name of the architecture.
const XGMI_LINKS: [(&str, u64); 4] = [("gfx90a", 36_000), ("gfx94", 48_000), ("gfx95", 48_000), ("gfx1250", 64_000)];

/// The bandwidth of an XGMI link of any other architecture, in MB/s.
const OTHER_XGMI_LINK: u64 = 24_000;

/// Returns the bandwidth of an NVLink of a `<gpu>` in bytes per second.
pub(super) fn nvlink_bandwidth(gpu: Node<'_, '_>) -> Result<u64, FileFault> {
    let sm = gpu.attribute("sm").unwrap_or("0");
    let sm = whole_number("sm", sm, 0..=100_000, "a compute capability such as 90")?;
    let link = NVLINKS.iter().find(|&&(least, _)| sm >= least);
    Ok(link.map_or(0, |&(_, bandwidth)| bandwidth) * MB_PER_S)
}

/// Returns the bandwidth of an XGMI link of this architecture in bytes per second.
pub(super) fn xgmi_bandwidth(architecture: &str) -> u64 {
    let link = XGMI_LINKS.iter().find(|(known, _)| architecture.starts_with(known));
    link.map_or(OTHER_XGMI_LINK, |&(_, bandwidth)| bandwidth) * MB_PER_S
}

/// Returns the architecture of a `<gpu>` of RCCL, such as `gfx942`. Old dumps have its number: `910` is `gfx90a`.
pub(super) fn architecture<'a>(gpu: Node<'a, '_>) -> Option<&'a str> {
    let name = gpu.attribute("gcn")?.trim();
    Some(match name {
        "910" => "gfx90a",
        "940" | "941" | "942" => "gfx94",
        name => name,
    })
}

/// Returns the generation of PCIe in `link_speed` by its speed in GT/s, such as `16` of `16.0 GT/s PCIe`.
pub(super) fn pcie_generation<'a>(pci: Node<'a, '_>) -> &'a str {
    let speed = pci.attribute("link_speed").unwrap_or_default().trim();
    let generation = speed.split_whitespace().next().unwrap_or_default();
    generation.strip_suffix(".0").unwrap_or(generation)
}

/// Returns the bandwidth of a PCIe device to its parent in bytes per second.
pub(super) fn pcie_bandwidth(pci: Node<'_, '_>) -> Result<u64, FileFault> {
    let width = pci.attribute("link_width").unwrap_or("0");
    let lanes = match whole_number("link_width", width, 0..=64, "a number of lanes from 0 to 64")? {
        // The system does not tell the width.
        0 => 16,
        lanes => lanes,
    };
    let generation = pcie_generation(pci);
    let lane = LANES.iter().find(|&&(known, _)| known == generation).map_or(UNKNOWN_LANE, |&(_, lane)| lane);
    Ok(lanes * lane * 100 * MBIT_PER_S)
}

/// Returns the bandwidth between NUMA nodes in bytes per second.
pub(super) fn inter_cpu_bandwidth(cpu: Node<'_, '_>) -> Result<u64, FileFault> {
    let number = |attribute| {
        let value = cpu.attribute(attribute).unwrap_or("0");
        whole_number(attribute, value, 0..=100_000, "a whole number")
    };
    let (family, model) = (number("familyid")?, number("modelid")?);
    let attribute = |name| cpu.attribute(name).unwrap_or_default();
    Ok(numa_bandwidth(attribute("arch"), attribute("vendor"), family, model) * MB_PER_S)
}
