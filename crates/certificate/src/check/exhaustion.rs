//! All states that the first steps of a tiny all-reduce can reach.

use lockstep_exhaustion::{Exhaustion, ExhaustionError, exhaust_all_reduce};
use lockstep_schedule::Problem;

use super::refusal::{Checked, expect};

pub(super) fn steps_proved(problem: &Problem<'_>, infeasible: u32, states: &[u64]) -> Checked<u64> {
    let actual = match exhaust_all_reduce(problem, infeasible) {
        Ok(Exhaustion::Infeasible { states }) => states,
        Ok(Exhaustion::Schedule(_)) => return Err("a schedule has this number of steps".into()),
        Err(ExhaustionError::NoAllReduce) => return Err("the argument requires an all-reduce".into()),
        Err(ExhaustionError::Steps) => return Err("the number of steps must be 1 to 64".into()),
        Err(_) => return Err("the all-reduce is too large to enumerate its states".into()),
    };
    expect("steps with states", states.len() as u64, actual.len() as u64)?;
    states.iter().zip(actual).try_for_each(|(&claimed, actual)| expect("states", claimed, actual))?;
    Ok(u64::from(infeasible) + 1)
}
