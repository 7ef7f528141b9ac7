//! The interface of a construction.

use lockstep_schedule::{Budget, MessageId, Part, Problem, Schedule};

/// Schedules on the networks of one structure.
///
/// ```
/// use lockstep_analytic::constructions;
///
/// for construction in constructions() {
///     println!("{:20} {}", construction.name, construction.about);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Construction {
    /// Short name.
    pub name: &'static str,
    /// The collectives and networks that it supports, in one line.
    pub about: &'static str,
    pub(crate) construct: Construct,
}

/// Returns a schedule of a problem with one chunk per message, or `None` if the construction does not support it.
///
/// The schedule may stop improving at the given number of steps. Returns `None` when the budget is cancelled.
pub(crate) type Construct = fn(&Problem<'_>, u32, &Budget) -> Option<Schedule>;

impl Construction {
    /// Returns the construction as a part that a budget can [leave out](Budget::without).
    pub const fn part(&self) -> Part {
        Part { owner: "analytic", name: self.name, about: self.about }
    }

    /// Returns a schedule of the problem, or `None` if the construction does not support it or the budget ends.
    ///
    /// A schedule need not have fewer than `goal` steps. Several chunks are sent one after the other.
    pub fn schedule(&self, problem: &Problem<'_>, goal: u32, budget: &Budget) -> Option<Schedule> {
        let chunks = problem.collective().chunks();
        if chunks.get() == 1 {
            return (self.construct)(problem, goal, budget);
        }
        if problem.collective().phases().len() > 1 {
            return None;
        }
        let whole = problem.collective().clone().with_chunks(std::num::NonZeroU32::MIN);
        let problem = Problem::new(problem.topology(), &whole, problem.model()).ok()?;
        let once = (self.construct)(&problem, goal.div_ceil(chunks.get()), budget)?;
        Some(repeated(&once, chunks.get()))
    }
}

/// Repeats a schedule of one chunk per message for every chunk.
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
