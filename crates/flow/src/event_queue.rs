//! The queue of future events.

/// An indexed 4-ary heap of numbered events by time. Ties are broken by number.
///
/// Operations take O(log n) for `n` events.
pub(crate) struct EventQueue {
    /// The children of index `p` are `4 p + 1` to `4 p + 4`.
    heap: Vec<(f64, u32)>,
    /// Index of each event in the heap, or [`ABSENT`].
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

/// Returns true if the first event precedes the second.
fn is_before(one: (f64, u32), other: (f64, u32)) -> bool {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).is_lt()
}

impl EventQueue {
    /// Creates an empty queue of events with numbers below `bound`.
    pub(crate) fn new(bound: usize) -> Self {
        Self { heap: Vec::new(), place: vec![ABSENT; bound] }
    }

    /// Returns the earliest event as time and number.
    pub(crate) fn first(&self) -> Option<(f64, u32)> {
        self.heap.first().copied()
    }

    /// Removes the earliest event.
    pub(crate) fn remove_first(&mut self) {
        let Some(last) = self.heap.pop() else { return };
        let Some(&first) = self.heap.first() else {
            self.place[last.1 as usize] = ABSENT;
            return;
        };
        self.place[first.1 as usize] = ABSENT;
        self.sink(0, last);
    }

    /// Inserts an event, or changes its time.
    pub(crate) fn set(&mut self, event: u32, time: f64) {
        let mut place = self.place[event as usize] as usize;
        let entry = (time, event);
        if place == ABSENT as usize {
            place = self.heap.len();
            self.heap.push(entry);
        } else if is_before(self.heap[place], entry) {
            self.sink(place, entry);
            return;
        }
        self.rise(place, entry);
    }

    fn rise(&mut self, mut place: usize, entry: (f64, u32)) {
        while place > 0 {
            let parent = (place - 1) / 4;
            if !is_before(entry, self.heap[parent]) {
                break;
            }
            self.put(place, self.heap[parent]);
            place = parent;
        }
        self.put(place, entry);
    }

    fn sink(&mut self, mut place: usize, entry: (f64, u32)) {
        loop {
            let children = 4 * place + 1..(4 * place + 5).min(self.heap.len());
            let Some(least) = children.reduce(|a, b| if is_before(self.heap[b], self.heap[a]) { b } else { a }) else {
                break;
            };
            if !is_before(self.heap[least], entry) {
                break;
            }
            self.put(place, self.heap[least]);
            place = least;
        }
        self.put(place, entry);
    }

    fn put(&mut self, place: usize, entry: (f64, u32)) {
        self.heap[place] = entry;
        self.place[entry.1 as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn events_are_removed_in_order(changes in prop::collection::vec((0..20u32, 0..12u8, any::<bool>()), 0..80)) {
            let mut queue = EventQueue::new(20);
            let mut times = [None; 20];
            for (event, time, removes) in changes {
                if removes {
                    let first = (0..20u32).filter_map(|event| times[event as usize].map(|time| (time, event))).min();
                    prop_assert_eq!(queue.first(), first.map(|(time, event): (u8, u32)| (f64::from(time), event)));
                    queue.remove_first();
                    if let Some((_, event)) = first {
                        times[event as usize] = None;
                    }
                } else {
                    queue.set(event, time.into());
                    times[event as usize] = Some(time);
                }
            }
        }
    }
}
