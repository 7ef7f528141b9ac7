//! A rival for all-to-alls: an integer programme over the time-expanded network, with one commodity per source.
//!
//! Commodities are flows: for each source, step and channel, a variable tells whether a message of the source crosses the
//! channel in the step. An integer flow from one source splits into paths to its receivers, so that it is a schedule.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lockstep::paths::ShortestPaths;
use lockstep::schedule::{MessageId, Schedule, Switching};
use lockstep::{ChannelId, NodeId, Problem, verify};
use microlp::{ComparisonOp, OptimizationDirection, SolveOutcome, Variable};

/// Largest number of variables of a programme.
const MAX_VARIABLES: usize = 200_000;

/// The result of the rival on one problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// The fewest steps, proved by the infeasibility of fewer, with a verified schedule.
    Optimal(u32),
    /// The time limit ended the search.
    TimeLimit,
    /// The solver failed numerically.
    Numerical,
    /// A programme would have this number of variables.
    TooLarge(usize),
}

/// A message of a source crosses a channel in a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Crossing {
    step: u32,
    source: NodeId,
    channel: ChannelId,
}

/// Finds the fewest steps of an all-to-all on a network without switches, all ports. Tries numbers of steps in ascending
/// order, from the sum of distances divided by the channels.
///
/// # Errors
///
/// If the network has switches, or if the schedule of a solution is invalid.
pub(super) fn solve(problem: &Problem<'_>, limit: Duration) -> Result<Answer> {
    let topology = problem.topology();
    ensure!(topology.is_direct(), "{}: the integer programme supports no switches", topology.name());
    let started = Instant::now();
    let paths = ShortestPaths::all_pairs(topology)?;
    let mut steps = fewest_steps(problem, &paths);
    loop {
        let variables = topology.terminal_count() * topology.channel_count() * steps as usize;
        if variables > MAX_VARIABLES {
            return Ok(Answer::TooLarge(variables));
        }
        let Some(rest) = limit.checked_sub(started.elapsed()) else { return Ok(Answer::TimeLimit) };
        let programme = Programme::new(problem, &paths, steps);
        let mut solver = programme.solver;
        solver.set_time_limit(rest);
        match solver.solve() {
            Err(microlp::Error::Infeasible) => steps += 1,
            Err(_) => return Ok(Answer::Numerical),
            Ok(SolveOutcome::Interrupted(_)) => return Ok(Answer::TimeLimit),
            Ok(SolveOutcome::Solution(solution)) => {
                let is_used = |variable| solution.var_value(variable) > 0.5;
                let crossings = programme.crossings.into_iter().filter(|&(_, variable)| is_used(variable));
                let schedule = schedule_of(problem, crossings.map(|(crossing, _)| crossing).collect());
                ensure!(verify(problem, &schedule)?.steps == steps as usize, "the programme has {steps} steps");
                return Ok(Answer::Optimal(steps));
            }
        }
    }
}

/// Returns a lower bound on the steps: the channels that all messages need, and with store-and-forward switching the
/// greatest distance.
fn fewest_steps(problem: &Problem<'_>, paths: &ShortestPaths) -> u32 {
    let topology = problem.topology();
    let terminals = topology.terminals();
    let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| (from, to)));
    let distances: Vec<u32> = pairs.filter_map(|(from, to)| paths.distance(from, to)).collect();
    let sum: usize = distances.iter().map(|&distance| distance as usize).sum();
    let diameter = distances.into_iter().max().unwrap_or(0);
    let farthest = if problem.model().switching == Switching::StoreAndForward { diameter } else { 0 };
    (sum.div_ceil(topology.resource_count().max(1)) as u32).max(farthest)
}

/// An integer programme for a number of steps.
struct Programme {
    solver: microlp::Problem,
    crossings: Vec<(Crossing, Variable)>,
}

/// The variables of the crossings into each node and out of it, by step and node.
struct NodeFlows {
    into: Vec<Vec<Variable>>,
    out_of: Vec<Vec<Variable>>,
}

impl Programme {
    fn new(problem: &Problem<'_>, paths: &ShortestPaths, steps: u32) -> Self {
        let topology = problem.topology();
        // Short paths leave more room for others.
        let solver = microlp::Problem::new(OptimizationDirection::Minimize);
        let mut programme = Self { solver, crossings: Vec::new() };
        for &source in topology.terminals() {
            let flows = programme.add_crossings(problem, paths, source, steps);
            for node in topology.nodes().filter(|&node| node != source) {
                let rows = (0..steps as usize).map(|step| step * topology.node_count() + node.index());
                match problem.model().switching {
                    Switching::StoreAndForward => programme.store(&flows, rows, paths.distance(source, node)),
                    Switching::Wormhole => programme.deliver(&flows, rows),
                }
            }
        }
        // One transfer per resource and step.
        let mut loads: BTreeMap<_, Vec<Variable>> = BTreeMap::new();
        for &(Crossing { step, channel, .. }, variable) in &programme.crossings {
            loads.entry((step, topology.resource(channel))).or_default().push(variable);
        }
        for variables in loads.values() {
            programme.solver.add_constraint(sum(variables, 1.0), ComparisonOp::Le, 1.0);
        }
        programme
    }

    /// Adds the crossings of the messages of one source. A wormhole transfer follows a shortest path.
    fn add_crossings(&mut self, problem: &Problem<'_>, paths: &ShortestPaths, source: NodeId, steps: u32) -> NodeFlows {
        let topology = problem.topology();
        let table = vec![Vec::new(); steps as usize * topology.node_count()];
        let mut flows = NodeFlows { into: table.clone(), out_of: table };
        for step in 0..steps {
            for channel in topology.channels() {
                let [tail, head] = [topology.tail(channel), topology.head(channel)];
                let [Some(near), Some(far)] = [tail, head].map(|node| paths.distance(source, node)) else { continue };
                let is_legal = match problem.model().switching {
                    Switching::StoreAndForward => near <= step,
                    Switching::Wormhole => near + 1 == far,
                };
                if is_legal && head != source {
                    let variable = self.solver.add_binary_var(1.0);
                    let row = step as usize * topology.node_count();
                    flows.into[row + head.index()].push(variable);
                    flows.out_of[row + tail.index()].push(variable);
                    self.crossings.push((Crossing { step, source, channel }, variable));
                }
            }
        }
        flows
    }

    /// Adds the rows of a node that stores messages: it sends in a step what it held before, and keeps one at the end.
    fn store(&mut self, flows: &NodeFlows, rows: impl ExactSizeIterator<Item = usize>, distance: Option<u32>) {
        let mut held: Option<Variable> = None;
        let mut rows = rows.enumerate().peekable();
        while let Some((step, row)) = rows.next() {
            let [into, out_of] = [&flows.into[row], &flows.out_of[row]];
            let mut change = [sum(into, 1.0), sum(out_of, -1.0)].concat();
            change.extend(held.map(|held| (held, 1.0)));
            if let Some(held) = held.filter(|_| !out_of.is_empty()) {
                let sent = [sum(out_of, 1.0), vec![(held, -1.0)]].concat();
                self.solver.add_constraint(sent, ComparisonOp::Le, 0.0);
            }
            let is_last = rows.peek().is_none();
            let is_reached = distance.is_some_and(|distance| distance as usize <= step + 1);
            held = (is_reached && !is_last).then(|| self.solver.add_var(0.0, (0.0, f64::INFINITY)));
            change.extend(held.map(|held| (held, -1.0)));
            if is_last || !change.is_empty() {
                self.solver.add_constraint(change, ComparisonOp::Eq, if is_last { 1.0 } else { 0.0 });
            }
        }
    }

    /// Adds the rows of a node that stores nothing: in one step, one message ends there.
    fn deliver(&mut self, flows: &NodeFlows, rows: impl Iterator<Item = usize>) {
        let mut delivered = Vec::new();
        for row in rows {
            let ends = self.solver.add_binary_var(0.0);
            let change = [sum(&flows.into[row], 1.0), sum(&flows.out_of[row], -1.0), vec![(ends, -1.0)]].concat();
            self.solver.add_constraint(change, ComparisonOp::Eq, 0.0);
            delivered.push(ends);
        }
        self.solver.add_constraint(sum(&delivered, 1.0), ComparisonOp::Eq, 1.0);
    }
}

/// Returns the terms of a sum of variables, each with this factor.
fn sum(variables: &[Variable], factor: f64) -> Vec<(Variable, f64)> {
    variables.iter().map(|&variable| (variable, factor)).collect()
}

/// Converts flows to a schedule.
fn schedule_of(problem: &Problem<'_>, mut crossings: Vec<Crossing>) -> Schedule {
    crossings.sort_unstable();
    let transfers = match problem.model().switching {
        Switching::StoreAndForward => hops(problem, &crossings),
        Switching::Wormhole => worms(problem, &crossings),
    };
    let messages = problem.messages();
    let numbers: BTreeMap<(NodeId, NodeId), MessageId> = messages
        .ids()
        .flat_map(|id| messages.receivers_iter(id).map(move |receiver| ((messages.source(id), receiver), id)))
        .collect();
    let mut schedule = Schedule::new();
    let mut step = None;
    for Transfer { step: own, source, receiver, path } in transfers {
        if step.replace(own) != Some(own) {
            schedule.begin_step();
        }
        schedule.push(numbers[&(source, receiver)], &path);
    }
    schedule
}

/// A transfer of the message from a source to a receiver.
struct Transfer {
    step: u32,
    source: NodeId,
    receiver: NodeId,
    path: Vec<ChannelId>,
}

/// Returns the transfers of store-and-forward flows, by step. The messages of a source move without a receiver; the node
/// where a message ends is its receiver.
fn hops(problem: &Problem<'_>, crossings: &[Crossing]) -> Vec<Transfer> {
    let topology = problem.topology();
    // For each source and node, the messages there; each is the list of the places of its crossings.
    let mut at: BTreeMap<(NodeId, NodeId), Vec<Vec<usize>>> = BTreeMap::new();
    let places: Vec<usize> = (0..crossings.len()).collect();
    for step in places.chunk_by(|&one, &next| crossings[one].step == crossings[next].step) {
        let mut moved = Vec::new();
        for &place in step {
            let Crossing { source, channel, .. } = crossings[place];
            let sender = topology.tail(channel);
            let mut message = match at.get_mut(&(source, sender)) {
                Some(messages) if sender != source => messages.pop().expect("a node sends only what it holds"),
                _ => Vec::new(),
            };
            message.push(place);
            moved.push(((source, topology.head(channel)), message));
        }
        for (key, message) in moved {
            at.entry(key).or_default().push(message);
        }
    }
    let mut receivers = vec![NodeId::new(0); crossings.len()];
    for ((_, receiver), messages) in &at {
        messages.iter().flatten().for_each(|&place| receivers[place] = *receiver);
    }
    let transfer =
        |(&Crossing { step, source, channel }, receiver)| Transfer { step, source, receiver, path: vec![channel] };
    crossings.iter().zip(receivers).map(transfer).collect()
}

/// Returns the transfers of wormhole flows, by step: from each node where more messages arrive than leave, a path back to
/// the source.
fn worms(problem: &Problem<'_>, crossings: &[Crossing]) -> Vec<Transfer> {
    let topology = problem.topology();
    let mut transfers = Vec::new();
    for flow in crossings.chunk_by(|one, next| (one.step, one.source) == (next.step, next.source)) {
        let Crossing { step, source, .. } = flow[0];
        let mut into: BTreeMap<NodeId, Vec<ChannelId>> = BTreeMap::new();
        let mut excess: BTreeMap<NodeId, i64> = BTreeMap::new();
        for &Crossing { channel, .. } in flow {
            let [tail, head] = [topology.tail(channel), topology.head(channel)];
            into.entry(head).or_default().push(channel);
            *excess.entry(head).or_default() += 1;
            *excess.entry(tail).or_default() -= 1;
        }
        for (receiver, _) in excess.into_iter().filter(|&(_, excess)| excess > 0) {
            let (mut path, mut node) = (Vec::new(), receiver);
            while node != source {
                let channel = into.get_mut(&node).and_then(Vec::pop).expect("a flow begins at its source");
                path.push(channel);
                node = topology.tail(channel);
            }
            path.reverse();
            transfers.push(Transfer { step, source, receiver, path });
        }
    }
    transfers
}

#[cfg(test)]
mod tests {
    use lockstep::{Budget, Collective, CommunicationModel, Topology};

    use super::*;

    fn answer(spec: &str, model: CommunicationModel) -> Answer {
        let (topology, collective): (Topology, _) = (spec.parse().unwrap(), Collective::all_to_all());
        solve(&Problem::new(&topology, &collective, model).unwrap(), Duration::from_mins(1)).unwrap()
    }

    #[test]
    fn its_optima_are_those_of_optimal_plans() {
        for spec in ["hypercube:2", "mesh:2x3", "ring:5", "kautz:2,2"] {
            for model in [CommunicationModel::store_and_forward(), CommunicationModel::wormhole()] {
                let topology: Topology = spec.parse().unwrap();
                let budget = Budget::evaluations(1 << 20);
                let plan = lockstep::plan(&topology, &Collective::all_to_all(), &model, &budget).unwrap();
                assert!(plan.is_optimal(), "{spec}, {model}");
                assert_eq!(answer(spec, model), Answer::Optimal(plan.step_count()), "{spec}, {model}");
            }
        }
    }

    #[test]
    fn large_programmes_are_not_built() {
        assert!(matches!(answer("torus:16x16", CommunicationModel::wormhole()), Answer::TooLarge(_)));
    }
}
