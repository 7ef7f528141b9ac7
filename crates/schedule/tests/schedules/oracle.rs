//! The verifier against an oracle: a second, slow and literal implementation of the rules.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_schedule::strategy::{instance_with_capacities, spoiled, spoiled_instance};
use lockstep_schedule::{
    Collective, CommunicationModel, Message, Pattern, Ports, Problem, Routing, ScatterRule, Schedule, Switching,
    verify, violations,
};
use lockstep_topology::strategy::{bus_puzzle, bused, directed_topology};
use lockstep_topology::{ChannelId, NodeId, ResourceId, Topology};
use proptest::prelude::*;

use crate::draft::{Draft, draft};

/// Whether the messages exist, the paths are legal, and no resource or port is used too often.
fn is_possible(problem: &Problem<'_>, schedule: &Schedule) -> bool {
    let steps = draft(schedule);
    let widths = schedule.steps().map(|(_, step)| step.width().get());
    let legal = steps.iter().zip(widths).all(|(step, width)| {
        let legal = step.iter().all(|(_, path)| legal_path(problem, path));
        legal && no_conflict(problem, step, width) && ports(problem, step, width)
    });
    let known = |&(message, _): &(u32, Vec<u32>)| (message as usize) < problem.messages().len();
    legal && steps.iter().flatten().all(known)
}

/// Returns the number of redundant deliveries, or `None` for an invalid schedule.
fn oracle(problem: &Problem<'_>, schedule: &Schedule) -> Option<usize> {
    let (messages, steps) = (problem.messages(), &draft(schedule));
    if !is_possible(problem, schedule) {
        return None;
    }
    let pairs = |are_receivers_first: bool| -> Vec<(NodeId, BTreeSet<NodeId>)> {
        let ends = messages.ids().map(|id| (messages.source(id), messages.receivers_iter(id).collect()));
        if are_receivers_first {
            return ends
                .map(|(source, receivers): (_, BTreeSet<_>)| (*receivers.first().unwrap(), [source].into()))
                .collect();
        }
        ends.collect()
    };
    let (sources, receivers) = (pairs(false), pairs(true));
    match problem.collective().pattern() {
        Pattern::Broadcast | Pattern::Scatter => distribution(problem, problem.topology(), steps, &sources),
        // A gather is a scatter in which each message goes from its receiver to its source.
        Pattern::Gather => distribution(problem, problem.topology(), steps, &receivers),
        Pattern::Reduce | Pattern::ReduceBroadcast => sums(problem, steps, &sources),
        pattern => panic!("the oracle does not support {pattern:?}"),
    }
}

/// The contributions that a terminal holds.
type Sum = BTreeSet<NodeId>;

/// Every terminal adds what arrives if nothing is counted twice, or replaces what it holds.
fn sums(problem: &Problem<'_>, steps: &Draft, messages: &[(NodeId, BTreeSet<NodeId>)]) -> Option<usize> {
    let topology = problem.topology();
    let own = |(source, receivers): &(NodeId, BTreeSet<NodeId>)| -> BTreeMap<NodeId, Sum> {
        receivers.iter().chain([source]).map(|&node| (node, [node].into())).collect()
    };
    let mut held: Vec<BTreeMap<NodeId, Sum>> = messages.iter().map(own).collect();
    let mut redundant = 0;
    for step in steps {
        let mut arrivals: BTreeMap<(usize, NodeId), Vec<Sum>> = BTreeMap::new();
        for (message, path) in step {
            let (message, ends) = (*message as usize, [path[0], *path.last()?].map(ChannelId::new));
            let sent = held[message].get(&topology.tail(ends[0]))?.clone();
            arrivals.entry((message, topology.head(ends[1]))).or_default().push(sent);
        }
        for ((message, receiver), arrived) in arrivals {
            let before = held[message].remove(&receiver).unwrap_or_default();
            let all: Vec<&Sum> = arrived.iter().chain([&before]).collect();
            let union: Sum = all.iter().copied().flatten().copied().collect();
            if union.len() < all.iter().map(|sum| sum.len()).sum() {
                if !arrived.contains(&union) {
                    return None;
                }
                redundant += arrived.len() - usize::from(union != before);
            }
            held[message].insert(receiver, union);
        }
    }
    let is_complete = |((source, receivers), held): (&(NodeId, BTreeSet<NodeId>), &BTreeMap<NodeId, Sum>)| {
        let has_all = |node: &NodeId| held.get(node).is_some_and(|sum| sum.len() == receivers.len() + 1);
        has_all(source) && (problem.collective().pattern() == Pattern::Reduce || receivers.iter().all(has_all))
    };
    messages.iter().zip(&held).all(is_complete).then_some(redundant)
}

/// The rule of release 0.1.0: an all-reduce is a reduction and then a broadcast, in different steps.
fn with_barrier(problem: &Problem<'_>, steps: &Draft) -> bool {
    let messages = problem.messages();
    let sources: Vec<_> =
        messages.ids().map(|id| (messages.source(id), messages.receivers_iter(id).collect())).collect();
    match problem.collective().pattern() {
        Pattern::Reduce => reduction(problem, steps, &sources).is_some(),
        Pattern::ReduceBroadcast => (0..=steps.len()).any(|end| {
            reduction(problem, &steps[..end].to_vec(), &sources).is_some()
                && distribution(problem, problem.topology(), &steps[end..].to_vec(), &sources).is_some()
        }),
        _ => false,
    }
}

/// The rule of release 0.1.0 for reductions. A reduction is a time-reversed broadcast on the reversed network. No message arrives twice at a terminal. A message
/// that arrives at a terminal other than its receivers is forwarded.
fn reduction(problem: &Problem<'_>, steps: &Draft, messages: &[(NodeId, BTreeSet<NodeId>)]) -> Option<usize> {
    let backwards = |path: &Vec<u32>| path.iter().rev().copied().collect::<Vec<u32>>();
    let time_reversed: Draft = steps
        .iter()
        .rev()
        .map(|step| step.iter().map(|(message, path)| (*message, backwards(path))).collect())
        .collect();
    let reversed = problem.topology().reversed();
    let transfers = || time_reversed.iter().flatten().map(|(message, path)| (*message as usize, path));
    let ends =
        |path: &Vec<u32>| [reversed.tail(ChannelId::new(path[0])), reversed.head(ChannelId::new(path[path.len() - 1]))];
    let is_forwarded = |(message, path): (usize, &Vec<u32>)| {
        let [_, arrives_at] = ends(path);
        let is_needed = messages[message].1.contains(&arrives_at);
        is_needed || transfers().any(|(other, path)| other == message && ends(path)[0] == arrives_at)
    };
    let redundant = distribution(problem, &reversed, &time_reversed, messages)?;
    (redundant == 0 && transfers().all(is_forwarded)).then_some(0)
}

fn distribution(
    problem: &Problem<'_>,
    topology: &Topology,
    steps: &Draft,
    messages: &[(NodeId, BTreeSet<NodeId>)],
) -> Option<usize> {
    let direct = problem.messages().is_scatter() && problem.model().is_direct();
    let mut holders: Vec<BTreeSet<NodeId>> = messages.iter().map(|(source, _)| [*source].into()).collect();
    let mut redundant = 0;
    for step in steps {
        let before = holders.clone();
        for (message, path) in step {
            let message = *message as usize;
            let sender = topology.tail(ChannelId::new(path[0]));
            let receiver = topology.head(ChannelId::new(*path.last()?));
            let (source, receivers) = &messages[message];
            if !before[message].contains(&sender) || direct && (sender != *source || !receivers.contains(&receiver)) {
                return None;
            }
            redundant += usize::from(!holders[message].insert(receiver));
        }
    }
    let complete = messages.iter().zip(&holders).all(|((_, receivers), holders)| receivers.is_subset(holders));
    complete.then_some(redundant)
}

fn legal_path(problem: &Problem<'_>, path: &[u32]) -> bool {
    let topology = problem.topology();
    if path.is_empty() || path.iter().any(|&channel| !topology.is_working(ChannelId::new(channel))) {
        return false;
    }
    let channels: Vec<ChannelId> = path.iter().copied().map(ChannelId::new).collect();
    let mut nodes = vec![topology.tail(channels[0])];
    for &channel in &channels {
        if topology.tail(channel) != *nodes.last().unwrap() {
            return false;
        }
        nodes.push(topology.head(channel));
    }
    let (sender, receiver) = (nodes[0], *nodes.last().unwrap());
    let inner = &nodes[1..nodes.len() - 1];
    let simple = nodes.iter().collect::<BTreeSet<_>>().len() == nodes.len();
    let between_terminals = topology.is_terminal(sender) && topology.is_terminal(receiver);
    let switched = match problem.model().switching {
        Switching::StoreAndForward => path.len() == 1,
        Switching::Wormhole => inner.iter().all(|&node| topology.routes(node)),
    };
    simple
        && between_terminals
        && switched
        && (problem.model().routing == Routing::Any || shortest(topology, sender, receiver) == Some(path.len()))
}

/// Returns the length of the shortest legal wormhole path, by trying all paths of each length.
fn shortest(topology: &Topology, sender: NodeId, receiver: NodeId) -> Option<usize> {
    (1..topology.node_count()).find(|&length| arrives(topology, &mut vec![sender], &mut Vec::new(), receiver, length))
}

/// Returns true if some legal path of this length begins with the nodes and resources, and ends at the receiver.
fn arrives(
    topology: &Topology,
    nodes: &mut Vec<NodeId>,
    resources: &mut Vec<ResourceId>,
    receiver: NodeId,
    length: usize,
) -> bool {
    let node = *nodes.last().unwrap();
    if resources.len() == length {
        return node == receiver;
    }
    let crossed = nodes.len() == 1 || topology.routes(node);
    crossed
        && topology.out_channels(node).iter().any(|&channel| {
            let (head, resource) = (topology.head(channel), topology.resource(channel));
            if nodes.contains(&head) || resources.contains(&resource) {
                return false;
            }
            nodes.push(head);
            resources.push(resource);
            let arrives = arrives(topology, nodes, resources, receiver, length);
            nodes.pop();
            resources.pop();
            arrives
        })
}

fn no_conflict(problem: &Problem<'_>, step: &[(u32, Vec<u32>)], width: u32) -> bool {
    let topology = problem.topology();
    let resource = |&channel: &u32| topology.resource(ChannelId::new(channel));
    let mut uses: BTreeMap<ResourceId, u32> = BTreeMap::new();
    for (_, path) in step {
        if path.iter().map(resource).collect::<BTreeSet<_>>().len() < path.len() {
            return false;
        }
        for channel in path {
            *uses.entry(resource(channel)).or_default() += 1;
        }
    }
    uses.into_iter().all(|(resource, uses)| uses <= width * topology.resource_capacity(resource))
}

fn ports(problem: &Problem<'_>, step: &[(u32, Vec<u32>)], width: u32) -> bool {
    let Ports::Limit(limit) = problem.model().ports else {
        return true;
    };
    let (mut sends, mut receives) = (BTreeMap::new(), BTreeMap::new());
    for (_, path) in step {
        *sends.entry(problem.topology().tail(ChannelId::new(path[0]))).or_insert(0) += 1;
        *receives.entry(problem.topology().head(ChannelId::new(*path.last().unwrap()))).or_insert(0) += 1;
    }
    sends.values().chain(receives.values()).all(|&count| count <= width * limit.get())
}

/// Returns true if one message can go from a terminal to another under wormhole switching.
fn is_connected(topology: &Topology, from: NodeId, to: NodeId, scatter: ScatterRule) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&sender) = reached.get(next) {
        next += 1;
        let is_new = |node: &NodeId| !reached.contains(node) && shortest(topology, sender, *node).is_some();
        let more: Vec<NodeId> = topology.terminals().iter().copied().filter(is_new).collect();
        reached.extend(more);
        if scatter == ScatterRule::Direct {
            break;
        }
    }
    reached.contains(&to)
}

proptest! {
    /// A problem is refused if and only if a message cannot reach its receiver over legal paths.
    #[test]
    fn problems_are_refused_where_no_legal_path_leads(
        topology in directed_topology(7).prop_flat_map(bused), direct: bool, minimal: bool, collects: bool,
    ) {
        let scatter = if direct { ScatterRule::Direct } else { ScatterRule::Relay };
        let routing = if minimal { Routing::Minimal } else { Routing::Any };
        let model = CommunicationModel { scatter, routing, ..CommunicationModel::wormhole() };
        for &from in topology.terminals() {
            for &to in topology.terminals().iter().filter(|&&to| to != from) {
                let scatter_to = Collective::custom(vec![Message { source: from, receivers: vec![to] }]);
                let (collective, ends) =
                    if collects { (scatter_to.reversed(), (to, from)) } else { (scatter_to, (from, to)) };
                let is_accepted = Problem::new(&topology, &collective, model).is_ok();
                prop_assert_eq!(is_accepted, is_connected(&topology, ends.0, ends.1, scatter));
            }
        }
    }
}

/// The search for legal paths is exact, so it must end somewhere.
#[test]
fn a_search_that_takes_too_long_is_an_error() {
    let collective = Collective::scatter(NodeId::new(0));
    let error = |stages| {
        let puzzle = bus_puzzle(stages);
        Problem::new(&puzzle, &collective, CommunicationModel::wormhole()).unwrap_err().to_string()
    };
    assert!(error(3).starts_with("no wormhole path leads from 'source' to 'target'"));
    let long = error(20);
    assert!(long.starts_with("the search for the legal paths of 'source' takes more than 42"), "{long}");
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(1000))]

    #[test]
    fn the_verifier_agrees_with_the_oracle(
        (instance, schedule) in prop_oneof![3 => spoiled_instance(8), 1 => spoiled(instance_with_capacities(8))],
    ) {
        let problem = instance.problem();
        let expected = oracle(&problem, &schedule);
        let found = verify(&problem, &schedule);
        let agrees = expected.is_some() == found.is_ok();
        prop_assert!(agrees, "oracle {:?}, verifier {:?}", expected, found);
        if let (Some(redundant), Ok(report)) = (expected, &found) {
            prop_assert_eq!(report.redundant, redundant as u64);
            let sum = report.deliveries + report.relays + report.redundant;
            prop_assert_eq!(report.transfers as u64, sum);
        }
    }

    /// Schedules of release 0.1.0 are valid.
    #[test]
    fn a_schedule_with_a_barrier_is_valid((instance, schedule) in spoiled_instance(8)) {
        let problem = instance.problem();
        let steps = draft(&schedule);
        if is_possible(&problem, &schedule) && with_barrier(&problem, &steps) {
            let found = verify(&problem, &schedule);
            prop_assert!(found.is_ok(), "{:?}", found);
        }
    }

    #[test]
    fn the_list_begins_with_the_first_violation((instance, schedule) in spoiled_instance(8), limit in 0usize..6) {
        let problem = instance.problem();
        let all = violations(&problem, &schedule, usize::MAX);
        prop_assert_eq!(all.first().cloned(), verify(&problem, &schedule).err());
        prop_assert_eq!(&violations(&problem, &schedule, limit)[..], &all[..limit.min(all.len())]);
        let place = |at: Option<&lockstep_schedule::Place>| at.map_or((usize::MAX, 0), |at| (at.step, at.transfer));
        prop_assert!(all.is_sorted_by_key(|violation| place(violation.place())));
    }
}
