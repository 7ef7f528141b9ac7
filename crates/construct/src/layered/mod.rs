//! Broadcast on any network: step by step a maximum flow from those who know to those who should.
//!
//! All transfers of one step carry the same message, so a set of nodes can be reached in one step iff a flow with a
//! unit for each of them exists. What is searched for is whom to reach early: [nodes far apart](spread), as many as
//! [still suffices](growth) in every step.

mod detour;
mod growth;
mod spread;
mod step;

use lockstep_schedule::{Budget, CollectiveKind, MessageId, Routing, Schedule, Switching};
use lockstep_topology::{NodeId, Topology};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::method::{Method, Miss, Request};
use crate::wires::{MAX_SIZE, opposite_wires};
use detour::has_detour;
use growth::Growth;
use spread::Spread;
use step::StepFlow;

/// Wormhole broadcast on any network, direct or not, under any port limit and routing. Declines where channels share a
/// resource other than in opposite pairs, and past [`MAX_SIZE`].
///
/// Looks for schedules from the growth bound on, or from the goal on if that is higher. Each try takes a maximum flow a
/// step; those at one number of steps take about a fifth of a second together. Memory: about 40 bytes a node or channel
/// and 16 bytes a channel of a path.
///
/// **Source**: Farley, *Minimum-time line broadcast networks*, Networks 10 (1980), for the problem; the reduction of a
/// step to a flow is the theorem of Ford and Fulkerson.
pub(crate) const LAYERED_FLOW: Method = Method {
    name: "layered-flow",
    about: "wormhole broadcast on any network: in each step a maximum flow to nodes far apart",
    find,
    is_random: false,
};

/// Visits of nodes and channels that the tries at the first number of steps may take; at each further one half as many.
const EFFORT: usize = 1 << 23;

/// Tries that begin with the best of a few random plans and vary it.
const ROUND: usize = 128;

/// Random plans at the beginning of a round.
const FRESH: usize = 8;

/// How often the holders nearest to those who are not reached are pushed away.
const PUSHES: usize = 6;

fn find(request: &Request<'_>) -> Result<Schedule, Miss> {
    let Request { problem, goal, budget, .. } = *request;
    let CollectiveKind::OneToAllBroadcast { root } = problem.collective().kind else { return Err(Miss::Unfit) };
    let (topology, model) = (problem.topology(), problem.model());
    let is_large = topology.node_count() + topology.channel_count() > MAX_SIZE;
    if model.switching != Switching::Wormhole || problem.messages().len() > 1 || is_large {
        return Err(Miss::Unfit);
    }
    let opposite = opposite_wires(topology).ok_or(Miss::Unfit)?;
    let growth = Growth::new(topology, model.ports, root);
    let mut search = Search {
        topology,
        root,
        is_minimal: model.routing == Routing::Minimal,
        flow: StepFlow::new(topology, model.ports, opposite),
        spread: Spread::new(topology),
    };
    let greedy = search.greedy();
    let (first, last) = (goal.max(growth.steps()), greedy.step_count() as u32);
    // One more each time; further on, where nothing is found, in longer strides.
    let found = std::iter::successors(Some(first), |steps| Some(steps + ((steps - first) / 4).max(1)))
        .take_while(|&steps| steps < last && budget.stop_after(0).is_none())
        .find_map(|steps| {
            let effort = EFFORT.checked_shr(steps - first).unwrap_or(0);
            search.find(&growth.sizes(steps)?, effort, budget)
        });
    Ok(found.unwrap_or(greedy))
}

struct Search<'a> {
    topology: &'a Topology,
    root: NodeId,
    is_minimal: bool,
    flow: StepFlow<'a>,
    spread: Spread<'a>,
}

/// Whom to reach, and when.
#[derive(Clone, Debug)]
struct Plan {
    /// The root, then all other terminals by urgency.
    order: Vec<NodeId>,
    /// How many should hold the message after every step.
    sizes: Vec<usize>,
}

/// What became of a plan.
struct Outcome {
    schedule: Schedule,
    /// Whom the schedule does not reach.
    unreached: Vec<NodeId>,
}

impl Search<'_> {
    /// As many as possible in every step, whoever they are.
    fn greedy(&mut self) -> Schedule {
        let others = self.topology.terminals().iter().copied().filter(|&node| node != self.root);
        let order: Vec<NodeId> = [self.root].into_iter().chain(others).collect();
        self.flow.is_strict = self.is_minimal;
        // Every step reaches somebody.
        let sizes = vec![order.len(); order.len() - 1];
        let greedy = self.follow(&Plan { order, sizes }, 0).schedule;
        self.flow.is_strict = false;
        greedy
    }

    /// A schedule with one of these lists of sizes, if one is found within the effort.
    fn find(&mut self, sizes: &[Vec<usize>], effort: usize, budget: &Budget) -> Option<Schedule> {
        let steps = sizes.first()?.len();
        let tries = effort / (self.topology.node_count() + self.topology.channel_count()) / steps;
        let mut rng = ChaCha8Rng::seed_from_u64(steps as u64);
        let mut best: Option<(Plan, Vec<NodeId>)> = None;
        for number in 0..tries.max(2) {
            if budget.stop_after(0).is_some() {
                return None;
            }
            let plan = match &best {
                Some((plan, unreached)) if number % ROUND >= FRESH => self.varied(plan, unreached, &mut rng),
                _ => self.fresh(&sizes[rng.random_range(0..sizes.len())], &mut rng),
            };
            let least =
                best.as_ref().filter(|_| number % ROUND > 0).map_or(usize::MAX, |(_, unreached)| unreached.len());
            let Outcome { schedule, unreached } = self.follow(&plan, least);
            if !unreached.is_empty() {
                if unreached.len() <= least {
                    best = Some((plan, unreached));
                }
            } else if self.is_minimal && !self.flow.is_strict && has_detour(self.topology, &schedule) {
                tracing::debug!(steps, tries = number + 1, "only shortest paths from now on");
                self.flow.is_strict = true;
                best = None;
            } else {
                tracing::debug!(steps, tries = number + 1, "found");
                return Some(schedule);
            }
        }
        let unreached = best.map(|(_, unreached)| unreached.len());
        tracing::debug!(steps, tries, unreached, "not found");
        None
    }

    fn fresh(&mut self, sizes: &[usize], rng: &mut ChaCha8Rng) -> Plan {
        let order = self.spread.list(self.root, &sizes[..sizes.len() - 1], rng);
        Plan { order, sizes: sizes.to_vec() }
    }

    /// The plan with somebody more urgent: one that is not reached, or a node near.
    fn varied(&self, plan: &Plan, unreached: &[NodeId], rng: &mut ChaCha8Rng) -> Plan {
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

    /// Reaches in each step the most urgent ones that can be reached together, in the last step all that are left. If
    /// that leaves at most so many unreached, shortest paths from others than the nearest holders are tried, too.
    fn follow(&mut self, plan: &Plan, few: usize) -> Outcome {
        let last = plan.sizes.len() as u32;
        let mut step_of = vec![u32::MAX; self.topology.node_count()];
        step_of[self.root.index()] = 0;
        let mut waiting = plan.order[1..].to_vec();
        let mut schedule = Schedule::with_capacity(waiting.len(), 2 * waiting.len());
        for (step, &size) in (1..).zip(&plan.sizes) {
            if waiting.is_empty() {
                break;
            }
            self.flow.begin(&step_of, step);
            let wanted = size.saturating_sub(plan.order.len() - waiting.len());
            self.reach(&waiting, wanted);
            let mut late = self.late(&waiting);
            if step == last && self.flow.is_strict && late.len() <= few {
                late = self.push(&waiting, late, &step_of, step);
            }
            schedule.begin_step();
            self.flow.paths(|path| schedule.push(MessageId::new(0), path));
            for node in &waiting {
                step_of[node.index()] = step;
            }
            for node in &late {
                step_of[node.index()] = u32::MAX;
            }
            waiting = late;
        }
        Outcome { schedule, unreached: waiting }
    }

    /// Reaches so many, the first ones first. Where any path will do, then as many more as can be: holders never harm.
    fn reach(&mut self, waiting: &[NodeId], mut wanted: usize) {
        let mut rest = waiting;
        while wanted > 0 && !rest.is_empty() {
            let (offered, others) = rest.split_at(wanted.min(rest.len()));
            let reached = self.flow.reach(offered);
            rest = others;
            wanted -= reached;
            if reached < offered.len() / 2 {
                // Most ports are taken.
                break;
            }
        }
        if !self.flow.is_strict {
            self.flow.reach(rest);
        }
    }

    fn late(&self, waiting: &[NodeId]) -> Vec<NodeId> {
        waiting.iter().copied().filter(|&node| !self.flow.is_reached(node)).collect()
    }

    /// Tries the step again with the holders pushed away that too many depend on; returns the fewest left over.
    fn push(&mut self, waiting: &[NodeId], late: Vec<NodeId>, step_of: &[u32], step: u32) -> Vec<NodeId> {
        let (mut fewest, mut late) = (late.clone(), late);
        for _ in 0..PUSHES {
            if late.is_empty() {
                break;
            }
            self.flow.push_away(&late, step_of, step);
            self.flow.begin(step_of, step);
            self.flow.reach(waiting);
            late = self.late(waiting);
            if late.len() < fewest.len() {
                fewest.clone_from(&late);
            }
        }
        self.flow.pull_back();
        fewest
    }
}

#[cfg(test)]
mod tests;
