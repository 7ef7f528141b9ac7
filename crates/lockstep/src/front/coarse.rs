//! Networks with fewer units of capacity.

use lockstep_topology::Topology;

/// The part of a capacity that rounding may take from it, as a denominator: 2 %.
const LOSS: u64 = 50;

/// The largest smallest capacity of the finer one of two networks.
const FINE: u64 = 4;

/// Returns one or two networks with larger units of capacity, whose channels are at most as wide as those of `topology`.
///
/// A transfer moves at one unit of bandwidth. So a schedule of few chunks uses a small part of a channel with many units, and with larger
/// units it uses more. In the first network, the narrowest channel has one unit. Capacities are rounded down. If this takes more than
/// 2 % from one of them, the second network has smaller units, of which the narrowest channel has at most four.
///
/// ```
/// use lockstep::{Topology, coarse_networks};
///
/// // Capacities 5 and 96, in units of 2.5 GB/s.
/// let cluster: Topology = "cluster:nodes=2,gpus=8,nvlink=240GB/s,rails=8,nic=12.5GB/s".parse()?;
/// let units = |network: &Topology| network.channels().map(|channel| network.capacity(channel)).min();
/// let coarse = coarse_networks(&cluster);
/// assert_eq!(coarse.iter().map(units).collect::<Vec<_>>(), [Some(1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn coarse_networks(topology: &Topology) -> Vec<Topology> {
    let mut capacities: Vec<u64> = topology.channels().map(|channel| topology.capacity(channel).into()).collect();
    capacities.sort_unstable();
    capacities.dedup();
    let least = capacities.first().copied().unwrap_or(1).max(1);
    // The loss in parts of a million.
    let loss =
        |units: u64| capacities.iter().map(|capacity| capacity % units * 1_000_000 / capacity).max().unwrap_or(0);
    let mut units = vec![least];
    if loss(least) > 1_000_000 / LOSS {
        let finer = (least / FINE).max(1)..least;
        units.extend(finer.min_by_key(|&units| (loss(units), std::cmp::Reverse(units))));
    }
    let coarse = |units: u64| {
        let unit = topology.unit_bytes_per_second()?.checked_mul(units)?;
        let capacity = |channel| u64::from(topology.capacity(channel)) / units;
        topology.with_rates(Some(unit), capacity, |channel| topology.latency_ps(channel)).ok()
    };
    let networks: Vec<Topology> = units.into_iter().filter_map(coarse).collect();
    if networks.is_empty() { vec![topology.clone()] } else { networks }
}
