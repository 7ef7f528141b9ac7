//! Distributions: every terminal holds a message or does not.

use lockstep_schedule::Problem;

use crate::error::ExactError;
use crate::formula::Formula;
use crate::literal::Literal;
use crate::network::{Network, rank};
use crate::transfers::{Transfer, Transfers, interchangeable};

/// A message with the ranks of its terminals.
struct Ends {
    source: usize,
    receivers: Vec<usize>,
    /// Whether the message goes to its receiver in one transfer.
    is_direct: bool,
}

impl Ends {
    /// Returns the first step after which a terminal other than the source can hold the message, and the last step in which
    /// its arrival is of use. `None` if there is none.
    fn window(&self, network: &Network, rank: usize, steps: usize) -> Option<[usize; 2]> {
        let is_receiver = self.receivers.contains(&rank);
        let [before, after] = if self.is_direct {
            [1, if is_receiver { 0 } else { u32::MAX }]
        } else {
            let nearest = self.receivers.iter().map(|&receiver| network.distance(rank, receiver)).min();
            [network.distance(self.source, rank), nearest.unwrap_or(u32::MAX)]
        };
        let last = steps.checked_sub(after as usize)?;
        (before as usize <= last).then_some([before as usize, last])
    }
}

/// Which terminals hold a message after each step.
struct Holders {
    steps: usize,
    /// By terminal and step, from the start on.
    holds: Vec<Literal>,
}

impl Holders {
    fn at(&self, rank: usize, step: usize) -> Literal {
        self.holds[rank * (self.steps + 1) + step]
    }

    fn set(&mut self, rank: usize, step: usize, literal: Literal) {
        self.holds[rank * (self.steps + 1) + step] = literal;
    }
}

/// States that a distribution exists. No terminal receives a message twice.
pub(crate) fn state_distribution(
    problem: &Problem<'_>,
    network: &Network,
    transfers: &mut Transfers,
    formula: &mut Formula,
) -> Result<(), ExactError> {
    let (messages, steps) = (problem.messages(), transfers.steps);
    let is_direct = messages.is_scatter() && problem.model().is_direct();
    let ends = messages.ids().map(|message| {
        let source = rank(problem, messages.source(message));
        let receivers = messages.receivers_iter(message).map(|receiver| rank(problem, receiver)).collect();
        Ends { source, receivers, is_direct }
    });
    let ends: Vec<Ends> = ends.collect();
    // By step, from step 1 on, and terminal.
    let mut arrivals: Vec<Vec<Literal>> = vec![Vec::new(); steps * network.terminals];
    let mut holders = Vec::new();
    for (message, ends) in ends.iter().enumerate() {
        let held = holders_of(ends, network, steps, formula);
        for rank in (0..network.terminals).filter(|&rank| rank != ends.source) {
            let window = ends.window(network, rank, steps);
            let of_terminal = window.map_or(0..0, |[first, last]| first..last + 1).map(|step| {
                let arrival = state_arrival((message, ends, &held), network, (rank, step), transfers, formula);
                arrivals[(step - 1) * network.terminals + rank].push(arrival);
                arrival
            });
            let of_terminal: Vec<Literal> = of_terminal.collect();
            if ends.receivers.contains(&rank) {
                formula.clause(of_terminal);
            }
        }
        holders.push(held);
        formula.check_size()?;
    }
    transfers.limit(network, &arrivals, formula);
    let alike = interchangeable(&ends.iter().map(|ends| (ends.source, &ends.receivers)).collect::<Vec<_>>());
    for rank in 0..network.terminals {
        let of_terminal = |is_end: &dyn Fn(&Ends) -> bool| -> Vec<usize> {
            (0..ends.len()).filter(|&message| is_end(&ends[message])).collect()
        };
        let received = of_terminal(&|ends| ends.receivers.contains(&rank));
        transfers.state_arrivals(network, formula, rank, &received, |message, step| holders[message].at(rank, step));
        let own = of_terminal(&|ends| ends.source == rank);
        let in_order: Vec<[usize; 2]> =
            alike.iter().copied().filter(|&[first, _]| ends[first].source == rank).collect();
        transfers.state_departures(network, formula, rank, &own, &in_order);
    }
    Ok(())
}

/// Returns a literal for every terminal that can hold the message after a step. Those after the last step of use equal the
/// one before.
fn holders_of(ends: &Ends, network: &Network, steps: usize, formula: &mut Formula) -> Holders {
    let mut held = Holders { steps, holds: vec![Literal::FALSE; network.terminals * (steps + 1)] };
    for rank in 0..network.terminals {
        if rank == ends.source {
            (0..=steps).for_each(|step| held.set(rank, step, Literal::TRUE));
        } else if let Some([first, last]) = ends.window(network, rank, steps) {
            for step in first..=steps {
                let literal = if step == steps && ends.receivers.contains(&rank) {
                    Literal::TRUE
                } else if step <= last {
                    formula.variable()
                } else {
                    held.at(rank, last)
                };
                held.set(rank, step, literal);
            }
        }
    }
    held
}

/// States in which way a message arrives at a terminal in a step, and returns whether it does.
fn state_arrival(
    (message, ends, held): (usize, &Ends, &Holders),
    network: &Network,
    (rank, step): (usize, usize),
    transfers: &mut Transfers,
    formula: &mut Formula,
) -> Literal {
    let mut incoming = Vec::new();
    for (route, ends_of_route) in network.routes.iter().enumerate().filter(|(_, route)| route.receiver == rank) {
        let sender_holds = held.at(ends_of_route.sender, step - 1);
        if sender_holds == Literal::FALSE || ends.is_direct && ends_of_route.sender != ends.source {
            continue;
        }
        let literal = formula.variable();
        formula.clause([!literal, sender_holds]);
        incoming.push(literal);
        transfers.add(step, Transfer { literal, message, route });
    }
    formula.at_most(&incoming, 1);
    let arrival = formula.any(&incoming);
    let (before, after) = (held.at(rank, step - 1), held.at(rank, step));
    formula.clause([!arrival, !before]);
    formula.clause([!arrival, after]);
    formula.clause([!before, after]);
    formula.clause([!after, before, arrival]);
    arrival
}
