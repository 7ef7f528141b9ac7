//! Messages that enter a node set and spread there.

use fixedbitset::FixedBitSet;
use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::{ChannelId, NodeId};
use rayon::prelude::*;

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

/// The parts of the last step in which messages may enter, as divisors.
const PARTS: [u32; 3] = [2, 8, 64];

/// Computes the number of steps in which messages enter a node set and spread to all terminals there.
///
/// A message that enters the set first in the last step must enter once per terminal of the set: no terminal inside can
/// pass it on. If `b` transfers can enter in a step, then at most `b / t` messages enter first in the last step, for `t`
/// terminals.
///
/// Flows find the sets: those that stop the messages for one receiver if the last step is only a part of a step. Applies to
/// broadcasts of two or more messages. The bound must exceed `least` steps. Takes a few flows per receiver; in large
/// networks, it considers a sample of the receivers.
///
/// # Source
///
/// Lockstep. The cuts: Ford and Fulkerson, *Flows in Networks* (1962), §I.5.
pub(super) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>, least: u32) -> Option<LowerBound> {
    let demand = Demand::new(problem);
    let Demand::Broadcast { sources, terminals } = demand else { return None };
    let (topology, rules, chunks) = (problem.topology(), TransferRules::new(problem), problem.messages().chunks());
    let ends = |channel: ChannelId| [topology.tail(channel), topology.head(channel)].map(ResourceFlow::at);
    let mut flow = ResourceFlow::new(topology, |channel| [rules.carries(channel).then(|| ends(channel)), None]);
    for &source in sources {
        flow.supply(source, 0);
    }
    let work = VISITS * (topology.node_count() + topology.channel_count());
    let receivers = demand.receivers();
    let receivers: Vec<NodeId> = sample(&receivers, WORK / work).copied().collect();
    let mut cut = MovingCut::new(problem, &demand);
    let mut steps = least;
    let mut best = None;
    let mut parts = PARTS.into_iter();
    let mut part = parts.next();
    while let Some(divisor) = part.filter(|_| steps < request.enough && !request.is_over()) {
        let (Some(units), Some(capacity)) = (chunks.checked_mul(divisor), late_capacity(steps, divisor)) else { break };
        let stopped = |flow: &mut ResourceFlow, receiver: &NodeId| -> Option<FixedBitSet> {
            let supply = |&source: &NodeId| if source == *receiver { 0 } else { units };
            flow.replace_ends(sources.iter().map(supply));
            let arrived = flow.flow(capacity, ResourceFlow::source(topology), ResourceFlow::at(*receiver));
            let all = u64::from(demand.count_to(*receiver)) * u64::from(units);
            (arrived < all).then(|| flow.far_side())
        };
        let sides: Vec<Option<FixedBitSet>> =
            receivers.par_iter().with_min_len(8).map_init(|| flow.clone(), stopped).collect();
        let before = steps;
        for side in sides.iter().flatten() {
            cut.become_set(side);
            let [messages, per_step] = cut.entries();
            let receivers = terminals.iter().filter(|terminal| side.contains(terminal.index())).count() as u64;
            let Some(proved) = late_steps(messages, per_step, receivers).filter(|&proved| proved > steps) else {
                continue;
            };
            steps = proved;
            let nodes = side.ones().map(NodeId::from_index).collect();
            let certificate = Certificate::LateCut { nodes, receivers, messages, per_step };
            best = Some(LowerBound { steps, rule: Rule::TimedCut, certificate });
        }
        if steps == before {
            part = parts.next();
        }
    }
    best
}

/// Returns the capacity of a resource in all steps but the last one and a part of the last one, in parts of a step.
fn late_capacity(steps: u32, divisor: u32) -> Option<u32> {
    steps.checked_sub(1)?.checked_mul(divisor)?.checked_add(1)
}

/// Returns the number of steps in which messages enter a set with a number of receivers of each of them.
fn late_steps(messages: u64, per_step: u64, receivers: u64) -> Option<u32> {
    let late = per_step.checked_div(receivers)?;
    let steps = messages.checked_sub(late).filter(|&early| early > 0 && per_step > 0)?.div_ceil(per_step) + 1;
    u32::try_from(steps).ok()
}
