//! Broadcasts on trees: every link separates an interval of the terminals, in the cyclic order of a preorder.

use std::collections::VecDeque;

use lockstep_schedule::{Budget, MessageId, Schedule};
use lockstep_topology::{ChannelId, NodeId, Topology};

use super::MAX_CHANNEL_USES;
use super::rooted::{NONE, RootedTree};

/// The broadcast from a terminal in `ceil(log2 P)` steps, in each of which a terminal sends or receives once and a link
/// carries one transfer in one direction; `None` past [`MAX_CHANNEL_USES`].
///
/// The terminals stand in a row, the source first. Each that holds the message has the interval up to the next holder, and
/// the terminal in its middle gets the message. Were every holder to send to the right, a link would be crossed at most once
/// in either direction, for a transfer passes the first terminal of the interval behind the link going in, or the last one
/// going out, and the intervals are apart. Who sends to whom does not matter, so two transfers that meet on a link exchange
/// their receivers instead and both leave it.
///
/// Takes `O(N log P)` time, and memory for 12 bytes a node.
///
/// **Source**: Farley, *Minimum-time line broadcast networks*, Networks 10 (1980), there for full duplex.
pub(super) fn halving(tree: &RootedTree, source: NodeId) -> Option<Schedule> {
    let row = tree.terminals_from(source);
    let mut schedule = Schedule::new();
    let (mut tokens, mut path) = (Tokens::new(tree), Vec::new());
    let mut intervals = VecDeque::from_iter(Some(0..row.len()));
    while intervals.iter().any(|interval| interval.len() > 1) {
        schedule.begin_step();
        for _ in 0..intervals.len() {
            let Some(interval) = intervals.pop_front() else { break };
            if interval.len() == 1 {
                intervals.push_back(interval);
                continue;
            }
            let middle = interval.start + interval.len().div_ceil(2);
            tokens.place(row[interval.start], row[middle]);
            intervals.extend([interval.start..middle, middle..interval.end]);
        }
        for (from, to) in tokens.pairs() {
            tree.path(from, to, &mut path);
            if schedule.channel_use_count() + path.len() > MAX_CHANNEL_USES {
                return None;
            }
            schedule.push(MessageId::new(0), &path);
        }
    }
    Some(schedule)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Idle,
    Sends,
    Receives,
}

/// The senders and receivers of one step, to be joined by paths none of which meet.
struct Tokens<'a> {
    tree: &'a RootedTree,
    role: Vec<Role>,
    /// The last of the tokens that wait at each place, all of one role.
    last: Vec<u32>,
    /// By the place where it started: the token that came before.
    before: Vec<u32>,
}

impl<'a> Tokens<'a> {
    fn new(tree: &'a RootedTree) -> Self {
        let none = vec![NONE; tree.len()];
        Self { tree, role: vec![Role::Idle; tree.len()], last: none.clone(), before: none }
    }

    fn place(&mut self, sender: u32, receiver: u32) {
        self.role[sender as usize] = Role::Sends;
        self.role[receiver as usize] = Role::Receives;
    }

    /// Takes all tokens away, joined: each climbs from below until it meets one of the other role.
    fn pairs(&mut self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for place in (0..self.tree.len() as u32).rev() {
            if self.role[place as usize] != Role::Idle {
                self.offer(place, place, &mut pairs);
            }
            let left = std::mem::replace(&mut self.last[place as usize], NONE);
            if left != NONE {
                debug_assert_eq!(self.before[left as usize], NONE, "at most one transfer crosses a link");
                self.offer(left, self.tree.parent[place as usize], &mut pairs);
            }
        }
        self.role.fill(Role::Idle);
        pairs
    }

    fn offer(&mut self, token: u32, at: u32, pairs: &mut Vec<(u32, u32)>) {
        let waiting = self.last[at as usize];
        if waiting != NONE && self.role[waiting as usize] != self.role[token as usize] {
            self.last[at as usize] = self.before[waiting as usize];
            let sends = self.role[token as usize] == Role::Sends;
            pairs.push(if sends { (token, waiting) } else { (waiting, token) });
        } else {
            self.before[token as usize] = waiting;
            self.last[at as usize] = token;
        }
    }
}

/// The paths from every terminal to the next one in preorder, which use each channel at most once.
#[derive(Debug)]
pub(super) struct Ring {
    terminals: Vec<NodeId>,
    channels: Vec<ChannelId>,
    end: Vec<usize>,
}

impl Ring {
    /// The walk round the tree, cut at the terminals.
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

    /// The path of each terminal to the next.
    pub(super) fn paths(&self) -> impl Iterator<Item = &[ChannelId]> {
        let start = std::iter::once(0).chain(self.end.iter().copied());
        start.zip(&self.end).map(|(start, &end)| &self.channels[start..end])
    }

    /// The all-gather in `P - 1` steps: in each, every terminal passes on what it received last. It needs one port, and
    /// both directions of every link. `None` past [`MAX_CHANNEL_USES`] or when the budget ends.
    ///
    /// **Source**: the ring all-gather, on the Euler tour of a tree.
    pub(super) fn all_gather(&self, topology: &Topology, budget: &Budget) -> Option<Schedule> {
        let count = self.terminals.len();
        let uses = self.channels.len().checked_mul(count - 1).filter(|&uses| uses <= MAX_CHANNEL_USES)?;
        let rank = |&node| MessageId::from_index(topology.terminal_rank(node).expect("the ring joins terminals"));
        let mut holds: VecDeque<MessageId> = self.terminals.iter().map(rank).collect();
        let mut schedule = Schedule::with_capacity(count * (count - 1), uses);
        for _ in 1..count {
            if budget.stop_after(0).is_some() {
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

/// The store-and-forward all-gather on a tree of terminals with all ports, in `P - 1` steps: every node sends to each
/// neighbour, in the order in which it got them, all messages but those that come from there. `None` when the budget
/// ends.
///
/// A channel with `k` nodes on its sender's side is busy in the steps 1 to `k` without a gap: by induction over the tree, the
/// sender has its own message and, after step `t`, from every other side of `j` nodes the first `min(t, j)`.
///
/// Takes time and memory `O(P^2)`.
pub(super) fn flood(tree: &RootedTree, topology: &Topology, budget: &Budget) -> Option<Schedule> {
    let count = tree.len();
    let deliveries = count * (count - 1);
    // What each node has, by the place of the source, in the order in which it came.
    let mut has: Vec<Vec<u32>> = (0..count as u32).map(|place| vec![place]).collect();
    // How far the node has sent it to its parent, and the parent its own to the node.
    let mut sent = vec![[0usize; 2]; count];
    let mut arrivals: Vec<(u32, u32)> = Vec::with_capacity(2 * count);
    let mut schedule = Schedule::with_capacity(deliveries, deliveries);
    for _ in 1..count {
        if budget.stop_after(0).is_some() {
            return None;
        }
        schedule.begin_step();
        for child in 1..count {
            let (parent, below) = (tree.parent[child] as usize, tree.below(child as u32));
            let ways = [(child, parent, tree.up[child]), (parent, child, tree.down[child])];
            for ((from, to, channel), sent) in ways.into_iter().zip(&mut sent[child]) {
                let goes = |source: &u32| below.contains(source) == (from == child);
                let ahead = &has[from][*sent..];
                let next = ahead.iter().position(goes);
                *sent += next.map_or(ahead.len(), |next| next + 1);
                let Some(source) = next.map(|next| ahead[next]) else { continue };
                let rank = topology.terminal_rank(tree.node[source as usize])?;
                schedule.push(MessageId::from_index(rank), &[channel?]);
                arrivals.push((to as u32, source));
            }
        }
        // Only now, so that nothing is passed on in the step in which it arrives.
        for (to, source) in arrivals.drain(..) {
            has[to as usize].push(source);
        }
    }
    Some(schedule)
}
