//! How much of all lengths together every message has before it.

mod descent;
mod network;
mod tree;

use lockstep_schedule::Problem;
use lockstep_topology::NodeId;
use rayon::prelude::*;

use self::descent::{Descent, receivers};
use self::network::Network;
use self::tree::Tree;
use super::{BoundRequest, ceil_steps};
use crate::demand::Demand;
use lockstep_certificate::{Certificate, LowerBound, Rule};

/// Node and channel visits that one bound may take: seconds.
const WORK: usize = 1 << 27;

/// What a round takes beside these, as so many visits.
const ROUND: usize = 1 << 12;

/// Rounds that must fit into the work, or nothing is tried.
const ROUNDS: usize = 4;

/// The part of the optimum that may be left open when all the work is spent: as its root for less work.
const LAST_GAP: f64 = 0.005;

/// Rounds after which the lengths are looked at in any case.
const OFTEN: usize = 4;

/// Numbers of a source's share of a channel: 4 bytes each.
const MAX_FLOWS: usize = 1 << 24;

/// Lengths are whole numbers up to this.
const FINEST: u32 = 1 << 20;

/// The steps of the best fractional routing: by the duality of linear programmes, if every resource (and every port) is
/// given a length, then the shortest legal paths of all messages, together, take as many steps as they are longer than
/// all resources together. With all lengths alike it is the [sum of distances](super::distance_sum), with those of the
/// channels of a cut that [cut](super::cut).
///
/// Good lengths come from a [descent](Descent) to a routing of the least greatest load, which says how much they leave
/// open. Takes O(M log N) time a source and round for `N` nodes and `M` channels, up to a fixed amount of work, and 4 bytes
/// for every source and channel; large networks are declined. The longer it takes, the wider a gap ends it.
///
/// Applies to scatter messages. Direct messages under minimal routing take paths of the fewest channels; ports have
/// lengths under store-and-forward.
///
/// Source: Heydemann, Meyer and Sotteau, "On forwarding indices of networks", *Discrete Applied Mathematics* 23 (1989),
/// for the load of a channel; Shahrokhi and Matula, "The maximum concurrent flow problem", *J. ACM* 37 (1990), for the
/// duality.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let messages = problem.messages();
    if !messages.is_scatter() || messages.len() == 1 {
        return None;
    }
    let (network, demand) = (Network::new(problem), Demand::new(problem));
    let sources = demand.sources();
    let round = sources.len().checked_mul(network.node_count() + network.channel_count())?;
    let longest = u128::from(messages.delivery_count()) * network.node_count() as u128 * u128::from(FINEST);
    if round > WORK / ROUNDS || sources.len() * network.channel_count() > MAX_FLOWS || u64::try_from(longest).is_err() {
        return None;
    }
    let chunks = messages.chunks();
    let mut search = Search { network: &network, demand: &demand, sources: &sources, chunks, best: None };
    search.offer_alike();
    if search.steps() < request.enough {
        let mut descent = Descent::new(&network, &demand, &sources);
        search.offer(&descent.bottleneck(), 1);
        for rounds in 1.. {
            let spent = (rounds * (round + ROUND)) as f64 / WORK as f64;
            let most = descent.most * (1.0 - LAST_GAP * spent.sqrt()) * f64::from(chunks);
            let is_done = search.steps() >= request.enough || request.is_over();
            if is_done || f64::from(search.steps()) >= most || spent >= 1.0 {
                break;
            }
            let proved = descent.improve() * f64::from(chunks);
            let is_time = rounds % OFTEN == 0;
            if proved > f64::from(search.steps()) || is_time {
                search.offer(&descent.lengths(), FINEST);
            }
            if is_time {
                // The best lengths are often those of a cut.
                search.offer(&descent.lengths(), 1);
            }
        }
    }
    search.simplify();
    search.best?.bound(network.resources)
}

/// Lengths as whole numbers, and what they prove.
struct Candidate {
    /// Of each capacity.
    length: Vec<u32>,
    distance: u64,
    per_step: u64,
}

impl Candidate {
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
        let certificate = Certificate::ArcForwarding { resources, sends, receptions, distance, per_step };
        Some(LowerBound { steps, rule: Rule::ArcForwarding, certificate })
    }
}

/// The best lengths so far.
struct Search<'a> {
    network: &'a Network,
    demand: &'a Demand<'a>,
    sources: &'a [NodeId],
    chunks: u32,
    best: Option<Candidate>,
}

impl Search<'_> {
    fn steps(&self) -> u32 {
        self.best.as_ref().and_then(Candidate::steps).unwrap_or(0)
    }

    /// Tries the same length for all resources, for all send ports, and for all reception ports.
    fn offer_alike(&mut self) {
        let capacity = &self.network.capacity;
        let ports = (capacity.len() - self.network.resources) / 2;
        let mut start = 0;
        for count in [self.network.resources, ports, ports] {
            let is_alike = |place: usize| (start..start + count).contains(&place) && capacity[place] > 0;
            let lengths: Vec<f64> = (0..capacity.len()).map(|place| f64::from(u8::from(is_alike(place)))).collect();
            self.offer(&lengths, 1);
            start += count;
        }
    }

    /// Remembers the lengths, as whole numbers up to `greatest`, if they prove more than all before.
    fn offer(&mut self, lengths: &[f64], greatest: u32) {
        if let Some(candidate) = self.candidate(lengths, greatest).filter(|candidate| self.is_better(candidate)) {
            self.best = Some(candidate);
        }
    }

    fn is_better(&self, candidate: &Candidate) -> bool {
        let product = |a: &Candidate, b: &Candidate| u128::from(a.distance) * u128::from(b.per_step);
        self.best.as_ref().is_none_or(|best| product(candidate, best) > product(best, candidate))
    }

    /// What the lengths prove as whole numbers up to `greatest`, if there are any.
    fn candidate(&self, lengths: &[f64], greatest: u32) -> Option<Candidate> {
        let scale = f64::from(greatest) / lengths.iter().copied().fold(0.0, f64::max);
        let length: Vec<u32> = lengths.iter().map(|length| whole(length * scale) as u32).collect();
        let per_step =
            length.iter().zip(&self.network.capacity).map(|(&length, capacity)| u64::from(length) * capacity);
        let per_step = Some(per_step.sum()).filter(|&sum| sum > 0)?;
        let mut of_channel = Vec::new();
        self.network.lengths_into(&mut of_channel, length.iter().copied().map(f64::from));
        let distances = self.sources.par_iter().map_init(Tree::default, |tree, &source| {
            tree.grow(self.network, &of_channel, source);
            receivers(self.demand, source).map(|receiver| whole(tree.distance[receiver.index()])).sum::<u64>()
        });
        let distance = distances.sum::<u64>() * u64::from(self.chunks);
        Some(Candidate { length, distance, per_step })
    }

    /// Looks for smaller numbers that prove as much.
    fn simplify(&mut self) {
        let Some(best) = &self.best else { return };
        let lengths: Vec<f64> = best.length.iter().copied().map(f64::from).collect();
        let sizes = (0..FINEST.ilog2()).step_by(2).map(|bits| 1 << bits);
        let mut smaller = sizes.filter_map(|size| self.candidate(&lengths, size));
        if let Some(smaller) = smaller.find(|smaller| smaller.steps() >= best.steps()) {
            self.best = Some(smaller);
        }
    }
}

/// A length as a whole number.
#[expect(clippy::cast_sign_loss, reason = "no length is negative")]
fn whole(length: f64) -> u64 {
    length.round() as u64
}
