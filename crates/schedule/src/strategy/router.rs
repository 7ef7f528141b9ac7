//! A greedy router for tests: its schedules are valid, but not short.

use std::collections::BTreeMap;

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::distribute_phase::DistributePhase;
use crate::messages::MessageId;
use crate::model::{CommunicationModel, Ports, Routing, Switching};
use crate::needed::needed_transfers;
use crate::pattern::Pattern;
use crate::problem::Problem;
use crate::reach::{ReachSearch, UNREACHED};
use crate::schedule::{Schedule, Transfer};
use crate::transport::Transport;

/// Returns a random valid schedule without redundant deliveries or needless relays. It depends on the seed alone.
///
/// In an all-reduce, every block is reduced to its source and distributed from there. Half of the schedules complete all
/// reductions first, and in the others each block goes its own way.
///
/// For small networks: time and memory are cubic in the number of terminals.
pub fn random_schedule(problem: &Problem<'_>, seed: u64) -> Schedule {
    let mut random = Random(seed);
    let mut schedule = Schedule::new();
    for phase in DistributePhase::all(problem) {
        let problem = phase.problem(problem);
        let distribution = Router::new(&problem).distribute(&mut random);
        let needed = match problem.collective().listed() {
            Some(_) => needed_transfers(&problem, distribution),
            None => distribution,
        };
        schedule.append(&phase.from_distribution(needed));
    }
    if problem.collective().pattern() == Pattern::ReduceBroadcast && random.below(2) == 0 {
        schedule = without_barrier(problem, &schedule, &mut random);
    }
    schedule
}

/// Returns the schedule with every transfer in the first step that its inputs, resources and ports allow, or one or two
/// steps later.
fn without_barrier(problem: &Problem<'_>, schedule: &Schedule, random: &mut Random) -> Schedule {
    let topology = problem.topology();
    let limit = match problem.model().ports {
        Ports::All => usize::MAX,
        Ports::Limit(limit) => limit.get() as usize,
    };
    let mut steps: Vec<(StepUse, Vec<Transfer<'_>>)> = Vec::new();
    // By message and terminal: the first step after all that has arrived so far.
    let mut ready: BTreeMap<(MessageId, NodeId), usize> = BTreeMap::new();
    for transfer in schedule.steps().flat_map(|(_, step)| step.iter()) {
        let (from, to) = transfer.terminal_ends(topology).expect("the schedule is valid");
        let first = ready.get(&(transfer.message, from)).copied().unwrap_or(0) + random.below(8) / 6;
        let fits = |used: &StepUse| {
            used.sends[from.index()].max(used.receives[to.index()]) < limit
                && transfer.path.iter().all(|&channel| used.has_room(topology, channel))
        };
        let free = steps.iter().enumerate().skip(first).find(|(_, (used, _))| fits(used));
        let step = free.map_or(steps.len().max(first), |(step, _)| step);
        while steps.len() <= step {
            steps.push((StepUse::new(topology), Vec::new()));
        }
        let (used, transfers) = &mut steps[step];
        used.take(topology, from, to, transfer.path);
        transfers.push(transfer);
        let ready = ready.entry((transfer.message, to)).or_default();
        *ready = (*ready).max(step + 1);
    }
    let mut placed = Schedule::new();
    for (_, transfers) in steps {
        placed.begin_step();
        for transfer in transfers {
            placed.push(transfer.message, transfer.path);
        }
    }
    placed
}

/// The `SplitMix64` generator: the same seed gives the same numbers on every machine.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> Option<T> {
        (!items.is_empty()).then(|| items[self.below(items.len())])
    }
}

/// A message and the terminals that hold it or need it.
struct PendingMessage {
    id: MessageId,
    /// The terminals that hold it, in order of arrival.
    holders: Vec<NodeId>,
    /// The receivers that do not hold it.
    lacking: Vec<NodeId>,
    is_scatter: bool,
}

/// The resources and ports in use in a step.
struct StepUse {
    /// The number of uses of each resource.
    uses: Vec<u32>,
    sends: Vec<usize>,
    receives: Vec<usize>,
}

impl StepUse {
    fn new(topology: &Topology) -> Self {
        let nodes = topology.node_count();
        Self { uses: vec![0; topology.resource_count()], sends: vec![0; nodes], receives: vec![0; nodes] }
    }

    fn take(&mut self, topology: &Topology, from: NodeId, to: NodeId, path: &[ChannelId]) {
        for &channel in path {
            self.uses[topology.resource(channel).index()] += 1;
        }
        self.sends[from.index()] += 1;
        self.receives[to.index()] += 1;
    }

    fn has_room(&self, topology: &Topology, channel: ChannelId) -> bool {
        self.uses[topology.resource(channel).index()] < topology.capacity(channel)
    }
}

struct Router<'a> {
    topology: &'a Topology,
    model: CommunicationModel,
    pending: Vec<PendingMessage>,
    /// `distance[to][from]`: number of channels of one transfer from a terminal.
    distance: Vec<Vec<u32>>,
    /// `walk[to][from]`: the same from any node, if resources do not matter; no more than `distance`.
    walk: Vec<Vec<u32>>,
    /// `hops[to][from]`: number of transfers.
    hops: Vec<Vec<u32>>,
}

impl<'a> Router<'a> {
    fn new(problem: &Problem<'a>) -> Self {
        let (topology, messages, model) = (problem.topology(), problem.messages(), problem.model());
        let transport = Transport::along_path(model.switching);
        let crosses = |node| transport.crosses(topology, node);
        let search = ReachSearch { topology, backwards: true, crosses, forwards: false };
        let one_transfer = |distance: u32| {
            if model.switching == Switching::Wormhole { distance != UNREACHED } else { distance == 1 }
        };
        let unreached = || (vec![UNREACHED; topology.node_count()], Vec::new());
        let lengths = topology.nodes().map(|to| {
            let (mut distance, mut queue) = unreached();
            search.distances(to, &mut distance, &mut queue).expect("the network is small");
            distance
        });
        let distance: Vec<Vec<u32>> = lengths.collect();
        let walks = topology.nodes().map(|to| {
            let (mut distance, mut queue) = unreached();
            search.walks_within(UNREACHED, to, &mut distance, &mut queue);
            distance
        });
        let hops = topology.nodes().map(|to| {
            let mut hops = vec![UNREACHED; topology.node_count()];
            hops[to.index()] = 0;
            let mut queue = vec![to];
            let mut next = 0;
            while let Some(&node) = queue.get(next) {
                next += 1;
                for &from in topology.terminals() {
                    if hops[from.index()] == UNREACHED && one_transfer(distance[node.index()][from.index()]) {
                        hops[from.index()] = hops[node.index()] + 1;
                        queue.push(from);
                    }
                }
            }
            hops
        });
        let pending = |id| PendingMessage {
            id,
            holders: vec![messages.source(id)],
            lacking: messages.receivers_iter(id).collect(),
            is_scatter: messages.is_scatter(),
        };
        Self {
            topology,
            model,
            pending: messages.ids().map(pending).collect(),
            hops: hops.collect(),
            walk: walks.collect(),
            distance,
        }
    }

    fn distribute(mut self, random: &mut Random) -> Schedule {
        let mut schedule = Schedule::new();
        while self.pending.iter().any(|message| !message.lacking.is_empty()) {
            schedule.begin_step();
            let mut used = StepUse::new(self.topology);
            let mut arrivals: Vec<(usize, NodeId)> = Vec::new();
            let mut candidates: Vec<(usize, NodeId)> = Vec::new();
            for (index, PendingMessage { lacking, .. }) in self.pending.iter().enumerate() {
                candidates.extend(lacking.iter().map(|&receiver| (index, receiver)));
            }
            random.shuffle(&mut candidates);
            for (index, receiver) in candidates {
                // One candidate in eight is skipped at random, but every step gets a transfer.
                if !arrivals.is_empty() && random.below(8) == 0 {
                    continue;
                }
                let message = &self.pending[index];
                let Some((from, to)) = self.next_transfer(message, receiver, random) else { continue };
                let is_in_transit =
                    arrivals.iter().any(|&(other, at)| other == index && (at == to || message.is_scatter));
                if is_in_transit || !self.has_ports(&used, from, to) {
                    continue;
                }
                if let Some(path) = self.path(&used, from, to, random) {
                    schedule.push(message.id, &path);
                    used.take(self.topology, from, to, &path);
                    arrivals.push((index, to));
                }
            }
            for (index, at) in arrivals {
                self.pending[index].holders.push(at);
                self.pending[index].lacking.retain(|&receiver| receiver != at);
            }
        }
        schedule
    }

    /// Returns the sender and receiver of a transfer that brings a message nearer to a receiver.
    fn next_transfer(
        &self,
        message: &PendingMessage,
        receiver: NodeId,
        random: &mut Random,
    ) -> Option<(NodeId, NodeId)> {
        let source = message.holders[0];
        if message.is_scatter && self.model.is_direct() {
            return Some((source, receiver));
        }
        let remaining = |node: NodeId| self.hops[receiver.index()][node.index()];
        let reaches = |from: NodeId, to: NodeId| self.hops[to.index()][from.index()] == 1;
        let mut terminals = self.topology.terminals().to_vec();
        if message.is_scatter {
            // The last holder sends. One time in four it may detour over a neighbour of the receiver. A message
            // never returns to an earlier holder.
            let from = *message.holders.last()?;
            let may_detour = random.below(4) == 0;
            terminals.retain(|&to| reaches(from, to) && !message.holders.contains(&to));
            let detours: Vec<NodeId> =
                terminals.iter().copied().filter(|&to| may_detour && remaining(to) == 1).collect();
            terminals.retain(|&to| remaining(to) < remaining(from));
            return Some((from, random.pick(&detours).or_else(|| random.pick(&terminals))?));
        }
        let nearest = message.holders.iter().map(|&holder| remaining(holder)).min()?;
        let holders: Vec<NodeId> = message.holders.iter().copied().filter(|&node| remaining(node) == nearest).collect();
        let from = random.pick(&holders)?;
        terminals.retain(|&to| reaches(from, to) && remaining(to) < nearest);
        Some((from, random.pick(&terminals)?))
    }

    fn has_ports(&self, used: &StepUse, from: NodeId, to: NodeId) -> bool {
        match self.model.ports {
            Ports::All => true,
            Ports::Limit(limit) => used.sends[from.index()].max(used.receives[to.index()]) < limit.get() as usize,
        }
    }

    /// Returns a random path over free resources: a shortest path under minimal routing, otherwise a simple path.
    fn path(&self, used: &StepUse, from: NodeId, to: NodeId, random: &mut Random) -> Option<Vec<ChannelId>> {
        let max_length = match self.model.routing {
            Routing::Minimal => self.distance[to.index()][from.index()] as usize,
            Routing::Any => self.topology.node_count(),
        };
        let mut visited = vec![false; self.topology.node_count()];
        let mut path = Vec::new();
        self.extend(used, from, (to, max_length), &mut visited, &mut path, random).then_some(path)
    }

    fn extend(
        &self,
        used: &StepUse,
        node: NodeId,
        (to, max_length): (NodeId, usize),
        visited: &mut [bool],
        path: &mut Vec<ChannelId>,
        random: &mut Random,
    ) -> bool {
        if node == to {
            return true;
        }
        if !path.is_empty() && (self.model.switching == Switching::StoreAndForward || !self.topology.routes(node)) {
            return false;
        }
        visited[node.index()] = true;
        let mut channels = self.topology.out_channels(node).to_vec();
        random.shuffle(&mut channels);
        for channel in channels {
            let (head, resource) = (self.topology.head(channel), self.topology.resource(channel));
            let is_near = path.len() + (self.walk[to.index()][head.index()] as usize) < max_length;
            let is_new = path.iter().all(|&on| self.topology.resource(on) != resource);
            let is_free = is_new && used.has_room(self.topology, channel);
            if is_near && is_free && !visited[head.index()] {
                path.push(channel);
                if self.extend(used, head, (to, max_length), visited, path, random) {
                    return true;
                }
                path.pop();
            }
        }
        // With buses, another way to the node may be of use.
        visited[node.index()] = !self.topology.has_buses();
        false
    }
}
