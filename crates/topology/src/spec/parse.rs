//! The parser of spec strings.

use std::str::FromStr;

use lockstep_files::nearest_names;

use super::error::SpecError;
use crate::family::{Family, Parameters, families, family_named};
use crate::text::excerpt;
use crate::{CayleyGraph, Topology};

/// The largest number of specs around a spec.
const MAX_DEPTH: usize = 8;

/// Parses a spec `family:parameters`, see [`families`] and [`family_named`]. Case and surrounding white space are ignored.
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
    let family = family_named(name).ok_or_else(|| SpecError::UnknownFamily {
        family: excerpt(name),
        nearest: nearest_names(
            name,
            families()
                .iter()
                .flat_map(|family| [family.name].iter().chain(family.aliases).copied().collect::<Vec<_>>()),
        ),
        families: names(|_| true),
    })?;
    Ok(Parameters { family, text: text.trim(), depth: 0, parse: generate })
}

fn names(is_listed: impl Fn(&Family) -> bool) -> Vec<&'static str> {
    families().iter().filter(|family| is_listed(family)).map(|family| family.name).collect()
}
