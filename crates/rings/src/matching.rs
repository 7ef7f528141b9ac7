//! Perfect matchings of tails to heads.

/// Marks a head without an edge.
const NONE: u32 = u32::MAX;

/// Finds a perfect matching of `count` tails to `count` heads by augmenting paths. Returns the edge of each head, and the number of edges
/// visited. `None` if there is no perfect matching.
///
/// `leaving` lists the edges of each tail, `tail` has the tail of each edge, and `head` returns its head. Takes `O(count * edges)` time, and
/// much less for regular graphs.
///
/// # Source
///
/// Kuhn, *The Hungarian method for the assignment problem*, Naval Research Logistics Quarterly 2 (1955).
pub(crate) fn perfect_matching(
    leaving: &[Vec<u32>],
    tail: &[u32],
    head: impl Fn(u32) -> usize,
    count: usize,
) -> Option<(Vec<u32>, u64)> {
    let mut entering = vec![NONE; count];
    let mut reached_by = vec![NONE; count];
    // The tails of the path, each with the place of its next edge in the list.
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut visits = 0;
    for start in 0..count {
        path.clear();
        path.push((start, 0));
        while let Some((at, place)) = path.last_mut() {
            visits += 1;
            let Some(&edge) = leaving[*at].get(*place) else {
                path.pop();
                continue;
            };
            *place += 1;
            let to = head(edge);
            if reached_by[to] == start as u32 {
                continue;
            }
            reached_by[to] = start as u32;
            if entering[to] == NONE {
                // Each tail of the path takes the edge that it tried last.
                for &(tail, place) in &path {
                    let edge = leaving[tail][place - 1];
                    entering[head(edge)] = edge;
                }
                break;
            }
            path.push((tail[entering[to] as usize] as usize, 0));
        }
        if path.is_empty() {
            return None;
        }
    }
    Some((entering, visits))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn has_matching(edges: &[(usize, usize)], tail: usize, used: &mut Vec<bool>) -> bool {
        tail == used.len()
            || edges.iter().filter(|edge| edge.0 == tail).any(|&(_, head)| {
                !std::mem::replace(&mut used[head], true) && {
                    let found = has_matching(edges, tail + 1, used);
                    used[head] = found;
                    found
                }
            })
    }

    proptest! {
        #[test]
        fn a_matching_is_found_if_there_is_one(edges in vec((0..5usize, 0..5usize), 0..16)) {
            let mut leaving = vec![Vec::new(); 5];
            edges.iter().enumerate().for_each(|(edge, &(tail, _))| leaving[tail].push(edge as u32));
            let tails: Vec<u32> = edges.iter().map(|&(tail, _)| tail as u32).collect();
            let found = perfect_matching(&leaving, &tails, |edge| edges[edge as usize].1, 5);
            prop_assert_eq!(found.is_some(), has_matching(&edges, 0, &mut vec![false; 5]));
            if let Some((entering, _)) = found {
                let mut tails: Vec<u32> = entering.iter().map(|&edge| tails[edge as usize]).collect();
                tails.sort_unstable();
                prop_assert_eq!(tails, [0, 1, 2, 3, 4]);
                prop_assert!(entering.iter().enumerate().all(|(head, &edge)| edges[edge as usize].1 == head));
            }
        }
    }
}
