//! Edge colouring of bipartite multigraphs.

/// The absence of an edge or a colour.
const NONE: u32 = u32::MAX;

/// Returns a colour below `colours` for every edge, such that edges of one colour share no node.
///
/// `edges` are pairs of a left node, below `left`, and a right node, below `right`. Parallel edges are allowed. The
/// number of colours used is the largest degree `D`, even if `colours` is larger.
///
/// The edges are halved along Euler tours until each half is a matching. If `D` is not a power of two, the first half
/// is coloured before the second. The second half takes some colours of the first, so that its degree becomes a power
/// of two. If `D` is odd, one surplus colour is removed edge by edge along alternating paths.
///
/// For `E` edges and `N` nodes this takes `O(E log D + N)` time. For odd `D` it adds `O(E / D)` alternating paths of at
/// most `O(E / D)` edges each, at each of at most `log D` levels. Memory is about 55 bytes per edge and 16 bytes per
/// node.
///
/// ```
/// use lockstep_analytic::bipartite_edge_colouring;
///
/// // Two inputs, two outputs, three packets: two time slots.
/// let slot = bipartite_edge_colouring(2, 2, &[(0, 0), (0, 1), (1, 1)], 2);
/// assert!(slot[0] != slot[1] && slot[1] != slot[2]);
/// ```
///
/// # Panics
///
/// If a node has more edges than there are colours, if an edge names a node that does not exist, or for 2^32 - 1 edges
/// or nodes and more.
///
/// # Source
///
/// Kőnig, *Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre*, Math. Annalen 77 (1916); Gabow,
/// *Using Euler partitions to edge color bipartite multigraphs*, Int. J. Computer and Information Sciences 5 (1976).
pub fn bipartite_edge_colouring(left: usize, right: usize, edges: &[(u32, u32)], colours: usize) -> Vec<u32> {
    assert!(edges.len().max(left + right) < NONE as usize, "fewer than 2^32 - 1 edges and nodes");
    let mut degree = [vec![0u32; left], vec![0u32; right]];
    for &(tail, head) in edges {
        degree[0][tail as usize] += 1;
        degree[1][head as usize] += 1;
    }
    let most = degree.iter().flatten().copied().max().unwrap_or(0);
    assert!(most as usize <= colours, "no node has more edges than there are colours");
    if most <= 1 {
        return vec![0; edges.len()];
    }
    let [(left_group, left_count), (right_group, right_count)] = degree.map(|degree| groups(&degree, most));
    let group = |(place, &(tail, head)): (usize, &(u32, u32))| GroupedEdge {
        place: place as u32,
        ends: [left_group[tail as usize], left_count + right_group[head as usize]],
    };
    let mut grouped: Vec<GroupedEdge> = edges.iter().enumerate().map(group).collect();
    let mut colouring = EdgeColouring {
        colour: vec![NONE; edges.len()],
        pending: vec![NONE; (left_count + right_count) as usize],
        partner: vec![[NONE; 2]; edges.len()],
        half: vec![TourHalf::Unknown; edges.len()],
        scratch: grouped.clone(),
    };
    colouring.colour_edges(&mut grouped, most, 0);
    colouring.colour
}

/// Partitions the nodes into groups of at most `most` edges; returns the group of every node and the number of groups.
///
/// Edges of different colours in a group also differ at its nodes. Two neighbouring groups have more than `most` edges
/// together, so a table of groups and colours has not much more than one entry per edge.
fn groups(degree: &[u32], most: u32) -> (Vec<u32>, u32) {
    let (mut group, mut sum) = (0, 0);
    let groups = degree.iter().map(|&degree| {
        if degree > most - sum {
            group += 1;
            sum = 0;
        }
        sum += degree;
        group
    });
    (groups.collect(), group + 1)
}

/// An edge between two groups of nodes.
#[derive(Clone, Copy)]
struct GroupedEdge {
    /// Index among all edges.
    place: u32,
    /// The groups of its left and its right node; right groups follow the left ones.
    ends: [u32; 2],
}

/// The half of an Euler tour to which an edge belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TourHalf {
    Unknown,
    First,
    Second,
}

/// The colours found so far, and scratch space.
struct EdgeColouring {
    /// The colour of each edge, by its index among all edges.
    colour: Vec<u32>,
    /// At each node, the edge that has no partner yet.
    pending: Vec<u32>,
    /// For each edge of the part that is halved, its neighbours on the tour at both ends.
    partner: Vec<[u32; 2]>,
    half: Vec<TourHalf>,
    scratch: Vec<GroupedEdge>,
}

impl EdgeColouring {
    /// Colours edges of at most `degree` per node with the colours from `first` to `first + degree - 1`.
    fn colour_edges(&mut self, edges: &mut [GroupedEdge], degree: u32, first: u32) {
        if degree == 1 || edges.is_empty() {
            for edge in &*edges {
                self.colour[edge.place as usize] = first;
            }
            return;
        }
        let middle = self.halve(edges);
        let half = degree.div_ceil(2);
        self.colour_edges(&mut edges[..middle], half, first);
        let given = half.next_power_of_two() - half;
        let kept = first + half - given;
        let middle =
            self.partition(&mut edges[..middle], |colouring, _, edge| colouring.colour[edge.place as usize] < kept);
        self.colour_edges(&mut edges[middle..], half + given, kept);
        if 2 * half > degree {
            self.dissolve(edges, degree, first);
        }
    }

    /// Partitions the edges into two parts that share the edges of every node evenly; returns the start of the second
    /// part.
    ///
    /// Edges are paired at each node. The pairs form paths and cycles. These alternate between left and right nodes, so
    /// a cycle has an even number of edges. Every other edge goes to the second part.
    fn halve(&mut self, edges: &mut [GroupedEdge]) -> usize {
        for (at, edge) in edges.iter().enumerate() {
            self.half[at] = TourHalf::Unknown;
            self.partner[at] = [NONE; 2];
            for (side, node) in edge.ends.into_iter().enumerate() {
                let pending = &mut self.pending[node as usize];
                if *pending == NONE {
                    *pending = at as u32;
                } else {
                    self.partner[at][side] = *pending;
                    self.partner[*pending as usize][side] = at as u32;
                    *pending = NONE;
                }
            }
        }
        for (start, edge) in edges.iter().enumerate() {
            for (node, partner) in edge.ends.into_iter().zip(self.partner[start]) {
                if partner == NONE {
                    self.pending[node as usize] = NONE;
                }
            }
            if self.half[start] == TourHalf::Unknown {
                self.half[start] = TourHalf::First;
                self.follow_tour(start, 0);
                self.follow_tour(start, 1);
            }
        }
        self.partition(edges, |colouring, at, _| colouring.half[at] == TourHalf::First)
    }

    /// Assigns alternating halves to the edges of a tour, starting after `start` at the given side.
    fn follow_tour(&mut self, start: usize, side: usize) {
        let (mut at, mut side) = (start, side);
        loop {
            let next = self.partner[at][side];
            if next == NONE || self.half[next as usize] != TourHalf::Unknown {
                return;
            }
            self.half[next as usize] =
                if self.half[at] == TourHalf::First { TourHalf::Second } else { TourHalf::First };
            (at, side) = (next as usize, 1 - side);
        }
    }

    /// Moves the edges with `holds` before the others, and returns their number. Both parts keep their order.
    fn partition(&mut self, edges: &mut [GroupedEdge], holds: impl Fn(&Self, usize, &GroupedEdge) -> bool) -> usize {
        let mut others = std::mem::take(&mut self.scratch);
        let (mut count, mut other_count) = (0, 0);
        for at in 0..edges.len() {
            // Written to both parts: a branch here would be unpredictable for the processor.
            let edge = edges[at];
            edges[count] = edge;
            others[other_count] = edge;
            let holds = holds(self, at, &edge);
            count += usize::from(holds);
            other_count += usize::from(!holds);
        }
        edges[count..].copy_from_slice(&others[..other_count]);
        self.scratch = others;
        count
    }

    /// Removes the last of the `degree + 1` colours from `first` on.
    fn dissolve(&mut self, edges: &[GroupedEdge], degree: u32, first: u32) {
        let mut size = vec![0u32; degree as usize + 1];
        for edge in edges {
            size[(self.colour[edge.place as usize] - first) as usize] += 1;
        }
        let (last, mut rarest) = (first + degree, first);
        for colour in first..=last {
            if size[(colour - first) as usize] < size[(rarest - first) as usize] {
                rarest = colour;
            }
        }
        let mut table =
            ColourTable { width: degree as usize, first, edge: vec![NONE; self.pending.len() * degree as usize] };
        let mut loose = Vec::new();
        for (at, edge) in edges.iter().enumerate() {
            let colour = &mut self.colour[edge.place as usize];
            if *colour == rarest {
                loose.push(at as u32);
                continue;
            }
            if *colour == last {
                *colour = rarest;
            }
            for node in edge.ends {
                *table.at(node, *colour) = at as u32;
            }
        }
        for edge in loose {
            self.insert(edges, edge, &mut table);
        }
    }

    /// Assigns an edge a colour of the table. If no colour is free at both ends, exchanges two colours along an
    /// alternating path.
    fn insert(&mut self, edges: &[GroupedEdge], edge: u32, table: &mut ColourTable) {
        let GroupedEdge { place, ends: [tail, head] } = edges[edge as usize];
        // The path begins at the head with the colour that is free at the tail. It reaches the side of the tail only by edges
        // of that colour, so it never ends at the tail.
        let (mut now, mut then) = table.free(tail, head);
        self.colour[place as usize] = now;
        *table.at(tail, now) = edge;
        let mut node = head;
        let mut displaced = std::mem::replace(table.at(node, now), edge);
        while displaced != NONE {
            let GroupedEdge { place, ends: [tail, head] } = edges[displaced as usize];
            self.colour[place as usize] = then;
            *table.at(node, then) = displaced;
            node ^= tail ^ head;
            let next = std::mem::replace(table.at(node, then), displaced);
            if next == NONE {
                *table.at(node, now) = NONE;
            }
            displaced = next;
            (now, then) = (then, now);
        }
    }
}

/// The edge of each colour at each node, by its index in the part that is coloured.
struct ColourTable {
    width: usize,
    first: u32,
    edge: Vec<u32>,
}

impl ColourTable {
    fn at(&mut self, node: u32, colour: u32) -> &mut u32 {
        &mut self.edge[node as usize * self.width + (colour - self.first) as usize]
    }

    /// Returns a colour free at the tail and one free at the head, the same if possible.
    fn free(&self, tail: u32, head: u32) -> (u32, u32) {
        let [tail, head] = [tail, head].map(|node| &self.edge[node as usize * self.width..][..self.width]);
        let both = tail.iter().zip(head).position(|(&at_tail, &at_head)| at_tail == NONE && at_head == NONE);
        let [at_tail, at_head] = [tail, head].map(|row| {
            let free = both.or_else(|| row.iter().position(|&edge| edge == NONE));
            self.first + free.expect("an uncoloured edge leaves a colour free at each end") as u32
        });
        (at_tail, at_head)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand::{Rng, RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn most_edges(left: usize, right: usize, edges: &[(u32, u32)]) -> usize {
        let mut degree = vec![0; left + right];
        for &(tail, head) in edges {
            degree[tail as usize] += 1;
            degree[left + head as usize] += 1;
        }
        degree.into_iter().max().unwrap_or(0)
    }

    /// Returns true if no node has two edges of one colour, and all colours are below the largest degree.
    fn is_proper(left: usize, right: usize, edges: &[(u32, u32)], colour: &[u32]) -> bool {
        let most = most_edges(left, right, edges) as u32;
        let ends = edges.iter().zip(colour).flat_map(|(&(tail, head), &colour)| [(0, tail, colour), (1, head, colour)]);
        let mut ends: Vec<_> = ends.collect();
        ends.sort_unstable();
        colour.len() == edges.len()
            && ends.iter().all(|&(.., colour)| colour < most)
            && ends.windows(2).all(|pair| pair[0] != pair[1])
    }

    proptest! {
        #[test]
        fn adjacent_edges_have_different_colours(edges in prop::collection::vec((0u32..6, 0u32..5), 0..60)) {
            let colour = bipartite_edge_colouring(6, 5, &edges, most_edges(6, 5, &edges));
            prop_assert!(is_proper(6, 5, &edges, &colour), "{colour:?}");
        }

        /// In regular graphs no colour is free at any node. Some nodes are isolated, and some have many edges.
        #[test]
        fn the_largest_degree_is_a_sufficient_number_of_colours(
            nodes in 1u32..40, degree in 1u32..40, idle in 0usize..50, extra in 0u32..30, seed: u64,
        ) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut edges: Vec<(u32, u32)> = (0..degree).flat_map(|_| matching(nodes, &mut random)).collect();
            // One more busy node on the left, whose edges go to separate nodes.
            edges.extend((0..extra.min(degree)).map(|leaf| (nodes, nodes + leaf)));
            let (left, right) = (nodes as usize + 1 + idle, (nodes + extra) as usize + idle);
            let colour = bipartite_edge_colouring(left, right, &edges, degree as usize);
            prop_assert!(is_proper(left, right, &edges, &colour));
            prop_assert_eq!(&colour, &bipartite_edge_colouring(left, right, &edges, degree as usize + 1));
        }
    }

    /// A random permutation as edges.
    fn matching(nodes: u32, random: &mut impl Rng) -> Vec<(u32, u32)> {
        let mut heads: Vec<u32> = (0..nodes).collect();
        for last in (1..heads.len()).rev() {
            heads.swap(last, random.random_range(0..=last));
        }
        (0..nodes).zip(heads).collect()
    }

    #[test]
    fn time_and_memory_depend_on_the_number_of_edges() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        // Dense, sparse, and a star, for which a table of nodes and colours would be too large.
        for (nodes, degree) in [(300, 299), (20_000, 3), (2, 50_000)] {
            let edges: Vec<(u32, u32)> = (0..degree).flat_map(|_| matching(nodes, &mut random)).collect();
            let nodes = nodes as usize;
            assert!(is_proper(nodes, nodes, &edges, &bipartite_edge_colouring(nodes, nodes, &edges, degree)));
        }
        let star: Vec<(u32, u32)> = (0..200_000).map(|leaf| (0, leaf)).collect();
        assert!(is_proper(1, star.len(), &star, &bipartite_edge_colouring(1, star.len(), &star, star.len())));
    }
}
