//! Lengths of resources and ports in each step.

use lockstep_schedule::Problem;

use super::lengths::{Lengths, OVERFLOW};
use super::refusal::{Checked, expect};

/// The largest number of steps.
const MAX_STEPS: u32 = 1 << 10;

/// The lengths in a certificate, step by step.
pub(super) struct TimedLengths<'a> {
    pub(super) steps: usize,
    /// The lengths of the resources, the send ports and the receive ports.
    lists: [&'a [u32]; 3],
}

impl<'a> TimedLengths<'a> {
    /// Refuses lists of other lengths than the network has, and numbers of steps that are too large.
    pub(super) fn new(problem: &Problem<'_>, infeasible: u32, lists: [&'a [u32]; 3]) -> Checked<Self> {
        let terminals = problem.topology().terminal_count();
        if infeasible == 0 || infeasible > MAX_STEPS {
            return Err("the number of steps is 0 or too large".into());
        }
        let steps = infeasible as usize;
        if lists[0].len() != steps * problem.topology().resource_count() {
            return Err("every resource must have a length in every step".into());
        }
        if lists[1..].iter().any(|ports| !ports.is_empty() && ports.len() != steps * terminals) {
            return Err("either every terminal has a length in every step or none has".into());
        }
        Ok(Self { steps, lists })
    }

    /// Returns the lengths in a step, counted from 0.
    pub(super) fn of_step(&self, step: usize) -> Lengths<'a> {
        let of_step = |list: &'a [u32]| &list[list.len() / self.steps * step..][..list.len() / self.steps];
        let [resources, sends, receptions] = self.lists.map(of_step);
        Lengths { resources, sends, receptions, unit: 1 }
    }

    /// Returns the sum of the lengths in all steps, each times its capacity.
    pub(super) fn available(&self, problem: &Problem<'_>) -> Checked<u64> {
        let mut available: u64 = 0;
        for step in 0..self.steps {
            available = available.checked_add(self.of_step(step).per_step(problem)?).ok_or(OVERFLOW)?;
        }
        Ok(available)
    }

    /// Returns the number of steps that the lengths of all messages and those in all steps prove together: one more than they
    /// have.
    ///
    /// Refuses sums that are not those `claimed`, and messages that fit into the steps.
    pub(super) fn steps_proved(&self, claimed: [u64; 2], sums: [u128; 2], they_fit: &'static str) -> Checked<u64> {
        let [distance, available] = sums.map(u64::try_from);
        let (distance, available) = (distance.map_err(|_| OVERFLOW)?, available.map_err(|_| OVERFLOW)?);
        expect("lengths of all messages", claimed[0], distance)?;
        expect("lengths in all steps", claimed[1], available)?;
        if distance <= available {
            return Err(they_fit.into());
        }
        Ok(self.steps as u64 + 1)
    }
}
