//! Rounds and transmissions by formula, for dimensions up to 60.

use lockstep_schedule::Ports;

use super::dimension::links_per_round;

/// The cost of a collective on a hypercube.
///
/// ```
/// use lockstep_analytic::hypercube::broadcast_counts;
///
/// let counts = broadcast_counts(60).expect("a dimension up to 60");
/// assert_eq!((counts.rounds, counts.transmissions), (60, (1 << 60) - 1));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Number of rounds.
    pub rounds: u128,
    /// Number of channel uses in all rounds.
    pub transmissions: u128,
}

/// The terms of the formulas.
struct CubeSize {
    nodes: u128,
    /// Sum of the distances from one node to all others.
    distances: u128,
    links: u128,
}

impl CubeSize {
    /// Returns `None` for dimensions other than 1 to 60, the largest dimension without overflow.
    fn new(dimension: u32, ports: Ports) -> Option<Self> {
        (1..=60).contains(&dimension).then(|| Self {
            nodes: 1 << dimension,
            distances: u128::from(dimension) << (dimension - 1),
            links: links_per_round(dimension, ports) as u128,
        })
    }
}

/// Returns the counts of [`broadcast`](super::broadcast()): `D` rounds and one transmission for every node but the
/// root; `None` for dimensions other than 1 to 60.
pub fn broadcast_counts(dimension: u32) -> Option<Counts> {
    let CubeSize { nodes, .. } = CubeSize::new(dimension, Ports::All)?;
    Some(Counts { rounds: dimension.into(), transmissions: nodes - 1 })
}

/// Returns the counts of [`scatter`](super::scatter()): `(2^D - 1) / k` rounds, rounded up, and `D 2^(D-1)`
/// transmissions; `None` for dimensions other than 1 to 60.
pub fn scatter_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, distances, links } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: (nodes - 1).div_ceil(links), transmissions: distances })
}

/// Returns the counts of [`all_gather`](super::all_gather()): `(2^D - 1) / k` rounds, rounded up, and `2^D (2^D - 1)`
/// transmissions; `None` for dimensions other than 1 to 60.
pub fn all_gather_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, links, .. } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: (nodes - 1).div_ceil(links), transmissions: nodes * (nodes - 1) })
}

/// Returns the counts of [`all_to_all`](super::all_to_all()): `D 2^(D-1) / k` rounds, rounded up, and `D 2^(2D-1)`
/// transmissions; `None` for dimensions other than 1 to 60.
pub fn all_to_all_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, distances, links } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: distances.div_ceil(links), transmissions: nodes * distances })
}

/// Returns the counts of [`direct_all_to_all`](super::direct_all_to_all()): `2^(D-1)` rounds, or `2^D - 1` with one
/// port, and `D 2^(2D-1)` transmissions; `None` for dimensions other than 1 to 60.
pub fn direct_all_to_all_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, distances, links } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: if links == 1 { nodes - 1 } else { nodes / 2 }, transmissions: nodes * distances })
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::BaseSchedule;
    use lockstep_topology::CayleyGraph;

    use super::*;
    use crate::hypercube::{all_gather, all_to_all, broadcast, direct_all_to_all, scatter};

    fn of_base(base: &BaseSchedule, sources: u128) -> Counts {
        Counts { rounds: base.step_count() as u128, transmissions: base.channel_use_count() as u128 * sources }
    }

    #[test]
    fn formulas_agree_with_the_schedules() {
        for dimension in 1..=10 {
            let nodes = 1 << dimension;
            assert_eq!(broadcast_counts(dimension), broadcast(dimension).map(|base| of_base(&base, 1)));
            for ports in [Ports::All].into_iter().chain((1..=dimension + 1).filter_map(Ports::limit)) {
                let counted = [
                    (scatter_counts(dimension, ports), scatter(dimension, ports), 1),
                    (all_gather_counts(dimension, ports), all_gather(dimension, ports), nodes),
                    (all_to_all_counts(dimension, ports), all_to_all(dimension, ports), nodes),
                    (direct_all_to_all_counts(dimension, ports), direct_all_to_all(dimension, ports), nodes),
                ];
                for (formula, base, sources) in counted {
                    assert_eq!(formula, base.map(|base| of_base(&base, sources)), "{dimension} {ports}");
                }
            }
        }
    }

    #[test]
    fn formulas_reach_the_largest_dimension_of_the_group() {
        let cube: CayleyGraph = "hypercube:60".parse().unwrap();
        let one = Ports::limit(1).unwrap();
        assert_eq!(broadcast_counts(60).unwrap().transmissions, u128::from(cube.node_count() - 1));
        assert_eq!(all_to_all_counts(60, Ports::All).unwrap().rounds, 1 << 59);
        assert_eq!(all_to_all_counts(60, one).unwrap(), Counts { rounds: 60 << 59, transmissions: 60 << 119 });
        assert_eq!(
            direct_all_to_all_counts(60, one),
            all_gather_counts(60, one).map(|counts| Counts { transmissions: 60 << 119, ..counts })
        );
        for dimension in [0, 61, u32::MAX] {
            assert_eq!((broadcast_counts(dimension), scatter_counts(dimension, one)), (None, None));
        }
    }
}
