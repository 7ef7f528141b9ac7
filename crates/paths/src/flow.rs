//! Maximum flow.

use lockstep_topology::number_id;

number_id!(
    /// An arc of a [`FlowNetwork`], in the order they were added.
    ArcId,
    "a"
);

/// A directed network with capacities, and a flow in it.
///
/// Nodes are `0..nodes`. Memory: 24 bytes an arc and 12 bytes a node.
///
/// ```
/// use lockstep_paths::FlowNetwork;
///
/// let mut network = FlowNetwork::new(4);
/// for (tail, head, capacity) in [(0, 1, 2), (0, 2, 1), (1, 3, 1), (2, 3, 5), (1, 2, 1)] {
///     network.arc(tail, head, capacity);
/// }
/// assert_eq!(network.maximise(0, 3), 3);
/// ```
///
/// **Source**: Dinic, *Algorithm for solution of a problem of maximum flow in networks with power estimation*, Soviet
/// Math. Doklady 11 (1970).
#[derive(Clone, Debug)]
pub struct FlowNetwork {
    /// The last arc that was added at each node.
    last: Vec<u32>,
    /// For arcs and, at odd places, the same arcs backwards: the one added before at the same tail.
    before: Vec<u32>,
    head: Vec<u32>,
    residual: Vec<u32>,
    level: Vec<u32>,
    current: Vec<u32>,
    queue: Vec<u32>,
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
            last: vec![NONE; nodes],
            before: Vec::new(),
            head: Vec::new(),
            residual: Vec::new(),
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
    pub fn arc(&mut self, tail: usize, head: usize, capacity: u32) -> ArcId {
        assert!(self.head.len() < NONE as usize - 1, "fewer than 2^31 arcs");
        let arc = self.head.len() as u32;
        for (place, from, to, residual) in [(arc, tail, head, capacity), (arc + 1, head, tail, 0)] {
            self.head.push(to as u32);
            self.residual.push(residual);
            self.before.push(std::mem::replace(&mut self.last[from], place));
        }
        ArcId::new(arc / 2)
    }

    /// Number of arcs.
    pub fn arc_count(&self) -> usize {
        self.head.len() / 2
    }

    /// The units that an arc carries.
    pub fn flow(&self, arc: ArcId) -> u32 {
        self.residual[2 * arc.index() + 1]
    }

    /// Changes the capacity of an arc by `extra` units more.
    ///
    /// # Panics
    ///
    /// Past a capacity of 2^32 - 1.
    pub fn widen(&mut self, arc: ArcId, extra: u32) {
        let residual = &mut self.residual[2 * arc.index()];
        *residual = residual.checked_add(extra).expect("a capacity below 2^32");
    }

    /// Adds as many units from `source` to `sink` as there is room for, and returns how many. Takes `O(M sqrt M)` time
    /// for `M` arcs of capacity 1.
    pub fn maximise(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        while source != sink && self.level_from(source, sink) {
            self.current.clone_from(&self.last);
            total += self.block(source, sink);
        }
        total
    }

    /// Whether a node can still be reached from the source of the last [`maximise`](Self::maximise): the source's side
    /// of a least cut.
    pub fn is_on_source_side(&self, node: usize) -> bool {
        self.level[node] != NONE
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
            let mut arc = self.last[node];
            while arc != NONE {
                let head = self.head[arc as usize] as usize;
                if self.residual[arc as usize] > 0 && self.level[head] == NONE {
                    self.level[head] = self.level[node] + 1;
                    self.queue.push(head as u32);
                }
                arc = self.before[arc as usize];
            }
        }
        self.level[sink] != NONE
    }

    /// Fills the shortest ways from `source` to `sink` until none has room; depth first, without recursion.
    fn block(&mut self, source: usize, sink: usize) -> u64 {
        let mut total = 0;
        let mut way: Vec<u32> = Vec::new();
        let mut node = source;
        loop {
            if node == sink {
                let room = way.iter().map(|&arc| self.residual[arc as usize]).min().unwrap_or(0);
                total += u64::from(room);
                let mut first_full = way.len();
                for (place, &arc) in way.iter().enumerate().rev() {
                    self.residual[arc as usize] -= room;
                    self.residual[arc as usize ^ 1] += room;
                    if self.residual[arc as usize] == 0 {
                        first_full = place;
                    }
                }
                node = self.head[way[first_full] as usize ^ 1] as usize;
                way.truncate(first_full);
                continue;
            }
            let arc = self.current[node];
            if arc == NONE {
                // A dead end: the arc that led here leads nowhere.
                let Some(back) = way.pop() else { return total };
                node = self.head[back as usize ^ 1] as usize;
                self.current[node] = self.before[self.current[node] as usize];
                continue;
            }
            let head = self.head[arc as usize] as usize;
            if self.residual[arc as usize] > 0 && self.level[head] == self.level[node] + 1 {
                way.push(arc);
                node = head;
            } else {
                self.current[node] = self.before[arc as usize];
            }
        }
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
            let ids: Vec<ArcId> = arcs.iter().map(|&(tail, head, capacity)| network.arc(tail, head, capacity)).collect();
            let total = network.maximise(0, 6);
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
            prop_assert_eq!(network.maximise(0, 6), 0);
        }
    }
}
