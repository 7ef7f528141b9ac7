//! Fat trees.

use super::definition::Family;
use super::error::FamilyError;
use super::numbered_nodes::{numbered_switches, numbered_terminals};
use crate::layout::at;
use crate::{ChannelId, NodeId, Topology, TopologyBuilder};

pub(super) const FAT_TREE: Family = Family {
    name: "fat-tree",
    aliases: &[],
    parameters: "ARITY,LEVELS",
    example: "fat-tree:2,3",
    about: "k-ary n-tree of ARITY^LEVELS terminals, full-duplex links; also oversubscription=RATIO",
    cayley: None,
    generate: |parameters| {
        let ([arity, levels], named) = parameters.fields_and_named(&["oversubscription"])?;
        let [arity, levels] = [arity.number()?, levels.number()?];
        if named.is_empty() {
            return Ok(fat_tree(arity, levels)?);
        }
        Ok(oversubscribed_fat_tree(arity, levels, named.number("oversubscription")?)?)
    },
};

/// Generates the `k`-ary `n`-tree, a fat tree of `k^n` terminals, for `k = arity` and `n = levels`.
///
/// `n` levels of `k^(n-1)` switches. Each switch has `k` links down and, below the top level, `k` links up. Terminal
/// `t` is linked to switch `t / k` of level 0. The place of a switch has `n - 1` digits in base `k`. Switches of levels
/// `l` and `l + 1` are linked if their places differ at most in digit `l`, counted from the lowest. For `k = 2` this is
/// the folded butterfly.
///
/// - Nodes: the terminals `0`, `1`, …, then the `n * k^(n-1)` switches `s<level>.<place>`.
/// - Channels: `2 * n * k^n`, link by link from the terminals upwards, the channel up before the channel down.
/// - Diameter `2 * n`. Two terminals whose lowest common level is `l` have `k^l` shortest paths of `2 * l + 2`
///   channels.
///
/// ```
/// let fat_tree = lockstep_topology::fat_tree(2, 3)?;
/// assert_eq!((fat_tree.terminal_count(), fat_tree.node_count(), fat_tree.channel_count()), (8, 20, 48));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
///
/// # Errors
///
/// [`FamilyError::Parameter`] below arity 2 or for 0 levels; [`FamilyError::Topology`] if the network is too large.
///
/// # Source
///
/// Petrini, Vanneschi, *k-ary n-trees: high performance networks for massively parallel architectures*, International
/// Parallel Processing Symposium (1997).
pub fn fat_tree(arity: u32, levels: u32) -> Result<Topology, FamilyError> {
    Ok(builder(arity, levels)?.build()?)
}

/// Generates a [`fat_tree`] in which the link of a terminal has `ratio` times the capacity of a link between switches.
///
/// # Errors
///
/// Those of [`fat_tree`], [`FamilyError::Parameter`] for ratio 0, and [`FamilyError::Topology`] for a ratio above
/// [`MAX_CAPACITY`](crate::MAX_CAPACITY).
pub fn oversubscribed_fat_tree(arity: u32, levels: u32, ratio: u32) -> Result<Topology, FamilyError> {
    if ratio == 0 {
        let instead = format!("fat-tree:{arity},{levels},oversubscription=2");
        return Err(FAT_TREE.unsupported("oversubscription", ratio, "1 or more", instead));
    }
    let mut network = builder(arity, levels)?;
    let terminals = (arity as usize).pow(levels);
    network.set_capacity((0..2 * terminals).map(ChannelId::from_index), ratio.into());
    Ok(network.build()?.renamed(format!("fat-tree:{arity},{levels},oversubscription={ratio}")))
}

fn builder(arity: u32, levels: u32) -> Result<TopologyBuilder, FamilyError> {
    let instead = || format!("fat-tree:{},{}", arity.max(2), levels.max(1));
    if arity < 2 {
        return Err(FAT_TREE.unsupported("arity", arity, "2 or more", instead()));
    }
    if levels == 0 {
        return Err(FAT_TREE.unsupported("number of levels", levels, "1 or more", instead()));
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
    Ok(network)
}
