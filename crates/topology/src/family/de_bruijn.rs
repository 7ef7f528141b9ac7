//! De Bruijn digraphs.

use super::definition::Family;
use super::error::FamilyError;
use super::kautz::word;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const DE_BRUIJN: Family = Family {
    name: "de-bruijn",
    aliases: &[],
    parameters: "DEGREE,DIAMETER",
    example: "de-bruijn:2,4",
    about: "de Bruijn digraph without its self-loops, one-way channels",
    cayley: None,
    generate: |parameters| {
        let [degree, diameter] = parameters.fields()?;
        Ok(de_bruijn(degree.number()?, diameter.number()?)?)
    },
};

/// Generates the de Bruijn digraph of this degree and diameter, without its self-loops.
///
/// A channel leads from a word to each word that shifts it left by one letter: for degree 2, from `01` to `10` and
/// `11`. The definition also has a loop at each of the `degree` words of one repeated letter. These loops are omitted
/// because they carry no traffic.
///
/// - Nodes: `degree^diameter` terminals, the words of `diameter` letters from `0..degree`. They are in lexicographic
///   order and named by their letters, above degree 10 with dots between the letters.
/// - Channels: `degree^(diameter + 1) - degree`, one-way, by tail, then by head.
/// - In-degree and out-degree at most `degree`, diameter `diameter`.
///
/// ```
/// let de_bruijn = lockstep_topology::de_bruijn(2, 4)?;
/// assert_eq!((de_bruijn.node_count(), de_bruijn.channel_count()), (16, 30));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below degree 2 or for diameter 0; [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// de Bruijn, *A combinatorial problem*, Proc. Koninklijke Nederlandse Akademie van Wetenschappen 49 (1946).
pub fn de_bruijn(degree: u32, diameter: u32) -> Result<Topology, FamilyError> {
    let at_least = |degree: u32, diameter: u32| format!("de-bruijn:{},{}", degree.max(2), diameter.max(1));
    if degree < 2 {
        let instead = at_least(degree, diameter);
        return Err(DE_BRUIJN.unsupported("degree", degree, "2 or more", instead));
    }
    if diameter == 0 {
        let instead = at_least(degree, diameter);
        return Err(DE_BRUIJN.unsupported("diameter", diameter, "1 or more", instead));
    }
    let nodes = u64::from(degree).saturating_pow(diameter);
    let channels = nodes.saturating_mul(degree.into());
    let mut network = TopologyBuilder::sized(format!("de-bruijn:{degree},{diameter}"), nodes, channels)?;
    let nodes = nodes as u32;
    let mut letters = vec![0; diameter as usize];
    for node in 0..nodes {
        let mut rest = node;
        for letter in letters.iter_mut().rev() {
            *letter = rest % degree;
            rest /= degree;
        }
        network.terminal(word(&letters, degree - 1));
    }
    for node in 0..nodes {
        let shifted = node % (nodes / degree) * degree;
        for head in (shifted..shifted + degree).filter(|&head| head != node) {
            network.channel(NodeId::new(node), NodeId::new(head));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}
