//! Digraphs of words, where a channel leads from a word to each word it turns into by a shift.

use super::{Family, FamilyError};
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const KAUTZ: Family = Family {
    name: "kautz",
    parameters: "DEGREE,DIAMETER",
    example: "kautz:3,2",
    about: "Kautz digraph, one-way channels",
    cayley: None,
    generate: |parameters| {
        let [degree, diameter] = parameters.fields()?;
        Ok(kautz(degree.number()?, diameter.number()?)?)
    },
};

pub(super) const DE_BRUIJN: Family = Family {
    name: "de-bruijn",
    parameters: "DEGREE,DIAMETER",
    example: "de-bruijn:2,4",
    about: "de Bruijn digraph without its self-loops, one-way channels",
    cayley: None,
    generate: |parameters| {
        let [degree, diameter] = parameters.fields()?;
        Ok(de_bruijn(degree.number()?, diameter.number()?)?)
    },
};

/// The Kautz digraph of this degree and diameter.
///
/// Nodes are the words of `diameter` letters from `0..=degree` without two equal letters in a row, in lexicographic
/// order and named by their letters (with dots between them from degree 10). Channels are one-way: from `01` to `10`,
/// `12`, `13` for degree 3, ascending. `(degree + 1) * degree^(diameter - 1)` nodes.
///
/// ```
/// let kautz = lockstep_topology::kautz(3, 2)?;
/// assert_eq!((kautz.node_count(), kautz.channel_count()), (12, 36));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Kautz, *Bounds on directed (d, k) graphs*, in *Theory of cellular logic networks and machines* (1968).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below degree 2 or for diameter 0; [`FamilyError::Topology`] if it is too large.
pub fn kautz(degree: u32, diameter: u32) -> Result<Topology, FamilyError> {
    let at_least = |degree: u32, diameter: u32| format!("kautz:{},{}", degree.max(2), diameter.max(1));
    if degree < 2 {
        let instead = at_least(degree, diameter);
        return Err(FamilyError::parameter(&KAUTZ, "degree", degree, "2 or more", instead));
    }
    if diameter == 0 {
        let instead = at_least(degree, diameter);
        return Err(FamilyError::parameter(&KAUTZ, "diameter", diameter, "1 or more", instead));
    }
    let nodes = u64::from(degree).saturating_pow(diameter - 1).saturating_mul(u64::from(degree) + 1);
    let channels = nodes.saturating_mul(degree.into());
    let mut network = TopologyBuilder::sized(format!("kautz:{degree},{diameter}"), nodes, channels)?;
    let nodes = nodes as u32;
    for node in 0..nodes {
        network.terminal(word(&kautz_letters(node, degree, diameter), degree));
    }
    for node in 0..nodes {
        let mut letters = kautz_letters(node, degree, diameter);
        let last = letters[letters.len() - 1];
        letters.rotate_left(1);
        for letter in (0..=degree).filter(|&letter| letter != last) {
            letters[diameter as usize - 1] = letter;
            network.channel(NodeId::new(node), NodeId::new(kautz_rank(&letters, degree)));
        }
    }
    network.positions(circle(nodes));
    Ok(network.build()?)
}

/// The de Bruijn digraph of this degree and diameter, without its self-loops.
///
/// Nodes are the words of `diameter` letters from `0..degree`, in lexicographic order and named by their letters (with
/// dots between them above degree 10). Channels are one-way: from `01` to `10` and `11` for degree 2, ascending. The
/// `degree` words of one repeated letter lead to themselves in the definition; those loops carry no traffic and are
/// left out. `degree^diameter` nodes.
///
/// ```
/// let de_bruijn = lockstep_topology::de_bruijn(2, 4)?;
/// assert_eq!((de_bruijn.node_count(), de_bruijn.channel_count()), (16, 30));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: de Bruijn, *A combinatorial problem*, Proc. Koninklijke Nederlandse Akademie van Wetenschappen 49 (1946).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below degree 2 or for diameter 0; [`FamilyError::Topology`] if it is too large.
pub fn de_bruijn(degree: u32, diameter: u32) -> Result<Topology, FamilyError> {
    let at_least = |degree: u32, diameter: u32| format!("de-bruijn:{},{}", degree.max(2), diameter.max(1));
    if degree < 2 {
        let instead = at_least(degree, diameter);
        return Err(FamilyError::parameter(&DE_BRUIJN, "degree", degree, "2 or more", instead));
    }
    if diameter == 0 {
        let instead = at_least(degree, diameter);
        return Err(FamilyError::parameter(&DE_BRUIJN, "diameter", diameter, "1 or more", instead));
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

/// The letters of a node of the Kautz digraph.
///
/// In a node's number the first letter counts among `degree + 1`, every later one among the `degree` that differ from
/// the letter before it.
fn kautz_letters(node: u32, degree: u32, diameter: u32) -> Vec<u32> {
    let mut letters = vec![0; diameter as usize];
    let mut rest = node;
    for letter in letters[1..].iter_mut().rev() {
        *letter = rest % degree;
        rest /= degree;
    }
    letters[0] = rest;
    for place in 1..letters.len() {
        letters[place] += u32::from(letters[place] >= letters[place - 1]);
    }
    letters
}

/// The number of the node with these letters.
fn kautz_rank(letters: &[u32], degree: u32) -> u32 {
    letters.windows(2).fold(letters[0], |rank, pair| rank * degree + pair[1] - u32::from(pair[1] > pair[0]))
}

/// A word over the letters `0..=largest`.
fn word(letters: &[u32], largest: u32) -> String {
    let letters: Vec<String> = letters.iter().map(u32::to_string).collect();
    letters.join(if largest < 10 { "" } else { "." })
}
