//! The terminals that wait to be served in the current step.

use std::collections::VecDeque;

/// A first-in, first-out queue of terminals.
///
/// Invariant: a terminal is queued at most once after [`requeue`](Self::requeue).
#[derive(Debug)]
pub(super) struct ServiceQueue {
    waiting: VecDeque<u32>,
    is_waiting: Vec<bool>,
}

impl ServiceQueue {
    pub(super) fn new(terminals: usize) -> Self {
        Self { waiting: VecDeque::new(), is_waiting: vec![false; terminals] }
    }

    /// Adds terminals that are not queued.
    pub(super) fn extend(&mut self, terminals: &[u32]) {
        for &terminal in terminals {
            self.waiting.push_back(terminal);
            self.is_waiting[terminal as usize] = true;
        }
    }

    /// Adds a terminal unless it is queued.
    pub(super) fn requeue(&mut self, terminal: usize) {
        if !std::mem::replace(&mut self.is_waiting[terminal], true) {
            self.waiting.push_back(terminal as u32);
        }
    }

    /// Removes the first terminal.
    pub(super) fn pop(&mut self) -> Option<usize> {
        let terminal = self.waiting.pop_front()? as usize;
        self.is_waiting[terminal] = false;
        Some(terminal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_queued_once() {
        let mut queue = ServiceQueue::new(4);
        queue.extend(&[2, 0]);
        queue.requeue(0);
        queue.requeue(3);
        assert_eq!(queue.pop(), Some(2));
        queue.requeue(2);
        assert_eq!(std::iter::from_fn(|| queue.pop()).collect::<Vec<_>>(), [0, 3, 2]);
    }
}
