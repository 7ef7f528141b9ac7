//! Messages that enter a node set and spread there.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

use crate::bfs::{Bfs, UNREACHED};
use crate::demand::Demand;
use crate::moving_cut::MovingCut;
use crate::request::BoundRequest;
use crate::resource_flow::ResourceFlow;
use crate::sample::sample;
use crate::transfer_rules::TransferRules;

/// The typical number of visits per arc that a flow takes.
const VISITS: usize = 16;

/// Visits of the flows of one round: a few tenths of a second.
const WORK: usize = 1 << 23;

/// Number of sets per round: those with the most messages for the transfers that can enter.
const SETS: usize = 16;

/// The largest number of nodes that messages reach only through one terminal. Flows find larger sets.
const MAX_BEHIND: usize = 64;

/// The steps in which messages may enter: the last steps that are left out, and the part of the first of them that is not,
/// as a divisor.
const EARLY: [(u32, Option<u32>); 5] = [(1, Some(2)), (1, Some(8)), (1, Some(64)), (2, None), (3, None)];

/// Computes the number of steps in which messages enter a node set and spread to all terminals there.
///
/// A message that first enters the set in the last `d` steps cannot spread far there. If it must enter `f` times to reach all
/// receivers, and if `b` transfers can enter in a step, then at most `b d / f` messages enter first in the last `d` steps, and
/// none if they cannot reach all receivers at all. For one last step, `f` is the number of receivers.
///
/// A message from inside counts if its source does not reach all receivers inside the set.
///
/// The first sets have a terminal and the nodes that messages reach only through it. Then flows find sets: those that stop the
/// messages for one receiver if the last step is only a part of a step, or if the last two or three steps are left out. Applies
/// to broadcasts of two or more messages. The bound must exceed `least` steps. Takes one search per channel and a few flows per
/// receiver; in large networks, it considers a sample of the receivers.
///
/// # Source
///
/// Lockstep. The cuts: Ford and Fulkerson, *Flows in Networks* (1962), §I.5.
pub(super) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>, least: u32) -> Option<LowerBound> {
    let demand = Demand::new(problem);
    let Demand::Broadcast { sources, .. } = demand else { return None };
    let (topology, rules, chunks) = (problem.topology(), TransferRules::new(problem), problem.messages().chunks());
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    let mut flow = ResourceFlow::new(topology, |channel| [rules.carries(channel).then(|| ends(channel)), None]);
    for &source in sources {
        flow.supply(source, 0);
    }
    let work = VISITS * (topology.node_count() + topology.channel_count());
    let receivers = demand.receivers();
    let receivers: Vec<NodeId> = sample(&receivers, WORK / work).copied().collect();
    let mut best = BestCut { problem, steps: least, bound: None };
    for nodes in behind_one_terminal(rules, &demand, &receivers) {
        best.consider(&nodes);
    }
    let mut cut = MovingCut::new(problem, &demand);
    let mut early = EARLY.into_iter();
    let mut choice = early.next();
    while let Some((left_out, part)) = choice.filter(|_| best.steps < request.enough && !request.is_over()) {
        let units = chunks.checked_mul(part.unwrap_or(1));
        let (Some(units), Some(capacity)) = (units, early_capacity(best.steps, left_out, part)) else { break };
        let stopped = |flow: &mut ResourceFlow, receiver: &NodeId| -> Option<FixedBitSet> {
            let supply = |&source: &NodeId| if source == *receiver { 0 } else { units };
            flow.replace_ends(sources.iter().map(supply));
            let arrived = flow.flow(capacity, ResourceFlow::source(topology), ResourceFlow::at(*receiver));
            let all = u64::from(demand.count_to(*receiver)) * u64::from(units);
            (arrived < all).then(|| flow.far_side())
        };
        let sides: Vec<Option<FixedBitSet>> =
            receivers.par_iter().with_min_len(8).map_init(|| flow.clone(), stopped).collect();
        let before = best.steps;
        let sides: BTreeSet<FixedBitSet> = sides.into_iter().flatten().collect();
        let narrow = |side: &FixedBitSet| {
            cut.become_set(side);
            let [messages, per_step] = cut.entries();
            Reverse(messages.checked_div(per_step))
        };
        let mut sides: Vec<FixedBitSet> = sides.into_iter().collect();
        sides.sort_by_cached_key(narrow);
        for side in sides.iter().take(SETS) {
            best.consider(&side.ones().map(NodeId::from_index).collect::<Vec<_>>());
        }
        if best.steps == before {
            choice = early.next();
        }
    }
    best.bound
}

/// The best bound so far.
struct BestCut<'a, 'p> {
    problem: &'p Problem<'a>,
    steps: u32,
    bound: Option<LowerBound>,
}

impl BestCut<'_, '_> {
    /// Keeps the bound of a node set if it is larger.
    fn consider(&mut self, nodes: &[NodeId]) {
        for (certificate, proved) in Certificate::late_cuts(self.problem, nodes) {
            if let Some(steps) = u32::try_from(proved).ok().filter(|&proved| proved > self.steps) {
                self.steps = steps;
                self.bound = Some(LowerBound { steps, rule: Rule::TimedCut, certificate });
            }
        }
    }
}

/// Returns node sets of a terminal and the nodes that messages from some neighbour reach only through this terminal: at most
/// [`SETS`], those of the terminals that take the longest to receive their messages.
fn behind_one_terminal(rules: TransferRules<'_>, demand: &Demand<'_>, receivers: &[NodeId]) -> Vec<Vec<NodeId>> {
    let mut slowest = receivers.to_vec();
    slowest.sort_by_key(|&receiver| {
        Reverse(u64::from(demand.count_to(receiver)).checked_div(rules.receive_limit(receiver)))
    });
    let (topology, mut bfs, mut sets) = (rules.topology, Bfs::default(), Vec::new());
    for terminal in slowest {
        let mut neighbours: Vec<NodeId> =
            topology.in_channels(terminal).iter().map(|&channel| topology.tail(channel)).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        for neighbour in neighbours {
            bfs.around(rules, neighbour, terminal);
            let behind: Vec<NodeId> =
                topology.nodes().filter(|&node| bfs.distance[node.index()] == UNREACHED).collect();
            if sets.len() < SETS && (2..=MAX_BEHIND).contains(&behind.len()) && !sets.contains(&behind) {
                sets.push(behind);
            }
        }
        if sets.len() == SETS {
            break;
        }
    }
    sets
}

/// Returns the capacity of a resource in all steps but the last ones and a part of one of these, in parts of a step.
fn early_capacity(steps: u32, left_out: u32, part: Option<u32>) -> Option<u32> {
    let whole = steps.checked_sub(left_out)?;
    part.map_or(Some(whole), |divisor| whole.checked_mul(divisor)?.checked_add(1))
}
