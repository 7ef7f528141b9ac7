//! The parser of spec strings.

use std::str::FromStr;

use super::error::SpecError;
use crate::family::{Family, Parameters, families};
use crate::text::excerpt;
use crate::{CayleyGraph, Topology};

/// The largest number of specs around a spec.
const MAX_DEPTH: usize = 8;

/// Parses a spec `family:parameters`, see [`families`]. Case and surrounding white space are ignored.
///
/// The name of the topology is the normalized spec.
///
/// ```
/// use lockstep_topology::Topology;
///
/// let fat_tree: Topology = "Fat-Tree:2,05".parse()?;
/// assert_eq!(fat_tree.name(), "fat-tree:2,5");
///
/// let error = "omega:12".parse::<Topology>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the number of terminals is 12, but omega needs a power of two from 2; try omega:8 or omega:16",
/// );
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
impl FromStr for Topology {
    type Err = SpecError;

    fn from_str(spec: &str) -> Result<Self, SpecError> {
        generate(spec, 0)
    }
}

/// Generates the network of a spec with `depth` specs around it.
fn generate(spec: &str, depth: usize) -> Result<Topology, SpecError> {
    if depth > MAX_DEPTH {
        return Err(SpecError::TooDeep { text: excerpt(spec), most: MAX_DEPTH });
    }
    let parameters = Parameters { depth, ..parameters(spec)? };
    (parameters.family.generate)(&parameters)
}

/// Parses a spec of a family whose networks are Cayley graphs: hypercubes, tori, rings and circulant graphs.
impl FromStr for CayleyGraph {
    type Err = SpecError;

    fn from_str(spec: &str) -> Result<Self, SpecError> {
        let parameters = parameters(spec)?;
        match parameters.family.cayley {
            Some(cayley) => cayley(&parameters),
            None => Err(SpecError::NotCayley {
                family: parameters.family.name,
                cayley_families: names(|family| family.cayley.is_some()),
            }),
        }
    }
}

/// Splits a spec into its family and the text after the colon.
fn parameters(spec: &str) -> Result<Parameters<'_>, SpecError> {
    let (name, text) = spec.split_once(':').unwrap_or((spec, ""));
    let name = name.trim();
    let family = families().iter().find(|family| family.name.eq_ignore_ascii_case(name));
    let family = family.ok_or_else(|| SpecError::UnknownFamily {
        family: excerpt(name),
        nearest: nearest(name),
        families: names(|_| true),
    })?;
    Ok(Parameters { family, text: text.trim(), depth: 0, parse: generate })
}

fn names(is_listed: impl Fn(&Family) -> bool) -> Vec<&'static str> {
    families().iter().filter(|family| is_listed(family)).map(|family| family.name).collect()
}

/// Returns the family names with the least edit distance to `name`, if it is at most a third of the length of `name`.
fn nearest(name: &str) -> Vec<&'static str> {
    const MAX_LENGTH: usize = 40;
    let name = name.to_ascii_lowercase();
    if name.len() > MAX_LENGTH {
        return Vec::new();
    }
    let distances: Vec<usize> = families().iter().map(|family| edit_distance(&name, family.name)).collect();
    let least = distances.iter().copied().min().unwrap_or(usize::MAX);
    if 3 * least > name.len() + 1 {
        return Vec::new();
    }
    families().iter().zip(distances).filter(|&(_, distance)| distance == least).map(|(family, _)| family.name).collect()
}

/// Computes the Levenshtein distance of two byte strings in `O(len(a) * len(b))` time.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
