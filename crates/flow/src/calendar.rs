//! What ends when.

/// Times of numbered things, the earliest first and of equal times the lowest number: a heap that knows where each of
/// them stands.
pub(crate) struct Calendar {
    /// Children of place `p` are places `4 p + 1` to `4 p + 4`.
    heap: Vec<(f64, u32)>,
    /// Where each thing stands, or [`ABSENT`].
    place: Vec<u32>,
}

const ABSENT: u32 = u32::MAX;

fn is_before(one: (f64, u32), other: (f64, u32)) -> bool {
    one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)).is_lt()
}

impl Calendar {
    /// An empty calendar of things with numbers below this.
    pub(crate) fn new(bound: usize) -> Self {
        Self { heap: Vec::new(), place: vec![ABSENT; bound] }
    }

    /// The earliest thing and its time.
    pub(crate) fn first(&self) -> Option<(f64, u32)> {
        self.heap.first().copied()
    }

    /// Removes the earliest thing.
    pub(crate) fn remove_first(&mut self) {
        let Some(last) = self.heap.pop() else { return };
        let Some(&first) = self.heap.first() else {
            self.place[last.1 as usize] = ABSENT;
            return;
        };
        self.place[first.1 as usize] = ABSENT;
        self.sink(0, last);
    }

    /// Gives a thing its time, or another one.
    pub(crate) fn set(&mut self, thing: u32, time: f64) {
        let mut place = self.place[thing as usize] as usize;
        let entry = (time, thing);
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
        fn things_leave_in_order(changes in prop::collection::vec((0..20u32, 0..12u8, any::<bool>()), 0..80)) {
            let mut calendar = Calendar::new(20);
            let mut times = [None; 20];
            for (thing, time, removes) in changes {
                if removes {
                    let first = (0..20u32).filter_map(|thing| times[thing as usize].map(|time| (time, thing))).min();
                    prop_assert_eq!(calendar.first(), first.map(|(time, thing): (u8, u32)| (f64::from(time), thing)));
                    calendar.remove_first();
                    if let Some((_, thing)) = first {
                        times[thing as usize] = None;
                    }
                } else {
                    calendar.set(thing, time.into());
                    times[thing as usize] = Some(time);
                }
            }
        }
    }
}
