//! The other ranks as workers of rank 0.

use std::cell::RefCell;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use lockstep::{Worker, Workers};
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::topology::{Communicator, SimpleCommunicator};

/// Time between two looks for a message. Waiting inside MPI would take all the time of a core.
const POLL: Duration = Duration::from_millis(1);

/// The ranks from 1 on. Worker `w` is rank `w + 1`.
pub(crate) struct Ranks<'a> {
    world: &'a SimpleCommunicator,
    /// Per worker: whether it has a task.
    busy: RefCell<Vec<bool>>,
}

impl<'a> Ranks<'a> {
    /// Returns the workers of rank 0.
    pub(crate) fn new(world: &'a SimpleCommunicator) -> Self {
        Self { world, busy: RefCell::new(vec![false; world.size() as usize - 1]) }
    }

    /// Ends the workers. If one of them still works on a task, all ranks end at once.
    pub(crate) fn end(self, code: ExitCode) -> ExitCode {
        if self.busy.borrow().contains(&true) {
            let number = [0, 1].into_iter().find(|&number| code == ExitCode::from(number));
            self.world.abort(number.map_or(2, i32::from));
        }
        for rank in 1..self.world.size() {
            self.world.process_at_rank(rank).send::<[u8]>(&[]);
        }
        code
    }
}

impl Workers for Ranks<'_> {
    fn count(&self) -> usize {
        self.busy.borrow().len()
    }

    fn send(&self, worker: usize, task: Vec<u8>) {
        self.busy.borrow_mut()[worker] = true;
        self.world.process_at_rank(worker as i32 + 1).send(&task[..]);
    }

    fn receive(&self, worker: usize, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        let result = receive(self.world, worker as i32 + 1, is_stopped)?;
        self.busy.borrow_mut()[worker] = false;
        Some(result)
    }
}

/// Computes the results of tasks until rank 0 ends the workers with an empty one.
pub(crate) fn work(world: &SimpleCommunicator) {
    let mut worker = Worker::default();
    while let Some(task) = receive(world, 0, &|| false).filter(|task| !task.is_empty()) {
        world.process_at_rank(0).send(&worker.work(&task)[..]);
    }
}

/// Waits for a message of a rank.
fn receive(world: &SimpleCommunicator, rank: i32, is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
    loop {
        if let Some(message) = world.process_at_rank(rank).immediate_matched_probe() {
            return Some(message.matched_receive_vec().0);
        }
        if is_stopped() {
            return None;
        }
        sleep(POLL);
    }
}
