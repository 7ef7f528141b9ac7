//! Broadcasts on trees: every link separates an interval of the terminals, in the cyclic order of a preorder.

use std::collections::VecDeque;

use lockstep_schedule::{MessageId, Schedule};
use lockstep_topology::NodeId;

use super::rooted_tree::{MAX_CHANNEL_USES, NONE, RootedTree};

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum TokenRole {
    Idle,
    Sends,
    Receives,
}

/// The senders and receivers of one step, to be joined by paths none of which meet.
struct TokenPairing<'a> {
    tree: &'a RootedTree,
    role: Vec<TokenRole>,
    /// The last of the tokens that wait at each place, all of one role.
    last: Vec<u32>,
    /// By the place where it started: the token that came before.
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

    /// Takes all tokens away, joined: each climbs from below until it meets one of the other role.
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
