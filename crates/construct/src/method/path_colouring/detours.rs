//! Longer paths for messages that would otherwise crowd a channel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_topology::{ChannelId, NodeId};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::path_dag::{Detours, PathArc, PathDags};
use crate::kit::capacities::{SlotId, resource_slot};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;

/// How often crowded messages look for another path, among the shortest and then among all.
const ROUNDS: usize = 32;

/// How often the average message may do so.
const CHOICES: usize = 8;

/// Messages that look for a path between two looks at the budget.
const STRIDE: usize = 256;

/// Random walks of each message that look for a slightly longer path.
const WALKS: usize = 8;

/// How many channels longer.
const MORE: u32 = 2;

/// Paths longer than a shortest one; none as long as shortest paths can be chosen such that no channel is used more often
/// than `goal`, and this is the first round.
///
/// First all messages are routed over channels that cost sixteen times as much with each use that they come nearer to the
/// goal. The longer paths that some of them take then are returned, and a few random ones of all messages, so that there
/// is a choice.
///
/// **Source**: negotiated congestion (Ebeling et al., *Placement and routing tools for the Triptych FPGA*, 1995), with
/// exponential prices (Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits*, 1997).
///
/// # Errors
///
/// [`MethodError::Stopped`], if the budget is over.
pub(super) fn detours(
    task: &SchedulingTask<'_>,
    ways: &PathDags,
    goal: u32,
    request: &MethodRequest<'_>,
) -> Result<Detours, MethodError> {
    let mut rng = request.attempt_rng(request.attempts.start);
    let mut routes = DetourRouter::new(task, ways, goal);
    routes.reroute(request, &mut rng, DetourRouter::follow_shortest)?;
    let mut detours = Detours::new();
    if routes.crowded().is_empty() && request.attempts.start == 0 {
        return Ok(detours);
    }
    routes.reroute(request, &mut rng, DetourRouter::follow_any)?;
    for (message, path) in (0..).zip(&routes.path) {
        if path.len() > ways.distance(message) as usize {
            detours.insert((ways.pair(message), path.clone()));
        }
    }
    add_walks(task, ways, request, &mut rng, &mut detours)?;
    Ok(detours)
}

/// Adds paths of random walks of each message that are slightly longer than a shortest one.
fn add_walks(
    task: &SchedulingTask<'_>,
    ways: &PathDags,
    request: &MethodRequest<'_>,
    rng: &mut impl Rng,
    detours: &mut Detours,
) -> Result<(), MethodError> {
    let mut by_receiver: Vec<u32> = (0..ways.message_count() as u32).collect();
    by_receiver.sort_by_key(|&message| ways.ends(message).1);
    let (mut distance, mut queue, mut path) = (Vec::new(), Vec::new(), Vec::new());
    for messages in by_receiver.chunk_by(|&a, &b| ways.ends(a).1 == ways.ends(b).1) {
        if let Some(reason) = request.stop_reason() {
            return Err(MethodError::Stopped(reason));
        }
        distances_to(task, ways.ends(messages[0]).1, &mut distance, &mut queue);
        for &message in messages {
            for _ in 0..WALKS {
                let limit = ways.distance(message) + MORE;
                if walk(task, ways.ends(message), &distance, limit, rng, &mut path) && path.len() as u32 + MORE > limit
                {
                    detours.insert((ways.pair(message), path.clone()));
                }
            }
        }
    }
    Ok(())
}

/// Fills the numbers of channels from all nodes to one.
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

/// Leaves a random simple path of at most `limit` channels in `path`; `false` if the walk comes to no end.
fn walk(
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
        let leads_on = |channel: ChannelId| {
            let head = topology.head(channel);
            let is_new = head != source && path.iter().all(|&before| topology.head(before) != head);
            is_new && (head == target || topology.routes(head)) && distance[head.index()] < left
        };
        let open = topology.out_channels(node).iter().copied().filter(|&channel| leads_on(channel));
        let Some(channel) = draw(open, rng) else { return false };
        node = topology.head(channel);
        path.push(channel);
    }
    true
}

/// A random one of some.
fn draw<T>(some: impl Iterator<Item = T>, rng: &mut impl Rng) -> Option<T> {
    some.enumerate()
        .fold(None, |chosen, (place, one)| if rng.random_range(0..=place) == 0 { Some(one) } else { chosen })
}

/// A path of each message, at no time.
struct DetourRouter<'a> {
    task: &'a SchedulingTask<'a>,
    ways: &'a PathDags,
    goal: u32,
    /// Uses of each resource.
    load: Vec<u32>,
    /// No channels before the first choice.
    path: Vec<Vec<ChannelId>>,
    /// The least cost to each node or place, and how to get there.
    reached: Vec<(u64, u32)>,
    heap: BinaryHeap<Reverse<(u64, NodeId)>>,
}

const UNREACHED: (u64, u32) = (u64::MAX, 0);

impl<'a> DetourRouter<'a> {
    fn new(task: &'a SchedulingTask<'a>, ways: &'a PathDags, goal: u32) -> Self {
        let nodes = task.topology().node_count();
        Self {
            task,
            ways,
            goal,
            load: vec![0; task.topology().resource_count()],
            path: vec![Vec::new(); ways.message_count()],
            reached: vec![UNREACHED; nodes.max(ways.most_places())],
            heap: BinaryHeap::new(),
        }
    }

    /// Lets crowded messages choose again, until none is or each has had some choices.
    fn reroute<R: Rng>(
        &mut self,
        request: &MethodRequest<'_>,
        rng: &mut R,
        follow: impl Fn(&mut Self, u32, &mut R),
    ) -> Result<(), MethodError> {
        let mut choices = 0;
        for _ in 0..ROUNDS {
            let mut crowded = self.crowded();
            crowded.shuffle(rng);
            choices += crowded.len();
            if crowded.is_empty() || choices > CHOICES * self.path.len() {
                break;
            }
            for messages in crowded.chunks(STRIDE) {
                if let Some(reason) = request.stop_reason() {
                    return Err(MethodError::Stopped(reason));
                }
                for &message in messages {
                    self.lift(message);
                    follow(self, message, rng);
                    self.put(message);
                }
            }
        }
        Ok(())
    }

    /// The messages without a path, or with one over a resource that is used too often.
    fn crowded(&self) -> Vec<u32> {
        let is_crowded = |path: &[ChannelId]| {
            path.is_empty()
                || path.iter().any(|&channel| self.load[resource_slot(self.task, channel) as usize] > self.goal)
        };
        (0..).zip(&self.path).filter(|(_, path)| is_crowded(path)).map(|(message, _)| message).collect()
    }

    fn lift(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[resource_slot(self.task, channel) as usize] -= 1;
        }
    }

    fn put(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[resource_slot(self.task, channel) as usize] += 1;
        }
    }

    /// What one more use costs; ties are broken at random.
    fn price(&self, slot: SlotId, rng: &mut impl Rng) -> u64 {
        let over = (self.load[slot as usize] + 2).saturating_sub(self.goal);
        (1 << (4 + 4 * over.min(9))) + u64::from(rng.random::<u8>() % 4)
    }

    /// Chooses a cheapest one of the shortest paths.
    fn follow_shortest(&mut self, message: u32, rng: &mut impl Rng) {
        let way = self.ways.of(message);
        self.reached[0] = (0, 0);
        for place in 1..way.place_count() {
            let arcs = (way.first_arc(place)..).zip(way.into(place));
            let cost = |(via, arc): (u32, &PathArc)| {
                let own = if arc.channel.is_some() { self.price(arc.slot, rng) } else { 0 };
                (self.reached[arc.tail as usize].0 + own, via)
            };
            self.reached[place] = arcs.map(cost).min().expect("every place is reached");
        }
        let path = &mut self.path[message as usize];
        path.clear();
        let mut place = way.place_count() - 1;
        while place != 0 {
            let arc = self.ways.arc(self.reached[place].1);
            path.extend(arc.channel);
            place = arc.tail as usize;
        }
        path.reverse();
    }

    /// Chooses a cheapest one of all paths.
    fn follow_any(&mut self, message: u32, rng: &mut impl Rng) {
        let topology = self.task.topology();
        let (source, target) = self.ways.ends(message);
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
