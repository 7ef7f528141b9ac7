//! Workers of this process, for tests.

use std::cell::RefCell;
use std::mem::take;

use lockstep::{Worker, Workers};

/// Workers of this process.
pub(crate) struct OwnWorkers(Vec<RefCell<(Worker, Vec<u8>)>>);

impl OwnWorkers {
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count).map(|_| RefCell::default()).collect())
    }
}

impl Workers for OwnWorkers {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn send(&self, worker: usize, task: Vec<u8>) {
        let (worker, result) = &mut *self.0[worker].borrow_mut();
        *result = worker.work(&task);
    }

    fn receive(&self, worker: usize, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        (!is_stopped()).then(|| take(&mut self.0[worker].borrow_mut().1))
    }
}
