//! Shortest trees of transfers.

use lockstep_topology::Topology;

use super::refusal::Checked;
use super::transfers::NONE;

/// The largest number of receivers for which every tree counts. With more receivers, the other terminals are assumed to
/// hold the message at the start.
pub(super) const MAX_EXACT: usize = 6;

/// Entries of tables that one check may compute: a few seconds. No rule makes a certificate that takes more than half of
/// it.
const MAX_ENTRIES: u128 = 1 << 31;

/// Returns the number of entries for the transfers between all terminals.
pub(super) fn entries_of_network(topology: &Topology) -> u128 {
    let (terminals, size) = (topology.terminal_count() as u128, topology.node_count() + topology.channel_count());
    terminals.pow(3) + terminals * size as u128
}

/// Returns the number of entries for one tree.
pub(super) fn entries_of_tree(terminals: usize, receivers: usize) -> u128 {
    let terminals = terminals as u128;
    match receivers {
        0..=MAX_EXACT => (terminals << receivers) * (terminals + (1 << receivers)),
        _ => terminals * terminals,
    }
}

pub(super) fn expect_few_entries(entries: u128) -> Checked {
    if entries > MAX_ENTRIES {
        return Err("the trees of all messages take too long to compute again".into());
    }
    Ok(())
}

/// The lengths of transfers between all terminals, by start and end.
pub(super) struct Trees {
    transfer: Vec<Vec<u128>>,
    /// The smallest lengths of sequences of transfers.
    walk: Vec<Vec<u128>>,
}

impl Trees {
    /// Returns the length of a transfer.
    pub(super) fn transfer(&self, start: usize, end: usize) -> u128 {
        self.transfer[start][end]
    }

    pub(super) fn new(transfer: Vec<Vec<u128>>) -> Self {
        Self { walk: shortest_walks(&transfer), transfer }
    }

    /// Computes the smallest length of transfers that bring a message from its source to all receivers; at least [`NONE`]
    /// if there are none.
    pub(super) fn shortest(&self, source: usize, receivers: &[usize]) -> u128 {
        match receivers.len() {
            0..=MAX_EXACT => steiner_tree(&self.walk, source, receivers),
            _ => arborescence(&self.transfer, source, receivers),
        }
    }
}

/// Computes the smallest lengths of sequences of transfers between all pairs, by the algorithm of Floyd and Warshall.
fn shortest_walks(transfer: &[Vec<u128>]) -> Vec<Vec<u128>> {
    let mut walk = transfer.to_vec();
    for (terminal, own) in walk.iter_mut().enumerate() {
        own[terminal] = 0;
    }
    for middle in 0..walk.len() {
        let onward = walk[middle].clone();
        for own in &mut walk {
            let first = own[middle];
            own.iter_mut().zip(&onward).for_each(|(length, &second)| *length = (*length).min(first + second));
        }
    }
    walk
}

/// Computes the smallest length of transfers that bring a message from its source to all receivers, by the algorithm of
/// Dreyfus and Wagner.
fn steiner_tree(walk: &[Vec<u128>], source: usize, receivers: &[usize]) -> u128 {
    // By set of receivers: the smallest length from each terminal.
    let mut smallest: Vec<Vec<u128>> = vec![vec![0; walk.len()]];
    for set in 1..1usize << receivers.len() {
        let branches: Vec<u128> = if set.is_power_of_two() {
            (0..walk.len()).map(|from| if from == receivers[set.ilog2() as usize] { 0 } else { NONE }).collect()
        } else {
            let parts = || (1..set).filter(|part| part & set == *part);
            let branch = |from: usize| parts().map(|part| smallest[part][from] + smallest[set ^ part][from]).min();
            (0..walk.len()).map(|from| branch(from).unwrap_or(NONE)).collect()
        };
        let first = |from: &Vec<u128>| from.iter().zip(&branches).map(|(walk, branch)| walk + branch).min();
        smallest.push(walk.iter().map(|from| first(from).unwrap_or(NONE).min(NONE)).collect());
    }
    smallest[smallest.len() - 1][source]
}

/// Computes the smallest length of transfers of which one ends at each receiver, and which start at the source, at
/// another receiver that they reach, or at any other terminal, by Edmonds' algorithm in quadratic time.
///
/// The sum of the amounts by which the lengths decrease is the length of the tree. So it is at least [`NONE`] if the tree has an
/// arc of this length.
fn arborescence(transfer: &[Vec<u128>], source: usize, receivers: &[usize]) -> u128 {
    const HOLDERS: usize = 0;
    let mut is_receiver = vec![false; transfer.len()];
    for &receiver in receivers {
        is_receiver[receiver] = true;
    }
    // Vertex 0 stands for all holders at the start, vertex `1 + place` for a receiver. By head and tail.
    let vertices = receivers.len() + 1;
    let into = |&receiver: &usize| -> Vec<u128> {
        let is_holder = |tail: &usize| *tail == source || !is_receiver[*tail];
        let from_holders = (0..transfer.len()).filter(is_holder).map(|tail| transfer[tail][receiver]).min();
        std::iter::once(from_holders.unwrap_or(NONE))
            .chain(receivers.iter().map(|&tail| transfer[tail][receiver]))
            .collect()
    };
    let mut arcs: Vec<Vec<u128>> = std::iter::once(Vec::new()).chain(receivers.iter().map(into)).collect();
    let mut group: Vec<usize> = (0..vertices).collect();
    let mut total = 0;
    for start in 1..vertices {
        let mut path = vec![group[start]];
        while path[path.len() - 1] != HOLDERS {
            let head = path[path.len() - 1];
            let outside = (0..vertices).filter(|&tail| group[tail] != head);
            let tail = outside.min_by_key(|&tail| arcs[head][tail]).expect("the holders are outside");
            let length = arcs[head][tail];
            if length >= NONE {
                return NONE;
            }
            total += length;
            arcs[head].iter_mut().for_each(|other| *other = other.saturating_sub(length));
            let before = group[tail];
            // A cycle becomes one vertex, and a path from the holders becomes a part of them.
            if before == HOLDERS || path.contains(&before) {
                while let Some(member) = path.pop_if(|&mut member| member != before) {
                    let own = std::mem::take(&mut arcs[member]);
                    arcs[before].iter_mut().zip(own).for_each(|(other, own)| *other = own.min(*other));
                    group.iter_mut().filter(|group| **group == member).for_each(|group| *group = before);
                }
            }
            if path.is_empty() || path[path.len() - 1] != before {
                path.push(before);
            }
        }
    }
    total
}

#[cfg(test)]
mod tests {
    use lockstep_topology::Topology;

    use super::{MAX_ENTRIES, Trees, entries_of_network, entries_of_tree, expect_few_entries};
    use crate::check::transfers::NONE;

    #[test]
    fn the_work_of_trees_is_counted_and_limited() {
        let triangle: Topology = "complete:3".parse().unwrap();
        assert_eq!(entries_of_network(&triangle), 54);
        assert_eq!([entries_of_tree(4, 2), entries_of_tree(4, 6), entries_of_tree(4, 7)], [128, 17408, 16]);
        assert!(expect_few_entries(MAX_ENTRIES).is_ok());
        assert!(expect_few_entries(MAX_ENTRIES + 1).is_err());
    }

    /// Terminal 0 reaches 1 by a transfer of length 5. Terminal 1 reaches 2, 3 and 4 by one of length 1 each, and 0 reaches
    /// them by one of length 4.
    #[test]
    fn a_tree_shares_transfers_and_an_arborescence_starts_at_other_terminals() {
        let mut transfer = vec![vec![NONE; 10]; 10];
        transfer[0][1] = 5;
        transfer[0][2..].fill(4);
        transfer[1][2..].fill(1);
        let trees = Trees::new(transfer);
        let lengths = [&[2][..], &[2, 3], &[2, 3, 4], &[1, 2, 3], &[1], &[2, 3, 4, 5, 6, 7]];
        assert_eq!(lengths.map(|receivers| trees.shortest(0, receivers)), [4, 7, 8, 7, 5, 11]);
        // With seven receivers, terminal 1 holds the message at the start, unless it is a receiver.
        assert_eq!(trees.shortest(0, &[2, 3, 4, 5, 6, 7, 8]), 7);
        assert_eq!(trees.shortest(0, &[1, 2, 3, 4, 5, 6, 7]), 11);
        assert!(trees.shortest(2, &[1]) >= NONE);
        assert!(trees.shortest(1, &[0, 2, 3, 4, 5, 6, 7]) >= NONE);
    }

    /// The receivers reach each other by transfers of length 1, but one of them is reached from the source.
    #[test]
    fn an_arborescence_leads_to_receivers_from_outside() {
        let mut transfer = vec![vec![1; 8]; 8];
        transfer[0].fill(10);
        assert_eq!(Trees::new(transfer).shortest(0, &[1, 2, 3, 4, 5, 6, 7]), 16);
    }
}
