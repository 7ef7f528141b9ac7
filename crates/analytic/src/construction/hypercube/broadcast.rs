//! Broadcast along the binomial tree.

use lockstep_schedule::BaseSchedule;

use super::dimension::{MAX_BASE_USES, has_node};
use crate::LocalProgram;

/// Returns the broadcast of node 0 in `D` rounds. In round `k`, every holder sends the message on link `k`. The holders
/// are the subcube of the previous links.
///
/// Every node sends at most once and receives at most once per round, and no link is used twice. One port and
/// half-duplex links are sufficient. With store-and-forward switching no broadcast is faster. With wormhole switching
/// none is faster with one port, because the number of holders can at most double.
///
/// Returns `None` for dimensions other than 1 to 24. Takes `O(2^D)` time.
///
/// ```
/// use lockstep_analytic::hypercube::broadcast;
///
/// let base = broadcast(10).expect("not too large");
/// assert_eq!((base.step_count(), base.transfer_count()), (10, 1023));
/// ```
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

/// Returns the transfers of `node` in the [`broadcast`] of `root`. Relative to the root, the highest 1 of the node is
/// the link on which it receives. It sends on all links after that.
///
/// Returns `None` for dimensions other than 1 to 60, and if a node does not exist. Takes `O(D)` time.
///
/// ```
/// use lockstep_analytic::hypercube::broadcast_program;
///
/// // Node 5 receives the message of node 0 on link 2, and sends it on the 57 links after that.
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
