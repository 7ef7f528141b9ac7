//! The time of a collective over rings, chains or trees.

use std::num::NonZeroU64;

use lockstep_schedule::CollectiveName;
use lockstep_topology::{ChannelId, Topology};

use crate::rational::Rational;
use crate::ring_set::{RingKind, RingSet};
use crate::verify::RingLoad;

const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;

/// The time of a collective whose data takes rings, chains or trees in a pipeline: a latency, and the data at a bandwidth.
///
/// ```
/// use std::num::NonZeroU64;
///
/// use lockstep_rings::{RingCost, RingKind, route_orders, verify};
/// use lockstep_schedule::CollectiveName;
/// use lockstep_topology::Topology;
///
/// let switch: Topology = "fat-tree:4,1".parse()?;
/// let switch = switch.with_times(100_000_000_000, 1_000_000)?; // 100 GB/s and 1 us
/// let set = route_orders(&switch, RingKind::Ring, &[switch.terminals().to_vec()], 0)?;
/// let load = verify(&switch, &set)?;
/// let cost = RingCost::of_rings(&switch, &set, &load, CollectiveName::AllReduce).ok_or("no rings")?;
/// // Six hops over two channels follow each other, and 3/2 of the data passes each port.
/// let unit = NonZeroU64::new(100_000_000_000).ok_or("no unit")?;
/// assert_eq!((cost.latency_ps, cost.transmission_ps(1_000_000, unit)), (12_000_000, 15_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RingCost {
    /// The latency of the hops that follow each other, in picoseconds.
    pub latency_ps: u64,
    /// The bus bandwidth of nccl-tests, in units of the capacities.
    pub bus_bandwidth: Rational,
    /// Bus bandwidth over algorithm bandwidth, as a fraction.
    pub bus_factor: [u64; 2],
}

impl RingCost {
    /// Returns the cost of a collective around a verified set. `None` if libraries do not send the collective so: rings carry
    /// all-gathers, all-reduces, reduce-scatters, broadcasts and reductions, and chains carry all-reduces.
    ///
    /// A broadcast or reduction has the root with the longest way. Takes `O(length)` time.
    pub fn of_rings(topology: &Topology, set: &RingSet, load: &RingLoad, collective: CollectiveName) -> Option<Self> {
        let latencies = (0..set.len()).map(|ring| latency_ps(topology, set, ring, collective));
        let latency_ps = latencies.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
        let bus_factor = collective.bus_factor(set.terminals().len() as u64);
        Some(Self { latency_ps, bus_bandwidth: load.bus_bandwidth(), bus_factor })
    }

    /// Returns the time of the data in picoseconds, rounded up. `unit` is the bandwidth of one unit of capacity in bytes per second.
    ///
    /// It is `u128::MAX` for a bandwidth of zero.
    pub fn transmission_ps(&self, bytes: u64, unit: NonZeroU64) -> u128 {
        let [numerator, denominator] = self.bus_factor.map(u128::from);
        let data = Rational::new(
            numerator * u128::from(bytes) * PICOSECONDS_PER_SECOND,
            denominator.max(1) * u128::from(unit.get()),
        );
        let time = data.checked_scale(self.bus_bandwidth.denominator(), self.bus_bandwidth.numerator());
        time.map_or(u128::MAX, |time| time.numerator().div_ceil(time.denominator()))
    }

    /// Returns the latency and the time of the data together, in picoseconds.
    pub fn time_ps(&self, bytes: u64, unit: NonZeroU64) -> u128 {
        self.transmission_ps(bytes, unit).saturating_add(u128::from(self.latency_ps))
    }
}

/// Returns the latency of a path in picoseconds.
pub(crate) fn path_latency_ps(topology: &Topology, path: &[ChannelId]) -> u64 {
    path.iter().map(|&channel| topology.latency_ps(channel)).fold(0, u64::saturating_add)
}

/// Returns the latency of one ring or chain in picoseconds.
fn latency_ps(topology: &Topology, set: &RingSet, ring: usize, collective: CollectiveName) -> Option<u64> {
    let hops: Vec<u64> = set.hops(ring).map(|path| path_latency_ps(topology, path)).collect();
    let sum = hops.iter().fold(0, |sum: u64, &hop| sum.saturating_add(hop));
    let next = |place: usize| hops[place].saturating_add(hops[(place + 1) % hops.len()]);
    Some(match (set.kind(), collective) {
        (RingKind::Chain, CollectiveName::AllReduce) => sum.saturating_mul(2),
        (
            RingKind::Ring,
            CollectiveName::AllGather
            | CollectiveName::ReduceScatter
            | CollectiveName::Broadcast
            | CollectiveName::Reduce,
        ) => sum - hops.iter().min().unwrap_or(&0),
        (RingKind::Ring, CollectiveName::AllReduce) => {
            sum.saturating_mul(2).saturating_sub((0..hops.len()).map(next).min().unwrap_or(0))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::route::route_orders;
    use crate::verify::verify;

    const UNIT: NonZeroU64 = NonZeroU64::new(1_000_000_000).unwrap();

    fn cost(kind: RingKind, collective: CollectiveName) -> Option<RingCost> {
        let ring: Topology = "ring:4".parse().unwrap();
        let ring = ring.with_times(UNIT.get(), 1_000).unwrap();
        let set = route_orders(&ring, kind, &[ring.terminals().to_vec()], 0).unwrap();
        RingCost::of_rings(&ring, &set, &verify(&ring, &set).unwrap(), collective)
    }

    #[test]
    fn collectives_have_their_hops_and_their_data() {
        for (kind, collective, hops, nanoseconds) in [
            (RingKind::Ring, CollectiveName::AllGather, 3, 3_000),
            (RingKind::Ring, CollectiveName::ReduceScatter, 3, 3_000),
            (RingKind::Ring, CollectiveName::AllReduce, 6, 6_000),
            (RingKind::Ring, CollectiveName::Broadcast, 3, 4_000),
            (RingKind::Ring, CollectiveName::Reduce, 3, 4_000),
            (RingKind::Chain, CollectiveName::AllReduce, 6, 4_000),
        ] {
            let cost = cost(kind, collective).unwrap();
            let found = (cost.latency_ps, cost.transmission_ps(4_000, UNIT));
            assert_eq!(found, (hops * 1_000, nanoseconds * 1_000), "{kind:?} {collective}");
            assert_eq!(cost.time_ps(4_000, UNIT), u128::from(hops) * 1_000 + nanoseconds * 1_000);
        }
    }

    #[test]
    fn other_collectives_take_no_rings() {
        assert_eq!(cost(RingKind::Ring, CollectiveName::AllToAll), None);
        assert_eq!(cost(RingKind::Chain, CollectiveName::AllGather), None);
    }

    #[test]
    fn no_bandwidth_takes_forever() {
        let none = RingCost { latency_ps: 1, bus_bandwidth: Rational::ZERO, bus_factor: [1, 1] };
        assert_eq!(none.time_ps(1, UNIT), u128::MAX);
    }
}
