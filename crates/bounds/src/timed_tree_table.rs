//! Shortest trees of transfers in the time-expanded network.

use crate::transfers::Ends;

/// The largest number of terminals: the trees to all sets of terminals are computed.
pub(crate) const MAX_TERMINALS: usize = 8;

/// The lengths from all terminals.
type Row = [f64; MAX_TERMINALS];

/// The shortest trees from every terminal at every time to every set of terminals.
///
/// Sets are numbers with one bit per terminal. Memory: 64 bytes per time and set.
///
/// # Source
///
/// The recursion of Dreyfus and Wagner, "The Steiner problem in graphs", *Networks* 1 (1971), over time.
pub(crate) struct TimedTreeTable {
    terminals: usize,
    /// By step: the lengths of the transfers between all terminals, by start and end.
    transfer: Vec<Vec<f64>>,
    /// By time and set.
    smallest: Vec<Row>,
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

impl TimedTreeTable {
    /// Computes the trees for the lengths of transfers in each step, by start and end.
    pub(crate) fn new(transfer: Vec<Vec<f64>>, terminals: usize) -> Self {
        let (sets, steps) = (1usize << terminals, transfer.len());
        let mut smallest = vec![[f64::INFINITY; MAX_TERMINALS]; (steps + 1) * sets];
        for time in (0..=steps).rev() {
            let (before, after) = smallest.split_at_mut((time + 1) * sets);
            let own = &mut before[time * sets..];
            let into = transfer.get(time).map(|lengths| rows_into(lengths, terminals));
            own[0] = [0.0; MAX_TERMINALS];
            for set in 1..sets {
                let mut row = [f64::INFINITY; MAX_TERMINALS];
                if let Some(into) = &into {
                    row = after[set];
                    for (into, rest) in into.iter().zip(after[set]).take(terminals) {
                        row.iter_mut().zip(into).for_each(|(best, transfer)| lower(best, transfer + rest));
                    }
                }
                for part in parts(set) {
                    let (some, others) = (&own[part], &own[set ^ part]);
                    for (best, (some, others)) in row.iter_mut().zip(some.iter().zip(others)) {
                        lower(best, some + others);
                    }
                }
                for terminal in (0..terminals).filter(|terminal| set & (1 << terminal) != 0) {
                    row[terminal] = own[set ^ (1 << terminal)][terminal];
                }
                own[set] = row;
            }
        }
        Self { terminals, transfer, smallest }
    }

    /// Returns the number of entries that the computation visits.
    pub(crate) fn entries(steps: usize, terminals: usize) -> usize {
        (steps + 1) * terminals * (3usize.pow(terminals as u32) + (terminals << terminals))
    }

    fn at(&self, time: usize, set: usize, terminal: usize) -> f64 {
        self.smallest[(time << self.terminals) + set][terminal]
    }

    /// Returns the length of the shortest tree from a source at a time to its receivers; infinite if there is none.
    pub(crate) fn length(&self, time: usize, source: usize, receivers: &[usize]) -> f64 {
        self.at(time, set(receivers), source)
    }

    /// Visits the transfers of a shortest tree from a source at a time, each with the number of its step, counted from 0.
    /// Visits none if there is no tree.
    pub(crate) fn visit(&self, time: usize, source: usize, receivers: &[usize], mut visit: impl FnMut(usize, Ends)) {
        let mut open = vec![(time, set(receivers), source)];
        while let Some((time, set, terminal)) = open.pop() {
            let set = set & !(1 << terminal);
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

/// Returns the lengths of the transfers of a step by their ends.
fn rows_into(lengths: &[f64], terminals: usize) -> [Row; MAX_TERMINALS] {
    let mut into = [[f64::INFINITY; MAX_TERMINALS]; MAX_TERMINALS];
    for (start, lengths) in lengths.chunks(terminals).enumerate() {
        into.iter_mut().zip(lengths).for_each(|(row, &length)| row[start] = length);
    }
    into
}

/// Returns the proper subsets that contain the lowest member of the set: one of each pair that divides it.
fn parts(set: usize) -> impl Iterator<Item = usize> {
    let lowest = set & set.wrapping_neg();
    let others = set ^ lowest;
    let smaller = move |rest: usize| (rest > 0).then(|| (rest - 1) & others);
    std::iter::successors(smaller(others), move |&rest| smaller(rest)).map(move |rest| rest | lowest)
}

fn set(terminals: &[usize]) -> usize {
    terminals.iter().fold(0, |set, &terminal| set | 1 << terminal)
}
