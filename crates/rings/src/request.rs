//! What a search for rings gets and returns.

use lockstep_topology::NodeId;

use crate::bound::RingBound;
use crate::rational::Rational;
use crate::ring_count::RingCount;
use crate::ring_set::{RingKind, RingSet};
use crate::verify::RingLoad;

/// What to search for.
#[derive(Clone, Copy)]
pub struct RingRequest<'a> {
    /// The terminals that each ring visits; `None` for all of the network.
    pub terminals: Option<&'a [NodeId]>,
    /// Rings or chains.
    pub kind: RingKind,
    /// The number of rings.
    pub channels: RingCount,
    /// The maximum number of terminals inside a hop, normally 0.
    pub relay: u32,
    /// A terminal that each ring enters from the node to which it leaves, such as one that stands for all other servers behind network cards.
    pub gateway: Option<NodeId>,
    /// The seed of all random choices.
    pub seed: u64,
    /// The amount of work. A million takes about a second.
    pub work: u64,
    /// Called often; the search ends soon after it returns true, and the result then depends on the time.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct RingAnswer {
    /// The best set found, which passed [`verify`](crate::verify), with its load.
    pub set: Option<(RingSet, RingLoad)>,
    /// What no set of the requested numbers of rings can beat.
    pub bound: RingBound,
    /// The greatest bandwidth that the bound allows: zero if there is no set.
    pub limit: Rational,
    /// True if the solver has proved that no set with this number of rings and this `rho` has fewer channels in all hops together.
    pub is_shortest: bool,
}

/// How good the result of a search is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RingVerdict {
    /// No set of a requested number of rings has a greater bandwidth.
    Optimal,
    /// The bound exceeds the bandwidth of the set by this percentage.
    Gap(f64),
    /// There is no set; the bound proves it.
    Impossible,
    /// The search found no set. There may be one.
    Unknown,
}

impl RingAnswer {
    /// Returns how good the result is.
    pub fn verdict(&self) -> RingVerdict {
        match &self.set {
            None if self.limit == Rational::ZERO => RingVerdict::Impossible,
            None => RingVerdict::Unknown,
            Some((_, load)) if load.bandwidth() >= self.limit => RingVerdict::Optimal,
            Some((_, load)) => RingVerdict::Gap(100.0 * (self.limit.to_f64() / load.bandwidth().to_f64() - 1.0)),
        }
    }
}
