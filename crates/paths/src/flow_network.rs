//! Maximum flow.

use lockstep_topology::number_id;

number_id!(
    /// An arc of a [`FlowNetwork`], in the order they were added.
    ArcId,
    "a"
);

/// A directed network with capacities, and a flow in it.
///
/// Nodes are `0..nodes`. Memory: 36 bytes an arc and 16 bytes a node, while arcs are sorted in up to 32 bytes an arc
/// more.
///
/// ```
/// use lockstep_paths::FlowNetwork;
///
/// let mut network = FlowNetwork::new(4);
/// for (tail, head, capacity) in [(0, 1, 2), (0, 2, 1), (1, 3, 1), (2, 3, 5), (1, 2, 1)] {
///     network.add_arc(tail, head, capacity);
/// }
/// assert_eq!(network.max_flow(0, 3), 3);
///
/// let mut paths: Vec<Vec<usize>> = Vec::new();
/// network.decompose_paths(0, 3, |path| paths.push(path.iter().map(|arc| arc.index()).collect()));
/// assert_eq!(paths, [vec![0, 2], vec![0, 4, 3], vec![1, 3]]);
/// ```
///
/// **Source**: Dinic, *Algorithm for solution of a problem of maximum flow in networks with power estimation*, Soviet
/// Math. Doklady 11 (1970).
#[derive(Clone, Debug)]
pub struct FlowNetwork {
    /// Every arc twice, forwards and backwards, in rows by tail once they are sorted.
    halves: Vec<Half>,
    /// The place of the forward half of each arc.
    place: Vec<u32>,
    /// Where the row of each node begins, and the end of the last one; valid for the first `sorted` halves.
    start: Vec<u32>,
    /// Number of halves that are in rows; the others follow in the order in which they came.
    sorted: usize,
    level: Vec<u32>,
    current: Vec<u32>,
    queue: Vec<u32>,
}

/// An arc in one of its two directions.
#[derive(Clone, Copy, Debug)]
struct Half {
    head: u32,
    /// What it can carry more; the backward half can carry what the forward half carries.
    residual: u32,
    /// The place of the other half.
    mate: u32,
    /// Twice the number of the arc, and 1 more if backwards.
    name: u32,
}

const NONE: u32 = u32::MAX;

impl FlowNetwork {
    /// A network of so many nodes without an arc.
    ///
    /// # Panics
    ///
    /// Past 2^32 - 2 nodes.
    pub fn new(nodes: usize) -> Self {
        assert!(nodes < NONE as usize, "{nodes} nodes are too many");
        Self {
            halves: Vec::new(),
            place: Vec::new(),
            start: vec![0; nodes + 1],
            sorted: 0,
            level: vec![NONE; nodes],
            current: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// Adds an arc that carries up to `capacity` units.
    ///
    /// # Panics
    ///
    /// If an end is no node, or past 2^31 - 1 arcs.
    pub fn add_arc(&mut self, tail: usize, head: usize, capacity: u32) -> ArcId {
        assert!(tail.max(head) < self.level.len(), "an arc from {tail} to {head}");
        assert!(self.halves.len() < NONE as usize - 1, "fewer than 2^31 arcs");
        let place = self.halves.len() as u32;
        self.halves.push(Half { head: head as u32, residual: capacity, mate: place + 1, name: place });
        self.halves.push(Half { head: tail as u32, residual: 0, mate: place, name: place + 1 });
        self.place.push(place);
        ArcId::new(place / 2)
    }

    /// Number of arcs.
    pub fn arc_count(&self) -> usize {
        self.place.len()
    }

    /// The units that an arc carries.
    pub fn flow(&self, arc: ArcId) -> u32 {
        let forward = self.halves[self.place[arc.index()] as usize];
        self.halves[forward.mate as usize].residual
    }

    /// Changes the capacity of an arc by `extra` units more.
    ///
    /// # Panics
    ///
    /// Past a capacity of 2^32 - 1.
    pub fn add_capacity(&mut self, arc: ArcId, extra: u32) {
        let residual = &mut self.halves[self.place[arc.index()] as usize].residual;
        *residual = residual.checked_add(extra).expect("a capacity below 2^32");
    }

    /// Takes the flow out and gives every arc a new capacity.
    pub fn reset(&mut self, mut capacity: impl FnMut(ArcId) -> u32) {
        for (arc, &place) in self.place.iter().enumerate() {
            let forward = &mut self.halves[place as usize];
            forward.residual = capacity(ArcId::from_index(arc));
            let mate = forward.mate;
            self.halves[mate as usize].residual = 0;
        }
    }

    /// Takes out what two opposite arcs carry both.
    ///
    /// # Panics
    ///
    /// If the arcs are not opposite.
    pub fn cancel(&mut self, arc: ArcId, opposite: ArcId) {
        let places = [arc, opposite].map(|arc| self.place[arc.index()] as usize);
        let [there, back] = places.map(|place| self.halves[place]);
        let tail = |half: Half| self.halves[half.mate as usize].head;
        assert!(there.head == tail(back) && back.head == tail(there), "{arc:?} and {opposite:?} are opposite");
        let both = self.flow(arc).min(self.flow(opposite));
        for place in places {
            self.halves[place].residual += both;
            let mate = self.halves[place].mate;
            self.halves[mate as usize].residual -= both;
        }
    }

    /// Adds as many units from `source` to `sink` as there is room for, and returns how many. Takes `O(M sqrt M)` time
    /// for `M` arcs of capacity 1.
    pub fn max_flow(&mut self, source: usize, sink: usize) -> u64 {
        self.sort();
        let mut total = 0;
        while source != sink && self.level_from(source, sink) {
            self.current.clone_from(&self.start);
            total += self.block(source, sink);
        }
        total
    }

    /// Whether a node can still be reached from the source of the last [`max_flow`](Self::max_flow): the source's side
    /// of a least cut.
    pub fn is_on_source_side(&self, node: usize) -> bool {
        self.level[node] != NONE
    }

    /// Takes the flow from `source` to `sink` out, a unit after the other, and calls `visit` with the path of each:
    /// arcs that meet no node twice, first those that were added first. What ran in circles is gone too, or left behind
    /// where no path met it. Takes `O(M + F)` time if the units cross `F` arcs.
    pub fn decompose_paths(&mut self, source: usize, sink: usize, mut visit: impl FnMut(&[ArcId])) {
        self.sort();
        self.current.clone_from(&self.start);
        // The place of the half by which the unit left a node for good, so that no node comes twice.
        let mut exit = vec![NONE; self.level.len()];
        let mut path = Vec::new();
        if source == sink {
            return;
        }
        loop {
            let mut node = source;
            while node != sink {
                let Some(place) = self.next_carrier(node) else {
                    debug_assert_eq!(node, source, "what comes in goes out");
                    return;
                };
                let Half { head, mate, .. } = self.halves[place];
                self.halves[place].residual += 1;
                self.halves[mate as usize].residual -= 1;
                exit[node] = place as u32;
                node = head as usize;
            }
            path.clear();
            node = source;
            while node != sink {
                let half = self.halves[exit[node] as usize];
                path.push(ArcId::new(half.name / 2));
                node = half.head as usize;
            }
            visit(&path);
        }
    }

    /// The first arc from a node that carries a unit; none before the node's current one does.
    fn next_carrier(&mut self, node: usize) -> Option<usize> {
        let end = self.start[node + 1] as usize;
        let is_carrier = |half: &Half| half.name.is_multiple_of(2) && self.halves[half.mate as usize].residual > 0;
        let ahead = self.halves[self.current[node] as usize..end].iter().position(is_carrier);
        self.current[node] = ahead.map_or(end, |ahead| self.current[node] as usize + ahead) as u32;
        ahead.map(|_| self.current[node] as usize)
    }

    /// Brings the halves into rows by tail, in the order in which they came.
    fn sort(&mut self) {
        if self.sorted == self.halves.len() {
            return;
        }
        let nodes = self.level.len();
        let tail = |half: &Half| self.halves[half.mate as usize].head as usize;
        self.start.fill(0);
        for half in &self.halves {
            self.start[tail(half) + 1] += 1;
        }
        for node in 0..nodes {
            self.start[node + 1] += self.start[node];
        }
        let mut next = self.start.clone();
        let new_place: Vec<u32> = self
            .halves
            .iter()
            .map(|half| {
                let place = &mut next[tail(half)];
                *place += 1;
                *place - 1
            })
            .collect();
        let mut rows = self.halves.clone();
        for (half, &place) in self.halves.iter().zip(&new_place) {
            rows[place as usize] = Half { mate: new_place[half.mate as usize], ..*half };
        }
        for place in &mut self.place {
            *place = new_place[*place as usize];
        }
        self.halves = rows;
        self.sorted = self.halves.len();
    }

    /// The number of arcs with room from `source`, for every node up to where the sink is met.
    fn level_from(&mut self, source: usize, sink: usize) -> bool {
        self.level.fill(NONE);
        self.queue.clear();
        self.queue.push(source as u32);
        self.level[source] = 0;
        let mut next = 0;
        while next < self.queue.len() && self.level[sink] == NONE {
            let node = self.queue[next] as usize;
            next += 1;
            for half in &self.halves[self.start[node] as usize..self.start[node + 1] as usize] {
                if half.residual > 0 && self.level[half.head as usize] == NONE {
                    self.level[half.head as usize] = self.level[node] + 1;
                    self.queue.push(half.head);
                }
            }
        }
        self.level[sink] != NONE
    }

    /// Fills the shortest ways from `source` to `sink` until none has room; depth first, without recursion.
    fn block(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        // Places of halves.
        let mut way: Vec<u32> = Vec::new();
        let mut node = source;
        loop {
            if node == sink {
                let room = way.iter().map(|&place| self.halves[place as usize].residual).min().unwrap_or(0);
                total += u64::from(room);
                let mut first_full = way.len();
                for (step, &place) in way.iter().enumerate().rev() {
                    let half = &mut self.halves[place as usize];
                    half.residual -= room;
                    if half.residual == 0 {
                        first_full = step;
                    }
                    let mate = half.mate;
                    self.halves[mate as usize].residual += room;
                }
                node = self.tail(way[first_full]);
                way.truncate(first_full);
                continue;
            }
            let place = self.current[node];
            if place == self.start[node + 1] {
                // A dead end: the arc that led here leads nowhere.
                let Some(back) = way.pop() else { return total };
                node = self.tail(back);
                self.current[node] += 1;
                continue;
            }
            let half = self.halves[place as usize];
            if half.residual > 0 && self.level[half.head as usize] == self.level[node] + 1 {
                way.push(place);
                node = half.head as usize;
            } else {
                self.current[node] += 1;
            }
        }
    }

    fn tail(&self, place: u32) -> usize {
        self.halves[self.halves[place as usize].mate as usize].head as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_flow_is_as_large_as_a_cut(arcs in prop::collection::vec((0usize..7, 0usize..7, 0u32..4), 0..40)) {
            let mut network = FlowNetwork::new(7);
            let ids: Vec<ArcId> = arcs.iter().map(|&(tail, head, capacity)| network.add_arc(tail, head, capacity)).collect();
            let total = network.max_flow(0, 6);
            let mut surplus = [0i64; 7];
            for (&(tail, head, capacity), &arc) in arcs.iter().zip(&ids) {
                prop_assert!(network.flow(arc) <= capacity);
                surplus[tail] -= i64::from(network.flow(arc));
                surplus[head] += i64::from(network.flow(arc));
            }
            prop_assert!(surplus[1..6].iter().all(|&units| units == 0));
            prop_assert_eq!(surplus[6], i64::try_from(total).unwrap());
            let crossing = |&&(tail, head, _): &&(usize, usize, u32)| {
                network.is_on_source_side(tail) && !network.is_on_source_side(head)
            };
            let cut: u64 = arcs.iter().filter(crossing).map(|&(_, _, capacity)| u64::from(capacity)).sum();
            prop_assert_eq!(total, cut);
            prop_assert_eq!(network.max_flow(0, 6), 0);
            let (mut count, mut used) = (0, vec![0; arcs.len()]);
            let before: Vec<u32> = ids.iter().map(|&arc| network.flow(arc)).collect();
            network.decompose_paths(0, 6, |path| {
                count += 1;
                let mut nodes = vec![0];
                for arc in path {
                    used[arc.index()] += 1;
                    assert_eq!(nodes.last(), Some(&arcs[arc.index()].0));
                    nodes.push(arcs[arc.index()].1);
                }
                assert_eq!(nodes.pop(), Some(6));
                nodes.sort_unstable();
                assert!(nodes.is_sorted_by(|a, b| a < b && *b < 6), "{nodes:?}");
            });
            prop_assert_eq!(count, total);
            prop_assert!(used.iter().zip(&before).all(|(used, before)| used <= before));
        }
    }

    proptest! {
        /// What is added, widened or reset later counts as if it had been there from the beginning.
        #[test]
        fn a_network_may_change(
            arcs in prop::collection::vec((0usize..7, 0usize..7, 0u32..4, 0u32..3), 0..40), early in 0usize..40,
        ) {
            let mut whole = FlowNetwork::new(7);
            let mut growing = FlowNetwork::new(7);
            let mut total = 0;
            for (place, &(tail, head, capacity, extra)) in arcs.iter().enumerate() {
                whole.add_arc(tail, head, capacity + extra);
                if place == early {
                    total += growing.max_flow(0, 6);
                }
                let arc = growing.add_arc(tail, head, capacity);
                growing.add_capacity(arc, extra);
            }
            let expected = whole.max_flow(0, 6);
            prop_assert_eq!(total + growing.max_flow(0, 6), expected);
            growing.reset(|arc| arcs[arc.index()].2 + arcs[arc.index()].3);
            prop_assert_eq!(growing.max_flow(0, 6), expected);
        }

        #[test]
        fn opposite_units_cancel(links in prop::collection::vec((0usize..6, 0usize..6, 1u32..4), 0..20)) {
            let mut network = FlowNetwork::new(6);
            let pairs: Vec<_> = links
                .iter()
                .map(|&(u, v, capacity)| (network.add_arc(u, v, capacity), network.add_arc(v, u, capacity)))
                .collect();
            let total = network.max_flow(0, 5);
            for &(there, back) in &pairs {
                network.cancel(there, back);
                prop_assert_eq!(network.flow(there).min(network.flow(back)), 0);
            }
            let mut count = 0;
            network.decompose_paths(0, 5, |_| count += 1);
            prop_assert_eq!(count, total);
        }
    }
}
