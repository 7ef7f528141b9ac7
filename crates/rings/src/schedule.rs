//! Ring sets as all-gathers in steps.

use std::num::NonZeroU32;

use lockstep_schedule::{Collective, MessageId, Schedule};
use lockstep_topology::Topology;

use crate::ring_set::{RingKind, RingSet};
use crate::verify::{RingViolation, verify};

/// Maximum number of transfers of a schedule.
const MAX_TRANSFERS: u64 = 1 << 26;

/// Why a ring set is not expanded to a schedule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The set is invalid.
    #[error(transparent)]
    Set(#[from] RingViolation),
    /// A set of chains.
    #[error("chains are for all-reduces; give a set of rings for an all-gather")]
    Chains,
    /// Too many transfers.
    #[error(
        "the schedule has {transfers} transfers, more than {MAX_TRANSFERS}; choose fewer rings, or a smaller network"
    )]
    TooLarge {
        /// The number of transfers.
        transfers: u128,
    },
}

/// Expands a ring set to an all-gather in `N - 1` steps, which `lockstep_schedule::verify` accepts.
///
/// In each step, every terminal forwards the chunks that it received in the step before, or its own ones in the first step, around each
/// ring. For `rho = a / b` in lowest terms, a message has `b` chunks per ring, and the steps have the width `a`. So the sum of the widths is
/// `(N - 1) rho` per chunk, the time that the bandwidth of the rings gives.
///
/// ```
/// use lockstep_rings::{RingKind, all_gather, route_orders};
/// use lockstep_schedule::{CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let order = [0, 1, 2, 3, 7, 6, 5, 9, 10, 11, 15, 14, 13, 12, 8, 4].map(|place| torus.terminals()[place]);
/// let set = route_orders(&torus, RingKind::Ring, &[order.to_vec()], 0)?;
/// let (collective, schedule) = all_gather(&torus, &set)?;
/// let problem = Problem::new(&torus, &collective, CommunicationModel::store_and_forward())?;
/// assert_eq!(verify(&problem, &schedule)?.steps, 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`ExpandError`] if the set is invalid, consists of chains, or needs too many transfers.
pub fn all_gather(topology: &Topology, set: &RingSet) -> Result<(Collective, Schedule), ExpandError> {
    if set.kind() == RingKind::Chain {
        return Err(ExpandError::Chains);
    }
    let rho = verify(topology, set)?.rho();
    let (rings, count) = (set.len() as u128, set.terminals().len() as u128);
    let transfers = rings * rho.denominator() * count * (count - 1);
    let uses = rho.denominator() * set.length() as u128 * (count - 1);
    if transfers.max(uses) > MAX_TRANSFERS.into() {
        return Err(ExpandError::TooLarge { transfers });
    }
    let too_large = |_| ExpandError::TooLarge { transfers };
    let chunks_per_ring = u32::try_from(rho.denominator()).map_err(too_large)?;
    let width = u32::try_from(rho.numerator()).ok().and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN);
    let chunks = chunks_per_ring * set.len() as u32;
    let collective = if set.terminals() == topology.terminals() {
        Collective::all_gather()
    } else {
        Collective::many_to_many_broadcast(set.terminals(), set.terminals())
    };
    let collective = collective.with_chunks(NonZeroU32::new(chunks).unwrap_or(NonZeroU32::MIN));
    // Messages are in the order of their sources.
    let mut rank = vec![0u32; topology.node_count()];
    for (place, node) in set.terminals().iter().enumerate() {
        rank[node.index()] = place as u32;
    }
    let mut schedule = Schedule::with_capacity(transfers as usize, uses as usize);
    let count = count as usize;
    for step in 0..count - 1 {
        schedule.begin_step_of_width(width);
        for ring in 0..set.len() {
            let order = set.order(ring);
            for (place, path) in set.hops(ring).enumerate() {
                let source = rank[order[(place + count - step) % count].index()];
                let first = source * chunks + ring as u32 * chunks_per_ring;
                for message in first..first + chunks_per_ring {
                    schedule.push(MessageId::new(message), path);
                }
            }
        }
    }
    Ok((collective, schedule))
}
