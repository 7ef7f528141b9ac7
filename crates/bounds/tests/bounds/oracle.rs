//! The optimum of tiny problems, by exhaustive search. It shares no code with bounds.

use std::collections::{BTreeMap, BTreeSet};

use lockstep_schedule::{
    Collective, CollectiveName, CommunicationModel, Phase, Ports, Problem, Routing, ScatterRule, Switching,
};
use lockstep_topology::{NodeId, Topology};

/// Returns the smallest number of steps of the problem, or `None` after `effort` attempts to build a step.
pub(crate) fn optimum(problem: &Problem<'_>, effort: &mut u64) -> Option<u32> {
    let (topology, collective, model) = (problem.topology(), problem.collective(), problem.model());
    if collective.name() == Some(CollectiveName::AllReduce) {
        let mut sum = 0;
        for part in [Collective::reduce_scatter(), Collective::all_gather()] {
            let part = part.with_chunks(collective.chunks());
            sum += optimum(&Problem::new(topology, &part, model).unwrap(), effort)?;
        }
        return Some(sum);
    }
    if collective.phases() == [Phase::Collect] {
        let (topology, collective) = (topology.reversed(), collective.reversed());
        return optimum(&Problem::new(&topology, &collective, model).unwrap(), effort);
    }
    ExhaustiveSearch::new(problem)?.optimum(effort)
}

/// The terminals that hold each message: bit `message * terminals + rank`.
type Holders = u64;

struct Message {
    source: usize,
    receivers: Vec<usize>,
    /// Whether only its source may send it, and only to its receiver.
    direct: bool,
}

struct ExhaustiveSearch {
    terminals: usize,
    ports: u32,
    messages: Vec<Message>,
    /// For every pair of terminals, the minimal sets of resources of valid paths.
    paths: BTreeMap<(usize, usize), Vec<u64>>,
}

/// A message that a terminal may receive in this step.
struct Delivery {
    message: usize,
    receiver: usize,
    /// Senders that hold the message, each with the resources of a path.
    paths: Vec<(usize, u64)>,
    /// The resources that later deliveries may use.
    later: u64,
}

/// A step under construction.
#[derive(Clone)]
struct Step {
    resources: u64,
    starts: Vec<u32>,
    ends: Vec<u32>,
    after: Holders,
}

impl ExhaustiveSearch {
    /// Prepares the search. Returns `None` if the problem does not fit into 64 bits.
    fn new(problem: &Problem<'_>) -> Option<Self> {
        let (topology, model) = (problem.topology(), problem.model());
        let rank = |node: NodeId| topology.terminal_rank(node).unwrap();
        let all = problem.messages();
        if all.len() * topology.terminal_count() > 64 || topology.resource_count() > 64 {
            return None;
        }
        let direct = model.switching == Switching::Wormhole && model.scatter == ScatterRule::Direct && all.is_scatter();
        let messages = all.ids().map(|id| Message {
            source: rank(all.source(id)),
            receivers: all.receivers_iter(id).map(rank).collect(),
            direct,
        });
        Some(Self {
            terminals: topology.terminal_count(),
            ports: match model.ports {
                Ports::All => u32::MAX,
                Ports::Limit(limit) => limit.get(),
            },
            messages: messages.collect(),
            paths: legal_paths(topology, model),
        })
    }

    fn bit(&self, message: usize, terminal: usize) -> Holders {
        1 << (message * self.terminals + terminal)
    }

    fn is_complete(&self, holders: Holders, message: usize) -> bool {
        self.messages[message].receivers.iter().all(|&receiver| holders & self.bit(message, receiver) != 0)
    }

    fn optimum(&self, effort: &mut u64) -> Option<u32> {
        let start = (0..self.messages.len()).map(|message| self.bit(message, self.messages[message].source)).sum();
        let mut frontier = BTreeSet::from([start]);
        for steps in 0.. {
            if frontier.iter().any(|&holders| (0..self.messages.len()).all(|m| self.is_complete(holders, m))) {
                return Some(steps);
            }
            let mut next = BTreeSet::new();
            for &holders in &frontier {
                let idle = Step {
                    resources: 0,
                    starts: vec![0; self.terminals],
                    ends: vec![0; self.terminals],
                    after: holders,
                };
                self.fill(&self.useful(holders), idle, &mut Vec::new(), &mut next, effort)?;
            }
            let next = undominated(&next, effort)?;
            if next == frontier {
                // Every shortest path needs a resource twice, so there is no schedule.
                return None;
            }
            frontier = next;
        }
        None
    }

    /// Returns the useful deliveries: of incomplete messages, to terminals without them; by receiver.
    fn useful(&self, holders: Holders) -> Vec<Delivery> {
        let everything = (0..self.terminals).flat_map(|to| (0..self.messages.len()).map(move |message| (message, to)));
        let mut deliveries: Vec<Delivery> = everything
            .filter(|&(message, to)| {
                let allowed = !self.messages[message].direct || self.messages[message].receivers == [to];
                allowed && holders & self.bit(message, to) == 0 && !self.is_complete(holders, message)
            })
            .map(|(message, receiver)| {
                let senders = (0..self.terminals).filter(|&sender| holders & self.bit(message, sender) != 0);
                let paths = senders.flat_map(|sender| {
                    let paths = self.paths.get(&(sender, receiver)).into_iter().flatten();
                    paths.map(move |&resources| (sender, resources))
                });
                Delivery { message, receiver, paths: paths.collect(), later: 0 }
            })
            .collect();
        let mut later = 0;
        for delivery in deliveries.iter_mut().rev() {
            delivery.later = later;
            later |= delivery.paths.iter().fold(0, |all, &(_, resources)| all | resources);
        }
        deliveries
    }

    /// Adds the states after one step, for every subset of the useful deliveries that is possible.
    fn fill<'a>(
        &self,
        useful: &'a [Delivery],
        step: Step,
        skipped: &mut Vec<&'a Delivery>,
        next: &mut BTreeSet<Holders>,
        effort: &mut u64,
    ) -> Option<()> {
        *effort = effort.checked_sub(1)?;
        let Some((delivery, rest)) = useful.split_first() else {
            let complete = (0..self.messages.len()).filter(|&message| self.is_complete(step.after, message));
            let all: Holders = (0..self.terminals).map(|terminal| 1 << terminal).sum();
            // All terminals may count as holders of a complete message.
            next.insert(complete.fold(step.after, |after, message| after | all << (message * self.terminals)));
            return Some(());
        };
        let Delivery { message, receiver, ref paths, later } = *delivery;
        for &(sender, resources) in paths {
            let has_ports = step.starts[sender] < self.ports && step.ends[receiver] < self.ports;
            if has_ports && step.resources & resources == 0 {
                let mut step = step.clone();
                step.resources |= resources;
                step.starts[sender] += 1;
                step.ends[receiver] += 1;
                step.after |= self.bit(message, receiver);
                self.fill(rest, step, skipped, next, effort)?;
            }
        }
        // Without port limits, there is no need to skip a delivery that no other one can prevent.
        skipped.push(delivery);
        let free = |&(_, resources): &(usize, u64)| resources & (step.resources | later) == 0;
        if self.ports < u32::MAX || !skipped.iter().any(|delivery| delivery.paths.iter().any(free)) {
            self.fill(rest, step, skipped, next, effort)?;
        }
        skipped.pop();
        Some(())
    }
}

/// Returns the maximal states: more holders are never worse.
fn undominated(states: &BTreeSet<Holders>, effort: &mut u64) -> Option<BTreeSet<Holders>> {
    *effort = effort.checked_sub((states.len() as u64).pow(2) / 64)?;
    let dominated = |state: Holders| states.iter().any(|&other| other != state && other & state == state);
    Some(states.iter().copied().filter(|&state| !dominated(state)).collect())
}

fn legal_paths(topology: &Topology, model: CommunicationModel) -> BTreeMap<(usize, usize), Vec<u64>> {
    let mut found: BTreeMap<(usize, usize), Vec<LegalPath>> = BTreeMap::new();
    for &from in topology.terminals() {
        let mut enumeration = PathEnumeration { topology, model, from, visited: vec![from], found: &mut found };
        enumeration.extend(0);
    }
    let mut paths = BTreeMap::new();
    for (pair, all) in found {
        let shortest = all.iter().map(|path| path.channels).min().unwrap();
        let legal = all.iter().filter(|path| model.routing == Routing::Any || path.channels == shortest);
        let once = legal.filter(|path| path.resources.count_ones() == path.channels);
        let sets: BTreeSet<u64> = once.map(|path| path.resources).collect();
        let is_redundant = |set: u64| sets.iter().any(|&other| other != set && other & set == other);
        paths.insert(pair, sets.iter().copied().filter(|&set| !is_redundant(set)).collect());
    }
    paths
}

struct LegalPath {
    channels: u32,
    resources: u64,
}

struct PathEnumeration<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    from: NodeId,
    visited: Vec<NodeId>,
    found: &'a mut BTreeMap<(usize, usize), Vec<LegalPath>>,
}

impl PathEnumeration<'_> {
    fn extend(&mut self, resources: u64) {
        let topology = self.topology;
        let node = self.visited[self.visited.len() - 1];
        for &channel in topology.out_channels(node) {
            let next = topology.head(channel);
            if self.visited.contains(&next) {
                continue;
            }
            let resources = resources | 1 << topology.resource(channel).index();
            if let Some(rank) = topology.terminal_rank(next) {
                let pair = (topology.terminal_rank(self.from).unwrap(), rank);
                self.found.entry(pair).or_default().push(LegalPath { channels: self.visited.len() as u32, resources });
            }
            if self.model.switching == Switching::Wormhole && topology.routes(next) {
                self.visited.push(next);
                self.extend(resources);
                self.visited.pop();
            }
        }
    }
}
