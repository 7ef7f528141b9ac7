//! Kautz digraphs.

use super::definition::Family;
use super::error::FamilyError;
use crate::layout::circle;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const KAUTZ: Family = Family {
    name: "kautz",
    aliases: &[],
    parameters: "DEGREE,DIAMETER",
    example: "kautz:3,2",
    about: "Kautz digraph, one-way channels",
    cayley: None,
    generate: |parameters| {
        let [degree, diameter] = parameters.fields()?;
        Ok(kautz(degree.number()?, diameter.number()?)?)
    },
};

/// Generates the Kautz digraph of this degree and diameter.
///
/// A channel leads from a word to each word that shifts it left by one letter: for degree 3, from `01` to `10`, `12`
/// and `13`.
///
/// - Nodes: `(degree + 1) * degree^(diameter - 1)` terminals, the words of `diameter` letters from `0..=degree` without
///   two equal letters in a row. They are in lexicographic order and named by their letters, from degree 10 with dots
///   between the letters.
/// - Channels: `degree` per node, one-way, by tail, then by head.
/// - In-degree and out-degree `degree`, diameter `diameter`.
///
/// ```
/// let kautz = lockstep_topology::kautz(3, 2)?;
/// assert_eq!((kautz.node_count(), kautz.channel_count()), (12, 36));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below degree 2 or for diameter 0; [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Kautz, *Bounds on directed (d, k) graphs*, in *Theory of cellular logic networks and machines* (1968).
pub fn kautz(degree: u32, diameter: u32) -> Result<Topology, FamilyError> {
    let at_least = |degree: u32, diameter: u32| format!("kautz:{},{}", degree.max(2), diameter.max(1));
    if degree < 2 {
        let instead = at_least(degree, diameter);
        return Err(KAUTZ.unsupported("degree", degree, "2 or more", instead));
    }
    if diameter == 0 {
        let instead = at_least(degree, diameter);
        return Err(KAUTZ.unsupported("diameter", diameter, "1 or more", instead));
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

/// Returns the letters of a node.
///
/// The number of a node is in a mixed radix: the first digit selects one of `degree + 1` letters, each later digit one
/// of the `degree` letters that differ from the letter before it.
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

/// Returns the number of the node with these letters, the inverse of [`kautz_letters`].
fn kautz_rank(letters: &[u32], degree: u32) -> u32 {
    letters.windows(2).fold(letters[0], |rank, pair| rank * degree + pair[1] - u32::from(pair[1] > pair[0]))
}

/// Returns the name of a word over the letters `0..=largest`.
pub(super) fn word(letters: &[u32], largest: u32) -> String {
    let letters: Vec<String> = letters.iter().map(u32::to_string).collect();
    letters.join(if largest < 10 { "" } else { "." })
}
