//! Fat trees of small switches.

use super::{Family, FamilyError, numbered_switches, numbered_terminals};
use crate::layout::at;
use crate::{NodeId, Topology, TopologyBuilder};

pub(super) const FAT_TREE: Family = Family {
    name: "fat-tree",
    parameters: "ARITY,LEVELS",
    example: "fat-tree:2,3",
    about: "k-ary n-tree of ARITY^LEVELS terminals, full-duplex links",
    cayley: None,
    generate: |parameters| {
        let [arity, levels] = parameters.fields()?;
        Ok(fat_tree(arity.number()?, levels.number()?)?)
    },
};

/// The `arity`-ary `levels`-tree: a fat tree of `k^n` terminals for `k = arity`, `n = levels`.
///
/// `levels` levels of `k^(n-1)` switches with `k` links down and, but for the top level, `k` links up; every link is
/// full-duplex. Terminal `t` hangs from switch `t / k` of level 0. A switch has a number of `n - 1` digits in base `k`,
/// the lowest digit first; switches of level `l` and `l + 1` are linked if all digits but digit `l` agree. Nodes are the
/// terminals `0`, `1`, … and then the switches `s<level>.<place>`; links are numbered from the terminals upwards, the
/// channel up before the channel down. Two terminals that meet at level `l` have `k^l` shortest paths of `2 * l + 2`
/// channels. For `k = 2` it is the folded butterfly.
///
/// ```
/// let fat_tree = lockstep_topology::fat_tree(2, 3)?;
/// assert_eq!((fat_tree.terminal_count(), fat_tree.node_count(), fat_tree.channel_count()), (8, 20, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// **Source**: Petrini, Vanneschi, *k-ary n-trees: high performance networks for massively parallel architectures*,
/// International Parallel Processing Symposium (1997).
///
/// # Errors
///
/// [`FamilyError::Parameter`] below arity 2 or for no level; [`FamilyError::Topology`] if it is too large.
pub fn fat_tree(arity: u32, levels: u32) -> Result<Topology, FamilyError> {
    let instead = || format!("fat-tree:{},{}", arity.max(2), levels.max(1));
    if arity < 2 {
        return Err(FamilyError::parameter(&FAT_TREE, "arity", arity, "2 or more", instead()));
    }
    if levels == 0 {
        return Err(FamilyError::parameter(&FAT_TREE, "number of levels", levels, "1 or more", instead()));
    }
    let terminals = u64::from(arity).saturating_pow(levels);
    let width = u64::from(arity).saturating_pow(levels - 1);
    let nodes = width.saturating_mul(levels.into()).saturating_add(terminals);
    let channels = terminals.saturating_mul(2).saturating_mul(levels.into());
    let mut network = TopologyBuilder::sized(format!("fat-tree:{arity},{levels}"), nodes, channels)?;

    let (terminals, width) = (terminals as u32, width as u32);
    numbered_terminals(&mut network, terminals);
    for level in 0..levels {
        numbered_switches(&mut network, level, width);
    }
    let switch = |level: u32, place: u32| NodeId::new(terminals + level * width + place);
    for terminal in 0..terminals {
        network.link(NodeId::new(terminal), switch(0, terminal / arity));
    }
    for level in 0..levels - 1 {
        let weight = arity.pow(level);
        for place in 0..width {
            let without_digit = place - place / weight % arity * weight;
            for digit in 0..arity {
                network.link(switch(level, place), switch(level + 1, without_digit + digit * weight));
            }
        }
    }
    let pitch = f64::max(1.5, f64::from(terminals) / f64::from(3 * levels));
    let bottom = pitch * f64::from(levels);
    let leaves = (0..terminals).map(|leaf| at(leaf.into(), bottom));
    let switches = (0..levels).flat_map(|level| {
        let y = bottom - pitch * f64::from(level + 1);
        (0..width).map(move |place| at(f64::from(place * arity) + f64::from(arity - 1) / 2.0, y))
    });
    network.positions(leaves.chain(switches));
    Ok(network.build()?)
}
