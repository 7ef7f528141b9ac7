//! Shortest trees of transfers in the time-expanded network.

use crate::transfers::Ends;

/// The largest number of targets: the trees to all sets of targets are computed.
pub(crate) const MAX_TARGETS: usize = 8;

/// The shortest trees from every terminal at every time to every set of targets.
///
/// Sets are numbers with one bit per target. Memory: 8 bytes per time, set and terminal.
///
/// # Source
///
/// The recursion of Dreyfus and Wagner, "The Steiner problem in graphs", *Networks* 1 (1971), over time.
pub(crate) struct TimedTreeTable<'a> {
    terminals: usize,
    /// By terminal: the set of this target; empty if it is no target.
    alone: Vec<usize>,
    /// By step: the lengths of the transfers between all terminals, by start and end.
    transfer: &'a [Vec<f64>],
    /// By time, set and terminal.
    smallest: Vec<f64>,
}

/// The beginning of a tree at a terminal and a time.
enum Branch {
    /// Nothing in this step.
    Wait,
    /// A transfer to a terminal, which reaches the whole set.
    Transfer(usize),
    /// Two trees, one of them to this set.
    Part(usize),
}

impl<'a> TimedTreeTable<'a> {
    /// Computes the trees for the lengths of transfers in each step, by start and end.
    pub(crate) fn new(transfer: &'a [Vec<f64>], terminals: usize, targets: &[usize]) -> Self {
        let (sets, steps) = (1usize << targets.len(), transfer.len());
        let mut alone = vec![0; terminals];
        for (place, &target) in targets.iter().enumerate() {
            alone[target] = 1 << place;
        }
        let mut smallest = vec![f64::INFINITY; (steps + 1) * sets * terminals];
        for time in (0..=steps).rev() {
            let (before, after) = smallest.split_at_mut((time + 1) * sets * terminals);
            let own = &mut before[time * sets * terminals..];
            let into = transfer.get(time).map(|lengths| transposed(lengths, terminals));
            own[..terminals].fill(0.0);
            for set in 1..sets {
                let (smaller, row) = own.split_at_mut(set * terminals);
                let row = &mut row[..terminals];
                if let Some(into) = &into {
                    let rest = &after[set * terminals..][..terminals];
                    row.copy_from_slice(rest);
                    for (into, rest) in into.chunks(terminals).zip(rest).filter(|(_, rest)| **rest < f64::INFINITY) {
                        row.iter_mut().zip(into).for_each(|(best, transfer)| lower(best, transfer + rest));
                    }
                }
                for part in parts(set) {
                    let [some, others] = [part, set ^ part].map(|set| &smaller[set * terminals..][..terminals]);
                    for (best, (some, others)) in row.iter_mut().zip(some.iter().zip(others)) {
                        lower(best, some + others);
                    }
                }
                for &target in targets.iter().filter(|&&target| set & alone[target] != 0) {
                    row[target] = smaller[(set ^ alone[target]) * terminals + target];
                }
            }
        }
        Self { terminals, alone, transfer, smallest }
    }

    /// Returns the number of entries that the computation visits, for at most [`MAX_TARGETS`] targets.
    pub(crate) fn entries(steps: usize, terminals: usize, targets: usize) -> usize {
        let of_sets = terminals.saturating_mul(1 << targets).saturating_add(3usize.pow(targets as u32));
        steps.saturating_add(1).saturating_mul(terminals).saturating_mul(of_sets)
    }

    fn at(&self, time: usize, set: usize, terminal: usize) -> f64 {
        self.smallest[time * (self.smallest.len() / (self.transfer.len() + 1)) + set * self.terminals + terminal]
    }

    fn set(&self, targets: &[usize]) -> usize {
        targets.iter().fold(0, |set, &target| set | self.alone[target])
    }

    /// Returns the length of the shortest tree from a terminal at a time to some targets; infinite if there is none.
    pub(crate) fn length(&self, time: usize, source: usize, receivers: &[usize]) -> f64 {
        self.at(time, self.set(receivers), source)
    }

    /// Visits the transfers of a shortest tree from a source at a time, each with the number of its step, counted from 0.
    /// Visits none if there is no tree.
    pub(crate) fn visit(&self, time: usize, source: usize, receivers: &[usize], mut visit: impl FnMut(usize, Ends)) {
        let mut open = vec![(time, self.set(receivers), source)];
        while let Some((time, set, terminal)) = open.pop() {
            let set = set & !self.alone[terminal];
            if set == 0 || self.at(time, set, terminal) == f64::INFINITY {
                continue;
            }
            match self.branch(time, set, terminal) {
                Branch::Wait => open.push((time + 1, set, terminal)),
                Branch::Transfer(head) => {
                    visit(time, [terminal, head]);
                    open.push((time + 1, set, head));
                }
                Branch::Part(part) => open.extend([(time, part, terminal), (time, set & !part, terminal)]),
            }
        }
    }

    /// Returns the beginning of a shortest tree to a set without the terminal.
    #[expect(clippy::float_cmp, reason = "the length is one of these sums")]
    fn branch(&self, time: usize, set: usize, terminal: usize) -> Branch {
        let length = self.at(time, set, terminal);
        if let Some(lengths) = self.transfer.get(time) {
            if self.at(time + 1, set, terminal) == length {
                return Branch::Wait;
            }
            let transfer = |head: &usize| lengths[terminal * self.terminals + head];
            let ends = |head: &usize| transfer(head) + self.at(time + 1, set, *head) == length;
            if let Some(head) = (0..self.terminals).find(ends) {
                return Branch::Transfer(head);
            }
        }
        let is_sum = |part: &usize| self.at(time, *part, terminal) + self.at(time, set ^ part, terminal) == length;
        Branch::Part(parts(set).find(is_sum).expect("a tree begins in one of these ways"))
    }
}

/// Replaces a number by a smaller one. Unlike [`f64::min`], it is one instruction.
fn lower(best: &mut f64, other: f64) {
    if other < *best {
        *best = other;
    }
}

/// Returns the lengths of the transfers of a step by their ends and starts.
pub(crate) fn transposed(lengths: &[f64], terminals: usize) -> Vec<f64> {
    (0..lengths.len()).map(|place| lengths[place % terminals * terminals + place / terminals]).collect()
}

/// Returns the proper subsets that contain the lowest member of the set: one of each pair that divides it.
fn parts(set: usize) -> impl Iterator<Item = usize> {
    let lowest = set & set.wrapping_neg();
    let others = set ^ lowest;
    let smaller = move |rest: usize| (rest > 0).then(|| (rest - 1) & others);
    std::iter::successors(smaller(others), move |&rest| smaller(rest)).map(move |rest| rest | lowest)
}

#[cfg(test)]
mod tests {
    use super::{MAX_TARGETS, TimedTreeTable};

    #[test]
    fn entries_of_large_networks_do_not_overflow() {
        assert_eq!(TimedTreeTable::entries(2, 3, 2), 3 * 3 * (9 + 12));
        assert_eq!(TimedTreeTable::entries(usize::MAX, usize::MAX, MAX_TARGETS), usize::MAX);
    }
}
