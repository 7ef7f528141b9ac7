//! The steps in which messages can cover lengths.

use super::capacitated_network::CapacitatedNetwork;

/// The largest number of steps before or after a window.
const MAX_STEPS: u32 = 1 << 10;

/// The first steps and the last ones, in which the messages of a window cover no length.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Window {
    pub(super) before: u32,
    pub(super) after: u32,
}

impl Window {
    /// Returns the number of steps outside.
    pub(super) fn outside(self) -> u32 {
        self.before + self.after
    }
}

/// The number of channels between each node and the channels of positive length, up to [`MAX_STEPS`].
pub(super) struct Margins {
    /// From each node to the first of them.
    before: Vec<u32>,
    /// From the last of them to each node.
    after: Vec<u32>,
    /// Number of different values before and after.
    size: [usize; 2],
}

impl Margins {
    /// Returns the margins 0, for which every message is in the only window.
    pub(super) fn none(network: &CapacitatedNetwork) -> Self {
        let zeros = vec![0; network.node_count()];
        Self { before: zeros.clone(), after: zeros, size: [1, 1] }
    }

    /// Computes the margins for these lengths of channels by two searches in `O(N + M)` time.
    pub(super) fn new(network: &CapacitatedNetwork, length: &[f64]) -> Self {
        let is_positive = |channel: &usize| length[*channel] > 0.0;
        let positive = (0..network.channel_count()).filter(is_positive);
        let [heads, tails] = [CapacitatedNetwork::head, CapacitatedNetwork::tail]
            .map(|end| positive.clone().map(move |channel| end(network, channel)));
        let before = search(network, tails, |node, visit| {
            network.entering(node).iter().for_each(|&channel| visit(network.tail(channel as usize)));
        });
        let after = search(network, heads, |node, visit| {
            network.from(node).for_each(|channel| visit(network.head(channel)));
        });
        let size = [&before, &after].map(|margin| margin.iter().max().map_or(1, |&most| most as usize + 1));
        Self { before, after, size }
    }

    /// Returns the number of [places](Self::place).
    pub(super) fn places(&self) -> usize {
        self.size[0] * self.size[1]
    }

    /// Returns the place of the messages from one node to another in a table.
    pub(super) fn place(&self, source: usize, receiver: usize) -> usize {
        self.before[source] as usize * self.size[1] + self.after[receiver] as usize
    }

    /// Visits each window with the sum over the places of its messages.
    pub(super) fn each_window(&self, mut sums: Vec<u64>, mut visit: impl FnMut(Window, u64)) {
        let [rows, columns] = self.size;
        for before in (0..rows).rev() {
            for after in (0..columns).rev() {
                let at = |before: usize, after: usize| {
                    if before < rows && after < columns { sums[before * columns + after] } else { 0 }
                };
                let sum = at(before, after) + at(before + 1, after) + at(before, after + 1) - at(before + 1, after + 1);
                sums[before * columns + after] = sum;
                visit(Window { before: before as u32, after: after as u32 }, sum);
            }
        }
    }
}

/// Returns the distance of each node from the nearest start, up to [`MAX_STEPS`].
fn search(
    network: &CapacitatedNetwork,
    starts: impl Iterator<Item = u32>,
    each_next: impl Fn(u32, &mut dyn FnMut(u32)),
) -> Vec<u32> {
    let mut distance = vec![u32::MAX; network.node_count()];
    let mut queue = Vec::new();
    for node in starts {
        if distance[node as usize] == u32::MAX {
            distance[node as usize] = 0;
            queue.push(node);
        }
    }
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        each_next(node, &mut |neighbour| {
            if distance[neighbour as usize] == u32::MAX {
                distance[neighbour as usize] = distance[node as usize] + 1;
                queue.push(neighbour);
            }
        });
    }
    // A node without a way has no message that covers a length, so its margin is of no importance.
    let limited = |distance: u32| if distance == u32::MAX { 0 } else { distance.min(MAX_STEPS - 1) };
    distance.into_iter().map(limited).collect()
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, Problem};
    use lockstep_topology::Topology;

    use super::*;

    /// A line of five nodes, and a length on the channel from node 1 to node 2.
    #[test]
    fn windows_sum_the_messages_behind_their_margins() {
        let line: Topology = "mesh:1x5".parse().unwrap();
        let all_to_all = Collective::all_to_all();
        let problem = Problem::new(&line, &all_to_all, CommunicationModel::store_and_forward()).unwrap();
        let network = CapacitatedNetwork::new(&problem);
        let is_middle = |channel: usize| network.tail(channel) == 1 && network.head(channel) == 2;
        let length: Vec<f64> =
            (0..network.channel_count()).map(|channel| f64::from(u8::from(is_middle(channel)))).collect();
        let margins = Margins::new(&network, &length);
        assert_eq!((margins.before[..3].to_vec(), margins.after[2..].to_vec()), (vec![1, 0, 1], vec![0, 1, 2]));
        // One message from 0 or 1 to 2, 3 or 4 each.
        let mut sums = vec![0; margins.places()];
        for (source, receiver) in (0..2).flat_map(|source| (2..5).map(move |receiver| (source, receiver))) {
            sums[margins.place(source, receiver)] += 1;
        }
        let mut found = Vec::new();
        margins.each_window(sums, |window, sum| found.push((window.before, window.after, sum)));
        for expected in [(0, 0, 6), (1, 0, 3), (0, 1, 4), (1, 2, 1)] {
            assert!(found.contains(&expected), "{found:?}");
        }
    }
}
