//! Gain buckets: nodes by the gain of moving them to the other side.

/// Marks the end of a list.
const END: u32 = u32::MAX;

/// Movable nodes in three queues of buckets by gain. Gain changes take constant time.
///
/// Takes 13 bytes per node and 12 bytes per possible gain.
#[derive(Clone, Debug, Default)]
pub(super) struct GainBuckets {
    /// Bucket of each node: its gain, offset by `zero`.
    bucket: Vec<u32>,
    next: Vec<u32>,
    /// The predecessor; for the first node of a list, the last node.
    previous: Vec<u32>,
    queue: Vec<GainQueue>,
    /// First node of each bucket, by queue.
    first: [Vec<u32>; 3],
    /// Upper bound on the highest non-empty bucket of each queue.
    top: [u32; 3],
    /// The bucket of gain 0.
    zero: u32,
    ties: TieBreak,
}

/// The order of nodes with equal gains.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum TieBreak {
    /// First in, first out.
    #[default]
    FirstCome,
    /// Last in, first out. Moves then cluster, which gives smaller cuts.
    ///
    /// # Source
    ///
    /// Hagen, Huang and Kahng, *On implementation choices for iterative improvement partitioning algorithms*, IEEE
    /// Transactions on CAD 16, 1997.
    LastCome,
}

/// The queue of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum GainQueue {
    /// Nodes with terminals on the side `false`.
    Left = 0,
    /// Nodes with terminals on the side `true`.
    Right = 1,
    /// Nodes without terminals, of both sides.
    Free = 2,
    /// In no queue.
    Out,
}

impl GainQueue {
    /// Returns the queue of nodes with terminals on a side.
    pub(super) fn of(side: bool) -> Self {
        if side { Self::Right } else { Self::Left }
    }
}

impl GainBuckets {
    /// Empties the queues, for nodes below `node_count` and gains of absolute value at most `most`.
    pub(super) fn reset(&mut self, node_count: usize, most: u32, ties: TieBreak) {
        self.ties = ties;
        self.bucket.resize(node_count, 0);
        self.next.resize(node_count, END);
        self.previous.resize(node_count, END);
        self.queue.clear();
        self.queue.resize(node_count, GainQueue::Out);
        for first in &mut self.first {
            first.clear();
            first.resize(2 * most as usize + 1, END);
        }
        self.top = [0; 3];
        self.zero = most;
    }

    /// Inserts a node into a queue.
    pub(super) fn insert(&mut self, node: u32, queue: GainQueue, gain: i32) {
        self.queue[node as usize] = queue;
        self.link(node, queue, self.zero.wrapping_add_signed(gain));
    }

    /// Removes a node from its queue and returns its gain.
    pub(super) fn take(&mut self, node: u32) -> i32 {
        self.unlink(node, self.queue[node as usize]);
        self.queue[node as usize] = GainQueue::Out;
        self.gain(node)
    }

    /// Changes the gain of a node if it is in a queue.
    #[inline]
    pub(super) fn change(&mut self, node: u32, by: i32) {
        let queue = self.queue[node as usize];
        if queue != GainQueue::Out {
            self.unlink(node, queue);
            self.link(node, queue, self.bucket[node as usize].wrapping_add_signed(by));
        }
    }

    /// Returns the gain of a node, or its last gain if it was removed.
    #[inline]
    pub(super) fn gain(&self, node: u32) -> i32 {
        self.bucket[node as usize].wrapping_sub(self.zero).cast_signed()
    }

    /// Returns the first node of a queue, or `None` if it is empty.
    pub(super) fn first(&mut self, queue: GainQueue) -> Option<u32> {
        let first = &self.first[queue as usize];
        let top = (0..=self.top[queue as usize]).rev().find(|&bucket| first[bucket as usize] != END);
        self.top[queue as usize] = top.unwrap_or(0);
        top.map(|bucket| first[bucket as usize])
    }

    /// Returns the nodes of a queue from `node` on, in descending order of gain.
    pub(super) fn from(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let first = &self.first[self.queue[node as usize] as usize];
        std::iter::successors(Some(node), move |&node| match self.next[node as usize] {
            END => first[..self.bucket[node as usize] as usize].iter().rev().copied().find(|&node| node != END),
            next => Some(next),
        })
    }

    #[inline]
    fn link(&mut self, node: u32, queue: GainQueue, bucket: u32) {
        self.bucket[node as usize] = bucket;
        self.top[queue as usize] = self.top[queue as usize].max(bucket);
        let first = &mut self.first[queue as usize][bucket as usize];
        if *first == END {
            *first = node;
            self.next[node as usize] = END;
            self.previous[node as usize] = node;
            return;
        }
        let last = std::mem::replace(&mut self.previous[*first as usize], node);
        self.previous[node as usize] = last;
        if self.ties == TieBreak::LastCome {
            self.next[node as usize] = std::mem::replace(first, node);
        } else {
            self.next[node as usize] = END;
            self.next[last as usize] = node;
        }
    }

    #[inline]
    fn unlink(&mut self, node: u32, queue: GainQueue) {
        let (next, previous) = (self.next[node as usize], self.previous[node as usize]);
        let first = &mut self.first[queue as usize][self.bucket[node as usize] as usize];
        if *first == node {
            *first = next;
        } else {
            self.next[previous as usize] = next;
        }
        let follower = if next == END { *first } else { next };
        if follower != END {
            self.previous[follower as usize] = previous;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{GainBuckets, GainQueue, TieBreak};

    proptest! {
        #[test]
        fn queues_descend_by_gain_and_then_by_age(
            changes in prop::collection::vec((0..12u32, -3..=3i32, 0..8u32), 0..60), is_first_come: bool,
        ) {
            let mut gains = GainBuckets::default();
            gains.reset(12, 6, if is_first_come { TieBreak::FirstCome } else { TieBreak::LastCome });
            // The reference: nodes with their gains, the one that has had its own for longest first.
            let mut waiting: Vec<(u32, i32)> = (0..12).map(|node| (node, 0)).collect();
            for node in 0..12 {
                gains.insert(node, GainQueue::Left, 0);
            }
            for (node, by, chance) in changes {
                let place = waiting.iter().position(|&(other, _)| other == node);
                let Some((_, gain)) = place.map(|place| waiting.remove(place)) else {
                    gains.change(node, by);
                    continue;
                };
                if chance == 0 {
                    prop_assert_eq!(gains.take(node), gain);
                } else {
                    let by = (gain + by).clamp(-6, 6) - gain;
                    gains.change(node, by);
                    waiting.push((node, gain + by));
                }
                let mut expected = waiting.clone();
                if !is_first_come {
                    expected.reverse();
                }
                expected.sort_by_key(|&(_, gain)| -gain);
                let first = gains.first(GainQueue::Left);
                let found: Vec<(u32, i32)> =
                    first.into_iter().flat_map(|first| gains.from(first)).map(|node| (node, gains.gain(node))).collect();
                prop_assert_eq!(found, expected);
                prop_assert_eq!(gains.first(GainQueue::Free), None);
            }
        }
    }
}
