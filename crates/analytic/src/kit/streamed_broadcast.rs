//! Broadcasts on Cayley graphs that are known transfer by transfer without being stored.

use lockstep_schedule::{
    BroadcastVerifier, Budget, CollectiveKind, MessageId, Ports, Problem, Run, Schedule, Switching,
};
use lockstep_topology::{CayleyGraph, ChannelId, NodeId};

use crate::{Axes, Labelling, LocalProgram};

/// The longest program of one node that is written down, in channel uses.
const MAX_PROGRAM: u64 = 1 << 26;

/// A one-to-all broadcast on a Cayley graph that every node can work out for itself.
///
/// Nodes are named by their offset from the root, which is an element of the graph's group; the same broadcast serves
/// every root.
pub trait StreamedBroadcast {
    /// The network.
    fn graph(&self) -> &CayleyGraph;

    /// Number of rounds.
    fn round_count(&self) -> usize;

    /// Number of rounds after which the node at this offset holds the message: 0 for the root only.
    ///
    /// # Panics
    ///
    /// If there is no such element.
    fn arrival(&self, offset: u64) -> usize;

    /// Visits the offsets of all nodes that hold the message when a round begins.
    ///
    /// # Panics
    ///
    /// If there is no such round, counted from 0.
    fn senders(&self, round: usize, visit: &mut dyn FnMut(u64));

    /// Visits the paths along which the node at this offset sends in a round, given that it holds the message.
    ///
    /// # Panics
    ///
    /// If there is no such round, counted from 0.
    fn sends(&self, offset: u64, round: usize, visit: &mut dyn FnMut(&[Run]));

    /// What one node does when the broadcast starts at `root`, worked out without the others. `None` where one of them
    /// is no node, and past 2^26 channel uses.
    fn program(&self, root: u64, node: u64) -> Option<LocalProgram> {
        let graph = self.graph();
        if root.max(node) >= graph.node_count() {
            return None;
        }
        let offset = graph.subtract(node, root);
        let arrival = self.arrival(offset);
        let mut program = LocalProgram::new(node);
        let (mut path, mut room) = (Vec::new(), Some(MAX_PROGRAM));
        for round in 0..self.round_count() {
            program.begin_round();
            if round < arrival {
                continue;
            }
            self.sends(offset, round, &mut |runs| {
                room = room.and_then(|room| runs.iter().try_fold(room, |room, run| room.checked_sub(run.hops)));
                if room.is_some() {
                    path.clear();
                    path.extend(runs.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize)));
                    program.push(root, None, &path);
                }
            });
        }
        room.map(|_| program)
    }

    /// Tells a judge every transfer of the broadcast from `root`.
    ///
    /// # Panics
    ///
    /// If the root is no node.
    fn replay(&self, root: u64, judge: &mut BroadcastVerifier<'_>) {
        for round in 0..self.round_count() {
            judge.begin_round();
            self.senders(round, &mut |offset| {
                let sender = self.graph().add(root, offset);
                self.sends(offset, round, &mut |path| judge.transfer(sender, path.iter().copied()));
            });
        }
    }
}

/// The broadcast of a problem, written down for a network whose node for every element of the graph is given. `None` when
/// the budget is cancelled, and where there are too many transfers to number.
pub(crate) fn written(
    broadcast: &dyn StreamedBroadcast,
    problem: &Problem<'_>,
    node_of: &[NodeId],
    budget: &Budget,
) -> Option<Schedule> {
    let (topology, graph) = (problem.topology(), broadcast.graph());
    let root = problem.collective().root()?;
    let root = node_of.iter().position(|&node| node == root)? as u64;
    // A round uses a channel once.
    topology.channel_count().checked_mul(broadcast.round_count()).filter(|&uses| uses < u32::MAX as usize)?;
    let mut schedule = Schedule::new();
    let mut path: Vec<ChannelId> = Vec::new();
    for round in 0..broadcast.round_count() {
        if budget.stop_after(0).is_some() {
            return None;
        }
        schedule.begin_step();
        broadcast.senders(round, &mut |offset| {
            let sender = graph.add(root, offset);
            broadcast.sends(offset, round, &mut |runs| {
                path.clear();
                let mut element = sender;
                for generator in runs.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize)) {
                    let node = node_of[element as usize];
                    element = graph.add(element, graph.generators()[usize::from(generator)]);
                    let next = node_of[element as usize];
                    let mut channels = topology.out_channels(node).iter();
                    path.extend(channels.find(|&&channel| topology.head(channel) == next));
                }
                schedule.push(MessageId::new(0), &path);
            });
        });
    }
    Some(schedule)
}

/// The axes of the torus on which the problem is a wormhole all-port broadcast over full-duplex links, if it is.
pub(crate) fn axes(problem: &Problem<'_>, budget: &Budget) -> Option<Axes> {
    let (topology, model) = (problem.topology(), problem.model());
    let fits = matches!(problem.collective().kind, CollectiveKind::OneToAllBroadcast { .. })
        && model.switching == Switching::Wormhole
        && has_all_ports(problem)
        && topology.resource_count() == topology.channel_count()
        && topology.nodes().all(|node| topology.routes(node));
    if fits { Labelling::of(topology, budget)?.axes() } else { None }
}

/// Whether a node may use all its channels in one step.
fn has_all_ports(problem: &Problem<'_>) -> bool {
    let degree = problem.topology().out_channels(NodeId::new(0)).len();
    match problem.model().ports {
        Ports::All => true,
        ports @ Ports::Limit(_) => ports.of_degree(degree) == degree,
    }
}
