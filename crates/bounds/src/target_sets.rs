//! Some of the terminals that need messages, where trees to all of them are too many to compute.

use std::cmp::Reverse;
use std::collections::VecDeque;

use lockstep_schedule::Problem;

use crate::timed_tree_table::{MAX_TARGETS, TimedTreeTable};
use crate::transfer_rules::TransferRules;

/// The largest number of table entries for the transfers in all steps, and the trees to all terminals of a set.
const MAX_ENTRIES: usize = 1 << 19;

/// The largest number of sets.
const MAX_SETS: usize = 5;

/// Returns sets of receivers, as ascending ranks, the most promising ones first.
///
/// The first set has the receivers that can receive the fewest messages in a step, the farthest from the sources first. Each
/// other set has a receiver with its nearest ones. The more steps there are, the smaller are the sets. There are none if no
/// message has more receivers than a set. Takes `O(N M)` time for `N` terminals and `M` channels.
pub(crate) fn target_sets(
    problem: &Problem<'_>,
    (sources, receivers): (&[usize], &[usize]),
    most_receivers: usize,
    steps: u32,
) -> Vec<Vec<usize>> {
    let (topology, steps) = (problem.topology(), steps as usize + 1);
    let terminals = topology.terminal_count();
    let of_step = terminals.saturating_mul(topology.node_count() + topology.channel_count());
    let of_trees = |targets: usize| TimedTreeTable::entries(steps, terminals, targets);
    let entries = |targets: &usize| of_trees(*targets).saturating_add(steps.saturating_mul(of_step));
    let size = (2..=MAX_TARGETS).rev().find(|targets| entries(targets) <= MAX_ENTRIES);
    let Some(size) = size.filter(|&size| size < most_receivers) else { return Vec::new() };
    let rules = TransferRules::new(problem);
    let terminals = problem.topology().terminals();
    let distance: Vec<Vec<u32>> = (0..terminals.len()).map(|rank| distances(problem, &rules, rank)).collect();
    let eccentricity = |rank: usize| sources.iter().map(|&source| distance[source][rank]).max();
    let mut scarce = receivers.to_vec();
    scarce.sort_by_cached_key(|&rank| (rules.receive_limit(terminals[rank]), Reverse(eccentricity(rank))));
    let near = |&centre: &usize| {
        let mut near = receivers.to_vec();
        near.sort_by_key(|&rank| distance[centre][rank].min(distance[rank][centre]));
        near
    };
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for mut set in std::iter::once(scarce.clone()).chain(scarce.iter().map(near)) {
        set.truncate(size);
        set.sort_unstable();
        if sets.len() < MAX_SETS && !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

/// Returns the number of channels from a terminal to all terminals, by rank.
fn distances(problem: &Problem<'_>, rules: &TransferRules<'_>, rank: usize) -> Vec<u32> {
    let topology = problem.topology();
    let start = topology.terminals()[rank];
    let mut distance = vec![u32::MAX; topology.node_count()];
    distance[start.index()] = 0;
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for &channel in topology.out_channels(node).iter().filter(|&&channel| rules.carries(channel)) {
            let head = topology.head(channel);
            if distance[head.index()] == u32::MAX {
                distance[head.index()] = distance[node.index()] + 1;
                queue.push_back(head);
            }
        }
    }
    topology.terminals().iter().map(|terminal| distance[terminal.index()]).collect()
}
