//! The search for lengths of resources and ports in each step that refute a number of steps.

use lockstep_certificate::Certificate;
use lockstep_schedule::Problem;

use crate::length_program::{LengthProgram, length_sizes, whole_lengths, without_zeros};
use crate::request::BoundRequest;
use crate::transfers::{Ends, TransferNetwork, Transfers};

/// The largest number of table entries for one evaluation: 128 MB.
const MAX_ENTRIES: usize = 1 << 24;

/// The largest integer length.
const MAX_LENGTH: u32 = 1 << 20;

/// What every message needs: a set of transfers in time of some structure, such as a tree. The messages form parts.
pub(crate) trait TimedPacking {
    /// Returns the number of parts.
    fn parts(&self) -> usize;

    /// Returns the number of table entries that one evaluation of a number of steps computes.
    fn entries(&self, steps: usize) -> usize;

    /// Computes the lengths of the shortest structures of all messages for the transfers of each step. `visit` receives
    /// the part, the length and the number of messages of each structure, and its transfers with the numbers of their
    /// steps, counted from 0. The length is infinite, without transfers, if no transfers are fast enough.
    fn shortest(&self, transfers: &[Transfers], visit: &mut dyn FnMut(Structure<'_>));
}

/// A shortest structure of transfers for some messages.
pub(crate) struct Structure<'a> {
    pub(crate) part: usize,
    pub(crate) length: f64,
    /// Number of messages.
    pub(crate) count: f64,
    pub(crate) transfers: &'a [(usize, Ends)],
}

/// Returns the most steps that lengths prove, beyond `proved`, with the certificate.
pub(crate) fn longest(
    problem: &Problem<'_>,
    packing: &impl TimedPacking,
    proved: u32,
    request: &BoundRequest<'_>,
) -> Option<(u32, Certificate)> {
    let network = TransferNetwork::new(problem);
    let longer = |steps: u32| {
        let search = TimedSearch { network: &network, packing, steps: steps as usize };
        search.certificate(request).filter(|_| steps < request.enough)
    };
    (proved..request.enough).map_while(|steps| Some((steps + 1, longer(steps)?))).last()
}

/// The search for lengths that refute a number of steps.
struct TimedSearch<'a, P> {
    network: &'a TransferNetwork<'a>,
    packing: &'a P,
    steps: usize,
}

impl<P: TimedPacking> TimedSearch<'_, P> {
    /// Returns the certificate that the number of steps is too small, or `None` if none is found.
    fn certificate(&self, request: &BoundRequest<'_>) -> Option<Certificate> {
        let (topology, structures) = (self.network.topology, self.packing.entries(self.steps));
        let of_step = topology.terminal_count().saturating_mul(topology.node_count() + topology.channel_count());
        let searches = self.steps.saturating_mul(of_step);
        if structures > MAX_ENTRIES || searches > MAX_ENTRIES {
            return None;
        }
        let places = self.network.capacity.len();
        let capacity = self.network.capacity.repeat(self.steps);
        let parts = self.packing.parts();
        let mut program = LengthProgram::new(&capacity, parts)?;
        program.require(1.0);
        loop {
            let mut used = vec![vec![0.0; capacity.len()]; parts];
            let transfers = self.transfers(&program.lengths);
            let mut distance = 0.0;
            self.packing.shortest(&transfers, &mut |structure| {
                distance += structure.count * structure.length;
                for &(step, ends) in structure.transfers {
                    let used = &mut used[structure.part][step * places..][..places];
                    transfers[step].count(self.network, ends, structure.count, used);
                }
            });
            program.spend((structures + searches) as u64)?;
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
            used.iter().enumerate().for_each(|(part, used)| program.limit(part, used));
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
        let mut distance = 0.0;
        self.packing.shortest(&self.transfers(&exact), &mut |structure| {
            // A structure that does not exist is longer than everything that is available.
            distance += structure.count * structure.length.min(available as f64 + 1.0);
        });
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
