//! Classes of PCI devices.

use roxmltree::Node;

use crate::format::xml::elements;

/// The beginnings of the PCI classes of GPUs: those of NVIDIA and AMD, and accelerators of AMD.
pub(super) const GPU_CLASSES: [&str; 2] = ["0x03", "0x120000"];

fn class<'a>(pci: Node<'a, 'a>) -> &'a str {
    pci.attribute("class").unwrap_or_default()
}

/// Returns true if a PCI device is a GPU.
pub(super) fn is_gpu(pci: Node<'_, '_>) -> bool {
    elements(pci, "gpu").next().is_some() || GPU_CLASSES.iter().any(|known| class(pci).starts_with(known))
}

/// Returns true if a PCI device is a network card.
pub(super) fn is_nic(pci: Node<'_, '_>) -> bool {
    elements(pci, "nic").next().is_some() || class(pci).starts_with("0x02")
}
