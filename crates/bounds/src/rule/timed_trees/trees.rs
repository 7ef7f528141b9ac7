//! Shortest trees of transfers in the time-expanded network.

use crate::transfers::{Ends, Transfers};

/// The shortest trees from every terminal at every time to every set of terminals.
///
/// Sets are numbers with one bit per terminal. It reuses the memory of earlier trees: 24 bytes per time, set and
/// terminal.
///
/// # Source
///
/// The recursion of Dreyfus and Wagner, "The Steiner problem in graphs", *Networks* 1 (1971), over time.
#[derive(Default)]
pub(super) struct TimedTrees {
    terminals: usize,
    steps: usize,
    /// By time, set and terminal: the length, and the way the tree begins.
    smallest: Vec<(f64, Branch)>,
}

/// The beginning of a tree at a terminal and a time.
#[derive(Clone, Copy)]
enum Branch {
    /// No other terminal is to be reached.
    End,
    /// Nothing in this step.
    Wait,
    /// A transfer to a terminal, which reaches the whole set.
    Transfer(usize),
    /// Two trees, one of them to this set.
    Part(usize),
}

impl TimedTrees {
    /// Computes the trees for the transfers of each step between a number of terminals.
    pub(super) fn compute(&mut self, transfers: &[Transfers], terminals: usize) {
        let (sets, steps) = (1usize << terminals, transfers.len());
        (self.terminals, self.steps) = (terminals, steps);
        self.smallest.clear();
        self.smallest.resize((steps + 1) * sets * terminals, (f64::INFINITY, Branch::End));
        for time in (0..=steps).rev() {
            let (before, after) = self.smallest.split_at_mut((time + 1) * sets * terminals);
            let own = &mut before[time * sets * terminals..];
            let next = transfers.get(time);
            for set in 0..sets {
                for terminal in 0..terminals {
                    let at = |set: usize, terminal: usize| set * terminals + terminal;
                    let others = set & !(1 << terminal);
                    if others != set || set == 0 {
                        own[at(set, terminal)] =
                            if others == 0 { (0.0, Branch::End) } else { own[at(others, terminal)] };
                        continue;
                    }
                    let mut best = (f64::INFINITY, Branch::End);
                    let mut offer = |length: f64, branch: Branch| {
                        if length < best.0 {
                            best = (length, branch);
                        }
                    };
                    if let Some(transfers) = next {
                        offer(after[at(set, terminal)].0, Branch::Wait);
                        for head in (0..terminals).filter(|&head| head != terminal) {
                            let transfer = transfers.length[terminal * terminals + head];
                            offer(transfer + after[at(set, head)].0, Branch::Transfer(head));
                        }
                    }
                    let lowest = set & set.wrapping_neg();
                    let mut rest = set ^ lowest;
                    while rest > 0 {
                        rest = (rest - 1) & (set ^ lowest);
                        let part = rest | lowest;
                        offer(own[at(part, terminal)].0 + own[at(set ^ part, terminal)].0, Branch::Part(part));
                    }
                    own[at(set, terminal)] = best;
                }
            }
        }
    }

    /// Returns the number of entries that one computation visits.
    pub(super) fn entries(&self) -> usize {
        (self.steps + 1) * self.terminals * (3usize.pow(self.terminals as u32) + (self.terminals << self.terminals))
    }

    fn at(&self, time: usize, set: usize, terminal: usize) -> (f64, Branch) {
        self.smallest[((time << self.terminals) + set) * self.terminals + terminal]
    }

    /// Returns the length of the shortest tree from a source at the start to its receivers; infinite if there is none.
    pub(super) fn length(&self, source: usize, receivers: &[usize]) -> f64 {
        self.at(0, set(receivers), source).0
    }

    /// Visits the transfers of a shortest tree, each with the number of its step, counted from 0.
    pub(super) fn visit(&self, source: usize, receivers: &[usize], mut visit: impl FnMut(usize, Ends)) {
        let mut open = vec![(0, set(receivers), source)];
        while let Some((time, set, terminal)) = open.pop() {
            match self.at(time, set, terminal).1 {
                Branch::End => {}
                Branch::Wait => open.push((time + 1, set, terminal)),
                Branch::Transfer(head) => {
                    visit(time, [terminal, head]);
                    open.push((time + 1, set, head));
                }
                Branch::Part(part) => open.extend([(time, part, terminal), (time, set & !part, terminal)]),
            }
        }
    }
}

fn set(terminals: &[usize]) -> usize {
    terminals.iter().fold(0, |set, &terminal| set | 1 << terminal)
}
