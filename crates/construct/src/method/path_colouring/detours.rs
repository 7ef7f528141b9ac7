//! Longer paths for messages that would otherwise overload a channel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::{ChannelId, NodeId, ResourceId};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::path_dag::{Detours, PathArc, PathDags};
use crate::kit::capacities::{SlotId, resource_slot};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;

/// The number of rounds in which congested messages are rerouted, on shortest paths and then on any paths.
const ROUNDS: usize = 32;

/// The maximum number of route choices per message on average.
const MAX_CHOICES: usize = 8;

/// Number of messages between two checks of the budget.
const CHECK_INTERVAL: usize = 256;

/// Number of random walks per message in search of a slightly longer path.
const WALKS: usize = 8;

/// The number of additional channels of such a path.
const EXTRA_CHANNELS: u32 = 2;

/// Finds paths that are longer than a shortest one. Returns none in the first round if shortest paths exist that use no
/// resource more than `goal` times.
///
/// All messages are routed first. Near the goal, the price of a resource grows by a factor of 16 per use. The result
/// has the longer paths that some messages take, and a few random longer paths of each message.
///
/// # Source
///
/// Negotiated congestion (Ebeling et al., *Placement and routing tools for the Triptych FPGA*, 1995), with exponential
/// prices (Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits*, 1997).
///
/// # Errors
///
/// [`MethodError::Stopped`], if the budget ends.
pub(super) fn find_detours(
    task: &SchedulingTask<'_>,
    dags: &PathDags,
    goal: u32,
    request: &MethodRequest<'_>,
) -> Result<Detours, MethodError> {
    let mut rng = request.attempt_rng(request.attempts.start);
    let mut routes = DetourRouter::new(task, dags, goal);
    routes.reroute(request, &mut rng, DetourRouter::choose_shortest)?;
    let mut detours = Detours::new();
    if routes.congested().is_empty() && request.attempts.start == 0 {
        return Ok(detours);
    }
    routes.reroute(request, &mut rng, DetourRouter::choose_any)?;
    for (message, path) in (0..).zip(&routes.path) {
        if path.len() > dags.distance(message) as usize {
            detours.insert((dags.pair(message), path.clone()));
        }
    }
    add_walks(task, dags, request, &mut rng, &mut detours)?;
    Ok(detours)
}

/// Adds random paths of each message that are slightly longer than a shortest one.
fn add_walks(
    task: &SchedulingTask<'_>,
    dags: &PathDags,
    request: &MethodRequest<'_>,
    rng: &mut impl Rng,
    detours: &mut Detours,
) -> Result<(), MethodError> {
    let mut by_receiver: Vec<u32> = (0..dags.message_count() as u32).collect();
    by_receiver.sort_by_key(|&message| dags.ends(message).1);
    let (mut distance, mut queue, mut path) = (Vec::new(), Vec::new(), Vec::new());
    for messages in by_receiver.chunk_by(|&a, &b| dags.ends(a).1 == dags.ends(b).1) {
        if let Some(reason) = request.stop_reason() {
            return Err(MethodError::Stopped(reason));
        }
        distances_to(task, dags.ends(messages[0]).1, &mut distance, &mut queue);
        for &message in messages {
            for _ in 0..WALKS {
                let limit = dags.distance(message) + EXTRA_CHANNELS;
                if random_path(task, dags.ends(message), &distance, limit, rng, &mut path)
                    && path.len() as u32 + EXTRA_CHANNELS > limit
                {
                    detours.insert((dags.pair(message), path.clone()));
                }
            }
        }
    }
    Ok(())
}

/// Computes the distance from every node to a target.
fn distances_to(task: &SchedulingTask<'_>, target: NodeId, distance: &mut Vec<u32>, queue: &mut Vec<NodeId>) {
    let topology = task.topology();
    distance.clear();
    distance.resize(topology.node_count(), u32::MAX);
    distance[target.index()] = 0;
    queue.clear();
    queue.push(target);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        if node != target && !topology.routes(node) {
            continue;
        }
        for &channel in topology.in_channels(node) {
            let tail = topology.tail(channel);
            if distance[tail.index()] == u32::MAX {
                distance[tail.index()] = distance[node.index()] + 1;
                queue.push(tail);
            }
        }
    }
}

/// Makes a random walk to the target without repeating a node, over at most `limit` channels; leaves it in `path`.
/// Returns false if the walk gets stuck.
fn random_path(
    task: &SchedulingTask<'_>,
    (source, target): (NodeId, NodeId),
    distance: &[u32],
    limit: u32,
    rng: &mut impl Rng,
    path: &mut Vec<ChannelId>,
) -> bool {
    let topology = task.topology();
    path.clear();
    let mut node = source;
    while node != target {
        let left = limit - path.len() as u32;
        let is_open = |channel: ChannelId| {
            let head = topology.head(channel);
            let is_new = head != source && path.iter().all(|&before| topology.head(before) != head);
            is_new && (head == target || topology.routes(head)) && distance[head.index()] < left
        };
        let open = topology.out_channels(node).iter().copied().filter(|&channel| is_open(channel));
        let Some(channel) = choose_uniformly(open, rng) else { return false };
        node = topology.head(channel);
        path.push(channel);
    }
    true
}

/// Returns a random item, each with the same probability.
fn choose_uniformly<T>(items: impl Iterator<Item = T>, rng: &mut impl Rng) -> Option<T> {
    items
        .enumerate()
        .fold(None, |chosen, (index, item)| if rng.random_range(0..=index) == 0 { Some(item) } else { chosen })
}

/// A path per message, regardless of steps.
///
/// Invariant: `load` counts the uses of each resource by the paths.
struct DetourRouter<'a> {
    task: &'a SchedulingTask<'a>,
    dags: &'a PathDags,
    goal: u32,
    /// Number of uses of each resource.
    load: Vec<u32>,
    /// The path of each message; empty before the first choice.
    path: Vec<Vec<ChannelId>>,
    /// The least cost of a path to each node or vertex, and the last arc or channel of that path.
    reached: Vec<(u64, u32)>,
    heap: BinaryHeap<Reverse<(u64, NodeId)>>,
}

const UNREACHED: (u64, u32) = (u64::MAX, 0);

impl<'a> DetourRouter<'a> {
    fn new(task: &'a SchedulingTask<'a>, dags: &'a PathDags, goal: u32) -> Self {
        let nodes = task.topology().node_count();
        Self {
            task,
            dags,
            goal,
            load: vec![0; task.topology().resource_count()],
            path: vec![Vec::new(); dags.message_count()],
            reached: vec![UNREACHED; nodes.max(dags.max_vertex_count())],
            heap: BinaryHeap::new(),
        }
    }

    /// Reroutes congested messages until none is left or the limits are reached.
    fn reroute<R: Rng>(
        &mut self,
        request: &MethodRequest<'_>,
        rng: &mut R,
        choose: impl Fn(&mut Self, u32, &mut R),
    ) -> Result<(), MethodError> {
        let mut choices = 0;
        for _ in 0..ROUNDS {
            let mut congested = self.congested();
            congested.shuffle(rng);
            choices += congested.len();
            if congested.is_empty() || choices > MAX_CHOICES * self.path.len() {
                break;
            }
            for messages in congested.chunks(CHECK_INTERVAL) {
                if let Some(reason) = request.stop_reason() {
                    return Err(MethodError::Stopped(reason));
                }
                for &message in messages {
                    self.remove_path(message);
                    choose(self, message, rng);
                    self.add_path(message);
                }
            }
        }
        Ok(())
    }

    /// Returns the messages without a path or with a path over an overloaded resource.
    fn congested(&self) -> Vec<u32> {
        let is_congested = |path: &[ChannelId]| {
            path.is_empty()
                || path.iter().any(|&channel| {
                    let slot = resource_slot(self.task, channel);
                    self.load[slot as usize] > self.limit(slot)
                })
        };
        (0..).zip(&self.path).filter(|(_, path)| is_congested(path)).map(|(message, _)| message).collect()
    }

    fn remove_path(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[resource_slot(self.task, channel) as usize] -= 1;
        }
    }

    fn add_path(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[resource_slot(self.task, channel) as usize] += 1;
        }
    }

    /// Returns the number of uses of a resource in all steps of the goal.
    fn limit(&self, slot: SlotId) -> u32 {
        self.goal.saturating_mul(self.task.topology().resource_capacity(ResourceId::new(slot)))
    }

    /// Returns the price of one more use. Random noise breaks ties.
    fn price(&self, slot: SlotId, rng: &mut impl Rng) -> u64 {
        let over = (self.load[slot as usize] + 2).saturating_sub(self.limit(slot));
        (1 << (4 + 4 * over.min(9))) + u64::from(rng.random::<u8>() % 4)
    }

    /// Gives a message a cheapest one of its shortest paths.
    fn choose_shortest(&mut self, message: u32, rng: &mut impl Rng) {
        let dag = self.dags.of(message);
        self.reached[0] = (0, 0);
        for vertex in 1..dag.vertex_count() {
            let arcs = (dag.first_arc(vertex)..).zip(dag.arcs_into(vertex));
            let cost = |(via, arc): (u32, &PathArc)| {
                let own = if arc.channel.is_some() { self.price(arc.slot, rng) } else { 0 };
                (self.reached[arc.tail as usize].0 + own, via)
            };
            self.reached[vertex] = arcs.map(cost).min().expect("every vertex is reached");
        }
        let path = &mut self.path[message as usize];
        path.clear();
        let mut vertex = dag.vertex_count() - 1;
        while vertex != 0 {
            let arc = self.dags.arc(self.reached[vertex].1);
            path.extend(arc.channel);
            vertex = arc.tail as usize;
        }
        path.reverse();
    }

    /// Gives a message a cheapest one of all paths.
    fn choose_any(&mut self, message: u32, rng: &mut impl Rng) {
        let topology = self.task.topology();
        let (source, target) = self.dags.ends(message);
        self.reached.fill(UNREACHED);
        self.reached[source.index()] = (0, 0);
        self.heap.clear();
        self.heap.push(Reverse((0, source)));
        while let Some(Reverse((cost, node))) = self.heap.pop() {
            if node == target {
                break;
            }
            let is_stale = cost > self.reached[node.index()].0;
            if is_stale || node != source && !topology.routes(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                let cost = cost + self.price(resource_slot(self.task, channel), rng);
                if cost < self.reached[head.index()].0 {
                    self.reached[head.index()] = (cost, channel.number());
                    self.heap.push(Reverse((cost, head)));
                }
            }
        }
        let path = &mut self.path[message as usize];
        path.clear();
        let mut node = target;
        while node != source {
            let channel = ChannelId::new(self.reached[node.index()].1);
            path.push(channel);
            node = topology.tail(channel);
        }
        path.reverse();
    }
}
