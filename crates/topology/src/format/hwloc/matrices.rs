//! Matrices of bandwidths between GPUs.

use std::collections::BTreeMap;

use roxmltree::Node;

use super::objects::{kind, objects};
use crate::format::attributes::whole_number;
use crate::format::error::{FileFault, ReadError};
use crate::format::xml::{at, elements, required, text_of};

/// The matrices of bandwidths that hwloc knows, in MB/s.
const NAMES: [&str; 3] = ["NVLinkBandwidth", "XGMIBandwidth", "XeLinkBandwidth"];

/// Maximum number of objects of a matrix.
const MAX_OBJECTS: u64 = 4096;

/// A bandwidth from one object to another one.
pub(super) struct DirectLink<'a> {
    /// The element of the matrix.
    pub(super) matrix: Node<'a, 'a>,
    pub(super) from: Node<'a, 'a>,
    pub(super) to: Node<'a, 'a>,
    pub(super) mb_per_s: u64,
}

/// Returns the links of all matrices of bandwidths.
pub(super) fn read<'a>(topology: Node<'a, 'a>, machine: Node<'a, 'a>) -> Result<Vec<DirectLink<'a>>, ReadError> {
    let mut by_number: BTreeMap<&str, Node<'a, 'a>> = BTreeMap::new();
    for object in objects(machine) {
        if let Some(number) = object.attribute("gp_index") {
            by_number.insert(number, object);
        }
    }
    let mut links = Vec::new();
    for matrix in elements(topology, "distances2").chain(elements(topology, "distances2hetero")) {
        if matrix.attribute("name").is_some_and(|name| NAMES.contains(&name)) {
            add(matrix, &by_number, &mut links).map_err(at(matrix))?;
        }
    }
    Ok(links)
}

fn add<'a>(
    matrix: Node<'a, 'a>,
    by_number: &BTreeMap<&str, Node<'a, 'a>>,
    links: &mut Vec<DirectLink<'a>>,
) -> Result<(), FileFault> {
    let count = required(matrix, "nbobjs", "nbobjs=\"8\"")?;
    let count = whole_number("nbobjs", count, 1..=MAX_OBJECTS, "a number of objects from 1 to 4096")? as usize;
    // The indexes of a matrix of one type are only numbers.
    let kind_of_all = matrix.attribute("type");
    let mut ends = Vec::new();
    for index in elements(matrix, "indexes").flat_map(|part| text_of(part).split_whitespace()) {
        let (kind_of_one, number) = match (kind_of_all, index.split_once(':')) {
            (Some(kind), None) => (kind, index),
            (None, Some(parts)) => parts,
            _ => return Err(unexpected(index, "TYPE:NUMBER, or numbers in a matrix with 'type'")),
        };
        let object = by_number.get(number).copied().filter(|object| kind(*object) == kind_of_one);
        ends.push(object.ok_or_else(|| unexpected(index, "the gp_index of an object of this type"))?);
    }
    let values: Vec<&str> = elements(matrix, "u64values").flat_map(|part| text_of(part).split_whitespace()).collect();
    if ends.len() != count || values.len() != count * count {
        let found = format!("{} indexes and {} values", ends.len(), values.len());
        return Err(FileFault::Unexpected {
            found,
            expected: "as many indexes as 'nbobjs', and a value for each pair",
        });
    }
    for (row, &from) in ends.iter().enumerate() {
        for (column, &to) in ends.iter().enumerate() {
            let value = values[row * count + column];
            let mb_per_s = whole_number("u64values", value, 0..=1_000_000_000, "MB/s, a whole number up to 10^9")?;
            if row != column && mb_per_s > 0 {
                links.push(DirectLink { matrix, from, to, mb_per_s });
            }
        }
    }
    Ok(())
}

fn unexpected(found: &str, expected: &'static str) -> FileFault {
    FileFault::Unexpected { found: format!("index '{}'", crate::text::excerpt(found)), expected }
}
