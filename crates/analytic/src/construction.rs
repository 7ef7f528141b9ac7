//! The constructions, and the engine that picks the one that fits.

use lockstep_schedule::{Budget, MessageId, NotFound, Problem, Schedule};

use crate::{cayley, chain, diagonal, hypercube, multistage, tree};

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

/// Every construction, those that cost least first.
pub fn constructions() -> &'static [Construction] {
    const CONSTRUCTIONS: &[Construction] = &[
        hypercube::HYPERCUBE,
        cayley::CAYLEY,
        tree::TREE,
        multistage::MULTISTAGE,
        multistage::FAT_TREE,
        multistage::CLOS,
        chain::CHAIN,
        diagonal::DIAGONALS,
        tree::SPANNING_TREE,
    ];
    CONSTRUCTIONS
}

impl Construction {
    /// A schedule of the problem, or `None` where the construction does not fit. Chunks follow each other.
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

/// The first schedule of at most `goal` steps that a construction makes, else the shortest of all, with the
/// construction; `None` where none fits. `observe` sees each one that fits, and how many steps it takes.
pub fn shortest(
    problem: &Problem<'_>,
    goal: u32,
    budget: &Budget,
    mut observe: impl FnMut(&'static Construction, u32),
) -> Option<(&'static Construction, Schedule)> {
    let mut best: Option<(&Construction, Schedule)> = None;
    for construction in constructions() {
        if budget.stop_after(0).is_some() {
            break;
        }
        let Some(schedule) = construction.schedule(problem, goal, budget) else { continue };
        observe(construction, schedule.step_count() as u32);
        if best.as_ref().is_none_or(|(_, best)| schedule.step_count() < best.step_count()) {
            let reached = schedule.step_count() <= goal as usize;
            best = Some((construction, schedule));
            if reached {
                break;
            }
        }
    }
    best
}

/// A schedule of at most `steps` steps by the first construction that fits.
///
/// # Errors
///
/// [`NotFound::Unsupported`] where no construction fits, [`NotFound::TooLong`] where those that fit need more steps,
/// [`NotFound::Stopped`] when the budget ends.
pub fn schedule(problem: &Problem<'_>, steps: u32, _seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let found = shortest(problem, steps, budget, |_, _| {}).map(|(_, schedule)| schedule);
    let reached = found.as_ref().map(|schedule| schedule.step_count() as u32);
    match (found, reached, budget.stop_after(0)) {
        (Some(schedule), Some(reached), _) if reached <= steps => Ok(schedule),
        (_, _, Some(reason)) => Err(NotFound::Stopped { steps, reason }),
        (_, Some(reached), None) => Err(NotFound::TooLong { steps, reached }),
        (_, None, None) => {
            let why = "the network has no structure that it knows; use --engine auto".to_owned();
            Err(NotFound::Unsupported { engine: "analytic", why })
        }
    }
}
