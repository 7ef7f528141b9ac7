//! Rounds and transmissions by formula, far beyond what can be written down.

use lockstep_schedule::Ports;

use super::dimension::links_a_round;

/// What a collective costs on a hypercube.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Number of rounds.
    pub rounds: u128,
    /// Number of channel uses in all rounds together.
    pub transmissions: u128,
}

/// The numbers that the formulas are made of.
struct CubeSize {
    nodes: u128,
    /// The distances of all nodes from one of them together.
    distances: u128,
    links: u128,
}

impl CubeSize {
    /// `None` for dimensions other than 1 to 60, the largest one whose numbers all fit.
    fn new(dimension: u32, ports: Ports) -> Option<Self> {
        (1..=60).contains(&dimension).then(|| Self {
            nodes: 1 << dimension,
            distances: u128::from(dimension) << (dimension - 1),
            links: links_a_round(dimension, ports) as u128,
        })
    }
}

/// `D` rounds, a transmission for every node but the root; `None` for dimensions other than 1 to 60.
pub fn broadcast_counts(dimension: u32) -> Option<Counts> {
    let CubeSize { nodes, .. } = CubeSize::new(dimension, Ports::All)?;
    Some(Counts { rounds: dimension.into(), transmissions: nodes - 1 })
}

/// `(2^D - 1) / k` rounds, rounded up, and `D 2^(D-1)` transmissions; `None` for dimensions other than 1 to 60.
pub fn scatter_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, distances, links } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: (nodes - 1).div_ceil(links), transmissions: distances })
}

/// `(2^D - 1) / k` rounds, rounded up, and `2^D (2^D - 1)` transmissions; `None` for dimensions other than 1 to 60.
pub fn all_gather_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, links, .. } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: (nodes - 1).div_ceil(links), transmissions: nodes * (nodes - 1) })
}

/// `D 2^(D-1) / k` rounds, rounded up, and `D 2^(2D-1)` transmissions; `None` for dimensions other than 1 to 60.
pub fn all_to_all_counts(dimension: u32, ports: Ports) -> Option<Counts> {
    let CubeSize { nodes, distances, links } = CubeSize::new(dimension, ports)?;
    Some(Counts { rounds: distances.div_ceil(links), transmissions: nodes * distances })
}

/// `2^(D-1)` rounds, but `2^D - 1` with one port, and `D 2^(2D-1)` transmissions; `None` for dimensions other than 1 to
/// 60.
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
    fn formulas_count_what_the_schedules_do() {
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
    fn formulas_reach_as_far_as_the_group() {
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
