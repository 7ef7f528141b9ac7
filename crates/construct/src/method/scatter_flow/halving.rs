//! The halves of a flow, down to single steps and their paths.

/// An index that does not exist.
const NONE: u32 = u32::MAX;

/// The smallest number of arcs of a flow whose halves are computed in parallel.
const PARALLEL_ARCS: usize = 1 << 11;

/// Such a flow also has one arc per this number of nodes or more, because its own tables have an entry per node.
const PARALLEL_NODES: usize = 4;

/// The units on an arc, at least one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArcUnits {
    pub(super) arc: u32,
    pub(super) units: u32,
}

/// The network of a flow whose units return to the root: at each node, the same number of units enters and leaves.
pub(super) struct Circulation<'a> {
    /// The tail and the head of each arc. The last arc leads from the sink, which is the last node, to the root.
    pub(super) ends: &'a [[u32; 2]],
    pub(super) nodes: usize,
    pub(super) root: usize,
    /// Whether time or cancellation ended the search.
    pub(super) is_stopped: &'a (dyn Fn() -> bool + Sync),
}

/// The paths of a step from the root to the sink, one after the other, each as its arcs.
pub(super) type StepPaths = Vec<u32>;

/// Returns the paths of each of `count` steps, a power of two, into which a flow of at most `count` times the width of each
/// arc is divided. Returns `None` if the search is stopped.
///
/// Half of each number of units is rounded up or down so that a flow remains: the arcs with odd numbers of units form
/// cycles, whatever their directions, and along each cycle the arcs in one direction are rounded up, and the others
/// down. An arc has at most `count` times its width, which is an even number. So half of its units, rounded up, are at most
/// `count / 2` times its width. Takes `O(F log count)` time for `F` units on all arcs.
///
/// # Source
///
/// Gabow, *Using Euler partitions to edge color bipartite multigraphs*, International Journal of Computer and Information
/// Sciences 5 (1976).
pub(super) fn halve(circulation: &Circulation<'_>, part: Vec<ArcUnits>, count: u32) -> Option<Vec<StepPaths>> {
    debug_assert!(count.is_power_of_two());
    Scratch::new(circulation.nodes).halve(circulation, part, count)
}

/// Tables by node, which are all [`NONE`] between their uses.
struct Scratch {
    /// An end of an arc that waits for another one at its node, or the first arc from a node.
    first: Vec<u32>,
    /// The arc by which a unit leaves a node for the last time.
    exit: Vec<u32>,
}

impl Scratch {
    fn new(nodes: usize) -> Self {
        Self { first: vec![NONE; nodes], exit: vec![NONE; nodes] }
    }

    fn halve(&mut self, circulation: &Circulation<'_>, part: Vec<ArcUnits>, count: u32) -> Option<Vec<StepPaths>> {
        if count == 1 {
            return Some(vec![self.paths(circulation, part)]);
        }
        if (circulation.is_stopped)() {
            return None;
        }
        let is_large = part.len() >= PARALLEL_ARCS.max(circulation.nodes / PARALLEL_NODES);
        let [one, two] = self.halves(circulation, part);
        let (one, two) = if is_large {
            rayon::join(
                || self.halve(circulation, one, count / 2),
                || Self::new(circulation.nodes).halve(circulation, two, count / 2),
            )
        } else {
            (self.halve(circulation, one, count / 2), self.halve(circulation, two, count / 2))
        };
        let mut steps = one?;
        steps.extend(two?);
        Some(steps)
    }

    /// Divides a flow into two, each with half of the units of each arc, rounded up or down.
    fn halves(&mut self, circulation: &Circulation<'_>, part: Vec<ArcUnits>) -> [Vec<ArcUnits>; 2] {
        let odd: Vec<u32> = part.iter().filter(|one| one.units % 2 == 1).map(|one| one.arc).collect();
        let is_up = self.is_rounded_up(circulation, &odd);
        let mut halves = [(); 2].map(|()| Vec::with_capacity(part.len()));
        let mut is_up = is_up.into_iter();
        for ArcUnits { arc, units } in part {
            let is_up = units % 2 == 1 && is_up.next() == Some(true);
            let one = units / 2 + u32::from(is_up);
            for (half, units) in halves.iter_mut().zip([one, units - one]).filter(|&(_, units)| units > 0) {
                half.push(ArcUnits { arc, units });
            }
        }
        halves
    }

    /// Returns, for each of the arcs with an odd number of units, whether half of them are rounded up.
    fn is_rounded_up(&mut self, circulation: &Circulation<'_>, odd: &[u32]) -> Vec<bool> {
        // The ends of arc `i` are `2 i`, its tail, and `2 i + 1`. Two ends at each node are joined.
        let mut joined = vec![NONE; 2 * odd.len()];
        for (end, node) in (0u32..).zip(odd.iter().flat_map(|&arc| circulation.ends[arc as usize])) {
            let waiting = std::mem::replace(&mut self.first[node as usize], NONE);
            if waiting == NONE {
                self.first[node as usize] = end;
            } else {
                joined[waiting as usize] = end;
                joined[end as usize] = waiting;
            }
        }
        let mut is_up = vec![false; odd.len()];
        let mut is_known = vec![false; odd.len()];
        for start in 0..odd.len() {
            let mut end = 2 * start;
            while !std::mem::replace(&mut is_known[end / 2], true) {
                // The cycle enters the arc at this end. It goes on from the other one.
                is_up[end / 2] = end.is_multiple_of(2);
                end = joined[end ^ 1] as usize;
            }
        }
        is_up
    }

    /// Returns the paths of a flow of one step.
    fn paths(&mut self, circulation: &Circulation<'_>, mut part: Vec<ArcUnits>) -> StepPaths {
        let ends = |one: &ArcUnits| circulation.ends[one.arc as usize].map(|node| node as usize);
        let back = (circulation.ends.len() - 1) as u32;
        // The arcs from each node, as a list.
        let mut next = vec![NONE; part.len()];
        for (place, one) in part.iter().enumerate().rev() {
            next[place] = std::mem::replace(&mut self.first[ends(one)[0]], place as u32);
        }
        let mut left = part.iter().filter(|one| one.arc == back).map(|one| one.units).sum::<u32>();
        let (root, sink) = (circulation.root, circulation.nodes - 1);
        let mut paths = Vec::with_capacity(part.len());
        while left > 0 {
            left -= 1;
            let mut node = root;
            while node != sink {
                let place = self.first[node] as usize;
                part[place].units -= 1;
                if part[place].units == 0 {
                    self.first[node] = next[place];
                }
                self.exit[node] = place as u32;
                node = ends(&part[place])[1];
            }
            // The last arc from each node gives a path that visits no node twice.
            node = root;
            while node != sink {
                let one = &part[self.exit[node] as usize];
                paths.push(one.arc);
                node = ends(one)[1];
            }
        }
        for one in &part {
            self.first[ends(one)[0]] = NONE;
        }
        paths
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Random walks from node 0 to the last node and back.
    fn any_flow() -> impl Strategy<Value = (Vec<[u32; 2]>, Vec<ArcUnits>, u32)> {
        let walk = prop::collection::vec(1u32..6, 0..5);
        (prop::collection::vec(walk, 1..40), 0u32..5).prop_map(|(walks, log)| {
            let mut units: BTreeMap<[u32; 2], u32> = BTreeMap::new();
            let count = walks.len() as u32;
            for walk in walks {
                let nodes: Vec<u32> = [0].into_iter().chain(walk).chain([6]).collect();
                for pair in nodes.windows(2).filter(|pair| pair[0] != pair[1]) {
                    *units.entry([pair[0], pair[1]]).or_default() += 1;
                }
            }
            let mut ends: Vec<[u32; 2]> = units.keys().copied().collect();
            let mut part: Vec<ArcUnits> =
                (0..).zip(units.values()).map(|(arc, &units)| ArcUnits { arc, units }).collect();
            part.push(ArcUnits { arc: ends.len() as u32, units: count });
            ends.push([6, 0]);
            (ends, part, 1 << log)
        })
    }

    proptest! {
        /// Every step has a simple path per unit, and uses each arc for its share of the units, rounded up or down.
        #[test]
        fn halves_share_the_units_of_each_arc((ends, part, count) in any_flow()) {
            let circulation = Circulation { ends: &ends, nodes: 7, root: 0, is_stopped: &|| false };
            let steps = halve(&circulation, part.clone(), count).unwrap();
            prop_assert_eq!(steps.len(), count as usize);
            let mut walks = 0;
            for step in &steps {
                let mut uses = vec![0u32; ends.len()];
                for path in step.split_inclusive(|&arc| ends[arc as usize][1] == 6) {
                    walks += 1;
                    prop_assert_eq!(ends[path[0] as usize][0], 0);
                    prop_assert!(path.windows(2).all(|pair| ends[pair[0] as usize][1] == ends[pair[1] as usize][0]));
                    let mut nodes: Vec<u32> = path.iter().map(|&arc| ends[arc as usize][0]).collect();
                    nodes.sort_unstable();
                    prop_assert!(nodes.windows(2).all(|pair| pair[0] != pair[1]), "{:?}", path);
                    for &arc in path {
                        uses[arc as usize] += 1;
                    }
                }
                for one in &part {
                    prop_assert!(uses[one.arc as usize] <= one.units.div_ceil(count));
                }
            }
            prop_assert_eq!(walks, part.last().unwrap().units);
        }

        #[test]
        fn a_stopped_division_returns_nothing((ends, part, count) in any_flow()) {
            let circulation = Circulation { ends: &ends, nodes: 7, root: 0, is_stopped: &|| true };
            prop_assert_eq!(halve(&circulation, part, count).is_none(), count > 1);
        }
    }
}
