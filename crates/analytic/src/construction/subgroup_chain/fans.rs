//! The paths of one level of a chain. They are found without a search of the network.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::level::ChainLevel;
use super::subgroup_flag::SubgroupFlag;
use super::{flow_fans, port_fans};

/// The largest number of random chains that are tried.
const CHAINS: usize = 64;

/// Returns the rounds of a torus of `axes` sides of this length, or `None` if none are found. All paths are shortest.
///
/// Each round sets the largest number of axes that the ports allow, or fewer if that is not found: with even sides,
/// opposite steps may lead to the same place. `signs` are the directions along an axis: both, or the first one only if
/// they are the same channel.
///
/// # Source
///
/// Fans of edge-disjoint paths in the quotients of a chain of subgroups, after Ho, Kao, *Optimal broadcast in all-port
/// wormhole-routed hypercubes*, IEEE Trans. Parallel Distrib. Syst. 6 (1995).
pub(super) fn level(side: u32, axes: usize, signs: &[i64]) -> Option<ChainLevel> {
    let fits = |width: u32| side.checked_pow(width).is_some_and(|index| index as usize <= axes * signs.len() + 1);
    let mut rng = ChaCha8Rng::seed_from_u64(u64::from(side) << 32 | axes as u64);
    (1..=axes as u32).rev().filter(|&width| fits(width)).find_map(|width| {
        let units = SubgroupFlag::new(side, axes, width as usize);
        let by_ports = (0..CHAINS).find_map(|_| port_fans::level(units.clone(), signs, &mut rng));
        by_ports.or_else(|| (0..CHAINS).find_map(|_| flow_fans::level(units.clone(), signs, &mut rng)))
    })
}
