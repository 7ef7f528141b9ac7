//! Messages that cross a cut of the time-expanded network, or enter a part of the network before the last step.

mod cut_labels;
mod late_cut;
mod message_group;
mod time_expanded;
mod tree_routing;

use lockstep_certificate::{LowerBound, Rule};
use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use self::cut_labels::TimedCapacities;
use self::message_group::MessageGroup;
use self::time_expanded::{TimeExpandedNetwork, arc_count};
use self::tree_routing::TreeRouting;
use crate::demand::{Demand, Multicast};
use crate::request::BoundRequest;
use crate::sample::{SEARCH_WORK, sample};

/// The largest number of arcs of a time-expanded network: about 50 MB.
const MAX_ARCS: usize = 1 << 20;

/// The largest number of arcs of all flows of one round: a few tenths of a second.
const ROUND_ARCS: usize = 1 << 22;

/// The typical number of visits per node and channel before a flow runs.
const VISITS: usize = 8;

/// The smallest number of moments in a time-expanded network.
const MIN_MOMENTS: usize = 16;

pub(crate) const BUILDS_ON: &[Rule] = &[Rule::Ports, Rule::Cut, Rule::Eccentricity];

/// The rules that a cut of the time-expanded network must exceed.
const EXCEEDS: &[Rule] = &[Rule::Ports, Rule::Eccentricity];

/// Computes the number of steps in which messages cross the best cut of the time-expanded network.
///
/// The messages are all those of the only source, each for one receiver, or those for each receiver in turn. A terminal
/// keeps the messages that it holds. So one number per terminal describes a cut: the time at which it joins the near
/// side. Limited ports need two more numbers. `T` steps are too few if a [flow](time_expanded) over `T` steps does not
/// bring all messages to their receivers. A minimum cut then gives the number of steps for which it has too little
/// capacity.
///
/// For broadcasts under wormhole switching, it considers the cuts whose messages must enter
/// [before the last step](late_cut) instead.
///
/// Applies to two or more messages that terminals may forward. The bound of flows must exceed those of the
/// [ports](super::ports) and the [distances](super::eccentricity). For a scatter from one source, or to one receiver, it is
/// the optimum if only opposite channels share resources, no times are merged, and wormhole transfers may take any path.
/// Takes a few flows of `O(M T)` arcs per receiver. In
/// larger networks, times in the middle are merged, and beyond that, it considers a sample of the receivers.
///
/// # Source
///
/// Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let messages = problem.messages();
    if messages.len() == 1 {
        return None;
    }
    if problem.model().switching == Switching::Wormhole && (!messages.is_scatter() || problem.model().is_direct()) {
        return late_cut::bound(problem, request, request.proved_by(BUILDS_ON));
    }
    let demand = Demand::new(problem);
    let (topology, groups) = (problem.topology(), MessageGroup::all(problem, &demand)?);
    let visits = VISITS * (topology.node_count() + topology.channel_count());
    let mut open: Vec<MessageGroup> = sample(&groups, SEARCH_WORK / visits).copied().collect();
    let mut steps = request.proved_by(EXCEEDS);
    let (capacities, routing) = (TimedCapacities::new(problem), TreeRouting::new(problem));
    let mut best = None;
    while steps < request.enough.min(u32::MAX - 1) && !request.is_over() {
        let is_open =
            |routing: &mut TreeRouting<'_>, group: &MessageGroup| !routing.serves(problem, &demand, *group, steps);
        let is_open: Vec<bool> = open.par_iter().map_init(|| routing.clone(), is_open).collect();
        let mut is_open = is_open.into_iter();
        open.retain(|_| is_open.next() == Some(true));
        if open.is_empty() {
            break;
        }
        let per_moment = arc_count(&capacities, 1);
        let moments = (MAX_ARCS / per_moment).min(ROUND_ARCS / per_moment / open.len()).max(MIN_MOMENTS);
        let moments = moments.min(steps as usize + 1);
        if moments * per_moment > MAX_ARCS {
            break;
        }
        let few: Vec<MessageGroup> = sample(&open, ROUND_ARCS / (moments * per_moment)).copied().collect();
        let network = TimeExpandedNetwork::new(&capacities, steps, moments);
        let bounds: Vec<Option<LowerBound>> = few
            .par_iter()
            .with_min_len(few.len().div_ceil(8))
            .map_init(
                || network.clone(),
                |network, group| {
                    let labels = network.minimum_cut(group.units(problem, &demand), || request.is_over())?;
                    let stopped = stopped(&demand, |node| labels.holds[node.index()], steps);
                    labels.bound(&capacities, stopped * u64::from(messages.chunks()))
                },
            )
            .collect();
        let mut is_stopped = bounds.iter().map(Option::is_some);
        open = few.into_iter().filter(|_| is_stopped.next() == Some(true)).collect();
        for bound in bounds.into_iter().flatten() {
            if bound.steps > steps {
                steps = bound.steps;
                best = Some(bound);
            }
        }
    }
    best
}

/// Returns the number of messages, before they are split into chunks, whose source is on the near side from the start
/// and which have a receiver that never is.
fn stopped(demand: &Demand<'_>, holds: impl Fn(NodeId) -> u32, steps: u32) -> u64 {
    let is_near = |node: &&NodeId| holds(**node) == 0;
    let is_far = |node: &&NodeId| holds(**node) > steps;
    let count = match demand {
        Demand::Broadcast { sources, terminals } if terminals.iter().any(|node| is_far(&node)) => {
            sources.iter().filter(is_near).count()
        }
        Demand::Broadcast { .. } => 0,
        Demand::Scatter { sources, terminals } => {
            sources.iter().filter(is_near).count() * terminals.iter().filter(is_far).count()
        }
        Demand::Listed { multicasts, .. } => {
            let must_cross = |multicast: &&Multicast<'_>| {
                is_near(&&multicast.source) && multicast.receivers.iter().any(|node| is_far(&node))
            };
            multicasts.iter().filter(must_cross).count()
        }
    };
    count as u64
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::any_model;
    use lockstep_schedule::{Collective, CommunicationModel, ScatterRule};
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    fn relayed(model: CommunicationModel) -> CommunicationModel {
        CommunicationModel { scatter: ScatterRule::Relay, ..model }
    }

    #[test]
    fn flows_end_with_the_search() {
        let topology = "mesh:4x8".parse().unwrap();
        let scatter = Collective::scatter(NodeId::from_index(0));
        let problem = Problem::new(&topology, &scatter, relayed(CommunicationModel::wormhole())).unwrap();
        let (demand, capacities) = (Demand::new(&problem), TimedCapacities::new(&problem));
        let mut network = TimeExpandedNetwork::new(&capacities, 8, usize::MAX);
        let mut cut = |is_over| {
            let units = MessageGroup::From(NodeId::from_index(0)).units(&problem, &demand);
            network.minimum_cut(units, || is_over).is_some()
        };
        assert_eq!([false, true].map(&mut cut), [true, false]);
    }

    proptest! {
        /// Fewer moments prove no more, and what they prove holds.
        #[test]
        fn moments_may_be_merged(
            topology in any_topology(12).prop_flat_map(shuffled),
            root: Index,
            model in any_model(),
            chunks in 1..5u32,
            steps in 1..30u32,
            moments in 2..12usize,
        ) {
            let root = *root.get(topology.terminals());
            let scatter = Collective::scatter(root).with_chunks(chunks.try_into().unwrap());
            let Ok(problem) = Problem::new(&topology, &scatter, relayed(model)) else { return Ok(()) };
            let (demand, capacities) = (Demand::new(&problem), TimedCapacities::new(&problem));
            let steps_by = |moments| {
                let mut network = TimeExpandedNetwork::new(&capacities, steps, moments);
                let labels = network.minimum_cut(MessageGroup::From(root).units(&problem, &demand), || false)?;
                let stopped = stopped(&demand, |node| labels.holds[node.index()], steps) * u64::from(chunks);
                let bound = labels.bound(&capacities, stopped).expect("the flow is too small, so the cut stops messages");
                bound.check(&problem).unwrap();
                Some(bound.steps)
            };
            let (with_all, with_some) = (steps_by(usize::MAX), steps_by(moments));
            prop_assert!(with_some.is_none() || with_all.is_some());
        }

        #[test]
        fn no_cut_stops_messages_that_a_tree_serves(
            topology in any_topology(12).prop_flat_map(shuffled),
            root: Index,
            model in any_model(),
            steps in 1..16u32,
            collects: bool,
        ) {
            let root = *root.get(topology.terminals());
            let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
            let (collective, group) = if collects {
                (Collective::many_to_many_scatter(&others, &[root]), MessageGroup::To(root))
            } else {
                (Collective::scatter(root), MessageGroup::From(root))
            };
            let Ok(problem) = Problem::new(&topology, &collective, relayed(model)) else { return Ok(()) };
            let demand = Demand::new(&problem);
            if TreeRouting::new(&problem).serves(&problem, &demand, group, steps) {
                let mut network = TimeExpandedNetwork::new(&TimedCapacities::new(&problem), steps, usize::MAX);
                prop_assert_eq!(network.minimum_cut(group.units(&problem, &demand), || false), None);
            }
        }
    }
}
