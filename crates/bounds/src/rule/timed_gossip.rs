//! Gossips in the time-expanded network, proved too long by lengths of resources and ports in every step.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;

use super::gossip::equals_its_reversal;
use crate::members::Members;
use crate::request::BoundRequest;
use crate::timed_length_search::{Structure, TimedPacking, longest};
use crate::timed_tree_table::{MAX_TARGETS, TimedTreeTable, transposed};
use crate::transfers::{Ends, Transfers};

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut, Rule::Gossip, Rule::TimedEntries];

/// Computes the smallest number of steps in which a fractional packing of gossips in the time-expanded network exists: for
/// each message of an all-reduce, transfers that bring all contributions to all members in time.
///
/// This is the [packing of gossips](super::gossip) with a length for every resource and port in every step. Some terminal is
/// complete first, after some step. A tree leads to it in the steps up to this one, and the other transfers are in this
/// step or later, when all contributions can have reached their ends. The bound must exceed those of the rules that it
/// builds on. Applies to messages of few members.
///
/// Takes `O(3^K N)` time per step and evaluation for `N` terminals and each different set of `K` members, within a fixed
/// amount of work.
///
/// # Source
///
/// Lockstep.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON).max(request.proved_by(&[Rule::CommonRoot]));
    let terminals = problem.topology().terminal_count();
    let packing = TimedGossips { terminals, members: Members::all(problem) };
    if proved >= request.enough || packing.members.iter().any(|members| members.ranks.len() > MAX_TARGETS) {
        return None;
    }
    let forwards = longest(problem, &packing, proved, request);
    let steps = forwards.as_ref().map_or(proved, |&(steps, _)| steps);
    let backwards = if equals_its_reversal(problem.topology()) {
        None
    } else {
        let reversed = problem.topology().reversed();
        let backwards = Problem::new(&reversed, problem.collective(), problem.model()).ok();
        backwards.and_then(|problem| longest(&problem, &packing, steps, request))
    };
    let backwards =
        backwards.map(|(steps, certificate)| (steps, Certificate::Reversed { certificate: certificate.into() }));
    let (steps, certificate) = backwards.or(forwards)?;
    Some(LowerBound { steps, rule: Rule::TimedGossip, certificate })
}

/// The gossips of all messages.
struct TimedGossips {
    terminals: usize,
    members: Vec<Members>,
}

impl TimedPacking for TimedGossips {
    fn parts(&self) -> usize {
        self.members.len()
    }

    fn entries(&self, steps: usize) -> usize {
        let of_members = |members: &Members| TimedTreeTable::entries(steps, self.terminals, members.ranks.len());
        self.members.iter().map(of_members).fold(0, usize::saturating_add)
    }

    fn shortest(&self, transfers: &[Transfers], visit: &mut dyn FnMut(Structure<'_>)) {
        let opposite = |step: &Transfers| transposed(&step.length, self.terminals);
        let backwards: Vec<Vec<f64>> = transfers.iter().rev().map(opposite).collect();
        let into = shortest_into(transfers, self.terminals);
        for (part, Members { ranks, count }) in self.members.iter().enumerate() {
            let backwards = TimedTreeTable::new(&backwards, self.terminals, ranks);
            let shortest =
                ShortestGossips { terminals: self.terminals, steps: transfers.len(), backwards, into: &into };
            let (length, transfers) = shortest.of_members(ranks);
            visit(Structure { part, length, count: *count as f64, transfers: &transfers });
        }
    }
}

/// Returns, by step and end, the smallest length of a transfer, and its ends.
fn shortest_into(transfers: &[Transfers], terminals: usize) -> Vec<(f64, Ends)> {
    let ends = (0..transfers.len()).flat_map(|step| (0..terminals).map(move |end| (step, end)));
    let shortest = |(step, end): (usize, usize)| {
        let lengths = &transfers[step].length;
        let starts = (0..terminals).map(|start| (lengths[start * terminals + end], [start, end]));
        starts.min_by(|(a, _), (b, _)| a.total_cmp(b)).expect("there is a terminal")
    };
    ends.map(shortest).collect()
}

/// The parts of shortest gossips of the same members.
struct ShortestGossips<'a> {
    terminals: usize,
    steps: usize,
    /// The trees from all terminals to the members, backwards in time.
    backwards: TimedTreeTable<'a>,
    /// By step and end: the smallest length of a transfer, and its ends.
    into: &'a [(f64, Ends)],
}

impl ShortestGossips<'_> {
    /// Returns the length of the shortest tree that brings the contributions of all members to a terminal by a time.
    fn tree_into(&self, terminal: usize, time: usize, members: &[usize]) -> f64 {
        self.backwards.length(self.steps - time, terminal, members)
    }

    /// Returns the length and the transfers of a shortest gossip, each with the number of its step, counted from 0.
    fn of_members(&self, members: &[usize]) -> (f64, Vec<(usize, Ends)>) {
        // By time and member: the step of the shortest transfer that can complete it at that time or later.
        let mut completion: Vec<Vec<Option<usize>>> = vec![vec![None; members.len()]; self.steps + 2];
        for time in (1..=self.steps).rev() {
            for (place, &member) in members.iter().enumerate() {
                let later = completion[time + 1][place];
                let length = |step: usize| self.into[step * self.terminals + member].0;
                let is_possible = self.tree_into(member, time, members) < f64::INFINITY;
                let is_shorter = later.is_none_or(|later| length(time - 1) < length(later));
                completion[time][place] = if is_possible && is_shorter { Some(time - 1) } else { later };
            }
        }
        let of_member = |place: usize, time: usize| {
            completion[time][place].map(|step| (step, self.into[step * self.terminals + members[place]]))
        };
        let mut shortest = (f64::INFINITY, (0, 0));
        for first in 0..self.terminals {
            for time in 1..=self.steps {
                let others = (0..members.len()).filter(|&place| members[place] != first);
                let length = |place: usize| of_member(place, time).map_or(f64::INFINITY, |(_, (length, _))| length);
                let length = self.tree_into(first, time, members) + others.map(length).sum::<f64>();
                if length < shortest.0 {
                    shortest = (length, (first, time));
                }
            }
        }
        let (length, (first, time)) = shortest;
        let mut transfers = Vec::new();
        if length < f64::INFINITY {
            self.backwards.visit(self.steps - time, first, members, |step, [end, start]| {
                transfers.push((self.steps - 1 - step, [start, end]));
            });
            let others = (0..members.len()).filter(|&place| members[place] != first);
            transfers.extend(others.filter_map(|place| of_member(place, time)).map(|(step, (_, ends))| (step, ends)));
        }
        (length, transfers)
    }
}
