//! Connectivity of undirected graphs in adjacency rows.

/// Returns true if a graph of `node_count` nodes is connected; `row` returns the neighbours of a node.
///
/// Depth-first search in `O(N + M)` time.
pub(super) fn is_connected<'a>(node_count: usize, row: impl Fn(u32) -> &'a [u32]) -> bool {
    let mut reached = vec![false; node_count];
    let mut stack = vec![0];
    let mut count = 1;
    reached[0] = true;
    while let Some(node) = stack.pop() {
        for &neighbour in row(node) {
            if !std::mem::replace(&mut reached[neighbour as usize], true) {
                count += 1;
                stack.push(neighbour);
            }
        }
    }
    count == node_count
}
