//! Broadcasts on Cayley graphs whose transfers are computed, not stored.

use lockstep_schedule::{
    BroadcastVerifier, Budget, CollectiveName, MessageId, Ports, Problem, Run, Schedule, Switching,
};
use lockstep_topology::{CayleyGraph, ChannelId, NodeId};

use crate::{GroupLabelling, LocalProgram, TorusAxes};

/// The longest program of one node, in channel uses.
const MAX_PROGRAM: u64 = 1 << 26;

/// A one-to-all broadcast on a Cayley graph that every node can compute on its own.
///
/// Nodes are identified by their offset from the root, which is an element of the graph's group. The same broadcast
/// serves every root.
///
/// ```
/// use lockstep_analytic::{StreamedBroadcast, SubgroupChainBroadcast};
///
/// let broadcast = SubgroupChainBroadcast::hypercube(20).expect("a chain exists for every hypercube");
/// assert_eq!(broadcast.round_count(), 5);
/// let program = broadcast.program(0, 12345).expect("a node of the cube");
/// assert_eq!(program.round_count(), 5);
/// ```
pub trait StreamedBroadcast {
    /// Returns the network.
    fn graph(&self) -> &CayleyGraph;

    /// Returns the number of rounds.
    fn round_count(&self) -> usize;

    /// Returns the number of rounds after which the node at this offset holds the message: 0 only for the root.
    ///
    /// # Panics
    ///
    /// If the element does not exist.
    fn arrival(&self, offset: u64) -> usize;

    /// Visits the offsets of all nodes that hold the message at the beginning of a round, counted from 0.
    ///
    /// # Panics
    ///
    /// If the round does not exist.
    fn senders(&self, round: usize, visit: &mut dyn FnMut(u64));

    /// Visits the paths on which the node at this offset sends in a round, if it holds the message.
    ///
    /// # Panics
    ///
    /// If the round, counted from 0, does not exist.
    fn sends(&self, offset: u64, round: usize, visit: &mut dyn FnMut(&[Run]));

    /// Returns the program of one node in the broadcast from `root`, computed without the other nodes.
    ///
    /// Returns `None` if the root or the node does not exist, and for more than 2^26 channel uses.
    fn program(&self, root: u64, node: u64) -> Option<LocalProgram> {
        let graph = self.graph();
        if root.max(node) >= graph.node_count() {
            return None;
        }
        let offset = graph.subtract(node, root);
        let arrival = self.arrival(offset);
        let mut program = LocalProgram::new(node);
        let (mut path, mut uses_left) = (Vec::new(), Some(MAX_PROGRAM));
        for round in 0..self.round_count() {
            program.begin_round();
            if round < arrival {
                continue;
            }
            self.sends(offset, round, &mut |runs| {
                uses_left =
                    uses_left.and_then(|left| runs.iter().try_fold(left, |left, run| left.checked_sub(run.hops)));
                if uses_left.is_some() {
                    path.clear();
                    path.extend(runs.iter().flat_map(|run| std::iter::repeat_n(run.generator, run.hops as usize)));
                    program.push(root, None, &path);
                }
            });
        }
        uses_left.map(|_| program)
    }

    /// Passes every transfer of the broadcast from `root` to a verifier.
    ///
    /// # Panics
    ///
    /// If the root does not exist.
    fn replay(&self, root: u64, verifier: &mut BroadcastVerifier<'_>) {
        for round in 0..self.round_count() {
            verifier.begin_round();
            self.senders(round, &mut |offset| {
                let sender = self.graph().add(root, offset);
                self.sends(offset, round, &mut |path| verifier.transfer(sender, path.iter().copied()));
            });
        }
    }
}

/// Returns the broadcast of a problem as a schedule. `node_of` has the node of every element of the graph.
///
/// Returns `None` if the budget is cancelled or there are 2^32 channel uses or more.
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
        if budget.interruption().is_some() {
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

/// Returns the axes of the torus if the problem is a wormhole all-port broadcast on a full-duplex torus.
pub(crate) fn axes(problem: &Problem<'_>, budget: &Budget) -> Option<TorusAxes> {
    if is_wormhole_all_port(problem) { GroupLabelling::of(problem.topology(), budget)?.axes() } else { None }
}

/// Returns true if the problem is a wormhole all-port broadcast on a full-duplex network whose nodes all route.
pub(crate) fn is_wormhole_all_port(problem: &Problem<'_>) -> bool {
    let (topology, model) = (problem.topology(), problem.model());
    problem.collective().name() == Some(CollectiveName::Broadcast)
        && model.switching == Switching::Wormhole
        && has_all_ports(problem)
        && topology.resource_count() == topology.channel_count()
        && topology.nodes().all(|node| topology.routes(node))
}

/// Returns true if every node may use all its channels in one step.
fn has_all_ports(problem: &Problem<'_>) -> bool {
    let topology = problem.topology();
    let degree = topology.nodes().map(|node| topology.out_channels(node).len()).max().unwrap_or(0);
    match problem.model().ports {
        Ports::All => true,
        ports @ Ports::Limit(_) => ports.of_degree(degree) == degree,
    }
}
