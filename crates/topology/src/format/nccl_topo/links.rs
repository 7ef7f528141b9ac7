//! Links of GPUs: NVLink, XGMI and C2C, and the links between PCIe switches.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roxmltree::Node;

use super::bandwidths::{architecture, nvlink_bandwidth, xgmi_bandwidth};
use super::device_class::GPU_CLASSES;
use super::reader::{Reader, bus_id};
use crate::NodeId;
use crate::format::attributes::{EdgeDirection, NodeAttributes, whole_number};
use crate::format::error::FileFault;
use crate::format::machine_links::{LOCAL, MB_PER_S};
use crate::format::xml::required;
use crate::text::excerpt;

/// Names of attributes of links. What has one of them is left out with a note of its own.
const LINK_ATTRIBUTES: [&str; 5] = ["target", "count", "bw", "bandwidth", "speed"];

impl<'a> Reader<'a> {
    /// Adds the link of an element. Returns false if the element is no link.
    pub(super) fn add_link_of(&mut self, element: Node<'a, 'a>) -> Result<bool, FileFault> {
        match element.tag_name().name() {
            "nvlink" => self.nvlink(element)?,
            "xgmi" => self.xgmi(element)?,
            "c2c" => self.c2c(element)?,
            "pcilink" => self.pcilink(element)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Tells that an element of unknown name is left out. It may be a link of a newer version.
    pub(super) fn note_unknown(&mut self, element: Node<'a, 'a>) {
        let name = element.tag_name().name();
        if element.attributes().any(|attribute| LINK_ATTRIBUTES.contains(&attribute.name())) {
            self.parsed.leave_out(format!("<{}>, which may be a link of an unknown kind", excerpt(name)));
        } else {
            self.parsed.ignore("element", name);
        }
    }

    /// Tells that an attribute of unknown name is left out. It may be a bandwidth.
    pub(super) fn note_unknown_attribute(&mut self, element: &str, attribute: &str) {
        if LINK_ATTRIBUTES.contains(&attribute) {
            self.parsed.leave_out(format!("'{attribute}' of <{element}>, which NCCL does not use"));
        } else {
            self.parsed.ignore(element, attribute);
        }
    }

    fn nvlink(&mut self, nvlink: Node<'a, 'a>) -> Result<(), FileFault> {
        let gpu = nvlink.parent().unwrap_or(nvlink);
        let bandwidth = count(nvlink)? * nvlink_bandwidth(gpu)?;
        self.gpu_link(nvlink, "NVLinks", bandwidth).map(|_| ())
    }

    fn xgmi(&mut self, xgmi: Node<'a, 'a>) -> Result<(), FileFault> {
        let architecture = xgmi.parent().and_then(architecture).unwrap_or_default();
        if architecture.is_empty() {
            self.parsed.assume("XGMI links of a GPU without 'gcn' have 24GB/s, as in RCCL");
        }
        let bandwidth = count(xgmi)? * xgmi_bandwidth(architecture);
        let ends = self.gpu_link(xgmi, "XGMI links", bandwidth)?;
        if architecture.starts_with("gfx90a") {
            self.links_of_gfx90a.extend(ends);
        }
        Ok(())
    }

    /// Adds an NVLink or XGMI link. Returns its ends if both are GPUs.
    fn gpu_link(&mut self, link: Node<'a, 'a>, kind: &str, bandwidth: u64) -> Result<Option<[NodeId; 2]>, FileFault> {
        let gpu = self.parent(link)?;
        let class = link.attribute("tclass").unwrap_or(GPU_CLASSES[0]);
        if GPU_CLASSES.iter().any(|known| class.starts_with(known)) {
            let target = (self.host(link), bus_id(link, "target")?);
            let Some(&target) = self.buses.get(&target) else {
                self.parsed.leave_out(format!("{kind} to GPUs that the file does not list"));
                return Ok(None);
            };
            if target == gpu {
                self.parsed.leave_out(format!("{kind} from a GPU to itself: the file does not state their other ends"));
                return Ok(None);
            }
            // The other GPU lists its own direction.
            self.link(gpu, target, EdgeDirection::Forward, bandwidth, None);
            return Ok(Some([gpu, target]));
        }
        let other = if class == "0x068001" { self.cpu_around(link)? } else { self.nvlink_switch()? };
        self.link(gpu, other, EdgeDirection::Both, bandwidth, None);
        Ok(None)
    }

    /// Returns the NVLink switch. NCCL takes all NVLink switches of all hosts for one.
    fn nvlink_switch(&mut self) -> Result<NodeId, FileFault> {
        let (switch, is_new) = self.parsed.node(Cow::Borrowed("nvswitch"));
        if is_new {
            self.parsed.set_attributes(switch, NodeAttributes { switch: Some(true), ..NodeAttributes::default() })?;
        }
        Ok(switch)
    }

    /// Old versions of RCCL take paths over other dies of MI200 for links: then all pairs have one.
    pub(super) fn note_complete_xgmi(&mut self) {
        let links: BTreeSet<[NodeId; 2]> = self.links_of_gfx90a.iter().copied().collect();
        let gpus: BTreeSet<NodeId> = links.iter().flatten().copied().collect();
        if gpus.len() > 2 && links.len() == gpus.len() * (gpus.len() - 1) {
            self.parsed.assume(
                "all pairs of gfx90a dies have an XGMI link, as the file states; old versions of RCCL also list paths over other \
                 dies: compare with rocm-smi --showtopo",
            );
        }
    }

    fn c2c(&mut self, c2c: Node<'a, 'a>) -> Result<(), FileFault> {
        let gpu = self.parent(c2c)?;
        let bandwidth = required(c2c, "bw", "bw=\"25781\"")?;
        let bandwidth = whole_number("bw", bandwidth, 1..=1_000_000_000, "MB/s, a whole number from 1 to 10^9")?;
        let cpu = self.cpu_around(c2c)?;
        self.link(gpu, cpu, EdgeDirection::Both, count(c2c)? * bandwidth * MB_PER_S, None);
        Ok(())
    }

    fn pcilink(&mut self, pcilink: Node<'a, 'a>) -> Result<(), FileFault> {
        let switch = self.parent(pcilink)?;
        let target = (self.host(pcilink), bus_id(pcilink, "target")?);
        let Some(&target) = self.buses.get(&target) else {
            self.parsed.leave_out("PCIe links to switches that the file does not list");
            return Ok(());
        };
        if target == switch {
            self.parsed.leave_out("PCIe links from a switch to itself");
            return Ok(());
        }
        self.link(switch, target, EdgeDirection::Forward, LOCAL * MB_PER_S, None);
        Ok(())
    }

    /// Returns the node of the `<cpu>` around an element.
    fn cpu_around(&self, element: Node<'a, 'a>) -> Result<NodeId, FileFault> {
        let cpu = element.ancestors().find(|node| node.has_tag_name("cpu"));
        let numa = cpu.and_then(|cpu| cpu.attribute("numaid")).unwrap_or_default();
        self.parsed.find(&self.name_on(self.host(element), &format!("cpu{numa}")))
    }
}

fn count(element: Node<'_, '_>) -> Result<u64, FileFault> {
    let value = required(element, "count", "count=\"4\"")?;
    whole_number("count", value, 1..=1000, "a number of links from 1 to 1000")
}
