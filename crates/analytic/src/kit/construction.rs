//! The interface of a construction.

use lockstep_schedule::{Budget, CollectiveKind, MessageId, Problem, Schedule};

/// A way to schedules on networks of one structure.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Construction {
    /// Its short name.
    pub name: &'static str,
    /// What it does on which networks, in one line.
    pub about: &'static str,
    pub(crate) construct: Construct,
}

/// A schedule of a problem whose messages are not cut into chunks, or `None` where the construction does not fit. It may
/// stop at so many steps, which no schedule can beat or nobody needs to, and gives up when the budget is cancelled.
pub(crate) type Construct = fn(&Problem<'_>, u32, &Budget) -> Option<Schedule>;

impl Construction {
    /// A schedule of the problem, or `None` where the construction does not fit. Chunks follow each other.
    pub fn schedule(&self, problem: &Problem<'_>, goal: u32, budget: &Budget) -> Option<Schedule> {
        let chunks = problem.collective().chunks;
        if chunks.get() == 1 {
            return (self.construct)(problem, goal, budget);
        }
        if matches!(problem.collective().kind, CollectiveKind::AllReduce) {
            return None;
        }
        let whole = problem.collective().clone().with_chunks(std::num::NonZeroU32::MIN);
        let problem = Problem::new(problem.topology(), &whole, problem.model()).ok()?;
        let once = (self.construct)(&problem, goal.div_ceil(chunks.get()), budget)?;
        Some(repeated(&once, chunks.get()))
    }
}

/// The schedule of every chunk after the other.
fn repeated(once: &Schedule, chunks: u32) -> Schedule {
    let (transfers, uses) = (once.transfer_count(), once.channel_use_count());
    let mut schedule = Schedule::with_capacity(transfers * chunks as usize, uses * chunks as usize);
    for chunk in 0..chunks {
        for (_, step) in once.steps() {
            schedule.begin_step();
            for transfer in step.iter() {
                schedule.push(MessageId::new(transfer.message.number() * chunks + chunk), transfer.path);
            }
        }
    }
    schedule
}
