//! The deliveries that are possible in one step.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::Problem;
use lockstep_topology::NodeId;

use crate::demand::Demand;
use crate::groups;
use crate::partition;
use crate::pipeline::ceil_steps;
use crate::request::BoundRequest;
use crate::transfer_rules::TransferRules;

/// Computes the number of steps in which all deliveries pass the ports and channels of the receivers together, and
/// those of the senders.
///
/// Senders are all terminals, or only the sources if messages are direct. Applies to every problem. It exceeds the
/// [ports](super::ports) where resources are shared, or receivers can finish more transfers than senders can start.
/// Takes `O(N + M)` time.
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng and Tsitsiklis, "Optimal communication algorithms for hypercubes",
/// *J. Parallel and Distributed Computing* 11 (1991), §2, with the channels into and out of terminals only.
pub(crate) fn bound(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    let (demand, rules) = (Demand::new(problem), TransferRules::new(problem));
    let terminals = problem.topology().terminals();
    let senders = if rules.is_direct() { demand.sources() } else { terminals.to_vec() };
    bound_between(rules, &senders, &demand.receivers(), problem.messages().delivery_count())
}

/// Computes the number of steps in which the transfers of an all-reduce pass all ports and channels of terminals.
///
/// Each message takes twice as many transfers as it has receivers: each terminal but the one that holds the result first
/// passes a partial sum on, and gets the result later. The same holds for the transfers between groups of nodes: those that are
/// connected [by channels of a large capacity](groups::by_capacity), and those of the [tightest partition](partition::tightest).
/// Takes a few rounds of a flow per terminal.
///
/// # Source
///
/// Harary and Schwenk, "The communication problem on graphs and digraphs", *J. Franklin Institute* 297 (1974).
pub(crate) fn bound_of_all_reduce(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    most_steps(bounds_of_all_reduce(problem))
}

/// Computes the bound of an all-reduce as [`bound_of_all_reduce`], without the tightest partition. Takes `O(N + M)` time per
/// capacity.
pub(crate) fn quick_bound_of_all_reduce(problem: &Problem<'_>, _request: &BoundRequest<'_>) -> Option<LowerBound> {
    most_steps(quick_bounds_of_all_reduce(problem))
}

fn most_steps(bounds: impl Iterator<Item = LowerBound>) -> Option<LowerBound> {
    bounds.reduce(|best, next| if next.steps > best.steps { next } else { best })
}

/// Returns the bound of the transfers between terminals, and those of the transfers between groups.
///
/// The one with the most steps is not always the one with the largest quotient.
pub(crate) fn bounds_of_all_reduce(problem: &Problem<'_>) -> impl Iterator<Item = LowerBound> {
    let rules = TransferRules::new(problem);
    let tightest = partition::tightest(problem, rules).and_then(|groups| of_groups(problem, rules, groups));
    quick_bounds_of_all_reduce(problem).chain(tightest)
}

fn quick_bounds_of_all_reduce(problem: &Problem<'_>) -> impl Iterator<Item = LowerBound> {
    let (terminals, rules) = (problem.topology().terminals(), TransferRules::new(problem));
    let of_terminals = bound_between(rules, terminals, terminals, 2 * problem.messages().delivery_count());
    let of_groups =
        groups::by_capacity(problem, rules).into_iter().filter_map(move |groups| of_groups(problem, rules, groups));
    of_terminals.into_iter().chain(of_groups)
}

/// Returns the bound of the transfers between groups of nodes.
fn of_groups(problem: &Problem<'_>, rules: TransferRules<'_>, groups: Vec<Vec<NodeId>>) -> Option<LowerBound> {
    let topology = problem.topology();
    let per_step = groups::room_between(rules, &groups);
    let (messages, mut transfers) = (problem.messages(), 0);
    let mut members = u64::MAX;
    if problem.collective().listed().is_none() {
        let terminals = |nodes: &Vec<NodeId>| nodes.iter().filter(|&&node| topology.is_terminal(node)).count() as u64;
        members = groups.iter().map(terminals).min()?;
        transfers = 2 * (groups.len() as u64 - 1) * messages.len() as u64;
    } else {
        let mut group = vec![usize::MAX; topology.node_count()];
        for (number, nodes) in groups.iter().enumerate() {
            for node in nodes {
                group[node.index()] = number;
            }
        }
        for message in messages.ids() {
            let ends = messages.receivers_iter(message).chain([messages.source(message)]);
            let mut joined: Vec<usize> = ends.map(|member| group[member.index()]).collect();
            joined.sort_unstable();
            let parts = joined.chunk_by(|one, other| one == other);
            members = parts.clone().map(|part| part.len() as u64).fold(members, u64::min);
            transfers += 2 * (parts.count() as u64 - 1);
        }
    }
    let steps = ceil_steps(transfers, per_step)?;
    let at_ends = 2 * per_step / (members + 1);
    let between = transfers.saturating_sub(2 * at_ends);
    let steps =
        if steps < 2 || between == 0 { steps } else { steps.max(ceil_steps(between, per_step)?.saturating_add(2)) };
    let certificate = Certificate::GroupVolume { groups, transfers, members, per_step };
    Some(LowerBound { steps, rule: Rule::Volume, certificate })
}

/// Returns the bound of a number of transfers from these senders to these receivers.
fn bound_between(
    rules: TransferRules<'_>,
    senders: &[NodeId],
    receivers: &[NodeId],
    deliveries: u64,
) -> Option<LowerBound> {
    let into = |&node: &NodeId| rules.topology.in_channels(node).iter().copied();
    let out_of = |&node: &NodeId| rules.topology.out_channels(node).iter().copied();
    let limits = [
        receivers.iter().map(|&node| rules.receive_limit(node)).sum(),
        senders.iter().map(|&node| rules.send_limit(node)).sum(),
        rules.room(receivers.iter().flat_map(into)),
        rules.room(senders.iter().flat_map(out_of)),
    ];
    let per_step = limits.into_iter().min()?;
    let certificate = Certificate::Volume { deliveries, per_step };
    Some(LowerBound { steps: ceil_steps(deliveries, per_step)?, rule: Rule::Volume, certificate })
}
