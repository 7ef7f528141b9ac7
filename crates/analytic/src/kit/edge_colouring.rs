//! Colours for the edges of bipartite multigraphs: the one combinatorial fact behind most constructions here.

/// Stands for no edge, and for no colour.
const NONE: u32 = u32::MAX;

/// A colour below `colours` for every edge, such that edges of one colour share no end.
///
/// `edges` are pairs of a left node, below `left`, and a right node, below `right`; parallel edges are allowed. Of the
/// colours only as many are used as the busiest node has edges.
///
/// The edges are halved along Euler tours until each half is a matching. Where the greatest number of edges of a node, `D`,
/// is no power of two, the first half is coloured before the second, which takes some of its colours over and so becomes
/// a power of two; where `D` is odd, one colour too many is dissolved edge by edge along alternating paths. For `E` edges
/// and `N` nodes this takes `O(E log D + N)` time and, for odd `D`, `O(E / D)` alternating paths at each of at most
/// `log D` levels, of at most `O(E / D)` edges each; memory is about 55 bytes an edge and 16 bytes a node.
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
/// If a node has more edges than there are colours, an edge names a node that does not exist, or past 2^32 - 2 edges or
/// nodes.
///
/// **Source**: Kőnig, *Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre*, Math. Annalen 77 (1916);
/// Gabow, *Using Euler partitions to edge color bipartite multigraphs*, Int. J. Computer and Information Sciences 5 (1976).
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
    let group = |(place, &(tail, head)): (usize, &(u32, u32))| Edge {
        place: place as u32,
        ends: [left_group[tail as usize], left_count + right_group[head as usize]],
    };
    let mut grouped: Vec<Edge> = edges.iter().enumerate().map(group).collect();
    let mut painting = Painting {
        colour: vec![NONE; edges.len()],
        pending: vec![NONE; (left_count + right_count) as usize],
        partner: vec![[NONE; 2]; edges.len()],
        half: vec![Half::Unknown; edges.len()],
        scratch: grouped.clone(),
    };
    painting.paint(&mut grouped, most, 0);
    painting.colour
}

/// A group for every node such that no group has more than `most` edges, and the number of groups.
///
/// Colours that differ in a group differ at its nodes, and any two neighbouring groups have more than `most` edges, so that
/// a table of groups and colours has a place for each edge and not many more.
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

#[derive(Clone, Copy)]
struct Edge {
    /// Its place among all edges.
    place: u32,
    /// The groups of its left and its right node, right ones behind the left ones.
    ends: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Unknown,
    First,
    Second,
}

struct Painting {
    /// By place among all edges.
    colour: Vec<u32>,
    /// While edges are paired at each node: the one that has no partner yet.
    pending: Vec<u32>,
    /// By place in the part that is halved: the edge before or behind it on the tour, at either end.
    partner: Vec<[u32; 2]>,
    half: Vec<Half>,
    scratch: Vec<Edge>,
}

impl Painting {
    /// Gives these edges, at most `degree` a node, the colours from `first` to `first + degree`.
    fn paint(&mut self, edges: &mut [Edge], degree: u32, first: u32) {
        if degree == 1 || edges.is_empty() {
            for edge in &*edges {
                self.colour[edge.place as usize] = first;
            }
            return;
        }
        let middle = self.halve(edges);
        let half = degree.div_ceil(2);
        self.paint(&mut edges[..middle], half, first);
        let given = half.next_power_of_two() - half;
        let kept = first + half - given;
        let middle = self.part(&mut edges[..middle], |painting, _, edge| painting.colour[edge.place as usize] < kept);
        self.paint(&mut edges[middle..], half + given, kept);
        if 2 * half > degree {
            self.dissolve(edges, degree, first);
        }
    }

    /// Moves the edges to two parts, such that the edges of every node are spread evenly; where the second begins.
    ///
    /// Edges are paired at each node. Pairs join to paths and cycles, which change sides with every edge and so have an even
    /// number of edges if closed: every other edge goes to the second part.
    fn halve(&mut self, edges: &mut [Edge]) -> usize {
        for (at, edge) in edges.iter().enumerate() {
            self.half[at] = Half::Unknown;
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
            if self.half[start] == Half::Unknown {
                self.half[start] = Half::First;
                self.walk(start, 0);
                self.walk(start, 1);
            }
        }
        self.part(edges, |painting, at, _| painting.half[at] == Half::First)
    }

    /// Spreads the edges of a tour from one on, which leaves it at this side.
    fn walk(&mut self, start: usize, side: usize) {
        let (mut at, mut side) = (start, side);
        loop {
            let next = self.partner[at][side];
            if next == NONE || self.half[next as usize] != Half::Unknown {
                return;
            }
            self.half[next as usize] = if self.half[at] == Half::First { Half::Second } else { Half::First };
            (at, side) = (next as usize, 1 - side);
        }
    }

    /// Moves the edges of which something holds before the others; how many they are. Either keep their order.
    fn part(&mut self, edges: &mut [Edge], holds: impl Fn(&Self, usize, &Edge) -> bool) -> usize {
        let mut others = std::mem::take(&mut self.scratch);
        let (mut count, mut other_count) = (0, 0);
        for at in 0..edges.len() {
            // Written to both, for which of them is right cannot be predicted.
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

    /// Frees the last of the `degree + 1` colours from `first` on.
    fn dissolve(&mut self, edges: &[Edge], degree: u32, first: u32) {
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
        let mut table = Table { width: degree as usize, first, edge: vec![NONE; self.pending.len() * degree as usize] };
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

    /// Gives an edge a colour of the table, by exchanging two colours along a path where no colour is free at both ends.
    fn insert(&mut self, edges: &[Edge], edge: u32, table: &mut Table) {
        let Edge { place, ends: [tail, head] } = edges[edge as usize];
        // The path begins at the head with the colour free at the tail; it comes to the tail's side only by that colour.
        let (mut now, mut then) = table.free(tail, head);
        self.colour[place as usize] = now;
        *table.at(tail, now) = edge;
        let mut node = head;
        let mut displaced = std::mem::replace(table.at(node, now), edge);
        while displaced != NONE {
            let Edge { place, ends: [tail, head] } = edges[displaced as usize];
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

/// The edge of each colour at each node, by place in the part that is coloured.
struct Table {
    width: usize,
    first: u32,
    edge: Vec<u32>,
}

impl Table {
    fn at(&mut self, node: u32, colour: u32) -> &mut u32 {
        &mut self.edge[node as usize * self.width + (colour - self.first) as usize]
    }

    /// A colour free at the tail and one free at the head, the same if there is one.
    fn free(&self, tail: u32, head: u32) -> (u32, u32) {
        let [tail, head] = [tail, head].map(|node| &self.edge[node as usize * self.width..][..self.width]);
        let both = tail.iter().zip(head).position(|(&at_tail, &at_head)| at_tail == NONE && at_head == NONE);
        let [at_tail, at_head] = [tail, head].map(|row| {
            let free = both.or_else(|| row.iter().position(|&edge| edge == NONE));
            self.first + free.expect("an edge without colour leaves one free at its ends") as u32
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

    /// Whether no node has two edges of one colour, and all colours are below the most edges of a node.
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
        fn edges_that_meet_differ(edges in prop::collection::vec((0u32..6, 0u32..5), 0..60)) {
            let colour = bipartite_edge_colouring(6, 5, &edges, most_edges(6, 5, &edges));
            prop_assert!(is_proper(6, 5, &edges, &colour), "{colour:?}");
        }

        /// Regular graphs leave no colour free anywhere; some nodes are isolated or busy beside many idle ones.
        #[test]
        fn as_many_colours_as_edges_of_a_node_are_enough(
            nodes in 1u32..40, degree in 1u32..40, idle in 0usize..50, extra in 0u32..30, seed: u64,
        ) {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut edges: Vec<(u32, u32)> = (0..degree).flat_map(|_| matching(nodes, &mut random)).collect();
            // One more busy node on the left, each of whose edges goes to a node of its own.
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
    fn large_graphs_take_no_longer_than_their_edges() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        // Dense, sparse, and a star whose table of nodes and colours would not fit.
        for (nodes, degree) in [(300, 299), (20_000, 3), (2, 50_000)] {
            let edges: Vec<(u32, u32)> = (0..degree).flat_map(|_| matching(nodes, &mut random)).collect();
            let nodes = nodes as usize;
            assert!(is_proper(nodes, nodes, &edges, &bipartite_edge_colouring(nodes, nodes, &edges, degree)));
        }
        let star: Vec<(u32, u32)> = (0..200_000).map(|leaf| (0, leaf)).collect();
        assert!(is_proper(1, star.len(), &star, &bipartite_edge_colouring(1, star.len(), &star, star.len())));
    }
}
