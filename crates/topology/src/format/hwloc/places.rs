//! NUMA nodes, and the objects that belong to them.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::objects::{ElementNumber, kind, number, objects};
use crate::format::error::{FileFault, ReadError};
use crate::format::machine_links::MAX_NUMA_NODES;
use crate::format::xml::{at, required};

/// The objects whose processors have memory of their own, with one or more kinds of memory.
pub(super) struct Places<'a> {
    /// The names of the places in the order of the file.
    pub(super) names: Vec<String>,
    /// The place that an object is, or the first place inside of an object.
    of_object: BTreeMap<ElementNumber, Inside>,
    machine: Node<'a, 'a>,
}

/// The first place inside of an object, and whether there are others.
#[derive(Clone, Copy)]
struct Inside {
    first: usize,
    is_one: bool,
}

impl<'a> Places<'a> {
    /// Finds the places. `is_old` tells that the file has version 1.
    pub(super) fn read(machine: Node<'a, 'a>, is_old: bool) -> Result<Self, ReadError> {
        let mut places: Vec<Node<'a, 'a>> = Vec::new();
        let mut names = Vec::new();
        for memory in objects(machine).filter(|object| kind(*object) == "NUMANode") {
            // From version 2 on, memory is inside of the object whose memory it is.
            let outer = memory.ancestors().skip(1).find(|object| kind(*object) != "MemCache");
            let place = if is_old { memory } else { outer.unwrap_or(machine) };
            // A place has its memories one after the other.
            if places.last() == Some(&place) {
                continue;
            }
            if places.len() == MAX_NUMA_NODES {
                return Err(at(memory)(FileFault::Unsupported("more than 576 NUMA nodes; remove some")));
            }
            let index = required(memory, "os_index", "os_index=\"0\"").map_err(at(memory))?;
            names.push(format!("numa{index}"));
            places.push(place);
        }
        if places.is_empty() {
            names.push("numa0".to_owned());
            places.push(machine);
        }
        let mut of_object: BTreeMap<ElementNumber, Inside> = BTreeMap::new();
        for (first, place) in places.iter().enumerate() {
            for outer in place.ancestors() {
                of_object
                    .entry(number(outer))
                    .and_modify(|inside| inside.is_one = false)
                    .or_insert(Inside { first, is_one: true });
            }
        }
        for (first, place) in places.iter().enumerate() {
            of_object.insert(number(*place), Inside { first, is_one: true });
        }
        Ok(Self { names, of_object, machine })
    }

    /// Returns the place of an object, and whether there is only one: the object itself, the first place inside of it, or
    /// that of the nearest object around it.
    pub(super) fn of(&self, object: Node<'a, 'a>) -> (usize, bool) {
        let inside = object.ancestors().find_map(|outer| self.of_object.get(&number(outer)));
        inside.map_or((0, true), |inside| (inside.first, inside.is_one))
    }

    /// Returns the value of the first `<info>` with a name.
    pub(super) fn info(&self, name: &str) -> Option<&'a str> {
        let root = self.machine.parent_element()?;
        let mut infos = root.descendants().filter(|node| node.has_tag_name("info"));
        infos.find(|info| info.attribute("name") == Some(name))?.attribute("value")
    }
}
