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

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Ports};
    use lockstep_topology::{Topology, TopologyBuilder};

    use super::*;

    /// The heads of the channels of each node. Some channels are bridges.
    const HEADS: [&[usize]; 40] = [
        &[21, 3],
        &[23, 7, 11],
        &[19],
        &[5, 31, 1, 33, 21],
        &[28, 31],
        &[33, 9],
        &[20, 15],
        &[36, 4, 33],
        &[15, 16],
        &[29, 35, 14, 7, 30],
        &[9, 39, 0],
        &[24, 32, 10],
        &[6, 13, 34],
        &[11, 1],
        &[22],
        &[4, 34, 36],
        &[17, 38, 27],
        &[0, 12],
        &[38],
        &[10, 36, 25, 31],
        &[1, 7, 24, 35],
        &[30],
        &[13, 26, 38],
        &[26, 13, 27],
        &[37, 32, 31, 32],
        &[8, 13],
        &[3, 38],
        &[31, 14, 10],
        &[32, 23, 20],
        &[25, 16, 16, 28],
        &[12],
        &[34, 13],
        &[27, 7],
        &[14, 37, 38],
        &[18, 16],
        &[39, 28],
        &[2],
        &[7, 23],
        &[35, 33, 13],
        &[16, 8],
    ];

    fn network() -> Topology {
        let mut network = TopologyBuilder::new("one-way channels");
        let nodes: Vec<_> = (0..HEADS.len()).map(|node| network.terminal(node.to_string())).collect();
        for (tail, heads) in HEADS.iter().enumerate() {
            for &head in *heads {
                network.channel(nodes[tail], nodes[head]);
            }
        }
        network.build().unwrap()
    }

    /// A linear program with all channels and ports takes too much work.
    #[test]
    fn lengths_of_bridges_prove_most_with_two_ports() {
        let (network, collective) = (network(), Collective::all_reduce());
        let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
        let problem = Problem::new(&network, &collective, model).unwrap();
        let bound = crate::by_rule(&problem, Rule::Gossip).unwrap();
        assert_eq!(bound.steps, 60);
        bound.check(&problem).unwrap();
    }
}
