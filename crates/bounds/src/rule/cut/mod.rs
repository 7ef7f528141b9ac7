//! Messages that cross from one part of the network to the other.

mod best_cut;
mod families;
mod flows;

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{DistributePhase, Phase, Problem};
use lockstep_topology::{ChannelId, NodeId};

use self::best_cut::BestCut;
use crate::demand::Demand;
use crate::members::Members;
use crate::moving_cut::Crossings;
use crate::request::{BoundRequest, ProvedSteps};
use crate::rule::ports;
use crate::transfer_rules::TransferRules;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports];

/// Computes the number of steps in which messages cross a cut, each over its own resource.
///
/// [Maximum flows](flows) find the best cut if the messages are copies of a broadcast, or if each has one receiver and
/// all have one source or one receiver. These cuts must prove more than the [ports](super::ports). Other messages cross
/// the best of [some promising cuts](families).
///
/// Applies to two or more messages on four or more nodes. Cuts around single nodes are a matter of the ports.
///
/// # Source
///
/// The bisection argument: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, best| {
        if !flows::are_exact(demand) {
            families::search(problem, demand, best);
        }
        best.require_more_than(request.proved_by(BUILDS_ON));
        flows::search(problem, demand, best);
    })
}

/// Computes the bound of a few promising cuts, where flows are not exact.
pub(crate) fn quick_bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    search(problem, request, |demand, best| {
        if !flows::are_exact(demand) {
            families::search_few(problem, best);
        }
    })
}

/// Computes the number of steps in which the messages of an all-reduce cross a cut, each in both directions.
///
/// The cut is the best one of the broadcasts of all messages from one terminal. Applies where channels share resources;
/// elsewhere the directions do not compete, and the broadcasts prove as much.
pub(crate) fn bound_of_all_reduce(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let topology = problem.topology();
    if topology.resource_count() == topology.channel_count() || request.proved_by(BUILDS_ON) >= request.enough {
        return None;
    }
    let broadcasts = DistributePhase::rooted(problem, topology.terminals()[0], Phase::Distribute);
    let broadcasts = broadcasts.problem(problem);
    let mut proved = ProvedSteps::default();
    proved.record(Rule::Ports, ports::bound(&broadcasts, request).as_ref());
    let cut = bound(&broadcasts, &BoundRequest::unlimited(&proved))?;
    let Certificate::Cut { nodes, .. } = cut.certificate else { return None };
    let is_inside = |node: NodeId| nodes.binary_search(&node).is_ok();
    let is_split = |members: &Members| {
        let inside = members.ranks.iter().filter(|&&rank| is_inside(topology.terminals()[rank])).count();
        inside > 0 && inside < members.ranks.len()
    };
    let messages = Members::all(problem).into_iter().filter(is_split).map(|members| members.count).sum();
    let across = |from: bool| {
        let crosses = move |&channel: &ChannelId| {
            [topology.tail(channel), topology.head(channel)].map(is_inside) == [from, !from]
        };
        topology.channels().filter(crosses)
    };
    let rules = TransferRules::new(problem);
    let limits = Crossings {
        into: rules.room(across(false)),
        out: rules.room(across(true)),
        both: rules.room(across(false).chain(across(true))),
    };
    Crossings::of_all_reduce(messages).bound(limits, nodes.clone(), Rule::Cut)
}

fn search(
    problem: &Problem<'_>,
    request: &BoundRequest<'_>,
    find: impl FnOnce(&Demand<'_>, &mut BestCut<'_, '_>),
) -> Option<LowerBound> {
    if problem.messages().len() == 1 {
        return None;
    }
    let demand = Demand::new(problem);
    let mut best = BestCut::new(problem, &demand, request);
    find(&demand, &mut best);
    best.into_bound()
}
