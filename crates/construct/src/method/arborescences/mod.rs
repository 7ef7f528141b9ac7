//! Broadcast of many chunks along [channel-disjoint spanning trees](packing), each chunk [down one of them](pipeline).

mod packing;
mod pipeline;

use lockstep_schedule::Schedule;
use rand::Rng;

use self::packing::TreePacking;
use self::pipeline::{ChunkPipeline, TreePlan};
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;

/// Arborescences: broadcast of several chunks from one terminal to all or some others, hop by hop with all ports, full
/// or half duplex.
///
/// With `k` trees of depth `D`, `c` chunks take about `D + c / k - 1` steps. The number of trees is the minimum cut
/// between the source and a terminal, so no schedule is faster for many chunks. An attempt packs trees once for each
/// useful number of trees. Time: `O(k M (M + k N))` for `N` nodes and `M` channels; past [`MAX_WORK`], the problem is
/// not supported. Memory: `O(M + k N)`, and one bit per chunk and node or channel.
///
/// # Source
///
/// Edmonds, *Edge-disjoint branchings* (1973). The channels are chosen one by one as in Lovász, *On two
/// minimax theorems in graph theory*, J. Combin. Theory B 21 (1976), but for all trees at once.
pub(crate) const ARBORESCENCES: Method = Method {
    name: "arborescences",
    about: "broadcast in many chunks along disjoint spanning trees",
    find,
    evaluations_per_delivery: 16,
    is_random: true,
    parts: &[],
};

/// The maximum number of visits of arcs while trees are packed.
const MAX_WORK: usize = 1 << 29;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let topology = request.problem.topology();
    let broadcast = SingleSourceBroadcast::of(request.problem)
        .filter(|broadcast| broadcast.chunks > 1)
        .ok_or(MethodError::Unsupported)?;
    half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    // One tree takes as much already.
    if topology.channel_count().saturating_mul(topology.channel_count()) > MAX_WORK {
        return Err(MethodError::Unsupported);
    }
    let is_stopped = || request.budget.interruption().is_some();
    let Some(packing) = TreePacking::new(topology, broadcast.source, broadcast.chunks, is_stopped) else {
        return Err(request.budget.interruption().map_or(MethodError::NoShorter, MethodError::Stopped));
    };
    let work = packing.most_trees() as usize * topology.channel_count();
    let is_large = work.saturating_mul(packing.arc_count()) > MAX_WORK;
    if is_large || !broadcast.receivers.iter().all(|&receiver| packing.reaches(receiver)) {
        return Err(MethodError::Unsupported);
    }
    let log = request.best_attempt(|rng, context| attempt(request, context, &broadcast, packing.clone(), rng))?;
    Ok(log.into_schedule())
}

/// Returns the shortest schedule over all numbers of trees, from the most trees on, while fewer trees can be faster.
fn attempt(
    request: &MethodRequest<'_>,
    context: &AttemptContext<'_>,
    broadcast: &SingleSourceBroadcast,
    mut packing: TreePacking<'_>,
    rng: &mut impl Rng,
) -> Result<TransferLog, MethodError> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let mut best: Option<TransferLog> = None;
    for count in (1..=packing.most_trees()).rev() {
        let below = best.as_ref().map_or(request.below, TransferLog::step_count);
        let least = packing.depth() + broadcast.chunks.div_ceil(count) - 1;
        let is_short = best.as_ref().is_some_and(|best| best.step_count() <= request.goal);
        if least >= below || is_short {
            break;
        }
        let Some(trees) = packing.pack(count, rng, || request.budget.interruption().is_some()) else {
            return best.ok_or(request.budget.interruption().map_or(MethodError::NoShorter, MethodError::Stopped));
        };
        let plan = TreePlan::new(topology, broadcast, &trees);
        match ChunkPipeline::new(topology, model.ports, broadcast, &plan).run(below, context, rng) {
            Ok(log) => best = Some(log),
            Err(MethodError::NoShorter) => {}
            Err(error) => return best.ok_or(error),
        }
    }
    best.ok_or(MethodError::NoShorter)
}

#[cfg(test)]
mod tests;
