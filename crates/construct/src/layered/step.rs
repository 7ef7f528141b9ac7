//! One step of a broadcast as a flow: all transfers carry the same, so what counts is only who is reached.

use lockstep_paths::{ArcId, FlowNetwork};
use lockstep_schedule::Ports;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// A network whose flows are the transfers of one step.
///
/// From the source a unit goes to a holder, over channels to a terminal that does not hold the message, and to the
/// sink. The arcs of the channels have their numbers; then follow, for every terminal, the arc that sends and the arc
/// that receives. The step in which each node comes to hold the message is told from outside, by node.
#[derive(Debug)]
pub(super) struct StepFlow<'a> {
    topology: &'a Topology,
    ports: Ports,
    /// Channels that share a wire; units in both directions cancel.
    opposite: Vec<[ChannelId; 2]>,
    network: FlowNetwork,
    /// Whether only shortest paths are allowed; these are not all of them, see [`set_levels`](Self::set_levels).
    pub(super) is_strict: bool,
    /// How much farther than it is each holder seems to be.
    offset: Vec<u32>,
    /// The least sum of a holder's offset and its distance, by node.
    level: Vec<u32>,
    queue: Vec<NodeId>,
}

impl<'a> StepFlow<'a> {
    pub(super) fn new(topology: &'a Topology, ports: Ports, opposite: Vec<[ChannelId; 2]>) -> Self {
        let nodes = topology.node_count();
        let mut network = FlowNetwork::new(nodes + 2);
        for channel in topology.channels() {
            network.arc(topology.tail(channel).index(), topology.head(channel).index(), 0);
        }
        for terminal in topology.terminals() {
            network.arc(nodes, terminal.index(), 0);
            network.arc(terminal.index(), nodes + 1, 0);
        }
        let (offset, level, queue) = (vec![0; nodes], vec![0; nodes], Vec::new());
        Self { topology, ports, opposite, network, is_strict: false, offset, level, queue }
    }

    /// Begins a step: who came to hold the message in an earlier one sends, nobody receives yet.
    pub(super) fn begin(&mut self, step_of: &[u32], step: u32) {
        if self.is_strict {
            self.set_levels(step_of, step);
        }
        let Self { topology, ports, network, is_strict, offset, level, .. } = self;
        let holds = |node: NodeId| step_of[node.index()] < step;
        network.reset(|arc| {
            let Some(end) = arc.index().checked_sub(topology.channel_count()) else {
                let channel = ChannelId::new(arc.number());
                let (tail, head) = (topology.tail(channel), topology.head(channel));
                let leaves = holds(tail) || topology.routes(tail);
                let enters = !holds(head) || topology.routes(head);
                let leads_on = !*is_strict || level[head.index()] == level[tail.index()].saturating_add(1);
                return u32::from(leaves && enters && leads_on);
            };
            let terminal = topology.terminals()[end / 2];
            let is_nearest = !*is_strict || level[terminal.index()] == offset[terminal.index()];
            if end.is_multiple_of(2) && holds(terminal) && is_nearest {
                ports.of_degree(topology.out_channels(terminal).len()) as u32
            } else {
                0
            }
        });
    }

    /// Reaches as many of these terminals as can be beside those that are reached already, and returns how many. They
    /// must not hold the message, nor have been given in this step before.
    pub(super) fn reach(&mut self, terminals: &[NodeId]) -> usize {
        for &terminal in terminals {
            let arc = self.receiving_arc(terminal);
            self.network.widen(arc, 1);
        }
        let nodes = self.topology.node_count();
        self.network.maximise(nodes, nodes + 1) as usize
    }

    /// Whether the terminal is reached in this step.
    pub(super) fn is_reached(&self, terminal: NodeId) -> bool {
        self.network.flow(self.receiving_arc(terminal)) == 1
    }

    fn receiving_arc(&self, terminal: NodeId) -> ArcId {
        let rank = self.topology.terminal_rank(terminal).expect("terminals receive");
        ArcId::from_index(self.topology.channel_count() + 2 * rank + 1)
    }

    /// Calls `visit` with the path of every transfer and ends the step.
    pub(super) fn paths(&mut self, mut visit: impl FnMut(&[ChannelId])) {
        for [there, back] in &self.opposite {
            self.network.cancel(ArcId::new(there.number()), ArcId::new(back.number()));
        }
        let nodes = self.topology.node_count();
        let mut path = Vec::new();
        self.network.unravel(nodes, nodes + 1, |arcs| {
            path.clear();
            path.extend(arcs[1..arcs.len() - 1].iter().map(|arc| ChannelId::new(arc.number())));
            visit(&path);
        });
    }

    /// Makes the holders nearest to these terminals seem one channel farther away, for the same step begun once more.
    pub(super) fn push_away(&mut self, terminals: &[NodeId], step_of: &[u32], step: u32) {
        let Self { topology, offset, level, queue, .. } = self;
        let mut is_seen = vec![false; topology.node_count()];
        queue.clear();
        queue.extend(terminals);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &channel in topology.in_channels(node) {
                let tail = topology.tail(channel);
                let is_before = level[tail.index()].checked_add(1) == Some(level[node.index()]);
                if !is_before || std::mem::replace(&mut is_seen[tail.index()], true) {
                    continue;
                }
                if step_of[tail.index()] < step && level[tail.index()] == offset[tail.index()] {
                    offset[tail.index()] += 1;
                } else {
                    queue.push(tail);
                }
            }
        }
    }

    /// Lets all holders be where they are again.
    pub(super) fn pull_back(&mut self) {
        self.offset.fill(0);
    }

    /// Sets the levels. A path along which they rise by one with every channel, from a holder whose level is its
    /// offset, is a shortest one: a shorter one between the same ends would make the level at its end lower. The
    /// offsets are the prices of a transportation problem: who is asked too much of becomes dearer.
    fn set_levels(&mut self, step_of: &[u32], step: u32) {
        let Self { topology, offset, level, queue, .. } = self;
        let mut holders: Vec<NodeId> =
            topology.terminals().iter().copied().filter(|node| step_of[node.index()] < step).collect();
        holders.sort_by_key(|node| offset[node.index()]);
        let mut holders = holders.into_iter().peekable();
        level.fill(u32::MAX);
        // The nodes of one level, and of the next one.
        let (mut now, mut then) = (std::mem::take(queue), Vec::new());
        now.clear();
        while let Some(height) =
            now.first().map(|node| level[node.index()]).or(holders.peek().map(|node| offset[node.index()]))
        {
            while let Some(holder) = holders.next_if(|node| offset[node.index()] <= height) {
                if level[holder.index()] == u32::MAX {
                    level[holder.index()] = height;
                    now.push(holder);
                }
            }
            for node in now.drain(..) {
                let starts = step_of[node.index()] < step && offset[node.index()] == height;
                if !starts && !topology.routes(node) {
                    continue;
                }
                for &channel in topology.out_channels(node) {
                    let head = topology.head(channel);
                    if level[head.index()] == u32::MAX {
                        level[head.index()] = height + 1;
                        then.push(head);
                    }
                }
            }
            std::mem::swap(&mut now, &mut then);
        }
        *queue = now;
    }
}
