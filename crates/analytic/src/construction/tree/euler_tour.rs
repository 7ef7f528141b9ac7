//! All-gather along the Euler tour of a tree.

use std::collections::VecDeque;

use lockstep_schedule::{Budget, MessageId, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::rooted_tree::{MAX_CHANNEL_USES, RootedTree};

/// The paths from every terminal to the next one in preorder. They use each channel at most once.
#[derive(Debug)]
pub(super) struct TerminalRing {
    terminals: Vec<NodeId>,
    channels: Vec<ChannelId>,
    end: Vec<usize>,
}

impl TerminalRing {
    /// Splits the Euler tour at the terminals.
    pub(super) fn new(tree: &RootedTree) -> Self {
        let mut ring = Self { terminals: Vec::new(), channels: Vec::new(), end: Vec::new() };
        let mut path = Vec::new();
        for (rank, &from) in tree.terminals.iter().enumerate() {
            let to = tree.terminals[(rank + 1) % tree.terminals.len()];
            tree.path(from, to, &mut path);
            ring.terminals.push(tree.node[from as usize]);
            ring.channels.extend_from_slice(&path);
            ring.end.push(ring.channels.len());
        }
        ring
    }

    /// Returns the path of each terminal to the next.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[ChannelId]> {
        let start = std::iter::once(0).chain(self.end.iter().copied());
        start.zip(&self.end).map(|(start, &end)| &self.channels[start..end])
    }

    /// Returns the all-gather in `P - 1` steps: in each, every terminal forwards the last message it received.
    ///
    /// It needs one port per terminal, and both directions of every link. Returns `None` for more than
    /// [`MAX_CHANNEL_USES`] channel uses, and when the budget ends. Takes time proportional to the channel uses.
    ///
    /// # Source
    ///
    /// The ring all-gather, on the Euler tour of a tree.
    pub(super) fn all_gather(&self, topology: &Topology, budget: &Budget) -> Option<Schedule> {
        let count = self.terminals.len();
        let uses = self.channels.len().checked_mul(count - 1).filter(|&uses| uses <= MAX_CHANNEL_USES)?;
        let rank = |&node| MessageId::from_index(topology.terminal_rank(node).expect("the ring joins terminals"));
        let mut holds: VecDeque<MessageId> = self.terminals.iter().map(rank).collect();
        let mut schedule = Schedule::with_capacity(count * (count - 1), uses);
        for _ in 1..count {
            if budget.interruption().is_some() {
                return None;
            }
            schedule.begin_step();
            for (&message, path) in holds.iter().zip(self.paths()) {
                schedule.push(message, path);
            }
            holds.rotate_right(1);
        }
        Some(schedule)
    }
}
