//! The load of the best fractional packing of trees of transfers, proved by lengths of resources and ports.

mod trees;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;

use self::trees::{MAX_EXACT, shortest_tree};
use crate::demand::Demand;
use crate::length_program::{LengthProgram, length_sizes, whole_lengths, without_zeros};
use crate::multicasts::Multicasts;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;
use crate::transfers::{Ends, TransferNetwork, Transfers};

/// Entries of tables that one evaluation of lengths may compute: about a second.
const MAX_ENTRIES: usize = 1 << 28;

/// The largest integer length.
const MAX_LENGTH: u32 = 1 << 20;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Volume, Rule::Cut, Rule::Reception, Rule::ArcForwarding];

/// Computes a lower bound on the largest load in any fractional packing of trees: for each message, transfers that bring
/// it from its source to all receivers.
///
/// It follows from the duality of linear programs. Give a length to every resource and to the ports of every terminal. A
/// transfer is as long as its path and the ports at its ends. Then the number of steps is at least the total length of
/// the shortest trees of all messages, divided by the total length of all resources and ports. Lengths of the channels
/// of a [cut](super::cut) give that cut; equal lengths of all ports give the [volume](super::volume).
///
/// First, equal lengths of all resources or of all ports are tried. Then a [linear program](LengthProgram) finds lengths
/// that prove one step more: the shortest trees by the lengths of its solution are new inequalities, until there is no
/// solution. The bound must exceed those of the rules that it builds on. Applies to two or more messages that terminals may
/// forward.
///
/// Takes `O(N^2)` time per source and evaluation for `N` terminals, within a fixed amount of work.
///
/// # Source
///
/// Lockstep. The duality: Edmonds, "Edge-disjoint branchings", *Combinatorial Algorithms* (1973); in undirected networks,
/// Nash-Williams (1961) and Tutte (1961).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    let is_alone = problem.messages().len() == 1;
    if is_alone || TransferRules::new(problem).is_direct() || proved >= request.enough {
        return None;
    }
    let mut search = LengthSearch::new(problem, proved)?;
    search.offer_equal();
    search.solve(request);
    let LengthCandidate { lengths, distance, per_step } = search.best?;
    let steps = ceil_steps(distance, per_step)?;
    let [resources, sends, receptions] = search.network.by_kind(&lengths).map(<[u32]>::to_vec);
    let [sends, receptions] = [sends, receptions].map(without_zeros);
    let certificate = Certificate::Lengths { resources, sends, receptions, distance, per_step };
    Some(LowerBound { steps, rule: Rule::TreePacking, certificate })
}

/// Integer lengths, and the sums that they prove.
struct LengthCandidate {
    lengths: Vec<u32>,
    distance: u64,
    per_step: u64,
}

/// The search for the best lengths.
struct LengthSearch<'a> {
    network: TransferNetwork<'a>,
    multicasts: Vec<Multicasts>,
    /// Number of table entries that one evaluation computes.
    entries: usize,
    /// The number of steps that is proved.
    steps: u32,
    best: Option<LengthCandidate>,
}

impl<'a> LengthSearch<'a> {
    /// Starts without lengths; `None` if the problem is too large.
    fn new(problem: &Problem<'a>, steps: u32) -> Option<Self> {
        let (topology, demand) = (problem.topology(), Demand::new(problem));
        let terminals = topology.terminal_count();
        let mut entries = terminals.checked_mul(topology.node_count() + topology.channel_count())?;
        if entries > MAX_ENTRIES || terminals.checked_pow(2)? > MAX_ENTRIES {
            return None;
        }
        for source in demand.sources() {
            for multicast in demand.from(source) {
                entries += match multicast.count {
                    receivers @ 0..=MAX_EXACT => (terminals << receivers) * (terminals + (1 << receivers)),
                    _ => terminals.pow(2),
                };
                if entries > MAX_ENTRIES {
                    return None;
                }
            }
        }
        Some(Self {
            network: TransferNetwork::new(problem),
            multicasts: Multicasts::all(problem, &demand),
            entries,
            steps,
            best: None,
        })
    }

    /// Computes the total length of the shortest trees of all messages. `visit` receives the place of each source, and
    /// each of its trees with a number of messages. Returns `None` if a receiver cannot be reached.
    fn distance(
        &self,
        transfers: &mut Transfers,
        lengths: &[f64],
        mut visit: impl FnMut(&Transfers, usize, &[Ends], f64),
    ) -> Option<f64> {
        transfers.compute(&self.network, lengths);
        let terminals = self.network.topology.terminal_count();
        let (mut total, mut tree) = (0.0, Vec::new());
        for (place, of_source) in self.multicasts.chunk_by(|a, b| a.source == b.source).enumerate() {
            for Multicasts { source, receivers, count } in of_source {
                tree.clear();
                total += count * shortest_tree(&transfers.length, terminals, *source, receivers, &mut tree)?;
                visit(transfers, place, &tree, *count);
            }
        }
        Some(total)
    }

    /// Tries equal lengths: of all resources, of all send ports, and of all receive ports.
    fn offer_equal(&mut self) {
        let resources = self.network.topology.resource_count();
        let ports = self.network.topology.terminal_count();
        let mut start = 0;
        for count in [resources, ports, ports] {
            let is_counted = |place: usize| f64::from(u8::from((start..start + count).contains(&place)));
            let lengths: Vec<f64> = (0..self.network.capacity.len()).map(is_counted).collect();
            self.offer(&lengths, 1);
            start += count;
        }
    }

    /// Returns the lengths as integers up to `greatest` with their sums, if they prove more steps.
    #[expect(clippy::cast_sign_loss, reason = "no length is negative")]
    fn candidate(&self, lengths: &[f64], greatest: u32) -> Option<LengthCandidate> {
        let lengths = whole_lengths(lengths, &self.network.capacity, greatest)?;
        let all = lengths.iter().zip(&self.network.capacity);
        let per_step = all.map(|(&length, &capacity)| u64::from(length) * capacity).sum();
        let exact: Vec<f64> = lengths.iter().copied().map(f64::from).collect();
        // Sums of integers below 2^53 are exact.
        let distance = self.distance(&mut Transfers::default(), &exact, |_, _, _, _| {});
        let distance = distance.filter(|&distance| distance < 2f64.powi(53))? as u64;
        (ceil_steps(distance, per_step)? > self.steps).then_some(LengthCandidate { lengths, distance, per_step })
    }

    /// Keeps the lengths as small integers up to `greatest` if they prove more steps.
    fn offer(&mut self, lengths: &[f64], greatest: u32) {
        let Some(exact) = self.candidate(lengths, greatest) else { return };
        let steps = ceil_steps(exact.distance, exact.per_step);
        let mut smaller = length_sizes(greatest).filter_map(|size| self.candidate(lengths, size));
        let best = smaller.find(|smaller| ceil_steps(smaller.distance, smaller.per_step) >= steps).unwrap_or(exact);
        self.steps = ceil_steps(best.distance, best.per_step).unwrap_or(self.steps);
        self.best = Some(best);
    }

    /// Solves linear programs for more and more steps, until one has no solution or the work is used up.
    fn solve(&mut self, request: &BoundRequest<'_>) -> Option<()> {
        let sources = self.multicasts.chunk_by(|a, b| a.source == b.source).count();
        let mut program = LengthProgram::new(&self.network.capacity, sources)?;
        let mut used = vec![vec![0.0; self.network.capacity.len()]; sources];
        let (mut transfers, mut required) = (Transfers::default(), 0);
        loop {
            for used in &mut used {
                used.fill(0.0);
            }
            let distance = self.distance(&mut transfers, &program.lengths, |transfers, source, tree, count| {
                for &ends in tree {
                    transfers.count(&self.network, ends, count, &mut used[source]);
                }
            })?;
            program.spend(self.entries as u64)?;
            let is_longer = program.suffices(distance, self.steps.into());
            if is_longer {
                self.offer(&program.lengths, MAX_LENGTH);
            }
            let is_lost = is_longer && self.steps == required;
            if is_lost || self.steps >= request.enough || request.is_over() {
                return None;
            }
            program.remove_loose();
            used.iter().enumerate().for_each(|(source, used)| program.limit(source, used));
            if self.steps > required {
                required = self.steps;
                program.require(required.into());
            }
            program.solve()?;
        }
    }
}
