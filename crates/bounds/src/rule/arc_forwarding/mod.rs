//! The load of the best fractional routing, proved by lengths of resources and ports.

mod capacitated_network;
mod path_graph;
mod routing_descent;
mod shortest_paths;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::NodeId;
use rayon::prelude::*;

use self::capacitated_network::CapacitatedNetwork;
use self::path_graph::{PathGraph, whole};
use self::routing_descent::{RoutingDescent, receivers};
use self::shortest_paths::ShortestPaths;
use crate::demand::Demand;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;

/// Node and channel visits that one bound may take, if they suffice for [`MIN_ROUNDS`]: about a second.
const WORK: usize = 1 << 25;

/// The largest number of visits of one round.
const MAX_ROUND: usize = 1 << 25;

/// The cost of a round besides its visits, in visits.
const ROUND_WORK: usize = 1 << 12;

/// The smallest number of rounds.
const MIN_ROUNDS: usize = 4;

/// The relative gap to the optimum that ends the search when all work is spent. Earlier, the gap is multiplied by the
/// square root of the part of the work that is spent.
const FINAL_GAP: f64 = 0.005;

/// The part of the work after which the search ends if further rounds are unlikely to prove another step.
const STALL: f64 = 0.5;

/// The number of rounds after which the lengths are always tried.
const TRIAL_INTERVAL: usize = 4;

/// The largest number of flows, one per source and channel, of 4 bytes each.
const MAX_FLOWS: usize = 1 << 24;

/// The number of lengths that are tried at the same time.
const LANES: usize = 4;

/// The largest integer length.
const MAX_LENGTH: u32 = 1 << 20;

/// Computes a lower bound on the largest load in any fractional routing of all messages.
///
/// It follows from the duality of linear programs. Give a length to every resource (and every port). Then the number of
/// steps is at least the total length of shortest legal paths of all messages, divided by the total length of all
/// resources. Equal lengths give the [sum of distances](super::distance_sum). Lengths on the channels of a cut give
/// that [cut](super::cut).
///
/// Good lengths come from a [descent](RoutingDescent) to a routing with the smallest maximum load. The load of this
/// routing limits what lengths can prove, and the search ends at a small gap, which grows with the time spent. After half
/// of the work, it also ends if the gain of the last rounds would not prove another step in the rounds that are left. Applies
/// to scatter messages. Direct messages under minimal routing use paths with the fewest channels. Ports have lengths
/// under store-and-forward.
///
/// Takes `O(M log N)` time per source and round for `N` nodes and `M` channels, `O(M)` for direct messages under minimal
/// routing, up to a fixed amount of work. Memory: 4 bytes per source and channel, and under minimal routing up to 8 more, and
/// 12 bytes per source and node. Larger networks are not supported.
///
/// # Source
///
/// The load of a channel: Heydemann, Meyer and Sotteau, "On forwarding indices of networks", *Discrete Applied
/// Mathematics* 23 (1989). The duality: Shahrokhi and Matula, "The maximum concurrent flow problem", *J. ACM* 37
/// (1990).
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let messages = problem.messages();
    if !messages.is_scatter() || messages.len() == 1 {
        return None;
    }
    let (network, demand) = (CapacitatedNetwork::new(problem), Demand::new(problem));
    let sources = demand.sources();
    let round = sources.len().checked_mul(network.node_count() + network.channel_count())?;
    let longest = u128::from(messages.delivery_count()) * network.node_count() as u128 * u128::from(MAX_LENGTH);
    if round > MAX_ROUND || sources.len() * network.channel_count() > MAX_FLOWS || u64::try_from(longest).is_err() {
        return None;
    }
    let chunks = messages.chunks();
    let paths_of = |graph: &mut PathGraph, &source: &NodeId| {
        graph.set_fewest_channels(&network, source, receivers(&demand, source));
        graph.compact()
    };
    let minimal: Vec<PathGraph> = if network.is_minimal {
        sources.par_iter().map_init(PathGraph::default, paths_of).collect()
    } else {
        Vec::new()
    };
    let mut search =
        LengthSearch { network: &network, demand: &demand, sources: &sources, minimal: &minimal, chunks, best: None };
    search.offer_uniform();
    if search.steps() < request.enough {
        let mut descent = RoutingDescent::new(&network, &demand, &sources, &minimal);
        search.offer(&descent.bottleneck(), 1);
        // The best quotient before the first round, and after each trial round.
        let mut quotients = vec![search.quotient()];
        let most_rounds = WORK.div_ceil(round + ROUND_WORK).saturating_sub(1).max(MIN_ROUNDS);
        for rounds in 1..=most_rounds {
            let spent = (rounds * (round + ROUND_WORK)) as f64 / WORK as f64;
            let largest_bound = descent.smallest_load * (1.0 - FINAL_GAP * spent.min(1.0).sqrt()) * f64::from(chunks);
            let is_done = search.steps() >= request.enough || request.is_over();
            let is_best = f64::from(search.steps()) >= largest_bound;
            if is_done || is_best {
                break;
            }
            let proved = descent.improve() * f64::from(chunks);
            let lengths = descent.lengths();
            if rounds % TRIAL_INTERVAL == 0 {
                // The best lengths are often the indicator of a cut.
                search.offer_all(&[(&lengths, MAX_LENGTH), (&damped(&lengths), MAX_LENGTH), (&lengths, 1)]);
                quotients.push(search.quotient());
                let largest_quotient = extrapolated(&quotients, most_rounds - rounds);
                if spent >= STALL && largest_quotient <= f64::from(search.steps()) {
                    break;
                }
            } else if proved > f64::from(search.steps()) {
                search.offer(&lengths, MAX_LENGTH);
            }
        }
    }
    search.simplify();
    search.best?.bound(network.resources)
}

/// Returns an estimate of the quotient after some more rounds, from those of the trial rounds. It continues the gain of the
/// second half of the rounds, for at most as many rounds again.
fn extrapolated(quotients: &[f64], rounds_left: usize) -> f64 {
    let (last, middle) = (quotients.len() - 1, (quotients.len() - 1) / 2);
    let rounds = [last, last - middle].map(|trials| trials * TRIAL_INTERVAL);
    let gain = quotients[last] - quotients[middle];
    quotients[last] + gain * rounds_left.min(rounds[0]) as f64 / rounds[1] as f64
}

/// Integer lengths, and the sums that they prove.
struct LengthCandidate {
    /// The length of each capacity.
    length: Vec<u32>,
    distance: u64,
    per_step: u64,
}

impl LengthCandidate {
    fn steps(&self) -> Option<u32> {
        ceil_steps(self.distance, self.per_step)
    }

    fn bound(self, resources: usize) -> Option<LowerBound> {
        let steps = self.steps()?;
        let mut lengths = self.length;
        let mut sends = lengths.split_off(resources);
        let mut receptions = sends.split_off(sends.len() / 2);
        for ports in [&mut sends, &mut receptions] {
            if ports.iter().all(|&length| length == 0) {
                ports.clear();
            }
        }
        let (resources, distance, per_step) = (lengths, self.distance, self.per_step);
        let certificate = Certificate::Lengths { resources, sends, receptions, unit: 1, distance, per_step };
        Some(LowerBound { steps, rule: Rule::ArcForwarding, certificate })
    }
}

/// The search for the best lengths.
struct LengthSearch<'a> {
    network: &'a CapacitatedNetwork,
    demand: &'a Demand<'a>,
    sources: &'a [NodeId],
    /// The paths with the fewest channels from each source, if messages may only use them.
    minimal: &'a [PathGraph],
    chunks: u32,
    best: Option<LengthCandidate>,
}

impl LengthSearch<'_> {
    fn steps(&self) -> u32 {
        self.best.as_ref().and_then(LengthCandidate::steps).unwrap_or(0)
    }

    /// Returns the number of steps that the best lengths prove, before it is rounded up.
    fn quotient(&self) -> f64 {
        self.best.as_ref().map_or(0.0, |best| best.distance as f64 / best.per_step as f64)
    }

    /// Tries equal lengths: of all resources, of all send ports, and of all receive ports.
    fn offer_uniform(&mut self) {
        let capacity = &self.network.capacity;
        let ports = (capacity.len() - self.network.resources) / 2;
        let mut start = 0;
        for count in [self.network.resources, ports, ports] {
            let is_counted = |place: usize| (start..start + count).contains(&place) && capacity[place] > 0;
            let lengths: Vec<f64> = (0..capacity.len()).map(|place| f64::from(u8::from(is_counted(place)))).collect();
            self.offer(&lengths, 1);
            start += count;
        }
    }

    /// Keeps the lengths, as integers up to `greatest`, if they prove more than the best ones.
    fn offer(&mut self, lengths: &[f64], greatest: u32) {
        self.offer_all(&[(lengths, greatest)]);
    }

    /// Keeps the lengths that prove the most, each as integers up to a number.
    fn offer_all(&mut self, offers: &[(&[f64], u32)]) {
        for candidate in self.candidates(offers) {
            if self.is_better(&candidate) {
                self.best = Some(candidate);
            }
        }
    }

    fn is_better(&self, candidate: &LengthCandidate) -> bool {
        let product = |a: &LengthCandidate, b: &LengthCandidate| u128::from(a.distance) * u128::from(b.per_step);
        self.best.as_ref().is_none_or(|best| product(candidate, best) > product(best, candidate))
    }

    /// Returns the lengths as integers, each up to a number, with their sums. Leaves out those whose sums are zero.
    fn candidates(&self, offers: &[(&[f64], u32)]) -> Vec<LengthCandidate> {
        let lengths = offers.iter().map(|&(lengths, greatest)| {
            let scale = f64::from(greatest) / lengths.iter().copied().fold(0.0, f64::max);
            lengths.iter().map(|length| whole(length * scale) as u32).collect()
        });
        let lengths: Vec<Vec<u32>> = lengths.filter(|length: &Vec<u32>| self.per_step(length) > 0).collect();
        let of_channels: Vec<Vec<f64>> = lengths.iter().map(|length| self.of_channels(length)).collect();
        let sums: Vec<u64> = if self.minimal.is_empty() {
            of_channels.iter().map(|of_channel| self.sum(of_channel)).collect()
        } else {
            let mut sums = Vec::new();
            for of_channels in of_channels.chunks(LANES) {
                let alike: [&[f64]; LANES] = std::array::from_fn(|lane| &*of_channels[lane.min(of_channels.len() - 1)]);
                match of_channels.len() {
                    1 => sums.extend(self.minimal_sums([alike[0]])),
                    count => sums.extend(&self.minimal_sums(alike)[..count]),
                }
            }
            sums
        };
        let candidates = lengths.into_iter().zip(sums).map(|(length, sum)| LengthCandidate {
            distance: sum * u64::from(self.chunks),
            per_step: self.per_step(&length),
            length,
        });
        candidates.filter(|candidate| candidate.distance > 0).collect()
    }

    /// Returns the length of each channel.
    fn of_channels(&self, length: &[u32]) -> Vec<f64> {
        let of_capacity: Vec<f64> = length.iter().copied().map(f64::from).collect();
        (0..self.network.channel_count()).map(|channel| self.network.length(channel, &of_capacity)).collect()
    }

    /// Returns the total length of all resources and ports.
    fn per_step(&self, length: &[u32]) -> u64 {
        length.iter().zip(&self.network.capacity).map(|(&length, capacity)| u64::from(length) * capacity).sum()
    }

    /// Returns the sum of the distances of all messages on paths with the fewest channels, for several lengths of channels.
    fn minimal_sums<const K: usize>(&self, of_channels: [&[f64]; K]) -> [u64; K] {
        let channels = 0..self.network.channel_count();
        let lengths: Vec<[f64; K]> = channels.map(|channel| of_channels.map(|lengths| lengths[channel])).collect();
        let added = |a: [u64; K], b: [u64; K]| std::array::from_fn(|lane| a[lane] + b[lane]);
        self.minimal
            .par_iter()
            .map_init(Vec::new, |distance, graph| graph.distance_sums(&lengths, distance))
            .reduce(|| [0; K], added)
    }

    /// Returns the sum of the distances of all messages.
    fn sum(&self, of_channel: &[f64]) -> u64 {
        let of_source = |paths: &mut ShortestPaths, &source: &NodeId| -> u64 {
            paths.compute(self.network, |channel| of_channel[channel], source);
            receivers(self.demand, source).map(|receiver| whole(paths.distance[receiver.index()])).sum()
        };
        self.sources.par_iter().map_init(ShortestPaths::default, of_source).sum()
    }

    /// Replaces the best lengths by smaller integers that prove the same number of steps.
    fn simplify(&mut self) {
        let Some(best) = &self.best else { return };
        let lengths: Vec<f64> = best.length.iter().copied().map(f64::from).collect();
        let sizes: Vec<(&[f64], u32)> = (0..MAX_LENGTH.ilog2()).step_by(2).map(|bits| (&*lengths, 1 << bits)).collect();
        let mut smaller = sizes.chunks(LANES).flat_map(|sizes| self.candidates(sizes));
        if let Some(smaller) = smaller.find(|smaller| smaller.steps() >= best.steps()) {
            self.best = Some(smaller);
        }
    }
}

/// Returns the powers of the lengths by 3/4. While the routing still changes, they often prove more.
fn damped(lengths: &[f64]) -> Vec<f64> {
    // Square roots are the same on every machine.
    lengths.iter().map(|length| length.sqrt() * length.sqrt().sqrt()).collect()
}
