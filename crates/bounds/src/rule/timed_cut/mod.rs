//! What crosses a cut of the network over time.

mod labels;
mod network;
mod tree;

use lockstep_schedule::{Problem, Switching};
use lockstep_topology::NodeId;
use rayon::prelude::*;

use super::{BoundRequest, SEARCH_WORK, eccentricity, ports, sample};
use crate::demand::{Demand, Request};
use labels::Wiring;
use lockstep_certificate::LowerBound;
use network::{Timed, arc_count};
use tree::Trees;

/// The most arcs of a network over time: some 50 MB.
const MAX_ARCS: usize = 1 << 20;

/// The most arcs of all flows of one round of questions: tenths of a second.
const ROUND_ARCS: usize = 1 << 22;

/// Visits of a node or channel before a flow is asked, about.
const VISITS: usize = 8;

/// Moments of time that a network has at least.
const FEW_MOMENTS: usize = 16;

/// The steps in which messages cross the best cut of the network over time, which may move in the course of time, if they
/// are more than the [ports] and the [distances](eccentricity) say. The messages are all those of the only source, each for
/// one receiver, or in turn those for each receiver.
///
/// What a terminal holds it holds on. So the near side of a cut is told by one number a terminal, the time from which it is
/// there, and two more where ports are limited. `T` steps are too few where a [flow](network) over `T` steps does not bring
/// all messages to their receivers; a least cut says for how many steps more it is too narrow. Takes a few flows of
/// `O(M T)` arcs for each receiver; in networks that are too large only early and late times are told apart, and beyond that
/// receivers are sampled evenly. Where no times are put together and no resource is shared but by opposite channels, the
/// bound of a scatter from one source (or to one receiver) is its optimum.
///
/// Applies to two and more messages under store-and-forward.
///
/// Source: Ford and Fulkerson, *Flows in Networks* (1962), §III.9.
pub(crate) fn bound(problem: &Problem<'_>, request: &BoundRequest<'_>) -> Option<LowerBound> {
    let messages = problem.messages();
    if problem.model().switching != Switching::StoreAndForward || messages.len() == 1 {
        return None;
    }
    let demand = Demand::new(problem);
    let (topology, questions) = (problem.topology(), Question::all(problem, &demand)?);
    let visits = VISITS * (topology.node_count() + topology.channel_count());
    let mut asked: Vec<Question> = sample(&questions, SEARCH_WORK / visits).copied().collect();
    let cheap = [ports::bound, eccentricity::bound].into_iter().filter_map(|rule| rule(problem, request));
    let mut steps = cheap.map(|bound| bound.steps).max()?;
    let (wiring, trees) = (Wiring::new(problem), Trees::new(problem));
    let mut best = None;
    while steps < request.enough.min(u32::MAX - 1) && !request.is_over() {
        let is_open = |trees: &mut Trees<'_>, question: &Question| !trees.serve(problem, &demand, *question, steps);
        let is_open: Vec<bool> = asked.par_iter().map_init(|| trees.clone(), is_open).collect();
        let mut is_open = is_open.into_iter();
        asked.retain(|_| is_open.next() == Some(true));
        if asked.is_empty() {
            break;
        }
        let per_moment = arc_count(&wiring, 1);
        let moments = (MAX_ARCS / per_moment).min(ROUND_ARCS / per_moment / asked.len()).max(FEW_MOMENTS);
        let moments = moments.min(steps as usize + 1);
        if moments * per_moment > MAX_ARCS {
            break;
        }
        let few: Vec<Question> = sample(&asked, ROUND_ARCS / (moments * per_moment)).copied().collect();
        let timed = Timed::new(&wiring, steps, moments);
        let answers: Vec<Option<LowerBound>> = few
            .par_iter()
            .with_min_len(few.len().div_ceil(8))
            .map_init(
                || timed.clone(),
                |timed, question| {
                    let labels = timed.least_cut(question.units(problem, &demand))?;
                    let stopped = stopped(&demand, |node| labels.holds[node.index()], steps);
                    labels.bound(&wiring, stopped * u64::from(messages.chunks()))
                },
            )
            .collect();
        let mut is_stopped = answers.iter().map(Option::is_some);
        asked = few.into_iter().filter(|_| is_stopped.next() == Some(true)).collect();
        for bound in answers.into_iter().flatten() {
            if bound.steps > steps {
                steps = bound.steps;
                best = Some(bound);
            }
        }
    }
    best
}

/// Which messages have to get through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Question {
    /// All those of this source.
    From(NodeId),
    /// All those for this receiver.
    To(NodeId),
}

impl Question {
    /// What can be asked, if anything is of use.
    fn all(problem: &Problem<'_>, demand: &Demand<'_>) -> Option<Vec<Self>> {
        let (sources, receivers) = (demand.sources(), demand.receivers());
        match sources.as_slice() {
            &[source] if problem.messages().is_scatter() => Some(vec![Self::From(source)]),
            _ if receivers.len() > 1 && problem.messages().is_scatter() => None,
            _ => Some(receivers.into_iter().map(Self::To).collect()),
        }
    }

    /// For each terminal, the units that enter and leave there.
    fn units(self, problem: &Problem<'_>, demand: &Demand<'_>) -> impl Iterator<Item = [u32; 2]> {
        let chunks = problem.messages().chunks();
        let terminals = problem.topology().terminals();
        let mut units = vec![[0; 2]; terminals.len()];
        let rank = |node: NodeId| problem.topology().terminal_rank(node).expect("a problem's ends are terminals");
        let mut total = 0;
        match self {
            Self::From(source) => {
                for receiver in demand.receivers() {
                    units[rank(receiver)][1] = demand.count_to(receiver) * chunks;
                    total += units[rank(receiver)][1];
                }
                units[rank(source)][0] = total;
            }
            Self::To(receiver) => {
                for source in demand.to(receiver) {
                    units[rank(source)][0] += chunks;
                    total += chunks;
                }
                units[rank(receiver)][1] = total;
            }
        }
        units.into_iter()
    }
}

/// The messages before they are cut into chunks whose source is on the near side from the beginning, and some receiver
/// never.
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
        Demand::Listed { requests, .. } => {
            let must_cross = |request: &&Request<'_>| {
                is_near(&&request.source) && request.receivers.iter().any(|node| is_far(&node))
            };
            requests.iter().filter(must_cross).count()
        }
    };
    count as u64
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::any_model;
    use lockstep_schedule::{Collective, CommunicationModel};
    use lockstep_topology::strategy::{any_topology, shuffled};
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    proptest! {
        /// Some moments say no more than all, and what they say is true.
        #[test]
        fn moments_may_be_left_out(
            topology in any_topology(12).prop_flat_map(shuffled),
            root: Index,
            model in any_model(),
            chunks in 1..5u32,
            steps in 1..30u32,
            moments in 2..12usize,
        ) {
            let root = *root.get(topology.terminals());
            let scatter = Collective::scatter(root).with_chunks(chunks.try_into().unwrap());
            let model = CommunicationModel { switching: Switching::StoreAndForward, ..model };
            let Ok(problem) = Problem::new(&topology, &scatter, model) else { return Ok(()) };
            let (demand, wiring) = (Demand::new(&problem), Wiring::new(&problem));
            let steps_by = |moments| {
                let mut timed = Timed::new(&wiring, steps, moments);
                let labels = timed.least_cut(Question::From(root).units(&problem, &demand))?;
                let stopped = stopped(&demand, |node| labels.holds[node.index()], steps) * u64::from(chunks);
                let bound = labels.bound(&wiring, stopped).expect("a cut of a flow that is too small");
                bound.check(&problem).unwrap();
                Some(bound.steps)
            };
            let (with_all, with_some) = (steps_by(usize::MAX), steps_by(moments));
            prop_assert!(with_some.is_none() || with_all.is_some());
        }

        /// Where a tree serves a terminal, a flow gets through.
        #[test]
        fn no_cut_stops_what_a_tree_serves(
            topology in any_topology(12).prop_flat_map(shuffled),
            root: Index,
            model in any_model(),
            steps in 1..16u32,
            collects: bool,
        ) {
            let root = *root.get(topology.terminals());
            let model = CommunicationModel { switching: Switching::StoreAndForward, ..model };
            let others: Vec<NodeId> = topology.terminals().iter().copied().filter(|&node| node != root).collect();
            let (collective, question) = if collects {
                (Collective::many_to_many_scatter(&others, &[root]), Question::To(root))
            } else {
                (Collective::scatter(root), Question::From(root))
            };
            let Ok(problem) = Problem::new(&topology, &collective, model) else { return Ok(()) };
            let demand = Demand::new(&problem);
            if Trees::new(&problem).serve(&problem, &demand, question, steps) {
                let mut timed = Timed::new(&Wiring::new(&problem), steps, usize::MAX);
                prop_assert_eq!(timed.least_cut(question.units(&problem, &demand)), None);
            }
        }
    }
}
