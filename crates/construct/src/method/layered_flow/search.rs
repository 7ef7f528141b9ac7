//! The search for a plan: which terminals to reach in which step.

use lockstep_topology::{NodeId, Topology};
use rand::{Rng, RngExt};

use super::broadcast_state::BroadcastState;
use super::dispersed_order::DispersedOrder;
use super::holder_growth::HolderGrowth;
use super::path_repair::PathRepair;
use super::step_flow::BroadcastStepFlow;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::single_source::SingleSourceBroadcast;
use crate::kit::transfer_log::TransferLog;

/// The maximum number of visits of nodes and channels at the first number of steps. It halves with each further step.
const MAX_VISITS: u64 = 1 << 23;

/// Units of work per visit of a flow or a repair, see [`WorkCounter`](crate::kit::request::WorkCounter).
const VISIT_WORK: u64 = 2;

/// Number of plans per round. A round begins with random plans and varies the best of them. An attempt makes one round
/// per number of steps, the first attempt makes [`ROUNDS`].
const ROUND: usize = 128;

const ROUNDS: usize = 64;

/// Number of random plans at the beginning of a round.
const FRESH: usize = 8;

/// The search of one attempt: plans, and the flows that carry them out.
pub(super) struct LayeredFlowSearch<'a> {
    pub(super) request: &'a MethodRequest<'a>,
    pub(super) topology: &'a Topology,
    pub(super) broadcast: &'a SingleSourceBroadcast,
    /// Whether each node must receive the message.
    pub(super) is_receiver: &'a [bool],
    /// The terminals that may relay the message but need not receive it.
    pub(super) optional_relays: &'a [NodeId],
    /// The repair of paths, if only shortest paths are legal.
    pub(super) repair: Option<PathRepair<'a>>,
    pub(super) flow: BroadcastStepFlow<'a>,
    pub(super) dispersed: DispersedOrder<'a>,
    /// The visits of flows and repairs that are counted as work.
    pub(super) counted: u64,
}

/// The terminals to reach, most urgent first, and when.
#[derive(Clone, Debug)]
struct ReachPlan {
    /// The source, then all other terminals by urgency.
    order: Vec<NodeId>,
    /// The target number of holders after each step.
    sizes: Vec<usize>,
}

/// The result of a plan.
struct PlanOutcome {
    log: TransferLog,
    /// The receivers without the message.
    unreached: Vec<NodeId>,
}

impl LayeredFlowSearch<'_> {
    /// Returns the shortest schedule found; at least the greedy one, if no other schedule exists.
    pub(super) fn attempt(&mut self, growth: &HolderGrowth, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let MethodRequest { goal, below, .. } = *self.request;
        let greedy = if below == u32::MAX { Some(self.greedy(rng)?) } else { None };
        self.count_work();
        let last = greedy.as_ref().map_or(below, TransferLog::step_count);
        let first = goal.max(growth.steps());
        // The number of steps grows by one, and later by a quarter of the excess.
        let strides = std::iter::successors(Some(first), |steps| steps.checked_add(((steps - first) / 4).max(1)));
        for steps in strides.take_while(|&steps| steps < last) {
            let max_visits = MAX_VISITS.checked_shr(steps - first).unwrap_or(0);
            let Some(sizes) = growth.sizes(steps) else { continue };
            match self.find(&sizes, max_visits, rng) {
                Err(MethodError::NoShorter) => {}
                Err(MethodError::Stopped(_)) if greedy.is_some() => break,
                found => return found,
            }
        }
        greedy.ok_or(MethodError::NoShorter)
    }

    /// Reaches the maximum number of receivers in each step, and other terminals only if no receiver can be reached.
    fn greedy(&mut self, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let Self { topology, broadcast, is_receiver, optional_relays, flow, repair, .. } = self;
        let order = [&[broadcast.source], broadcast.receivers.as_slice(), optional_relays].concat();
        let mut state = BroadcastState::new(topology, &order);
        loop {
            let unreached = state.waiting_among(is_receiver, true);
            if unreached.is_empty() {
                break;
            }
            state.begin_step(flow);
            if flow.reach(&unreached, &|| false) == 0 {
                flow.reach(&state.waiting_among(is_receiver, false), &|| false);
            }
            let transfers = state.log.len();
            state.end_step(flow, repair.as_mut(), &|| false, rng)?;
            if state.log.len() == transfers {
                return Err(MethodError::Unsupported);
            }
        }
        Ok(state.log)
    }

    /// Returns a schedule with one of these lists of sizes.
    ///
    /// # Errors
    ///
    /// [`MethodError::NoShorter`], if none is found within `max_visits` visits of nodes and channels;
    /// [`MethodError::Stopped`], if the budget ends.
    fn find(&mut self, sizes: &[Vec<usize>], max_visits: u64, rng: &mut impl Rng) -> Result<TransferLog, MethodError> {
        let steps = sizes.first().map_or(0, Vec::len);
        let flows = (steps * (self.topology.node_count() + self.topology.channel_count())) as u64;
        let before = self.repair_visits();
        let mut best: Option<(ReachPlan, Vec<NodeId>)> = None;
        let rounds = if self.request.below == u32::MAX { ROUNDS } else { 1 };
        for number in 0..rounds * ROUND {
            let visits = number as u64 * flows + self.repair_visits() - before;
            if number >= 2 && visits > max_visits {
                break;
            }
            if let Some(reason) = self.request.budget.interruption() {
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
            self.count_work();
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

    fn repair_visits(&self) -> u64 {
        self.repair.as_ref().map_or(0, PathRepair::visits)
    }

    /// Counts the work since the last call.
    fn count_work(&mut self) {
        let visits = self.flow.visits() + self.repair_visits();
        self.request.work.add(VISIT_WORK * (visits - self.counted));
        self.counted = visits;
    }

    /// Returns a random plan for these sizes. If there are optional relays, half of the plans use them.
    fn fresh(&mut self, sizes: &[usize], rng: &mut impl Rng) -> ReachPlan {
        let Self { request, broadcast, is_receiver, optional_relays, dispersed, .. } = self;
        let early = &sizes[..sizes.len() - 1];
        let uses_relays = !optional_relays.is_empty() && rng.random();
        let others =
            if uses_relays { [&broadcast.receivers, *optional_relays].concat() } else { broadcast.receivers.clone() };
        let mut order =
            dispersed.order(broadcast.source, &others, early, &|| request.budget.interruption().is_some(), rng);
        if uses_relays {
            let dispersed = early.last().map_or(1, |&size| size.min(order.len()));
            order[dispersed..].sort_by_key(|node| !is_receiver[node.index()]);
        } else {
            order.extend_from_slice(optional_relays);
        }
        ReachPlan { order, sizes: sizes.to_vec() }
    }

    /// Returns the plan with a more urgent node: an unreached one, or a node near it.
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
        if let Some(index) = plan.order.iter().skip(1).position(|&other| other == node).filter(|_| early > 1) {
            let (index, urgent) = (index + 1, rng.random_range(1..early));
            if rng.random_range(0..2) == 0 {
                plan.order.swap(index, urgent);
            } else {
                plan.order.remove(index);
                plan.order.insert(urgent, node);
            }
        }
        plan
    }

    /// Carries out a plan: each step reaches the most urgent terminals that can be reached together, and the last step
    /// the remaining receivers.
    ///
    /// # Errors
    ///
    /// [`MethodError::Stopped`], if the budget ends: a plan for 65,536 nodes takes a second.
    fn follow(&mut self, plan: &ReachPlan, rng: &mut impl Rng) -> Result<PlanOutcome, MethodError> {
        let Self { request, topology, is_receiver, flow, repair, .. } = self;
        let last = plan.sizes.len() as u32;
        let mut state = BroadcastState::new(topology, &plan.order);
        let is_over = || request.budget.interruption().is_some();
        for &size in &plan.sizes {
            if let Some(reason) = request.budget.interruption() {
                return Err(MethodError::Stopped(reason));
            }
            state.begin_step(flow);
            if state.step == last {
                flow.reach(&state.waiting_among(is_receiver, true), &is_over);
            } else {
                let wanted = size.saturating_sub(plan.order.len() - state.waiting.len());
                reach(flow, &state.waiting, wanted, &is_over);
            }
            state.end_step(flow, repair.as_mut(), &is_over, rng)?;
        }
        let unreached = state.waiting_among(is_receiver, true);
        Ok(PlanOutcome { log: state.log, unreached })
    }
}

/// Reaches `wanted` terminals in order, and then the maximum number of others, because more holders are never worse.
fn reach(flow: &mut BroadcastStepFlow<'_>, waiting: &[NodeId], mut wanted: usize, is_over: &dyn Fn() -> bool) {
    let mut rest = waiting;
    while wanted > 0 && !rest.is_empty() {
        let (offered, others) = rest.split_at(wanted.min(rest.len()));
        let reached = flow.reach(offered, is_over);
        rest = others;
        wanted -= reached;
        if reached < offered.len() / 2 {
            // Most ports are in use.
            break;
        }
    }
    flow.reach(rest, is_over);
}
