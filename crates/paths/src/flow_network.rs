//! Maximum flow by Dinic's algorithm.

use lockstep_topology::number_id;

number_id!(
    /// An arc of a [`FlowNetwork`], numbered in the order of addition.
    ArcId,
    "a"
);

/// A directed network with integer capacities and a flow.
///
/// Nodes are `0..nodes`. Memory: 36 bytes per arc and 16 bytes per node; sorting takes up to 32 bytes per arc in
/// addition.
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
/// # Source
///
/// Dinic, *Algorithm for solution of a problem of maximum flow in networks with power estimation*, Soviet Math. Doklady
/// 11 (1970).
#[derive(Clone, Debug)]
pub struct FlowNetwork {
    /// Each arc and its reverse, in rows by tail after sorting.
    residual_arcs: Vec<ResidualArc>,
    /// The index of each arc in `residual_arcs`.
    index: Vec<u32>,
    /// The start of the row of each node, and the end of the last row. Valid for the first `sorted` residual arcs.
    start: Vec<u32>,
    /// Number of residual arcs that are in rows. The others follow in the order of addition.
    sorted: usize,
    /// Level of each node in the layered network, [`NONE`] if unreachable.
    level: Vec<u32>,
    /// The first residual arc of each node that is not yet exhausted.
    current: Vec<u32>,
    /// Scratch space of the breadth-first search.
    queue: Vec<u32>,
    /// Number of nodes and arcs of all layered networks so far.
    visits: u64,
}

/// An arc or its reverse in the residual network.
#[derive(Clone, Copy, Debug)]
struct ResidualArc {
    head: u32,
    /// Residual capacity. The residual capacity of a reverse arc is the flow of the arc.
    capacity: u32,
    /// Index of the arc in the opposite direction.
    opposite: u32,
    /// Twice the number of the arc, plus 1 for the reverse arc.
    id: u32,
}

/// An unreachable level or an unknown index.
const NONE: u32 = u32::MAX;

impl FlowNetwork {
    /// Creates a network of nodes without arcs.
    ///
    /// # Panics
    ///
    /// If there are more than 2^32 - 2 nodes.
    pub fn new(nodes: usize) -> Self {
        assert!(nodes < NONE as usize, "{nodes} nodes are too many");
        Self {
            residual_arcs: Vec::new(),
            index: Vec::new(),
            start: vec![0; nodes + 1],
            sorted: 0,
            level: vec![NONE; nodes],
            current: Vec::new(),
            queue: Vec::new(),
            visits: 0,
        }
    }

    /// Adds an arc with this capacity.
    ///
    /// # Panics
    ///
    /// If an end is not a node, or if there are more than 2^31 - 1 arcs.
    pub fn add_arc(&mut self, tail: usize, head: usize, capacity: u32) -> ArcId {
        assert!(tail.max(head) < self.level.len(), "an arc from {tail} to {head}, beyond the nodes");
        assert!(self.residual_arcs.len() < NONE as usize - 1, "fewer than 2^31 arcs");
        let place = self.residual_arcs.len() as u32;
        self.residual_arcs.push(ResidualArc { head: head as u32, capacity, opposite: place + 1, id: place });
        self.residual_arcs.push(ResidualArc { head: tail as u32, capacity: 0, opposite: place, id: place + 1 });
        self.index.push(place);
        ArcId::new(place / 2)
    }

    /// Returns the number of arcs.
    pub fn arc_count(&self) -> usize {
        self.index.len()
    }

    /// Returns the flow of an arc.
    pub fn flow(&self, arc: ArcId) -> u32 {
        let forward = self.residual_arcs[self.index[arc.index()] as usize];
        self.residual_arcs[forward.opposite as usize].capacity
    }

    /// Increases the capacity of an arc by `extra`.
    ///
    /// # Panics
    ///
    /// If the capacity exceeds 2^32 - 1.
    pub fn add_capacity(&mut self, arc: ArcId, extra: u32) {
        let capacity = &mut self.residual_arcs[self.index[arc.index()] as usize].capacity;
        *capacity = capacity.checked_add(extra).expect("a capacity below 2^32");
    }

    /// Removes the flow and sets new capacities.
    pub fn reset(&mut self, mut capacity: impl FnMut(ArcId) -> u32) {
        for (arc, &place) in self.index.iter().enumerate() {
            let forward = &mut self.residual_arcs[place as usize];
            forward.capacity = capacity(ArcId::from_index(arc));
            let opposite = forward.opposite;
            self.residual_arcs[opposite as usize].capacity = 0;
        }
    }

    /// Cancels the common flow of two opposite arcs.
    ///
    /// # Panics
    ///
    /// If the arcs are not opposite.
    pub fn cancel(&mut self, arc: ArcId, opposite: ArcId) {
        let places = [arc, opposite].map(|arc| self.index[arc.index()] as usize);
        let [there, back] = places.map(|place| self.residual_arcs[place]);
        let tail = |residual_arc: ResidualArc| self.residual_arcs[residual_arc.opposite as usize].head;
        assert!(there.head == tail(back) && back.head == tail(there), "{arc:?} and {opposite:?} are opposite");
        let both = self.flow(arc).min(self.flow(opposite));
        for place in places {
            self.residual_arcs[place].capacity += both;
            let opposite = self.residual_arcs[place].opposite;
            self.residual_arcs[opposite as usize].capacity -= both;
        }
    }

    /// Augments the flow from `source` to `sink` to a maximum flow. Returns the increase.
    ///
    /// Takes `O(N^2 M)` time for `M` arcs, and `O(M sqrt M)` if all capacities are 1.
    pub fn max_flow(&mut self, source: usize, sink: usize) -> u64 {
        std::iter::from_fn(|| self.augment(source, sink)).sum()
    }

    /// Augments the flow from `source` to `sink` along the shortest augmenting paths. Returns the increase, or `None` if
    /// the flow is maximum.
    ///
    /// This is one phase of [`max_flow`](Self::max_flow), for callers that check a budget between the phases. Takes
    /// `O(N M)` time, and `O(M)` if all capacities are 1.
    pub fn augment(&mut self, source: usize, sink: usize) -> Option<u64> {
        self.sort();
        if source == sink || !self.compute_levels(source, sink) {
            return None;
        }
        self.visits += (self.level.len() + self.index.len()) as u64;
        self.current.clone_from(&self.start);
        Some(self.add_blocking_flow(source, sink))
    }

    /// Returns the work of all maximum flows so far: the nodes and arcs, for each layered network.
    pub fn visits(&self) -> u64 {
        self.visits
    }

    /// Returns true if a node is on the source side of a minimum cut: it is reachable from the source of the last
    /// [`max_flow`](Self::max_flow) in the residual network.
    pub fn is_on_source_side(&self, node: usize) -> bool {
        self.level[node] != NONE
    }

    /// Decomposes the flow from `source` to `sink` into unit paths, removes it, and calls `visit` with each path.
    ///
    /// Paths are simple and prefer arcs that were added first. Cycles of flow are removed if they touch a path,
    /// otherwise they remain. Takes `O(M + F)` time for units that cross `F` arcs in total.
    pub fn decompose_paths(&mut self, source: usize, sink: usize, mut visit: impl FnMut(&[ArcId])) {
        self.sort();
        self.current.clone_from(&self.start);
        // The arc by which the unit leaves each node for the last time, which makes paths simple.
        let mut exit = vec![NONE; self.level.len()];
        let mut path = Vec::new();
        if source == sink {
            return;
        }
        loop {
            let mut node = source;
            while node != sink {
                let Some(place) = self.next_carrier(node) else {
                    debug_assert_eq!(node, source, "flow is conserved");
                    return;
                };
                let ResidualArc { head, opposite, .. } = self.residual_arcs[place];
                self.residual_arcs[place].capacity += 1;
                self.residual_arcs[opposite as usize].capacity -= 1;
                exit[node] = place as u32;
                node = head as usize;
            }
            path.clear();
            node = source;
            while node != sink {
                let residual_arc = self.residual_arcs[exit[node] as usize];
                path.push(ArcId::new(residual_arc.id / 2));
                node = residual_arc.head as usize;
            }
            visit(&path);
        }
    }

    /// Returns the first arc from a node that carries flow, from the current arc of the node on.
    fn next_carrier(&mut self, node: usize) -> Option<usize> {
        let end = self.start[node + 1] as usize;
        let is_carrier = |residual_arc: &ResidualArc| {
            residual_arc.id.is_multiple_of(2) && self.residual_arcs[residual_arc.opposite as usize].capacity > 0
        };
        let ahead = self.residual_arcs[self.current[node] as usize..end].iter().position(is_carrier);
        self.current[node] = ahead.map_or(end, |ahead| self.current[node] as usize + ahead) as u32;
        ahead.map(|_| self.current[node] as usize)
    }

    /// Sorts the residual arcs into rows by tail. The sort is stable.
    fn sort(&mut self) {
        if self.sorted == self.residual_arcs.len() {
            return;
        }
        let nodes = self.level.len();
        let tail = |residual_arc: &ResidualArc| self.residual_arcs[residual_arc.opposite as usize].head as usize;
        self.start.fill(0);
        for residual_arc in &self.residual_arcs {
            self.start[tail(residual_arc) + 1] += 1;
        }
        for node in 0..nodes {
            self.start[node + 1] += self.start[node];
        }
        let mut next = self.start.clone();
        let new_place: Vec<u32> = self
            .residual_arcs
            .iter()
            .map(|residual_arc| {
                let place = &mut next[tail(residual_arc)];
                *place += 1;
                *place - 1
            })
            .collect();
        let mut rows = self.residual_arcs.clone();
        for (residual_arc, &place) in self.residual_arcs.iter().zip(&new_place) {
            rows[place as usize] = ResidualArc { opposite: new_place[residual_arc.opposite as usize], ..*residual_arc };
        }
        for place in &mut self.index {
            *place = new_place[*place as usize];
        }
        self.residual_arcs = rows;
        self.sorted = self.residual_arcs.len();
    }

    /// Computes the levels from `source` up to the sink in the residual network. Returns true if the sink is reachable.
    fn compute_levels(&mut self, source: usize, sink: usize) -> bool {
        self.level.fill(NONE);
        self.queue.clear();
        self.queue.push(source as u32);
        self.level[source] = 0;
        let mut next = 0;
        while next < self.queue.len() && self.level[sink] == NONE {
            let node = self.queue[next] as usize;
            next += 1;
            for residual_arc in &self.residual_arcs[self.start[node] as usize..self.start[node + 1] as usize] {
                if residual_arc.capacity > 0 && self.level[residual_arc.head as usize] == NONE {
                    self.level[residual_arc.head as usize] = self.level[node] + 1;
                    self.queue.push(residual_arc.head);
                }
            }
        }
        self.level[sink] != NONE
    }

    /// Adds a blocking flow by iterative depth-first search. Returns its value.
    fn add_blocking_flow(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        // Indexes of residual arcs.
        let mut path: Vec<u32> = Vec::new();
        let mut node = source;
        loop {
            if node == sink {
                let room = path.iter().map(|&place| self.residual_arcs[place as usize].capacity).min().unwrap_or(0);
                total += u64::from(room);
                let mut first_full = path.len();
                for (step, &place) in path.iter().enumerate().rev() {
                    let residual_arc = &mut self.residual_arcs[place as usize];
                    residual_arc.capacity -= room;
                    if residual_arc.capacity == 0 {
                        first_full = step;
                    }
                    let opposite = residual_arc.opposite;
                    self.residual_arcs[opposite as usize].capacity += room;
                }
                node = self.tail(path[first_full]);
                path.truncate(first_full);
                continue;
            }
            let place = self.current[node];
            if place == self.start[node + 1] {
                // A dead end: the last arc does not lead to the sink.
                let Some(back) = path.pop() else { return total };
                node = self.tail(back);
                self.current[node] += 1;
                continue;
            }
            let residual_arc = self.residual_arcs[place as usize];
            if residual_arc.capacity > 0 && self.level[residual_arc.head as usize] == self.level[node] + 1 {
                path.push(place);
                node = residual_arc.head as usize;
            } else {
                self.current[node] += 1;
            }
        }
    }

    fn tail(&self, place: u32) -> usize {
        self.residual_arcs[self.residual_arcs[place as usize].opposite as usize].head as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_maximum_flow_equals_a_cut(arcs in prop::collection::vec((0usize..7, 0usize..7, 0u32..4), 0..40)) {
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
            #[test]
        fn arcs_and_capacities_can_change_between_flows(
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

    /// Both paths have the same length, so one layered network finds them. The search that finds no more is not counted.
    #[test]
    fn each_layered_network_is_counted() {
        let mut network = FlowNetwork::new(4);
        for (tail, head) in [(0, 1), (1, 3), (0, 2), (2, 3)] {
            network.add_arc(tail, head, 1);
        }
        assert_eq!((network.max_flow(0, 3), network.visits()), (2, 8));
        assert_eq!((network.max_flow(0, 3), network.visits()), (0, 8));
    }
}
