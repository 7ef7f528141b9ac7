//! Broadcast on trees: every link separates an interval of the terminals in the cyclic preorder.

use std::collections::VecDeque;

use lockstep_schedule::{MessageId, Schedule};
use lockstep_topology::NodeId;

use super::rooted_tree::{MAX_CHANNEL_USES, NONE, RootedTree};

/// Returns the broadcast from a terminal in `ceil(log2 P)` steps, or `None` for more than [`MAX_CHANNEL_USES`] channel
/// uses.
///
/// In each step, a terminal sends or receives once, and a link carries one transfer in one direction.
///
/// The terminals are in cyclic preorder, the source first. Each holder owns the interval up to the next holder, and the
/// terminal in the middle of the interval receives the message. If every holder sent to its own middle, each link would
/// be used at most once in either direction: a transfer into a subtree passes the first terminal of its interval, a
/// transfer out of it the last one, and the intervals are disjoint. The pairing of senders and receivers is arbitrary.
/// So two transfers that meet on a link exchange their receivers, and both leave the link.
///
/// Takes `O(N log P)` time, and 12 bytes per node.
///
/// # Source
///
/// Farley, *Minimum-time line broadcast networks*, Networks 10 (1980), for full duplex.
pub(super) fn halving(tree: &RootedTree, source: NodeId) -> Option<Schedule> {
    let row = tree.terminals_from(source);
    let mut schedule = Schedule::new();
    let (mut tokens, mut path) = (TokenPairing::new(tree), Vec::new());
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

/// The part of a terminal in a step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenRole {
    Idle,
    Sends,
    Receives,
}

/// The senders and receivers of one step, to be joined by paths without a common link.
struct TokenPairing<'a> {
    tree: &'a RootedTree,
    role: Vec<TokenRole>,
    /// The last token that waits at each place. All tokens at a place have the same role.
    last: Vec<u32>,
    /// For each token, by its initial place, the token that waited before it.
    before: Vec<u32>,
}

impl<'a> TokenPairing<'a> {
    fn new(tree: &'a RootedTree) -> Self {
        let none = vec![NONE; tree.len()];
        Self { tree, role: vec![TokenRole::Idle; tree.len()], last: none.clone(), before: none }
    }

    fn place(&mut self, sender: u32, receiver: u32) {
        self.role[sender as usize] = TokenRole::Sends;
        self.role[receiver as usize] = TokenRole::Receives;
    }

    /// Joins all tokens in pairs. Each moves up the tree until it meets one of the other role.
    fn pairs(&mut self) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for place in (0..self.tree.len() as u32).rev() {
            if self.role[place as usize] != TokenRole::Idle {
                self.offer(place, place, &mut pairs);
            }
            let left = std::mem::replace(&mut self.last[place as usize], NONE);
            if left != NONE {
                debug_assert_eq!(self.before[left as usize], NONE, "at most one transfer crosses a link");
                self.offer(left, self.tree.parent[place as usize], &mut pairs);
            }
        }
        self.role.fill(TokenRole::Idle);
        pairs
    }

    fn offer(&mut self, token: u32, at: u32, pairs: &mut Vec<(u32, u32)>) {
        let waiting = self.last[at as usize];
        if waiting != NONE && self.role[waiting as usize] != self.role[token as usize] {
            self.last[at as usize] = self.before[waiting as usize];
            let sends = self.role[token as usize] == TokenRole::Sends;
            pairs.push(if sends { (token, waiting) } else { (waiting, token) });
        } else {
            self.before[token as usize] = waiting;
            self.last[at as usize] = token;
        }
    }
}
