//! Store-and-forward broadcast where ports are few: step by step a matching of those who know with neighbours who do
//! not, the most [urgent](node_urgency) ones first.

mod node_urgency;
mod step_matching;

use lockstep_schedule::{MessageId, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};
use rand::Rng;

use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;
use node_urgency::NodeUrgency;
use step_matching::StepMatching;

/// Store-and-forward broadcast of one message to all or some terminals of any network under any port limit, full or half
/// duplex. Optimal on trees.
///
/// What a step can reach is a matroid, so the greedy matching reaches the most urgent ones together. An attempt makes
/// some tries; each makes those more urgent that the one before reached too late. It takes up to a tenth of a second,
/// and memory for a few numbers a node.
///
/// **Source**: matching in rounds by the heights of a spanning tree: Harutyunyan and Shao, *An efficient heuristic for
/// broadcasting in networks*, J. Parallel Distrib. Comput. 66 (2006); on trees, where the heights are exact: Slater,
/// Cockayne and Hedetniemi, *Information dissemination in trees*, SIAM J. Comput. 10 (1981); weights that grow where a
/// try failed: Joslin and Clements, *Squeaky wheel optimization*, J. Artif. Intell. Res. 10 (1999).
pub(crate) const TELEPHONE: Method = Method {
    name: "telephone",
    about: "store-and-forward broadcast with few ports: in each step a matching to the most urgent neighbours",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
};

/// Visits of nodes and channels that the tries of one attempt may take.
const EFFORT: usize = 1 << 22;

/// Tries of one attempt.
const TRIES: usize = 32;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let broadcast = SingleSourceBroadcast::of(request.problem)
        .filter(|broadcast| broadcast.chunks == 1)
        .ok_or(MethodError::Unsupported)?;
    if model.switching != Switching::StoreAndForward {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    let is_receiver = broadcast.marked(topology);
    let log = request.best_attempt(|rng, _| {
        let search = TelephoneSearch { request, topology, broadcast: &broadcast, is_receiver: &is_receiver };
        search.attempt(rng)
    })?;
    Ok(broadcast.without_waste(topology, log.schedule()))
}

struct TelephoneSearch<'a> {
    request: &'a MethodRequest<'a>,
    topology: &'a Topology,
    broadcast: &'a SingleSourceBroadcast,
    is_receiver: &'a [bool],
}

impl TelephoneSearch<'_> {
    /// The shortest schedule of all tries.
    fn attempt(&self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let Self { request, topology, .. } = *self;
        let mut urgency = NodeUrgency::new(topology, request.problem.model().ports, self.is_receiver);
        let mut matching = StepMatching::new(topology, request.problem.model().ports);
        let (mut best, mut below) = (None, request.below);
        let mut effort = 0;
        for _ in 0..TRIES {
            if (best.is_some() || request.below < u32::MAX) && (effort >= EFFORT || request.stop_reason().is_some()) {
                break;
            }
            let (log, late) = self.follow(&mut urgency, &mut matching, below - 1, rng)?;
            effort += (topology.node_count() + topology.channel_count()) * log.step_count().max(1) as usize;
            if late.is_empty() {
                below = log.step_count();
                best = Some(log);
                if below <= request.goal.max(1) {
                    break;
                }
            }
            urgency.learn(&late);
        }
        match request.stop_reason() {
            Some(reason) if best.is_none() => Err(MethodError::Stopped(reason)),
            _ => best.ok_or(MethodError::NoShorter),
        }
    }

    /// A schedule of at most so many steps, and the receivers that it does not reach.
    fn follow(
        &self,
        urgency: &mut NodeUrgency<'_>,
        matching: &mut StepMatching<'_>,
        most: u32,
        rng: &mut impl Rng,
    ) -> Result<(TransferLog, Vec<NodeId>), MethodError> {
        let Self { topology, broadcast, .. } = *self;
        let mut log = TransferLog::default();
        let mut is_informed = vec![false; topology.node_count()];
        is_informed[broadcast.source.index()] = true;
        let mut late = broadcast.receivers.clone();
        for step in 0..most {
            let frontier = urgency.frontier(&is_informed, rng);
            let reached = matching.reach(&is_informed, frontier);
            for &(node, channel) in reached {
                log.push(MessageId::new(0), step, &[channel])?;
                is_informed[node.index()] = true;
            }
            late.retain(|node| !is_informed[node.index()]);
            if late.is_empty() || reached.is_empty() {
                break;
            }
        }
        Ok((log, late))
    }
}

#[cfg(test)]
mod tests;
