//! Trees of transfers in the time-expanded network, proved too long by lengths of resources and ports in every step.

mod trees;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;

use self::trees::{MAX_TERMINALS, TimedTrees};
use crate::demand::Demand;
use crate::length_program::{LengthProgram, length_sizes, whole_lengths, without_zeros};
use crate::multicasts::Multicasts;
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;
use crate::transfers::{TransferNetwork, Transfers};

/// The largest integer length.
const MAX_LENGTH: u32 = 1 << 20;

pub(crate) const BUILDS_ON: &[Rule] = &[
    Rule::Ports,
    Rule::Growth,
    Rule::TreePackets,
    Rule::TreeBroadcast,
    Rule::BroadcastLp,
    Rule::Eccentricity,
    Rule::Cut,
    Rule::SourceCut,
    Rule::Reception,
    Rule::TimedCut,
    Rule::DistanceSum,
    Rule::Volume,
    Rule::ArcForwarding,
    Rule::TreePacking,
];

/// Computes the smallest number of steps in which a fractional packing of trees in the time-expanded network exists: for
/// each message, transfers that bring it from its source to all receivers in time.
///
/// This is the [packing of trees](super::tree_packing) with a length for every resource and port in every step. A
/// terminal forwards a message in a later step than the one in which it receives it. A
/// [linear program](LengthProgram) finds lengths by which the shortest trees are longer than all resources and ports in
/// all steps together. The bound must exceed those of the rules that it builds on. Applies to two or more
/// messages that terminals
/// may forward, on networks of few terminals.
///
/// Takes `O(3^N N)` time per step and evaluation for `N` terminals, within a fixed amount of work.
///
/// # Source
///
/// Lockstep. Flows over time: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let proved = request.proved_by(BUILDS_ON);
    let terminals = problem.topology().terminal_count();
    let is_alone = problem.messages().len() == 1;
    if is_alone || TransferRules::new(problem).is_direct() || proved >= request.enough || terminals > MAX_TERMINALS {
        return None;
    }
    let network = TransferNetwork::new(problem);
    let multicasts = Multicasts::all(problem, &Demand::new(problem));
    let longer = |steps: u32| {
        let search = TimedSearch { network: &network, multicasts: &multicasts, steps: steps as usize };
        search.certificate(request).filter(|_| steps < request.enough)
    };
    let certificates = (proved..request.enough).map_while(|steps| Some((steps + 1, longer(steps)?)));
    let (steps, certificate) = certificates.last()?;
    Some(LowerBound { steps, rule: Rule::TimedTrees, certificate })
}

/// The search for lengths that refute a number of steps.
struct TimedSearch<'a> {
    network: &'a TransferNetwork<'a>,
    multicasts: &'a [Multicasts],
    steps: usize,
}

impl TimedSearch<'_> {
    /// Returns the certificate that the number of steps is too small, or `None` if none is found.
    fn certificate(&self, request: &BoundRequest<'_>) -> Option<Certificate> {
        let places = self.network.capacity.len();
        let capacity = self.network.capacity.repeat(self.steps);
        let sources = self.multicasts.chunk_by(|a, b| a.source == b.source).count();
        let mut program = LengthProgram::new(&capacity, sources)?;
        program.require(1.0);
        let mut trees = TimedTrees::default();
        loop {
            let mut used = vec![vec![0.0; capacity.len()]; sources];
            let transfers = self.transfers(&program.lengths);
            trees.compute(&transfers, self.network.topology.terminal_count());
            let mut distance = 0.0;
            for (used, of_source) in used.iter_mut().zip(self.multicasts.chunk_by(|a, b| a.source == b.source)) {
                for Multicasts { source, receivers, count } in of_source {
                    distance += count * trees.length(*source, receivers);
                    trees.visit(&transfers, *source, receivers, |step, ends| {
                        let used = &mut used[step * places..][..places];
                        transfers[step].count(self.network, ends, *count, used);
                    });
                }
            }
            program.spend(trees.entries() as u64)?;
            if distance == f64::INFINITY {
                // No transfers are fast enough for some message, whatever their lengths are.
                return self.certificate_of(&vec![0; capacity.len()], &capacity);
            }
            if program.suffices(distance, 1.0) {
                let mut whole = length_sizes(MAX_LENGTH).chain([MAX_LENGTH]);
                let certificate =
                    |size| self.certificate_of(&whole_lengths(&program.lengths, &capacity, size)?, &capacity);
                return whole.find_map(certificate);
            }
            if request.is_over() {
                return None;
            }
            program.remove_loose();
            used.iter().enumerate().for_each(|(source, used)| program.limit(source, used));
            program.solve()?;
        }
    }

    /// Returns the shortest transfers in each step.
    fn transfers(&self, lengths: &[f64]) -> Vec<Transfers> {
        let of_step = |lengths: &[f64]| {
            let mut transfers = Transfers::default();
            transfers.compute(self.network, lengths);
            transfers
        };
        lengths.chunks(self.network.capacity.len()).map(of_step).collect()
    }

    /// Returns the certificate of integer lengths, or `None` if they do not refute the number of steps.
    fn certificate_of(&self, lengths: &[u32], capacity: &[u64]) -> Option<Certificate> {
        let available = lengths.iter().zip(capacity).map(|(&length, &capacity)| u64::from(length) * capacity).sum();
        let exact: Vec<f64> = lengths.iter().copied().map(f64::from).collect();
        let mut trees = TimedTrees::default();
        trees.compute(&self.transfers(&exact), self.network.topology.terminal_count());
        // A tree that does not exist is longer than everything that is available.
        let length = |alike: &Multicasts| trees.length(alike.source, &alike.receivers).min(available as f64 + 1.0);
        let distance: f64 = self.multicasts.iter().map(|alike| alike.count * length(alike)).sum();
        // Sums of integers below 2^53 are exact.
        #[expect(clippy::cast_sign_loss, reason = "no length is negative")]
        let distance = Some(distance as u64).filter(|&sum| distance < 2f64.powi(53) && sum > available)?;
        let [mut resources, mut sends, mut receptions] = [const { Vec::new() }; 3];
        for step in lengths.chunks(self.network.capacity.len()) {
            let parts = self.network.by_kind(step);
            for (all, part) in [&mut resources, &mut sends, &mut receptions].into_iter().zip(parts) {
                all.extend_from_slice(part);
            }
        }
        let [sends, receptions] = [sends, receptions].map(without_zeros);
        let infeasible = self.steps as u32;
        Some(Certificate::TimedTrees { infeasible, resources, sends, receptions, distance, available })
    }
}
