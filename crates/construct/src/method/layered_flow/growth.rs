//! How many can know the message after every step, and how many should.

use lockstep_schedule::Ports;
use lockstep_topology::{NodeId, Topology};

/// What holders can send, were there no wires in between.
#[derive(Debug)]
pub(super) struct HolderGrowth {
    /// The most transfers that 0, 1, 2, … holders can start in one step: the root first, then those with most ports.
    sends: Vec<usize>,
    /// How many must know the message at last.
    all: usize,
}

/// The whole of what holders can send.
const WHOLE: u64 = 1 << 20;

impl HolderGrowth {
    /// Of a message that the root and so many others must know at last.
    pub(super) fn new(topology: &Topology, ports: Ports, root: NodeId, receivers: usize) -> Self {
        let limit = |node: NodeId| ports.of_degree(topology.out_channels(node).len());
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

    /// The fewest steps in which all could know the message; their number if nobody can send.
    pub(super) fn steps(&self) -> u32 {
        let next = |&holders: &usize| (holders < self.all).then(|| holders + self.sends[holders]);
        std::iter::successors(Some(1), next).take(self.all + 1).count() as u32 - 1
    }

    /// Some lists of how many should know the message after every step, or `None` where so many steps are too few.
    ///
    /// Each step uses a part of what the holders can send, in some lists the same in every step and in others more in
    /// early steps, where paths have room. Some use as little as suffices, others a third, two thirds or all of what
    /// is left beside that.
    pub(super) fn sizes(&self, steps: u32) -> Option<Vec<Vec<usize>>> {
        let suffices = |slack, tilt| self.grown(steps, slack, tilt).last() == Some(&self.all);
        suffices(0, 0).then(|| {
            let most = |tilt| {
                let (mut most, mut too_much) = (0, WHOLE);
                while most + 1 < too_much {
                    let middle = u64::midpoint(most, too_much);
                    if suffices(middle, tilt) { most = middle } else { too_much = middle }
                }
                most
            };
            let list = |tilt| {
                let most = most(tilt);
                [3, 3, 3, 2, 1, 0].map(|thirds| self.grown(steps, most * thirds / 3, tilt))
            };
            (0..3).flat_map(list).collect()
        })
    }

    /// The holders after every step, if in the last step so many of [`WHOLE`] ports stay silent, and before in the ratio
    /// of the steps to the power of `tilt`.
    fn grown(&self, steps: u32, slack: u64, tilt: u32) -> Vec<usize> {
        let grow = |holders: &mut usize, step: u32| {
            let silent = (0..tilt).fold(slack, |silent, _| silent * u64::from(step) / u64::from(steps));
            let started = (self.sends[*holders] as u64 * (WHOLE - silent)).div_ceil(WHOLE);
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
