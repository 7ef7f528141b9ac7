//! Schedules over a tree, which show that no cut proves more.

use std::cmp::Reverse;

use lockstep_schedule::{Ports, Problem, Switching};
use lockstep_topology::{ChannelId, NodeId};

use super::message_group::MessageGroup;
use crate::bfs::Bfs;
use crate::demand::Demand;
use crate::transfer_rules::TransferRules;

/// Routing over a tree whose root is the source or receiver of a message group. If a tree serves the group in a number
/// of steps, then no cut proves more steps.
///
/// Messages that leave the root over the same channel, one per step, and never wait, do not conflict. If the farthest
/// messages go first, then the last of `n` messages that travel at least `d` channels arrives in step `n + d - 1`, for
/// the worst `d`. By time reversal, the same holds for messages to the root. If ports are few, several channels of the
/// root share one.
#[derive(Clone, Debug)]
pub(super) struct TreeRouting<'a> {
    rules: TransferRules<'a>,
    ports: Ports,
    /// Whether a transfer crosses one channel, and only opposite channels share resources, so the channels of a tree share
    /// none.
    applies: bool,
    bfs: Bfs,
    /// For each node, the place of the channel of the root that leads to it.
    branch: Vec<usize>,
}

impl<'a> TreeRouting<'a> {
    /// Prepares the routing of a problem.
    pub(super) fn new(problem: &Problem<'a>) -> Self {
        let topology = problem.topology();
        let are_opposite =
            |there, back| topology.tail(there) == topology.head(back) && topology.head(there) == topology.tail(back);
        let is_link = |group: &Vec<ChannelId>| matches!(**group, [there, back] if are_opposite(there, back));
        Self {
            rules: TransferRules::new(problem),
            ports: problem.model().ports,
            applies: problem.model().switching == Switching::StoreAndForward
                && !topology.has_capacities()
                && topology.shared_groups().iter().all(is_link),
            bfs: Bfs::default(),
            branch: vec![0; topology.node_count()],
        }
    }

    /// Returns true if a promising tree serves all messages of a group in `steps` steps.
    pub(super) fn serves(
        &mut self,
        problem: &Problem<'_>,
        demand: &Demand<'_>,
        group: MessageGroup,
        steps: u32,
    ) -> bool {
        if !self.applies {
            return false;
        }
        let topology = self.rules.topology;
        let root = match group {
            MessageGroup::From(source) => {
                self.bfs.forwards(self.rules, source);
                source
            }
            MessageGroup::To(receiver) => {
                self.bfs.backwards(self.rules, receiver);
                receiver
            }
        };
        let branches = match group {
            MessageGroup::From(_) => topology.out_channels(root),
            MessageGroup::To(_) => topology.in_channels(root),
        };
        // The channels that can join a node to the tree, and their other ends.
        let joints = |node: NodeId| match group {
            MessageGroup::From(_) => topology.in_channels(node),
            MessageGroup::To(_) => topology.out_channels(node),
        };
        let parent = |channel: ChannelId| match group {
            MessageGroup::From(_) => topology.tail(channel),
            MessageGroup::To(_) => topology.head(channel),
        };
        let mut messages = vec![0; topology.node_count()];
        for (terminal, [enters, leaves]) in topology.terminals().iter().zip(group.units(problem, demand)) {
            messages[terminal.index()] = u64::from(enters) + u64::from(leaves);
        }
        let mut loads = vec![0; branches.len()];
        let mut by_distance: Vec<Vec<u64>> = vec![Vec::new(); branches.len()];
        for &node in self.bfs.order.iter().skip(1) {
            let distance = self.bfs.distance[node.index()];
            let candidates = joints(node).iter().filter_map(|&channel| {
                let next = parent(channel);
                let is_nearer = self.bfs.distance[next.index()].checked_add(1) == Some(distance);
                if !is_nearer || !self.rules.carries(channel) {
                    None
                } else if next == root {
                    branches.iter().position(|&branch| branch == channel)
                } else {
                    Some(self.branch[next.index()])
                }
            });
            let Some(branch) = candidates.min_by_key(|&branch| loads[branch]) else { return false };
            self.branch[node.index()] = branch;
            loads[branch] += messages[node.index()];
            by_distance[branch].resize(distance as usize, 0);
            by_distance[branch][distance as usize - 1] += messages[node.index()];
        }
        let by_port = self.by_port(by_distance);
        by_port.iter().all(|counts| {
            let mut farther = 0;
            counts.iter().enumerate().rev().all(|(before, count)| {
                farther += count;
                farther == 0 || farther + before as u64 <= u64::from(steps)
            })
        })
    }

    /// Merges the branches that share a port. Each entry is a number of messages by distance, from 1.
    fn by_port(&self, mut branches: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        let count = self.ports.of_degree(branches.len());
        branches.sort_by_key(|branch| Reverse(branch.iter().sum::<u64>()));
        let mut ports: Vec<Vec<u64>> = vec![Vec::new(); count];
        for branch in branches {
            let Some(least) = ports.iter_mut().min_by_key(|port| port.iter().sum::<u64>()) else { break };
            least.resize(least.len().max(branch.len()), 0);
            least.iter_mut().zip(branch).for_each(|(sum, messages)| *sum += messages);
        }
        ports
    }
}
