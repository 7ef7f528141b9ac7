//! The search for lengths of resources and ports that give a large load to every packing of structures of transfers.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;

use crate::bridges::bridges;
use crate::length_program::{LengthProgram, length_sizes, whole_lengths, without_zeros};
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::transfers::{Ends, TransferNetwork, Transfers};

/// Entries of tables that one evaluation of lengths may compute: about a second.
pub(crate) const MAX_ENTRIES: usize = 1 << 28;

/// The largest integer length.
const MAX_LENGTH: u32 = 1 << 20;

/// Returns the number of table entries that the shortest transfers between all terminals take; `None` if there are too
/// many.
pub(crate) fn entries_of_network(problem: &Problem<'_>) -> Option<usize> {
    let (topology, terminals) = (problem.topology(), problem.topology().terminal_count());
    let entries = terminals.checked_mul(topology.node_count() + topology.channel_count())?;
    Some(entries).filter(|&entries| entries <= MAX_ENTRIES && terminals.pow(2) <= MAX_ENTRIES)
}

/// What every message needs: a set of transfers of some structure, such as a tree. The messages form parts.
pub(crate) trait Packing {
    /// Returns the number of parts.
    fn parts(&self) -> usize;

    /// Returns the number of table entries that one evaluation computes.
    fn entries(&self) -> usize;

    /// Computes the total length of the shortest structures of all messages for lengths of the transfers between all
    /// terminals, by start and end. `visit` receives the part, the transfers of a structure, and its number of messages.
    /// Returns `None` if there is no structure, or once the time of the request is over.
    fn distance(
        &self,
        transfer: &[f64],
        request: &BoundRequest<'_>,
        visit: &mut dyn FnMut(usize, &[Ends], f64),
    ) -> Option<f64>;
}

/// The number of units that are tried for the same lengths.
const MAX_UNITS: usize = 4;

/// Integer lengths, and the sums that they prove.
struct LengthCandidate {
    lengths: Vec<u32>,
    unit: u32,
    distance: u64,
    per_step: u64,
}

impl LengthCandidate {
    fn steps(&self) -> Option<u32> {
        ceil_steps(self.distance, self.per_step / u64::from(self.unit))
    }
}

/// The search for the best lengths.
pub(crate) struct LengthSearch<'a, P> {
    network: TransferNetwork<'a>,
    packing: P,
    request: &'a BoundRequest<'a>,
    /// The number of steps that is proved.
    steps: u32,
    best: Option<LengthCandidate>,
}

impl<'a, P: Packing> LengthSearch<'a, P> {
    /// Starts without lengths. The bound must exceed `steps`.
    pub(crate) fn new(problem: &Problem<'a>, packing: P, steps: u32, request: &'a BoundRequest<'a>) -> Self {
        Self { network: TransferNetwork::new(problem), packing, request, steps, best: None }
    }

    /// Returns the best bound that is found. Tries equal lengths first, then [linear programs](LengthProgram): with lengths of
    /// [bridges] alone, which is small, and with all lengths.
    pub(crate) fn bound(mut self, rule: Rule) -> Option<LowerBound> {
        self.offer_equal();
        let all = self.network.capacity.clone();
        let bridges = bridges(self.network.topology, || self.request.is_over());
        if !bridges.is_empty() {
            let mut of_bridges = vec![0; all.len()];
            for bridge in bridges {
                of_bridges[bridge.index()] = all[bridge.index()];
            }
            self.solve(&of_bridges);
        }
        self.solve(&all);
        let best = self.best?;
        let steps = best.steps()?;
        let LengthCandidate { lengths, unit, distance, per_step } = best;
        let [resources, sends, receptions] = self.network.by_kind(&lengths).map(<[u32]>::to_vec);
        let [sends, receptions] = [sends, receptions].map(without_zeros);
        let certificate = Certificate::Lengths { resources, sends, receptions, unit, distance, per_step };
        Some(LowerBound { steps, rule, certificate })
    }

    /// Computes the total length of the shortest structures of all messages by lengths of all places.
    fn distance(
        &self,
        transfers: &mut Transfers,
        lengths: &[f64],
        mut visit: impl FnMut(&Transfers, usize, &[Ends], f64),
    ) -> Option<f64> {
        transfers.compute(&self.network, lengths, self.request)?;
        self.packing
            .distance(&transfers.length, self.request, &mut |part, ends, count| visit(transfers, part, ends, count))
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

    /// Returns the lengths as integers up to `greatest` with their sums, if they prove more steps. They may prove more if transfers
    /// and steps count by whole units.
    fn candidate(&self, lengths: &[f64], greatest: u32) -> Option<LengthCandidate> {
        let lengths = whole_lengths(lengths, &self.network.capacity, greatest)?;
        let all = lengths.iter().zip(&self.network.capacity);
        let per_step = all.map(|(&length, &capacity)| u64::from(length) * capacity).sum();
        let exact: Vec<f64> = lengths.iter().copied().map(f64::from).collect();
        // Sums of integers below 2^53 are exact.
        let mut transfers = Transfers::default();
        let distance = exact_sum(self.distance(&mut transfers, &exact, |_, _, _, _| {}))?;
        let mut best = LengthCandidate { lengths, unit: 1, distance, per_step };
        for unit in units(&transfers.length) {
            let room = per_step / u64::from(unit);
            // All messages together have at most `distance / unit` whole units.
            if ceil_steps(distance / u64::from(unit), room) <= best.steps().max(Some(self.steps)) {
                continue;
            }
            let rounded = transfers.rounded_down(unit);
            let Some(distance) = exact_sum(self.packing.distance(&rounded, self.request, &mut |_, _, _| {})) else {
                break;
            };
            if ceil_steps(distance, room) > best.steps() {
                best = LengthCandidate { unit, distance, ..best };
            }
        }
        (best.steps()? > self.steps).then_some(best)
    }

    /// Keeps the lengths as small integers up to `greatest` if they prove more steps.
    fn offer(&mut self, lengths: &[f64], greatest: u32) {
        let Some(exact) = self.candidate(lengths, greatest) else { return };
        let steps = exact.steps();
        let mut smaller = length_sizes(greatest).filter_map(|size| self.candidate(lengths, size));
        let best = smaller.find(|smaller| smaller.steps() >= steps).unwrap_or(exact);
        self.steps = best.steps().unwrap_or(self.steps);
        self.best = Some(best);
    }

    /// Solves linear programs for more and more steps, until one has no solution or the work is used up. Only places with a
    /// capacity have lengths.
    fn solve(&mut self, capacity: &[u64]) -> Option<()> {
        let mut program = LengthProgram::new(capacity, self.packing.parts())?;
        let mut used = vec![vec![0.0; self.network.capacity.len()]; self.packing.parts()];
        let (mut transfers, mut required) = (Transfers::default(), 0);
        loop {
            for used in &mut used {
                used.fill(0.0);
            }
            let distance = self.distance(&mut transfers, &program.lengths, |transfers, part, all, count| {
                for &ends in all {
                    transfers.count(&self.network, ends, count, &mut used[part]);
                }
            })?;
            program.spend(self.packing.entries() as u64)?;
            let is_longer = program.suffices(distance, self.steps.into());
            if is_longer {
                self.offer(&program.lengths, MAX_LENGTH);
            }
            let is_lost = is_longer && self.steps == required;
            if is_lost || self.steps >= self.request.enough || self.request.is_over() {
                return None;
            }
            program.remove_loose();
            used.iter().enumerate().for_each(|(part, used)| program.limit(part, used));
            if self.steps > required {
                required = self.steps;
                program.require(required.into());
            }
            if program.solve().is_none() {
                // Whole units may prove more than the fractional lengths.
                self.offer(&program.lengths, MAX_LENGTH);
                return None;
            }
        }
    }
}

/// Returns a sum of integers if it is exact.
#[expect(clippy::cast_sign_loss, reason = "no length is negative")]
fn exact_sum(sum: Option<f64>) -> Option<u64> {
    sum.filter(|&sum| sum < 2f64.powi(53)).map(|sum| sum as u64)
}

/// Returns units to try for transfers of these integer lengths: the smallest lengths above 1.
#[expect(clippy::cast_sign_loss, reason = "no length is negative")]
fn units(transfers: &[f64]) -> impl Iterator<Item = u32> {
    let mut next = 1.0;
    let units = std::iter::from_fn(move || {
        let longer = transfers.iter().copied().filter(|&length| length > next);
        next = longer.fold(f64::INFINITY, f64::min);
        (next < f64::from(u32::MAX)).then_some(next as u32)
    });
    units.take(MAX_UNITS)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Budget, Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;
    use crate::request::ProvedSteps;
    use crate::rule::{gossip, tree_packing};

    /// One evaluation of lengths may take more than a second.
    #[test]
    fn no_lengths_are_evaluated_after_the_end_of_the_time() {
        let star: Topology = "star:6".parse().unwrap();
        let (proved, over) = (ProvedSteps::default(), Budget::unlimited());
        over.cancel();
        let [unlimited, late] = [BoundRequest::unlimited(&proved), BoundRequest::new(u32::MAX, &proved, &over)];
        let all_reduce = Collective::all_reduce();
        let problem = Problem::new(&star, &all_reduce, CommunicationModel::wormhole()).unwrap();
        assert!(gossip::bound(&problem, &unlimited).is_some() && gossip::bound(&problem, &late).is_none());
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&star, &all_gather, CommunicationModel::wormhole()).unwrap();
        assert!(tree_packing::bound(&problem, &unlimited).is_some() && tree_packing::bound(&problem, &late).is_none());
    }
}
