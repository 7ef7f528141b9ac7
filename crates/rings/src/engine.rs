//! Rings as an engine of a planner.

use lockstep_schedule::{
    Budget, Engine, EngineObserver, EngineRequest, FoundSchedule, MessageId, NotFound, Outcome, Problem, Schedule,
    Slots, verify,
};
use lockstep_topology::NodeId;

use crate::request::RingRequest;
use crate::ring_count::RingCount;
use crate::ring_set::{RingKind, RingSet};
use crate::search::search;

/// The largest number of rings.
const MAX_RINGS: u32 = 16;

/// The amount of work of a search: a few seconds, unless the bound is met before.
const WORK: u64 = 4_000_000;

/// The largest number of transfers, and of uses of channels.
const MAX_TRANSFERS: u64 = 1 << 26;

/// The engine `rings`: all-gathers around rings. It also plans reduce-scatters and all-reduces, because their phases are all-gathers.
///
/// In each round, every terminal forwards around each ring what it received in the round before. The rings share the chunks of a
/// message. If the transfers of a round do not fit into one step, they take several.
///
/// The number of rings is that with the greatest bandwidth, up to the number of chunks and 16. If it does not divide the number of chunks, the
/// largest divisor is tried, too. The engine ignores the number of evaluations.
///
/// ```
/// use lockstep_rings::RingsEngine;
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Engine, EngineRequest, Problem};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let all_gather = Collective::all_gather().with_chunks(4.try_into()?);
/// let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward())?;
/// let budget = Budget::unlimited();
/// let found = RingsEngine.find(&EngineRequest::new(problem, 15, 1, &budget), &mut |_| {}).found?;
/// // Four rings without a common channel, and a chunk of each message around each.
/// assert_eq!(found.schedule.step_count(), 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RingsEngine;

impl Engine for RingsEngine {
    fn name(&self) -> &'static str {
        "rings"
    }

    fn description(&self) -> &'static str {
        "rings with the greatest bandwidth, for all-gathers, reduce-scatters and all-reduces"
    }

    fn supports(&self, problem: &Problem<'_>) -> Result<(), NotFound> {
        Demand::of(problem).map(|_| ())
    }

    fn find(&self, request: &EngineRequest<'_>, _: &mut EngineObserver<'_>) -> Outcome {
        Outcome::of_attempt(find(request))
    }
}

/// The messages of an all-gather.
struct Demand {
    /// The terminals, ascending.
    terminals: Vec<NodeId>,
    /// By node: its messages.
    of_node: Vec<Vec<MessageId>>,
    /// The largest number of messages of a terminal.
    chunks: u32,
}

impl Demand {
    /// Returns the messages, if each is from one of some terminals to all others of them, and each of these has one.
    fn of(problem: &Problem<'_>) -> Result<Self, NotFound> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let mut of_node = vec![Vec::new(); topology.node_count()];
        for message in messages.ids() {
            of_node[messages.source(message).index()].push(message);
        }
        let terminals: Vec<NodeId> =
            topology.terminals().iter().copied().filter(|node| !of_node[node.index()].is_empty()).collect();
        let others = |message| messages.receivers_iter(message).filter(move |&node| node != messages.source(message));
        let is_gossip = !messages.is_scatter()
            && terminals.len() > 1
            && messages.ids().all(|message| {
                others(message).count() + 1 == terminals.len()
                    && others(message).all(|node| !of_node[node.index()].is_empty())
            });
        if !is_gossip {
            return Err(unsupported("a ring needs a message of every terminal to all others"));
        }
        let chunks = of_node.iter().map(Vec::len).max().unwrap_or(0) as u32;
        Ok(Self { terminals, of_node, chunks })
    }
}

fn unsupported(why: &str) -> NotFound {
    NotFound::Unsupported { engine: RingsEngine.name(), why: why.to_owned() }
}

fn find(request: &EngineRequest<'_>) -> Result<FoundSchedule, NotFound> {
    let EngineRequest { problem, budget, .. } = *request;
    let demand = Demand::of(&problem)?;
    let most = demand.chunks.min(MAX_RINGS);
    let mut best: Option<Schedule> = None;
    let mut violation = None;
    let mut counts = vec![RingCount::AtMost(most)];
    while let Some(count) = counts.pop() {
        let Some(set) = rings(request, &demand, count)? else { continue };
        let divides = |&rings: &u32| demand.chunks.is_multiple_of(rings);
        if matches!(count, RingCount::AtMost(_)) && !divides(&(set.len() as u32)) {
            counts.extend((1..=most).rev().find(divides).map(RingCount::Exactly));
        }
        let schedule = around(&problem, &demand, &set, budget)?;
        if best.as_ref().is_some_and(|best| best.step_count() <= schedule.step_count()) {
            continue;
        }
        match verify(&problem, &schedule) {
            Ok(_) => best = Some(schedule),
            Err(refused) => violation = Some(refused),
        }
        if best.as_ref().is_some_and(|best| best.step_count() as u32 <= request.goal) {
            break;
        }
    }
    match (best, violation, budget.interruption()) {
        (Some(schedule), ..) => Ok(FoundSchedule { schedule, method: None }),
        (None, Some(violation), _) => Err(unsupported(&format!("a hop breaks a rule of the model: {violation}"))),
        (None, None, Some(reason)) => Err(NotFound::Unfinished { reason }),
        (None, None, None) => Err(unsupported("it found no ring over the terminals")),
    }
}

/// Searches for rings.
fn rings(request: &EngineRequest<'_>, demand: &Demand, channels: RingCount) -> Result<Option<RingSet>, NotFound> {
    let is_stopped = || request.budget.interruption().is_some();
    let request_of_rings = RingRequest {
        terminals: Some(&demand.terminals),
        kind: RingKind::Ring,
        channels,
        relay: 0,
        gateway: None,
        seed: request.seed,
        work: WORK,
        is_stopped: &is_stopped,
    };
    let answer = search(request.problem.topology(), &request_of_rings);
    Ok(answer.map_err(|error| unsupported(&error.to_string()))?.set.map(|(set, _)| set))
}

/// Returns the all-gather around rings.
fn around(problem: &Problem<'_>, demand: &Demand, set: &RingSet, budget: &Budget) -> Result<Schedule, NotFound> {
    let count = demand.terminals.len();
    let rounds = count - 1;
    let transfers = problem.messages().len() as u64 * rounds as u64;
    let uses = u64::from(demand.chunks).div_ceil(set.len() as u64) * set.length() as u64 * rounds as u64;
    if transfers.max(uses) > MAX_TRANSFERS {
        return Err(unsupported("the schedule has more than 2^26 transfers"));
    }
    let hops: Vec<Vec<&[_]>> = (0..set.len()).map(|ring| set.hops(ring).collect()).collect();
    let mut schedule = Schedule::with_capacity(transfers as usize, uses as usize);
    let mut packing = Packing::new(problem);
    for round in 0..rounds {
        if let Some(reason) = budget.interruption() {
            return Err(NotFound::Unfinished { reason });
        }
        // A chunk around every ring, then the next one.
        let mut open: Vec<(MessageId, &[_])> = Vec::new();
        for first in (0..demand.chunks as usize).step_by(set.len()) {
            for (ring, hops) in hops.iter().enumerate() {
                let order = set.order(ring);
                open.extend(hops.iter().enumerate().filter_map(|(place, &path)| {
                    let source = order[(place + count - round) % count];
                    Some((*demand.of_node[source.index()].get(first + ring)?, path))
                }));
            }
        }
        while !open.is_empty() {
            schedule.begin_step();
            packing.begin_step();
            let before = open.len();
            open.retain(|&(message, path)| {
                let fits = packing.add(path);
                if fits {
                    schedule.push(message, path);
                }
                !fits
            });
            if open.len() == before {
                return Err(unsupported("a hop exceeds the capacity of a step"));
            }
        }
    }
    Ok(schedule)
}

/// The uses of the slots in a step.
struct Packing<'a> {
    slots: Slots<'a>,
    uses: Vec<u32>,
}

impl<'a> Packing<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let slots = Slots::new(problem);
        Self { slots, uses: vec![0; slots.count()] }
    }

    fn begin_step(&mut self) {
        self.uses.fill(0);
    }

    /// Adds a transfer if its slots have room for it.
    fn add(&mut self, path: &[lockstep_topology::ChannelId]) -> bool {
        let uses = &mut self.uses;
        let slots = self.slots;
        let mut added = 0;
        for slot in slots.of(path) {
            uses[slot] += 1;
            added += 1;
            if uses[slot] > slots.capacity(slot) {
                slots.of(path).take(added).for_each(|slot| uses[slot] -= 1);
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::Topology;

    use super::*;

    fn steps(spec: &str, collective: &Collective, chunks: u32, model: CommunicationModel) -> Result<usize, NotFound> {
        let topology: Topology = spec.parse().unwrap();
        let collective = collective.clone().with_chunks(NonZeroU32::new(chunks).unwrap());
        let problem = Problem::new(&topology, &collective, model).unwrap();
        let budget = Budget::unlimited();
        let found = RingsEngine.find(&EngineRequest::new(problem, 1, 1, &budget), &mut |_| {}).found?;
        assert!(verify(&problem, &found.schedule).is_ok());
        Ok(found.schedule.step_count())
    }

    /// `K` rings with load `rho` carry `chunks` in `(N - 1) ceil(chunks / K) rho` steps.
    #[test]
    fn steps_are_those_of_the_bandwidth_of_the_rings() {
        let (all_gather, model) = (Collective::all_gather(), CommunicationModel::wormhole());
        for (spec, chunks, expected) in [
            ("ring:5", 1, 4),
            ("ring:5", 2, 4),
            ("ring:5", 3, 8),
            ("torus:4x4", 4, 15),
            ("torus:4x4", 8, 30),
            ("hypercube:3", 2, 7),
            ("complete:7", 6, 6),
            ("complete:7", 5, 6),
            ("dgx-1", 6, 7),
            ("dgx-a100:2", 1, 15),
        ] {
            assert_eq!(steps(spec, &all_gather, chunks, model), Ok(expected), "{spec}, {chunks} chunks");
        }
    }

    #[test]
    fn groups_have_rings_of_their_own() {
        let [a, b, c] = [0, 1, 2].map(NodeId::new);
        let group = Collective::many_to_many_broadcast(&[a, b, c], &[a, b, c]);
        assert_eq!(steps("complete:5", &group, 2, CommunicationModel::store_and_forward()), Ok(2));
    }

    #[test]
    fn other_problems_are_refused() {
        let refused = |spec: &str, collective: Collective, model| {
            let error = steps(spec, &collective, 1, model).unwrap_err();
            assert!(matches!(error, NotFound::Unsupported { engine: "rings", .. }), "{error}");
        };
        let wormhole = CommunicationModel::wormhole();
        refused("ring:5", Collective::broadcast(NodeId::new(0)), wormhole);
        refused("ring:5", Collective::all_to_all(), wormhole);
        // A grid of odd order has no ring.
        refused("mesh:3x3", Collective::all_gather(), wormhole);
    }
}
