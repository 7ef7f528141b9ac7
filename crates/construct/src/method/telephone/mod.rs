//! Store-and-forward broadcast with few ports: in each step, a [matching](step_matching) of informed nodes with the
//! most [urgent](node_urgency) neighbours.

mod node_urgency;
mod step_matching;

use lockstep_schedule::{MessageId, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};
use rand::Rng;

use self::node_urgency::NodeUrgency;
use self::step_matching::StepMatching;
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;

/// Telephone broadcast: store-and-forward broadcast of one message to all or some terminals of any network under any
/// port limit, full or half duplex. The schedule is optimal on trees.
///
/// The sets that a step can reach form a matroid, so the greedy matching reaches the most urgent nodes together. An
/// attempt makes several tries; nodes that were late in one try are more urgent in the next. Time: `O(M)` per reached
/// node and try, about a tenth of a second per attempt. Memory: a few numbers per node.
///
/// # Source
///
/// Matching in rounds by the heights of a spanning tree: Harutyunyan and Shao, *An efficient heuristic for
/// broadcasting in networks*, J. Parallel Distrib. Comput. 66 (2006). On trees, where the heights are exact: Slater,
/// Cockayne and Hedetniemi, *Information dissemination in trees*, SIAM J. Comput. 10 (1981). Weights that grow after a
/// failed try: Joslin and Clements, *Squeaky wheel optimization*, J. Artif. Intell. Res. 10 (1999).
pub(crate) const TELEPHONE: Method = Method {
    name: "telephone",
    about: "store-and-forward broadcast with few ports: matchings of holders and receivers; exact on trees",
    find,
    evaluations_per_delivery: 64,
    is_random: true,
    parts: &[],
};

/// The maximum number of visits of nodes and channels in the tries of one attempt.
const MAX_VISITS: usize = 1 << 22;

/// Units of work per visit.
const VISIT_WORK: u64 = 8;

/// The maximum number of tries of one attempt.
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
    let is_receiver = broadcast.receiver_flags(topology);
    let log = request.best_attempt(|rng, _| {
        let search = TelephoneSearch { request, topology, broadcast: &broadcast, is_receiver: &is_receiver };
        search.attempt(rng)
    })?;
    Ok(broadcast.needed_transfers(request.problem, log.into_schedule()))
}

/// One attempt: several tries with growing urgency of late nodes.
struct TelephoneSearch<'a> {
    request: &'a MethodRequest<'a>,
    topology: &'a Topology,
    broadcast: &'a SingleSourceBroadcast,
    is_receiver: &'a [bool],
}

impl TelephoneSearch<'_> {
    /// Returns the shortest schedule of all tries.
    fn attempt(&self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let Self { request, topology, .. } = *self;
        let mut urgency = NodeUrgency::new(topology, request.problem.model().ports, self.is_receiver);
        let mut matching = StepMatching::new(topology, request.problem.model().ports);
        let (mut best, mut below) = (None, request.below);
        let mut visits = 0;
        for _ in 0..TRIES {
            let is_long = visits >= MAX_VISITS && (best.is_some() || request.has_schedule());
            if is_long || request.check_time().is_err() {
                break;
            }
            let (log, late) = self.build(&mut urgency, &mut matching, below - 1, rng)?;
            let visited = (topology.node_count() + topology.channel_count()) * log.step_count().max(1) as usize;
            request.work.add(VISIT_WORK * visited as u64);
            visits += visited;
            if late.is_empty() {
                below = log.step_count();
                best = Some(log);
                if below <= request.goal.max(1) {
                    break;
                }
            }
            urgency.penalise(&late);
        }
        match request.budget.interruption() {
            Some(reason) if best.is_none() => Err(MethodError::Stopped(reason)),
            _ => best.ok_or(MethodError::NoShorter),
        }
    }

    /// Builds a schedule of at most `max_steps` steps. Returns it with the receivers that it does not reach.
    fn build(
        &self,
        urgency: &mut NodeUrgency<'_>,
        matching: &mut StepMatching<'_>,
        max_steps: u32,
        rng: &mut impl Rng,
    ) -> Result<(TransferLog, Vec<NodeId>), MethodError> {
        let Self { topology, broadcast, .. } = *self;
        let mut log = TransferLog::default();
        let mut is_informed = vec![false; topology.node_count()];
        is_informed[broadcast.source.index()] = true;
        let mut late = broadcast.receivers.clone();
        for step in 0..max_steps {
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
