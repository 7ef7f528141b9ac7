//! The load of the best fractional packing of gossips, proved by lengths of resources and ports.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::Topology;

use crate::length_search::{LengthSearch, MAX_ENTRIES, Packing, entries_of_network};
use crate::members::Members;
use crate::request::BoundRequest;
use crate::transfers::Ends;
use crate::trees::{MAX_EXACT, entries_of_tree, shortest_tree};

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut];

/// Computes a lower bound on the largest load in any fractional packing of gossips: for each message of an all-reduce,
/// transfers that bring all contributions to all members.
///
/// It is the dual of [tree packing](super::tree_packing) for all-reduces. Some terminal is complete first. A tree of
/// transfers leads to it before, and one more transfer ends at each other member afterwards. So with lengths of all
/// resources and ports, a message is at least as long as the shortest tree into some terminal and the shortest transfers to
/// all other members together. The lengths are found as for tree packing, also for the reversed network if that differs.
/// The bound must exceed those of the rules that it builds on.
///
/// Takes `O(N^3)` time per evaluation for `N` terminals, within a fixed amount of work.
///
/// # Source
///
/// Lockstep. The structure of gossips: Harary and Schwenk, "The communication problem on graphs and digraphs",
/// *J. Franklin Institute* 297 (1974).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    if proved >= request.enough {
        return None;
    }
    let search = |problem: &Problem<'_>, steps: u32| {
        LengthSearch::new(problem, Gossips::new(problem)?, steps, request).bound(Rule::Gossip)
    };
    let forwards = search(problem, proved);
    let steps = forwards.as_ref().map_or(proved, |bound| bound.steps);
    if equals_its_reversal(problem.topology()) || steps >= request.enough || request.is_over() {
        return forwards;
    }
    let reversed = problem.topology().reversed();
    let backwards = Problem::new(&reversed, problem.collective(), problem.model()).ok();
    let backwards = backwards.and_then(|problem| search(&problem, steps)).map(|bound| {
        let certificate = Certificate::Reversed { certificate: bound.certificate.into() };
        LowerBound { certificate, ..bound }
    });
    backwards.or(forwards)
}

/// Returns true if time reversal proves nothing new: each channel has an opposite one, and no other channels share
/// resources.
pub(super) fn equals_its_reversal(topology: &Topology) -> bool {
    let ends = |channel| [topology.tail(channel), topology.head(channel)];
    let mut forwards: Vec<_> = topology.channels().map(ends).collect();
    let mut backwards: Vec<_> = forwards.iter().map(|&[tail, head]| [head, tail]).collect();
    forwards.sort_unstable();
    backwards.sort_unstable();
    forwards == backwards && !topology.has_buses()
}

/// The gossips of all messages.
struct Gossips {
    terminals: usize,
    members: Vec<Members>,
    entries: usize,
}

impl Gossips {
    /// `None` if the problem is too large.
    fn new(problem: &Problem<'_>) -> Option<Self> {
        let (terminals, members) = (problem.topology().terminal_count(), Members::all(problem));
        let trees = |members: &Members| terminals.saturating_mul(entries_of_tree(terminals, members.ranks.len()));
        let trees = members.iter().map(trees).fold(0, usize::saturating_add);
        let entries = entries_of_network(problem)?.saturating_add(trees);
        (entries <= MAX_ENTRIES).then_some(Self { terminals, members, entries })
    }

    /// Returns the terminals that can be complete first. For many members, the trees into all others are equally long.
    fn first_complete(&self, members: &Members) -> Vec<usize> {
        let is_other = |rank: &usize| members.ranks.binary_search(rank).is_err();
        let others = (0..self.terminals).filter(is_other);
        let different = if members.ranks.len() <= MAX_EXACT { self.terminals } else { 1 };
        members.ranks.iter().copied().chain(others.take(different)).collect()
    }

    /// Returns the transfer that ends at each terminal with the smallest length, and this length.
    fn shortest_into(&self, transfer: &[f64]) -> Vec<(Ends, f64)> {
        let into = |end: usize| {
            let starts = (0..self.terminals).map(|start| ([start, end], transfer[start * self.terminals + end]));
            starts.min_by(|(_, a), (_, b)| a.total_cmp(b)).expect("there is a terminal")
        };
        (0..self.terminals).map(into).collect()
    }
}

impl Packing for Gossips {
    fn parts(&self) -> usize {
        self.members.len()
    }

    fn entries(&self) -> usize {
        self.entries
    }

    fn distance(
        &self,
        transfer: &[f64],
        request: &BoundRequest<'_>,
        visit: &mut dyn FnMut(usize, &[Ends], f64),
    ) -> Option<f64> {
        let at = |start: usize, end: usize| transfer[start * self.terminals + end];
        let ends = (0..self.terminals).flat_map(|end| (0..self.terminals).map(move |start| (start, end)));
        let backwards: Vec<f64> = ends.map(|(start, end)| at(start, end)).collect();
        let into = self.shortest_into(transfer);
        let mut total = 0.0;
        for (place, members) in self.members.iter().enumerate() {
            let mut shortest: Option<(f64, Vec<Ends>)> = None;
            for first in self.first_complete(members) {
                if request.is_over() {
                    return None;
                }
                let others: Vec<usize> = members.ranks.iter().copied().filter(|&rank| rank != first).collect();
                let mut all = Vec::new();
                let Some(tree) = shortest_tree(&backwards, self.terminals, first, &others, &mut all) else { continue };
                for ends in &mut all {
                    ends.reverse();
                }
                let length = tree + others.iter().map(|&rank| into[rank].1).sum::<f64>();
                if shortest.as_ref().is_none_or(|(least, _)| length < *least) {
                    all.extend(others.iter().map(|&rank| into[rank].0));
                    shortest = Some((length, all));
                }
            }
            let (length, all) = shortest.filter(|(length, _)| *length < f64::INFINITY)?;
            total += members.count as f64 * length;
            visit(place, &all, members.count as f64);
        }
        Some(total)
    }
}
