//! How soon messages get from or to a terminal over a tree.

use std::cmp::Reverse;

use lockstep_schedule::{Ports, Problem};
use lockstep_topology::{ChannelId, NodeId};

use super::Question;
use crate::demand::Demand;
use crate::legal::Legal;
use crate::search::Search;

/// Finds terminals that a tree serves soon enough, so that no cut can say more of them.
///
/// Whatever starts at the root of a tree over the same channel in one step after the other, and never waits, meets nothing
/// on its way. With the farthest first the last of `n` messages that go at least `d` channels arrives in step `n + d - 1`,
/// for the worst `d`. Read backwards in time, the same holds of messages for the root. If ports are few, several of its
/// channels take turns.
#[derive(Clone, Debug)]
pub(super) struct Trees<'a> {
    legal: Legal<'a>,
    ports: Ports,
    /// Whether the channels of a tree do not share resources.
    fit: bool,
    search: Search,
    /// By node: the place of the root's channel to its subtree.
    branch: Vec<usize>,
}

impl<'a> Trees<'a> {
    /// Trees fit where resources are shared by opposite channels only.
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let topology = problem.topology();
        let are_opposite =
            |there, back| topology.tail(there) == topology.head(back) && topology.head(there) == topology.tail(back);
        let is_link = |group: &Vec<ChannelId>| matches!(**group, [there, back] if are_opposite(there, back));
        Self {
            legal: Legal::new(problem),
            ports: problem.model().ports,
            fit: topology.shared_groups().iter().all(is_link),
            search: Search::default(),
            branch: vec![0; topology.node_count()],
        }
    }

    /// Whether a tree that is likely to be good brings all messages of a question there in so many steps.
    pub(super) fn serve(&mut self, problem: &Problem<'_>, demand: &Demand<'_>, question: Question, steps: u32) -> bool {
        if !self.fit {
            return false;
        }
        let topology = self.legal.topology;
        let root = match question {
            Question::From(source) => {
                self.search.forwards(self.legal, source);
                source
            }
            Question::To(receiver) => {
                self.search.backwards(self.legal, receiver);
                receiver
            }
        };
        let branches = match question {
            Question::From(_) => topology.out_channels(root),
            Question::To(_) => topology.in_channels(root),
        };
        // The channels of a node that may join it to the tree, and their ends there.
        let joints = |node: NodeId| match question {
            Question::From(_) => topology.in_channels(node),
            Question::To(_) => topology.out_channels(node),
        };
        let parent = |channel: ChannelId| match question {
            Question::From(_) => topology.tail(channel),
            Question::To(_) => topology.head(channel),
        };
        let mut messages = vec![0; topology.node_count()];
        for (terminal, [enters, leaves]) in topology.terminals().iter().zip(question.units(problem, demand)) {
            messages[terminal.index()] = u64::from(enters) + u64::from(leaves);
        }
        let mut loads = vec![0; branches.len()];
        let mut by_distance: Vec<Vec<u64>> = vec![Vec::new(); branches.len()];
        for &node in self.search.order.iter().skip(1) {
            let distance = self.search.distance[node.index()];
            let ways = joints(node).iter().filter_map(|&channel| {
                let next = parent(channel);
                let is_nearer = self.search.distance[next.index()].checked_add(1) == Some(distance);
                if !is_nearer || !self.legal.carries(channel) {
                    None
                } else if next == root {
                    branches.iter().position(|&branch| branch == channel)
                } else {
                    Some(self.branch[next.index()])
                }
            });
            let Some(branch) = ways.min_by_key(|&branch| loads[branch]) else { return false };
            self.branch[node.index()] = branch;
            loads[branch] += messages[node.index()];
            by_distance[branch].resize(distance as usize, 0);
            by_distance[branch][distance as usize - 1] += messages[node.index()];
        }
        let turns = self.turns(by_distance);
        turns.iter().all(|counts| {
            let mut farther = 0;
            counts.iter().enumerate().rev().all(|(before, count)| {
                farther += count;
                farther == 0 || farther + before as u64 <= u64::from(steps)
            })
        })
    }

    /// The branches that share a port, together: messages by distance, from 1 on.
    fn turns(&self, mut branches: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        let count = self.ports.of_degree(branches.len());
        branches.sort_by_key(|branch| Reverse(branch.iter().sum::<u64>()));
        let mut turns: Vec<Vec<u64>> = vec![Vec::new(); count];
        for branch in branches {
            let Some(least) = turns.iter_mut().min_by_key(|turn| turn.iter().sum::<u64>()) else { break };
            least.resize(least.len().max(branch.len()), 0);
            least.iter_mut().zip(branch).for_each(|(sum, messages)| *sum += messages);
        }
        turns
    }
}
