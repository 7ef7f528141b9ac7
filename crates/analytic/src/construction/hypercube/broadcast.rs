//! Broadcast along the binomial tree.

use lockstep_schedule::BaseSchedule;

use super::dimension::{MAX_BASE_USES, has_node};
use crate::LocalProgram;

/// The broadcast of node 0 in as many rounds as the dimension: in round `k` whoever holds the message, the subcube of
/// the links before, sends it on link `k`.
///
/// Every node sends at most once and receives at most once a round, and no link is used twice: one port and half-duplex
/// links are enough. With store-and-forward switching no broadcast is faster, whatever the ports; with wormhole
/// switching none is with one port, as the number of holders can at most double.
///
/// `None` for dimensions other than 1 to 24. Takes time in proportion to the number of nodes.
pub fn broadcast(dimension: u32) -> Option<BaseSchedule> {
    1u64.checked_shl(dimension).filter(|&nodes| dimension > 0 && nodes <= MAX_BASE_USES)?;
    let mut base = BaseSchedule::new();
    for link in 0..dimension {
        base.begin_step();
        for holder in 0..1 << link {
            base.push(BaseSchedule::BROADCAST, holder, &[link as u16]);
        }
    }
    Some(base)
}

/// What `node` does in the [`broadcast`] of `root`: seen from the root, its highest one is the link on which it
/// receives, and it sends on all links after that.
///
/// `None` for dimensions other than 1 to 60 and for what is no node. Takes as many operations as there are links.
///
/// ```
/// use lockstep_analytic::hypercube::broadcast_program;
///
/// // Node 5 gets the message of node 0 on link 2 and sends it on the 57 links after that.
/// let program = broadcast_program(60, 0, 0b101).expect("a node of the cube");
/// assert_eq!((program.round_count(), program.send_count()), (60, 57));
/// ```
pub fn broadcast_program(dimension: u32, root: u64, node: u64) -> Option<LocalProgram> {
    let fits = (1..=60).contains(&dimension) && has_node(dimension, root) && has_node(dimension, node);
    let holds_after = fits.then(|| u64::BITS - (root ^ node).leading_zeros())?;
    let mut program = LocalProgram::new(node);
    for link in 0..dimension {
        program.begin_round();
        if link >= holds_after {
            program.push(root, None, &[link as u16]);
        }
    }
    Some(program)
}
