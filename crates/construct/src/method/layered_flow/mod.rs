//! Broadcast on any network: step by step a maximum flow from those who know to those who should.
//!
//! All transfers of one step carry the same message, so a set of nodes can be reached in one step iff a flow with a
//! unit for each of them exists. What is searched for is whom to reach early: [nodes far apart](dispersed_order), as many as
//! [still suffices](growth) in every step.

mod broadcast_state;
mod dispersed_order;
mod growth;
mod path_repair;
mod step_flow;

use lockstep_schedule::{Routing, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

use crate::kit::half_duplex::{MAX_FLOW_NETWORK_SIZE, half_duplex_pairs};
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;
use broadcast_state::BroadcastState;
use dispersed_order::DispersedOrder;
use growth::HolderGrowth;
use path_repair::PathRepair;
use step_flow::BroadcastStepFlow;

/// Wormhole broadcast of one message to all or some terminals of any network, direct or not, under any port limit and
/// routing. Declines where channels share a resource other than in opposite pairs, and past [`MAX_FLOW_NETWORK_SIZE`].
///
/// An attempt looks for schedules from the growth bound on, or from the goal on if that is higher. Each try takes a
/// maximum flow a step, and under minimal routing [mends](path_repair) its paths; those at one number of steps take a few
/// tenths of a second together. Memory: about 40 bytes a node or channel and 16 bytes a channel of a path.
///
/// **Source**: Farley, *Minimum-time line broadcast networks*, Networks 10 (1980), for the problem; the reduction of a
/// step to a flow is the theorem of Ford and Fulkerson.
pub(crate) const LAYERED_FLOW: Method = Method {
    name: "layered-flow",
    about: "wormhole broadcast on any network: in each step a maximum flow to nodes far apart",
    find,
    evaluations_per_delivery: 128,
    is_random: true,
};

/// Visits of nodes and channels that the tries at the first number of steps may take; at each further one half as many.
const EFFORT: u64 = 1 << 23;

/// Tries that begin with some random plans and vary the best of them. An attempt at one number of steps makes one such
/// round, the first attempt of all [`ROUNDS`].
const ROUND: usize = 128;

const ROUNDS: usize = 64;

/// Random plans at the beginning of a round.
const FRESH: usize = 8;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let (topology, model) = (request.problem.topology(), request.problem.model());
    let broadcast = SingleSourceBroadcast::of(request.problem)
        .filter(|broadcast| broadcast.chunks == 1)
        .ok_or(MethodError::Unsupported)?;
    let is_large = topology.node_count() + topology.channel_count() > MAX_FLOW_NETWORK_SIZE;
    if model.switching != Switching::Wormhole || is_large {
        return Err(MethodError::Unsupported);
    }
    let opposite = half_duplex_pairs(topology).ok_or(MethodError::Unsupported)?;
    let growth = HolderGrowth::new(topology, model.ports, broadcast.source, broadcast.receivers.len());
    let (is_receiver, bystanders) = (broadcast.marked(topology), broadcast.bystanders(topology));
    let log = request.best_attempt(|rng, _| {
        let mut search = LayeredFlowSearch {
            request,
            topology,
            broadcast: &broadcast,
            is_receiver: &is_receiver,
            bystanders: &bystanders,
            mender: (model.routing == Routing::Minimal).then(|| PathRepair::new(topology, model.ports)),
            flow: BroadcastStepFlow::new(topology, model.ports, opposite.clone()),
            spread: DispersedOrder::new(topology),
        };
        search.attempt(&growth, rng)
    })?;
    Ok(broadcast.without_waste(topology, log.schedule()))
}

struct LayeredFlowSearch<'a> {
    request: &'a MethodRequest<'a>,
    topology: &'a Topology,
    broadcast: &'a SingleSourceBroadcast,
    /// Whether each node must hold the message at last.
    is_receiver: &'a [bool],
    /// The terminals that need not.
    bystanders: &'a [NodeId],
    /// Where only shortest paths are allowed.
    mender: Option<PathRepair<'a>>,
    flow: BroadcastStepFlow<'a>,
    spread: DispersedOrder<'a>,
}

/// Whom to reach, and when.
#[derive(Clone, Debug)]
struct ReachPlan {
    /// The source, then all other terminals by urgency.
    order: Vec<NodeId>,
    /// How many should hold the message after every step.
    sizes: Vec<usize>,
}

/// What became of a plan.
struct PlanOutcome {
    log: TransferLog,
    /// The receivers that are not reached.
    unreached: Vec<NodeId>,
}

impl LayeredFlowSearch<'_> {
    /// The shortest schedule found; if there was none before, the greedy one at least.
    fn attempt(&mut self, growth: &HolderGrowth, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let MethodRequest { goal, below, .. } = *self.request;
        let greedy = if below == u32::MAX { Some(self.greedy(rng)?) } else { None };
        let last = greedy.as_ref().map_or(below, TransferLog::step_count);
        let first = goal.max(growth.steps());
        // One more each time; further on, where nothing is found, in longer strides.
        let strides = std::iter::successors(Some(first), |steps| steps.checked_add(((steps - first) / 4).max(1)));
        for steps in strides.take_while(|&steps| steps < last) {
            let effort = EFFORT.checked_shr(steps - first).unwrap_or(0);
            let Some(sizes) = growth.sizes(steps) else { continue };
            match self.find(&sizes, effort, rng) {
                Err(MethodError::NoShorter) => {}
                Err(MethodError::Stopped(_)) if greedy.is_some() => break,
                found => return found,
            }
        }
        greedy.ok_or(MethodError::NoShorter)
    }

    /// As many receivers as possible in every step, whoever they are; other terminals only where no receiver can be
    /// reached without them.
    fn greedy(&mut self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let Self { topology, broadcast, is_receiver, bystanders, flow, mender, .. } = self;
        let order = [&[broadcast.source], broadcast.receivers.as_slice(), bystanders].concat();
        let mut course = BroadcastState::new(topology, &order);
        loop {
            let unreached = course.waiting_among(is_receiver, true);
            if unreached.is_empty() {
                break;
            }
            course.begin_step(flow);
            if flow.reach(&unreached) == 0 {
                flow.reach(&course.waiting_among(is_receiver, false));
            }
            let transfers = course.log.len();
            course.end_step(flow, mender.as_mut(), rng)?;
            if course.log.len() == transfers {
                return Err(MethodError::Unsupported);
            }
        }
        Ok(course.log)
    }

    /// A schedule with one of these lists of sizes, if one is found within the effort.
    fn find(&mut self, sizes: &[Vec<usize>], effort: u64, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let steps = sizes.first().map_or(0, Vec::len);
        let flows = (steps * (self.topology.node_count() + self.topology.channel_count())) as u64;
        let mended = |mender: &Option<PathRepair>| mender.as_ref().map_or(0, PathRepair::visits);
        let before = mended(&self.mender);
        let mut best: Option<(ReachPlan, Vec<NodeId>)> = None;
        let rounds = if self.request.below == u32::MAX { ROUNDS } else { 1 };
        for number in 0..rounds * ROUND {
            let spent = number as u64 * flows + mended(&self.mender) - before;
            if number >= 2 && spent > effort {
                break;
            }
            if let Some(reason) = self.request.stop_reason() {
                return Err(MethodError::Stopped(reason));
            }
            if number % ROUND == 0 {
                best = None;
            }
            let plan = match &best {
                Some((plan, unreached)) if number % ROUND >= FRESH => self.varied(plan, unreached, rng),
                _ => self.fresh(&sizes[rng.random_range(0..sizes.len())], rng),
            };
            let PlanOutcome { log, unreached } = self.follow(&plan, rng)?;
            if unreached.is_empty() {
                tracing::debug!(steps, tries = number + 1, "found");
                return Ok(log);
            }
            if best.as_ref().is_none_or(|(_, least)| unreached.len() <= least.len()) {
                best = Some((plan, unreached));
            }
        }
        let unreached = best.map(|(_, unreached)| unreached.len());
        tracing::debug!(steps, unreached, "not found");
        Err(MethodError::NoShorter)
    }

    /// A plan for these sizes. Where some terminals need not hold the message, every other plan does without them.
    fn fresh(&mut self, sizes: &[usize], rng: &mut impl Rng) -> ReachPlan {
        let Self { broadcast, is_receiver, bystanders, spread, .. } = self;
        let early = &sizes[..sizes.len() - 1];
        let is_mixed = !bystanders.is_empty() && rng.random();
        let others = if is_mixed { [&broadcast.receivers, *bystanders].concat() } else { broadcast.receivers.clone() };
        let mut order = spread.list(broadcast.source, &others, early, rng);
        if is_mixed {
            let spread = early.last().map_or(1, |&size| size.min(order.len()));
            order[spread..].sort_by_key(|node| !is_receiver[node.index()]);
        } else {
            order.extend_from_slice(bystanders);
        }
        ReachPlan { order, sizes: sizes.to_vec() }
    }

    /// The plan with somebody more urgent: one that is not reached, or a node near.
    fn varied(&self, plan: &ReachPlan, unreached: &[NodeId], rng: &mut impl Rng) -> ReachPlan {
        let mut plan = plan.clone();
        let mut node = unreached[rng.random_range(0..unreached.len())];
        for _ in 0..rng.random_range(0..6) {
            let channels = self.topology.out_channels(node);
            if !channels.is_empty() {
                node = self.topology.head(channels[rng.random_range(0..channels.len())]);
            }
        }
        let early = plan.sizes[..plan.sizes.len() - 1].last().copied().unwrap_or(1);
        if let Some(place) = plan.order.iter().skip(1).position(|&other| other == node).filter(|_| early > 1) {
            let (place, urgent) = (place + 1, rng.random_range(1..early));
            if rng.random_range(0..2) == 0 {
                plan.order.swap(place, urgent);
            } else {
                plan.order.remove(place);
                plan.order.insert(urgent, node);
            }
        }
        plan
    }

    /// Reaches in each step the most urgent ones that can be reached together, in the last step all receivers that are
    /// left.
    fn follow(&mut self, plan: &ReachPlan, rng: &mut impl Rng) -> Result<PlanOutcome, MethodError> {
        let Self { topology, is_receiver, flow, mender, .. } = self;
        let last = plan.sizes.len() as u32;
        let mut course = BroadcastState::new(topology, &plan.order);
        for &size in &plan.sizes {
            course.begin_step(flow);
            if course.step == last {
                flow.reach(&course.waiting_among(is_receiver, true));
            } else {
                let wanted = size.saturating_sub(plan.order.len() - course.waiting.len());
                reach(flow, &course.waiting, wanted);
            }
            course.end_step(flow, mender.as_mut(), rng)?;
        }
        let unreached = course.waiting_among(is_receiver, true);
        Ok(PlanOutcome { log: course.log, unreached })
    }
}

/// Reaches so many, the first ones first, and then as many more as can be: holders never harm.
fn reach(flow: &mut BroadcastStepFlow<'_>, waiting: &[NodeId], mut wanted: usize) {
    let mut rest = waiting;
    while wanted > 0 && !rest.is_empty() {
        let (offered, others) = rest.split_at(wanted.min(rest.len()));
        let reached = flow.reach(offered);
        rest = others;
        wanted -= reached;
        if reached < offered.len() / 2 {
            // Most ports are taken.
            break;
        }
    }
    flow.reach(rest);
}

#[cfg(test)]
mod tests;
