//! All-reduces: every terminal holds some contributions to a message.

use lockstep_schedule::Problem;

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::network::{Network, rank};
use crate::transfers::{Transfer, Transfers, interchangeable};

/// A message and what all terminals hold of it.
struct Block {
    message: usize,
    /// The ranks of its members, ascending.
    members: Vec<usize>,
    steps: usize,
    /// By terminal, place of the member, and step, from the start on.
    holds: Vec<Literal>,
}

impl Block {
    /// Returns the member that sends the fewest messages in a step.
    fn slowest(&self, network: &Network) -> Option<usize> {
        self.members.iter().copied().min_by_key(|&rank| network.sends(rank))
    }

    /// Returns whether a terminal holds the contribution of a member after a step.
    fn at(&self, rank: usize, place: usize, step: usize) -> Literal {
        self.holds[self.index(rank, place, step)]
    }

    fn index(&self, rank: usize, place: usize, step: usize) -> usize {
        (rank * self.members.len() + place) * (self.steps + 1) + step
    }

    /// Returns what a terminal holds after a step.
    fn held(&self, rank: usize, step: usize) -> impl Iterator<Item = Literal> {
        (0..self.members.len()).map(move |place| self.at(rank, place, step))
    }

    /// Returns the last step in which an arrival at a terminal is of use.
    fn last_of_use(&self, network: &Network, rank: usize) -> Option<usize> {
        let nearest = self.members.iter().map(|&member| network.distance(rank, member)).min()?;
        self.steps.checked_sub(nearest as usize)
    }

    /// Makes a variable for every contribution that can be at a terminal after a step. Those after the last step of use equal
    /// the ones before.
    fn make_variables(&mut self, network: &Network, formula: &mut Formula) {
        for rank in 0..network.terminals {
            let is_member = self.members.contains(&rank);
            let last = self.last_of_use(network, rank);
            for place in 0..self.members.len() {
                let member = self.members[place];
                let first = network.distance(member, rank) as usize;
                for step in 0..=self.steps {
                    let literal = if member == rank || is_member && step == self.steps {
                        Literal::TRUE
                    } else if step < first {
                        Literal::FALSE
                    } else if last.is_some_and(|last| step <= last) {
                        formula.variable()
                    } else {
                        self.at(rank, place, step - 1)
                    };
                    let index = self.index(rank, place, step);
                    self.holds[index] = literal;
                }
            }
        }
    }
}

/// States that an all-reduce exists. A terminal adds what arrives, or replaces what it holds by the one set that arrives.
pub(crate) fn state_all_reduce(
    problem: &Problem<'_>,
    network: &Network,
    transfers: &mut Transfers,
    formula: &mut Formula,
) -> Result<(), ExactError> {
    let (messages, steps) = (problem.messages(), transfers.steps);
    // By step, from step 1 on, and terminal.
    let mut arrivals: Vec<Vec<Literal>> = vec![Vec::new(); steps * network.terminals];
    let mut blocks = Vec::new();
    for (message, id) in messages.ids().enumerate() {
        let ends = messages.receivers_iter(id).chain([messages.source(id)]);
        let mut members: Vec<usize> = ends.map(|node| rank(problem, node)).collect();
        members.sort_unstable();
        members.dedup();
        let holds = vec![Literal::FALSE; network.terminals * members.len() * (steps + 1)];
        let mut block = Block { message, members, steps, holds };
        block.make_variables(network, formula);
        for rank in 0..network.terminals {
            for step in 1..=block.last_of_use(network, rank).unwrap_or(0) {
                let incoming = incoming(&block, network, (rank, step), transfers, formula);
                arrivals[(step - 1) * network.terminals + rank].extend(incoming.iter().map(|&(_, arrival)| arrival));
                state_sum(&block, (rank, step), &incoming, formula);
            }
        }
        blocks.push(block);
        formula.check_size()?;
    }
    transfers.limit(network, &arrivals, formula);
    let alike = interchangeable(&blocks.iter().map(|block| &block.members).collect::<Vec<_>>());
    for rank in 0..network.terminals {
        let own: Vec<usize> = (0..blocks.len()).filter(|&message| blocks[message].members.contains(&rank)).collect();
        let counted = if own.len() > network.receives(rank) { 1..steps } else { 0..0 };
        let mut complete = vec![Literal::FALSE; blocks.len() * (steps + 1)];
        for &message in &own {
            for step in counted.clone() {
                let lacking: Vec<Literal> = blocks[message].held(rank, step).map(|literal| !literal).collect();
                complete[message * (steps + 1) + step] = !formula.any(&lacking);
            }
        }
        if !counted.is_empty() {
            let is_complete = |message: usize, step: usize| complete[message * (steps + 1) + step];
            transfers.state_arrivals(network, formula, rank, &own, is_complete);
        }
        let in_order: Vec<[usize; 2]> =
            alike.iter().copied().filter(|&[first, _]| blocks[first].slowest(network) == Some(rank)).collect();
        transfers.state_departures(network, formula, rank, &own, &in_order);
    }
    Ok(())
}

/// Makes the transfers to a terminal in a step. Returns each sender, and whether it sends.
fn incoming(
    block: &Block,
    network: &Network,
    (rank, step): (usize, usize),
    transfers: &mut Transfers,
    formula: &mut Formula,
) -> Vec<(usize, Literal)> {
    let routes = network.routes.iter().enumerate().filter(|(_, route)| route.receiver == rank);
    let routes =
        routes.filter(|(_, route)| block.held(route.sender, step - 1).any(|literal| literal != Literal::FALSE));
    let routes: Vec<(usize, usize)> = routes.map(|(place, route)| (place, route.sender)).collect();
    let mut incoming = Vec::new();
    for alike in routes.chunk_by(|one, next| one.1 == next.1) {
        let of_sender: Vec<Literal> = alike.iter().map(|_| formula.variable()).collect();
        for (&literal, &(route, _)) in of_sender.iter().zip(alike) {
            transfers.add(step, Transfer { literal, message: block.message, route });
        }
        formula.at_most(&of_sender, 1);
        incoming.push((alike[0].1, formula.any(&of_sender)));
    }
    incoming
}

/// States what a terminal holds after a step.
fn state_sum(block: &Block, (rank, step): (usize, usize), incoming: &[(usize, Literal)], formula: &mut Formula) {
    // Whether the set of a sender replaces what the terminal holds: nothing else arrives.
    let replaces: Vec<Literal> = incoming.iter().map(|_| formula.variable()).collect();
    for (place, &replaces) in replaces.iter().enumerate() {
        for (other, &(_, arrival)) in incoming.iter().enumerate() {
            formula.clause([!replaces, if other == place { arrival } else { !arrival }]);
        }
    }
    let mut brought = vec![Vec::new(); incoming.len()];
    for place in 0..block.members.len() {
        let [before, after] = [step - 1, step].map(|step| block.at(rank, place, step));
        let mut of_place = Vec::new();
        for (index, &(sender, arrival)) in incoming.iter().enumerate() {
            let is_carried = formula.both(arrival, block.at(sender, place, step - 1));
            formula.clause([!is_carried, after]);
            formula.clause([!is_carried, !before, replaces[index]]);
            formula.clause([!replaces[index], !before, is_carried]);
            of_place.push(is_carried);
            brought[index].push(is_carried);
        }
        // No two sets that arrive have a common contribution.
        formula.at_most(&of_place, 1);
        formula.clause([!before, after]);
        formula.clause(of_place.into_iter().chain([before, !after]));
    }
    for (&(_, arrival), brought) in incoming.iter().zip(brought) {
        // No set is empty, and no terminal that holds all contributions receives one.
        formula.clause(brought.into_iter().chain([!arrival]));
        formula.clause(block.held(rank, step - 1).map(|literal| !literal).chain([!arrival]));
    }
}
