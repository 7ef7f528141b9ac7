//! Colours for the edges of bipartite multigraphs: the one combinatorial fact behind most constructions here.

/// A colour below `colours` for every edge, such that edges of one colour share no end.
///
/// `edges` are pairs of a left node, below `left`, and a right node, below `right`; parallel edges are allowed. Takes
/// `O(E (N + D))` time for `E` edges, `N` nodes and `D` colours.
///
/// # Panics
///
/// If a node has more edges than there are colours, or an edge names a node that does not exist.
///
/// **Source**: König, *Über Graphen und ihre Anwendung auf Determinantentheorie und Mengenlehre*, Math. Annalen 77 (1916).
pub fn bipartite_edge_colouring(left: usize, right: usize, edges: &[(u32, u32)], colours: usize) -> Vec<u32> {
    const FREE: u32 = u32::MAX;
    // The edge of each colour at each node; right nodes behind the left ones.
    let mut edge_at = vec![FREE; (left + right) * colours];
    let row = |node: usize| node * colours;
    let mut colour = vec![FREE; edges.len()];
    for (edge, &(tail, head)) in edges.iter().enumerate() {
        assert!((tail as usize) < left && (head as usize) < right, "edge {edge} has an end that is no node");
        let ends = [tail as usize, left + head as usize];
        let [at_tail, at_head] = ends.map(|node| {
            let free = edge_at[row(node)..row(node) + colours].iter().position(|&edge| edge == FREE);
            free.expect("no node has more edges than there are colours")
        });
        // The path of edges of the two colours that begins at the head with the colour free at the tail.
        let mut path = Vec::new();
        let (mut node, mut wanted, mut other) = (ends[1], at_tail, at_head);
        while at_tail != at_head && edge_at[row(node) + wanted] != FREE {
            let next = edge_at[row(node) + wanted];
            path.push(next);
            let (tail, head) = edges[next as usize];
            node = if node < left { left + head as usize } else { tail as usize };
            (wanted, other) = (other, wanted);
        }
        for &swapped in &path {
            let (tail, head) = edges[swapped as usize];
            for end in [tail as usize, left + head as usize] {
                edge_at[row(end) + colour[swapped as usize] as usize] = FREE;
            }
        }
        for &swapped in &path {
            let fresh = if colour[swapped as usize] as usize == at_tail { at_head } else { at_tail };
            colour[swapped as usize] = fresh as u32;
            let (tail, head) = edges[swapped as usize];
            for end in [tail as usize, left + head as usize] {
                edge_at[row(end) + fresh] = swapped;
            }
        }
        colour[edge] = at_tail as u32;
        for end in ends {
            edge_at[row(end) + at_tail] = edge as u32;
        }
    }
    colour
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn edges_that_meet_differ(edges in prop::collection::vec((0u32..6, 0u32..5), 0..60)) {
            let degree = |node: u32, left: bool| {
                edges.iter().filter(|edge| if left { edge.0 == node } else { edge.1 == node }).count()
            };
            let most = (0..6).map(|node| degree(node, true).max(degree(node, false))).max().unwrap();
            let colour = bipartite_edge_colouring(6, 5, &edges, most);
            for (i, a) in edges.iter().enumerate() {
                prop_assert!((colour[i] as usize) < most);
                for (j, b) in edges.iter().enumerate().skip(i + 1) {
                    prop_assert!(colour[i] != colour[j] || a.0 != b.0 && a.1 != b.1, "{a:?} {b:?}");
                }
            }
        }
    }
}
