//! An invariant of the channels of one generator.

use super::regular::RegularNetwork;

/// Returns a number for every channel that is the same for all channels of one generator, or `None` if the nodes
/// differ.
///
/// It counts the cycles of length three and four through the channel; the latter by their common neighbours. Takes `O(M
/// d)` time.
pub(super) fn signatures(network: &RegularNetwork) -> Option<Vec<u64>> {
    const TRIANGLE: u64 = 1 << 40;
    let mut signature = Vec::with_capacity(network.head.len());
    // The number of paths of two channels from the node to each other node, and whether that is a neighbour.
    let mut walks = vec![0u64; network.node_count()];
    let mut first: Vec<u64> = Vec::new();
    let mut sorted = Vec::with_capacity(network.degree);
    for node in 0..network.node_count() {
        let row = network.row(node);
        for &beside in row {
            walks[beside as usize] += TRIANGLE;
            for &end in network.row(beside as usize) {
                walks[end as usize] += 1;
            }
        }
        let of_channel = |&beside: &u32| {
            let ends = network.row(beside as usize).iter().map(|&end| walks[end as usize]);
            ends.fold(0u64, |sum, walks| sum + (walks & TRIANGLE) + (walks % TRIANGLE).pow(2))
        };
        signature.extend(row.iter().map(of_channel));
        for &beside in row {
            walks[beside as usize] = 0;
            for &end in network.row(beside as usize) {
                walks[end as usize] = 0;
            }
        }
        sorted.clear();
        sorted.extend_from_slice(&signature[node * network.degree..]);
        sorted.sort_unstable();
        if node == 0 {
            first.clone_from(&sorted);
        } else if sorted != first {
            return None;
        }
    }
    Some(signature)
}
