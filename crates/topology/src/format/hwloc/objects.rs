//! The objects of a file.

use roxmltree::Node;

/// Returns the type of an object, such as `PCIDev`.
pub(super) fn kind<'a>(object: Node<'a, '_>) -> &'a str {
    object.attribute("type").unwrap_or_default()
}

/// Returns the objects inside of an object, the object itself first.
pub(super) fn objects<'a>(object: Node<'a, 'a>) -> impl Iterator<Item = Node<'a, 'a>> {
    object.descendants().filter(|node| node.has_tag_name("object"))
}

/// Returns true if an object is a part of the buses of the machine.
pub(super) fn is_on_bus(object: Node<'_, '_>) -> bool {
    matches!(kind(object), "Bridge" | "PCIDev" | "OSDev" | "Misc")
}

/// The number of an element in its document.
pub(super) type ElementNumber = u32;

pub(super) fn number(element: Node<'_, '_>) -> ElementNumber {
    element.id().get()
}
