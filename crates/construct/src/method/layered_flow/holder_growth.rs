//! The number of holders that is possible and useful after each step.

use lockstep_model::port_limit;
use lockstep_schedule::Ports;
use lockstep_topology::{NodeId, Topology};

/// The growth of the number of holders if only ports limit the transfers.
#[derive(Debug)]
pub(super) struct HolderGrowth {
    /// The maximum number of transfers that 0, 1, 2, … holders can send in one step: the root first, then the terminals
    /// with the most ports.
    sends: Vec<usize>,
    /// The final number of holders.
    all: usize,
}

/// The fixed-point number 1 for shares of unused ports.
const ONE: u64 = 1 << 20;

impl HolderGrowth {
    /// Computes the growth for a message from the root to `receivers` terminals.
    pub(super) fn new(topology: &Topology, ports: Ports, root: NodeId, receivers: usize) -> Self {
        let limit = |node: NodeId| port_limit(topology, ports, topology.out_channels(node)) as usize;
        let mut limits: Vec<usize> = topology.terminals().iter().map(|&node| limit(node)).collect();
        let first = topology.terminal_rank(root).map_or(0, |rank| limits.swap_remove(rank));
        limits.sort_unstable_by(|a, b| b.cmp(a));
        let mut sends = vec![0, first];
        sends.extend(limits.iter().scan(first, |sum, limit| {
            *sum += limit;
            Some(*sum)
        }));
        Self { sends, all: receivers + 1 }
    }

    /// Returns a lower bound on the steps; the final number of holders if no node can send.
    pub(super) fn steps(&self) -> u32 {
        let next = |&holders: &usize| (holders < self.all).then(|| holders + self.sends[holders]);
        std::iter::successors(Some(1), next).take(self.all + 1).count() as u32 - 1
    }

    /// Returns lists of target numbers of holders after each step; `None` if the number of steps is too small.
    ///
    /// Each step uses a share of the ports of the holders. In some lists this share is constant; in others it is larger
    /// in early steps, in which paths are free. Some lists use the smallest sufficient share; others leave a third, two
    /// thirds or none of the spare ports unused.
    pub(super) fn sizes(&self, steps: u32) -> Option<Vec<Vec<usize>>> {
        let suffices = |slack, tilt| self.grown(steps, slack, tilt).last() == Some(&self.all);
        suffices(0, 0).then(|| {
            let max_slack = |tilt| {
                let (mut low, mut high) = (0, ONE);
                while low + 1 < high {
                    let middle = u64::midpoint(low, high);
                    if suffices(middle, tilt) { low = middle } else { high = middle }
                }
                low
            };
            let list = |tilt| {
                let slack = max_slack(tilt);
                [3, 3, 3, 2, 1, 0].map(|thirds| self.grown(steps, slack * thirds / 3, tilt))
            };
            (0..3).flat_map(list).collect()
        })
    }

    /// Returns the number of holders after each step, if a share `slack` of the ports is idle in the last step, and
    /// `slack (t / steps)^tilt` in step `t`. Shares are parts of [`ONE`].
    fn grown(&self, steps: u32, slack: u64, tilt: u32) -> Vec<usize> {
        let grow = |holders: &mut usize, step: u32| {
            let idle = (0..tilt).fold(slack, |idle, _| idle * u64::from(step) / u64::from(steps));
            let started = (self.sends[*holders] as u64 * (ONE - idle)).div_ceil(ONE);
            *holders = self.all.min(*holders + started as usize);
            Some(*holders)
        };
        (1..=steps).scan(1, grow).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth(spec: &str, ports: Ports) -> HolderGrowth {
        let topology: Topology = spec.parse().unwrap();
        HolderGrowth::new(&topology, ports, NodeId::new(0), topology.terminal_count() - 1)
    }

    #[test]
    fn regular_networks_grow_by_a_factor() {
        for dim in 2u32..=10 {
            let fewest = (0..=dim).find(|&steps| (dim + 1).pow(steps) >= 1 << dim).unwrap();
            assert_eq!(growth(&format!("hypercube:{dim}"), Ports::All).steps(), fewest);
            assert_eq!(growth(&format!("hypercube:{dim}"), Ports::limit(1).unwrap()).steps(), dim);
        }
    }

    #[test]
    fn sizes_grow_to_all_within_the_ports() {
        for (spec, ports) in [("torus:24x26", 4), ("mesh:9x9", 3), ("full-b-tree:63", 2), ("star:9", 1)] {
            let growth = growth(spec, Ports::limit(ports).unwrap());
            let fewest = growth.steps();
            assert_eq!(growth.sizes(fewest - 1), None, "{spec}");
            for steps in fewest..fewest + 4 {
                for sizes in growth.sizes(steps).unwrap() {
                    assert_eq!((sizes.len(), sizes.last()), (steps as usize, Some(&growth.all)), "{spec}");
                    let before = [1].into_iter().chain(sizes.iter().copied());
                    assert!(before.zip(&sizes).all(|(old, &new)| new - old <= growth.sends[old]), "{spec} {sizes:?}");
                }
            }
        }
    }
}
