//! The transfers that a schedule may contain, and what follows from their number.

use lockstep_schedule::Problem;

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::network::Network;

/// Maximum number of messages times routes times steps.
const MAX_TRANSFERS: usize = 1 << 19;

/// A transfer that a schedule may contain.
#[derive(Clone, Copy)]
pub(crate) struct Transfer {
    /// Whether the schedule contains it.
    pub(crate) literal: Literal,
    pub(crate) message: usize,
    /// Its place in the routes of the network.
    pub(crate) route: usize,
}

/// The transfers of all steps.
pub(crate) struct Transfers {
    /// The number of steps.
    pub(crate) steps: usize,
    /// By step, from step 1 on, and by message.
    pub(crate) of_step: Vec<Vec<Transfer>>,
}

impl Transfers {
    pub(crate) fn new(problem: &Problem<'_>, network: &Network, steps: u32) -> Result<Self, ExactError> {
        let steps = steps as usize;
        let count = problem.messages().len().saturating_mul(network.routes.len()).saturating_mul(steps);
        if count > MAX_TRANSFERS {
            return Err(ExactError::TooLarge);
        }
        Ok(Self { steps, of_step: vec![Vec::new(); steps] })
    }

    pub(crate) fn add(&mut self, step: usize, transfer: Transfer) {
        self.of_step[step - 1].push(transfer);
    }

    /// States that the transfers of each step fit the resources and the ports. `arrivals` has the transfers that arrive, by
    /// step and terminal.
    pub(crate) fn limit(&self, network: &Network, arrivals: &[Vec<Literal>], formula: &mut Formula) {
        for transfers in &self.of_step {
            let used: Vec<_> = transfers.iter().map(|transfer| (transfer.route, transfer.literal)).collect();
            network.limit(formula, &used);
        }
        for (place, arrivals) in arrivals.iter().enumerate() {
            formula.at_most(arrivals, network.receives(place % network.terminals));
        }
    }

    /// States what a terminal must have sent after each step, and what it can have sent at most: it sends each of these
    /// messages once or more. Every schedule satisfies these clauses.
    ///
    /// `in_order` has pairs of messages that can change places. The terminal does not send the second one before the first
    /// one. Some schedule satisfies these clauses, if there is one.
    pub(crate) fn state_departures(
        &self,
        network: &Network,
        formula: &mut Formula,
        rank: usize,
        messages: &[usize],
        in_order: &[[usize; 2]],
    ) {
        let most = network.sends(rank);
        if messages.len() < 2 || messages.len() <= most {
            return;
        }
        // Of each message, whether it has been sent.
        let mut sent = vec![Literal::FALSE; messages.len()];
        for (before, transfers) in self.of_step.iter().enumerate() {
            for (sent, &message) in sent.iter_mut().zip(messages) {
                let starts =
                    |transfer: &&Transfer| transfer.message == message && network.routes[transfer.route].sender == rank;
                let now = transfers.iter().filter(starts).map(|transfer| transfer.literal);
                let now: Vec<Literal> = now.chain([*sent]).collect();
                *sent = formula.any(&now);
            }
            let is_sent = |message: usize| {
                messages.iter().position(|&other| other == message).map_or(Literal::FALSE, |place| sent[place])
            };
            for &[first, second] in in_order {
                formula.clause([!is_sent(second), is_sent(first)]);
            }
            formula.at_most(&sent, most.saturating_mul(before + 1));
            let later = most.saturating_mul(self.steps - before - 1);
            formula.at_least(&sent, messages.len().saturating_sub(later));
        }
    }

    /// States in how many of these messages a terminal must be complete before each of the last steps. Complete messages
    /// are given by the message and the step. Every schedule satisfies these clauses.
    pub(crate) fn state_arrivals(
        &self,
        network: &Network,
        formula: &mut Formula,
        rank: usize,
        messages: &[usize],
        is_complete: impl Fn(usize, usize) -> Literal,
    ) {
        for step in 1..self.steps {
            let later = network.receives(rank).saturating_mul(self.steps - step);
            let least = messages.len().saturating_sub(later);
            if least > 0 {
                let complete: Vec<Literal> = messages.iter().map(|&message| is_complete(message, step)).collect();
                formula.at_least(&complete, least);
            }
        }
    }
}

/// Returns the pairs of messages that can change places, of those that are alike by their keys: each with the next one.
pub(crate) fn interchangeable<K: Ord>(keys: &[K]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|&message| (&keys[message], message));
    order.windows(2).filter(|pair| keys[pair[0]] == keys[pair[1]]).map(|pair| [pair[0], pair[1]]).collect()
}

#[cfg(test)]
mod tests {
    use super::interchangeable;

    #[test]
    fn messages_with_the_same_key_follow_each_other() {
        assert_eq!(interchangeable(&["b", "a", "b", "c", "b"]), [[0, 2], [2, 4]]);
        assert_eq!(interchangeable::<u8>(&[]), Vec::<[usize; 2]>::new());
    }
}
