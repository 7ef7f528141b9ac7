//! The search over all steps.

use lockstep_schedule::{Problem, Schedule};

use crate::enumeration::{Enumeration, State};
use crate::error::{ExhaustionError, MAX_STEPS};
use crate::step::{Goal, Step};

/// Parts of steps that one search may visit: a fraction of a second.
const MAX_WORK: u64 = 1 << 20;

/// What an exhaustive search has found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Exhaustion {
    /// No schedule has this number of steps.
    Infeasible {
        /// Number of states after each step but the last, as far as another state is not at least as good, and as the end
        /// can be in reach.
        states: Vec<u64>,
    },
    /// A schedule of this number of steps.
    Schedule(Schedule),
}

/// Searches all schedules of an all-reduce in `steps` steps of width 1.
///
/// From the state in which every member of a message holds its own contribution, the search takes all states that one step
/// can reach, and so on. The result depends on the arguments only. Takes a fraction of a second, and 20 bytes per state.
///
/// # Errors
///
/// [`ExhaustionError`] if the problem is no all-reduce, or too large: the terminals times the members of all messages must
/// be at most 128.
///
/// # Source
///
/// Lockstep.
pub fn exhaust_all_reduce(problem: &Problem<'_>, steps: u32) -> Result<Exhaustion, ExhaustionError> {
    if !(1..=MAX_STEPS).contains(&steps) {
        return Err(ExhaustionError::Steps);
    }
    let enumeration = Enumeration::new(problem)?;
    let mut work_left = MAX_WORK;
    // By step: the states after it, each with the place of the state before it.
    let mut levels = vec![vec![(enumeration.start(), 0)]];
    for steps_left in (0..steps).rev() {
        let mut reached: Vec<(State, u32)> = Vec::new();
        for (place, &(state, _)) in (0..).zip(levels.last().into_iter().flatten()) {
            let mut goal = Goal::All(Vec::new());
            Step::new(&enumeration, state, steps_left, &mut goal, &mut work_left).run()?;
            if let Goal::All(states) = goal {
                reached.extend(states.into_iter().map(|state| (state, place)));
            }
        }
        reached.sort_unstable();
        reached.dedup_by_key(|&mut (state, _)| state);
        levels.push(reached);
    }
    if levels.last().is_none_or(Vec::is_empty) {
        let states = levels[1..levels.len() - 1].iter().map(|level| level.len() as u64).collect();
        return Ok(Exhaustion::Infeasible { states });
    }
    Ok(Exhaustion::Schedule(schedule(&enumeration, &levels)?))
}

/// Returns a schedule that passes states which stand for the first one of the last level and those before it.
fn schedule(enumeration: &Enumeration, levels: &[Vec<(State, u32)>]) -> Result<Schedule, ExhaustionError> {
    let mut place = 0;
    let mut states: Vec<State> = Vec::with_capacity(levels.len());
    for level in levels.iter().rev() {
        let (state, before) = level[place];
        states.push(state);
        place = before as usize;
    }
    let mut schedule = Schedule::new();
    let mut actual = enumeration.start();
    for (steps_left, &state) in states.iter().enumerate().rev().skip(1) {
        // Every state that stands for the same one can go on in the same way.
        let mut goal = Goal::Normal { state, found: None };
        let mut unlimited = u64::MAX;
        Step::new(enumeration, actual, steps_left as u32, &mut goal, &mut unlimited).run()?;
        let Goal::Normal { found: Some((after, transfers)), .. } = goal else {
            unreachable!("the state was reached before")
        };
        schedule.begin_step();
        for (message, path) in &transfers {
            schedule.push(*message, path);
        }
        actual = after;
    }
    Ok(schedule)
}
