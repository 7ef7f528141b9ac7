//! The search for lengths of resources and ports in each step that refute a number of steps.

use lockstep_certificate::Certificate;
use lockstep_schedule::Problem;

use crate::length_program::{LengthProgram, MAX_VARIABLES, length_sizes, whole_lengths, without_zeros};
use crate::request::BoundRequest;
use crate::transfers::{Ends, TransferNetwork, Transfers};

/// The largest number of table entries for one evaluation: 128 MB.
const MAX_ENTRIES: usize = 1 << 24;

/// The smallest number of groups of steps with lengths of their own.
const MIN_GROUPS: usize = 5;

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

/// Returns the most steps that lengths prove, beyond `proved`, with the certificate. The packing concerns only `targets`, if
/// there are some.
pub(crate) fn longest(
    problem: &Problem<'_>,
    packing: &impl TimedPacking,
    (targets, proved): (&[usize], u32),
    request: &BoundRequest<'_>,
) -> Option<(u32, Certificate)> {
    let network = TransferNetwork::new(problem);
    let longer = |steps: u32| {
        let search = TimedSearch { network: &network, packing, targets, steps: steps as usize };
        search.certificate(request).filter(|_| steps < request.enough)
    };
    (proved..request.enough).map_while(|steps| Some((steps + 1, longer(steps)?))).last()
}

/// Returns the most steps that `longest` proves for some set of targets, beyond `proved`, with the certificate. Tries more
/// than the first set only if a schedule is known.
pub(crate) fn longest_of_sets(
    sets: &[Vec<usize>],
    proved: u32,
    request: &BoundRequest<'_>,
    longest: impl Fn(&[usize], u32) -> Option<(u32, Certificate)>,
) -> Option<(u32, Certificate)> {
    let mut best: Option<(u32, Certificate)> = None;
    let count = if request.enough == u32::MAX { 1 } else { sets.len() };
    for targets in sets.iter().take(count) {
        let steps = best.as_ref().map_or(proved, |&(steps, _)| steps);
        if steps >= request.enough || request.is_over() {
            break;
        }
        best = longest(targets, steps).or(best);
    }
    best
}

/// The search for lengths that refute a number of steps.
struct TimedSearch<'a, P> {
    network: &'a TransferNetwork<'a>,
    packing: &'a P,
    /// The ranks of the only terminals that count; empty if all do.
    targets: &'a [usize],
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
        let parts = self.packing.parts();
        let groups = self.groups(parts)?;
        let capacity = self.capacity(&groups);
        let mut program = LengthProgram::new(&capacity, parts)?;
        program.require(1.0);
        loop {
            let mut used = vec![vec![0.0; capacity.len()]; parts];
            let transfers = self.transfers(&self.of_steps(&program.lengths, &groups));
            let mut distance = 0.0;
            self.packing.shortest(&transfers, &mut |structure| {
                distance += structure.count * structure.length;
                for &(step, ends) in structure.transfers {
                    let used = &mut used[structure.part][groups[step] * places..][..places];
                    transfers[step].count(self.network, ends, structure.count, used);
                }
            });
            program.spend((structures + searches) as u64)?;
            if distance == f64::INFINITY {
                // No transfers are fast enough for some message, whatever their lengths are.
                return self.certificate_of(&vec![0; places * self.steps]);
            }
            if program.suffices(distance, 1.0) {
                let mut whole = length_sizes(MAX_LENGTH).chain([MAX_LENGTH]);
                let certificate = |size| {
                    let lengths = whole_lengths(&program.lengths, &capacity, size)?;
                    self.certificate_of(&self.of_steps(&lengths, &groups))
                };
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

    /// Returns the group of each step: steps of the same group share their lengths. All steps are alone if the linear program
    /// has few variables. Otherwise, those in the middle share their lengths. `None` if this does not suffice.
    fn groups(&self, parts: usize) -> Option<Vec<usize>> {
        let of_step = self.network.capacity.iter().filter(|&&capacity| capacity > 0).count();
        let most = MAX_VARIABLES.checked_sub(parts)? / of_step.max(1);
        let shared = (self.steps + 1).saturating_sub(most);
        let groups = self.steps + 1 - shared.max(1);
        let before = groups / 2;
        let group =
            |step: usize| if step < before { step } else { (step + 1).saturating_sub(shared.max(1)).max(before) };
        (most >= MIN_GROUPS.min(self.steps)).then(|| (0..self.steps).map(group).collect())
    }

    /// Returns how many transfers can use each place in all steps of each group.
    fn capacity(&self, groups: &[usize]) -> Vec<u64> {
        let places = self.network.capacity.len();
        let mut capacity = vec![0; places * groups.last().map_or(0, |last| last + 1)];
        for &group in groups {
            let of_group = capacity[group * places..][..places].iter_mut();
            of_group.zip(&self.network.capacity).for_each(|(sum, &capacity)| *sum += capacity);
        }
        capacity
    }

    /// Returns the lengths in each step from those of each group.
    fn of_steps<T: Copy>(&self, lengths: &[T], groups: &[usize]) -> Vec<T> {
        let places = self.network.capacity.len();
        groups.iter().flat_map(|&group| &lengths[group * places..][..places]).copied().collect()
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
    fn certificate_of(&self, lengths: &[u32]) -> Option<Certificate> {
        let capacity = self.network.capacity.iter().cycle();
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
        let targets = self.targets.iter().map(|&rank| self.network.topology.terminals()[rank]).collect();
        Some(Certificate::TimedTrees { infeasible, resources, sends, receptions, targets, distance, available })
    }
}
