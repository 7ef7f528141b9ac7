//! A path per message, regardless of steps, so that no resource is overloaded.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lockstep_model::SlotId;
use lockstep_topology::{ChannelId, NodeId, ResourceId};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::path_dag::{PathArc, PathDags};
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;

/// The number of rounds in which congested messages are rerouted, on shortest paths and then on any paths.
const ROUNDS: usize = 32;

/// The maximum number of route choices per message on average.
const MAX_CHOICES: usize = 8;

/// Number of messages between two checks of the budget.
const CHECK_INTERVAL: usize = 256;

/// A path per message, regardless of steps.
///
/// # Source
///
/// Negotiated congestion (Ebeling et al., *Placement and routing tools for the Triptych FPGA*, 1995), with exponential
/// prices (Aspnes, Azar, Fiat, Plotkin and Waarts, *On-line routing of virtual circuits*, 1997).
///
///
/// Invariant: `load` counts the uses of each resource by the paths.
pub(super) struct MessageRouter<'a> {
    task: &'a SchedulingTask<'a>,
    dags: &'a PathDags,
    goal: u32,
    /// Number of uses of each resource.
    load: Vec<u32>,
    /// The path of each message; empty before the first choice.
    pub(super) path: Vec<Vec<ChannelId>>,
    /// The least cost of a path to each node or vertex, and the last arc or channel of that path.
    reached: Vec<(u64, u32)>,
    heap: BinaryHeap<Reverse<(u64, NodeId)>>,
}

const UNREACHED: (u64, u32) = (u64::MAX, 0);

impl<'a> MessageRouter<'a> {
    pub(super) fn new(task: &'a SchedulingTask<'a>, dags: &'a PathDags, goal: u32) -> Self {
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
    pub(super) fn reroute<R: Rng>(
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
                request.check_time()?;
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
    pub(super) fn congested(&self) -> Vec<u32> {
        let is_congested = |path: &[ChannelId]| {
            path.is_empty()
                || path.iter().any(|&channel| {
                    let slot = self.task.topology().resource(channel).number();
                    self.load[slot as usize] > self.limit(slot)
                })
        };
        (0..).zip(&self.path).filter(|(_, path)| is_congested(path)).map(|(message, _)| message).collect()
    }

    fn remove_path(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[self.task.topology().resource(channel).index()] -= 1;
        }
    }

    fn add_path(&mut self, message: u32) {
        for &channel in &self.path[message as usize] {
            self.load[self.task.topology().resource(channel).index()] += 1;
        }
    }

    /// Returns the number of uses of a resource in all steps of the goal.
    fn limit(&self, slot: SlotId) -> u32 {
        self.goal.saturating_mul(self.task.topology().resource_capacity(ResourceId::new(slot)))
    }

    /// Returns the price of one more use among paths of equal length: it doubles with each use near the limit. Random noise
    /// breaks ties.
    fn balancing_price(&self, slot: SlotId, rng: &mut impl Rng) -> u64 {
        let near = (self.load[slot as usize] + 24).saturating_sub(self.limit(slot));
        (1 << (4 + near.min(36))) + u64::from(rng.random::<u8>() % 4)
    }

    /// Returns the price of one more use among paths of any length: it grows by a factor of 16 per use, but only at the limit.
    fn overload_price(&self, slot: SlotId, rng: &mut impl Rng) -> u64 {
        let over = (self.load[slot as usize] + 2).saturating_sub(self.limit(slot));
        (1 << (4 + 4 * over.min(9))) + u64::from(rng.random::<u8>() % 4)
    }

    /// Gives a message a cheapest one of its shortest paths.
    pub(super) fn choose_shortest(&mut self, message: u32, rng: &mut impl Rng) {
        let dag = self.dags.of(message);
        self.reached[0] = (0, 0);
        for vertex in 1..dag.vertex_count() {
            let arcs = (dag.first_arc(vertex)..).zip(dag.arcs_into(vertex));
            let cost = |(via, arc): (u32, &PathArc)| {
                let own = if arc.channel.is_some() { self.balancing_price(arc.slot, rng) } else { 0 };
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
    pub(super) fn choose_any(&mut self, message: u32, rng: &mut impl Rng) {
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
                let cost = cost + self.overload_price(topology.resource(channel).number(), rng);
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
