//! The tree of blocks of a layered network, by the nodes that its nodes reach.

use lockstep_topology::{NodeId, Topology};

/// A tree of blocks.
///
/// On each level of nodes, the nodes with the same children on the next level are one block. Nodes of different blocks
/// have no child in common. The first level is one block, and each node of the last level is its own. All blocks of a
/// level have the same number of children.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct BlockTree {
    /// The number of each node's block on its level. Its digits are the branches from the root, the first one lowest.
    /// Nodes on no level have an arbitrary number.
    pub(crate) of: Vec<u32>,
    /// Number of blocks on each level, a divisor of the next one.
    pub(crate) counts: Vec<u32>,
}

impl BlockTree {
    /// Returns the tree over these levels, or `None` if the children do not form blocks. Takes time proportional to the
    /// number of children.
    pub(crate) fn new<C: Iterator<Item = NodeId>>(
        topology: &Topology,
        levels: &[&[NodeId]],
        children: impl Fn(NodeId) -> C,
    ) -> Option<Self> {
        let (leaves, inner) = levels.split_last()?;
        let mut of = vec![0; topology.node_count()];
        (0..).zip(*leaves).for_each(|(leaf, node)| of[node.index()] = leaf);
        let (mut classes, mut below) = (Vec::with_capacity(inner.len()), leaves.len());
        for level in inner.iter().rev() {
            let rows = level.iter().map(|&node| children(node).map(|child| of[child.index()]));
            let class = ChildClasses::new(below, rows)?;
            level.iter().zip(&class.of).for_each(|(node, &class)| of[node.index()] = class);
            below = class.count();
            classes.push(class);
        }
        if below != 1 {
            return None;
        }
        // Renumbers the classes, which are in order of discovery, by their digits.
        let (mut counts, mut numbers) = (vec![1], vec![0]);
        for (level, class) in levels[1..].iter().zip(classes.iter().rev()) {
            let count = counts[counts.len() - 1];
            let branches = class.parent.iter().zip(&class.place);
            numbers = branches.map(|(&parent, &branch)| numbers[parent as usize] + branch * count).collect();
            level.iter().for_each(|node| of[node.index()] = numbers[of[node.index()] as usize]);
            counts.push(count * class.radix);
        }
        Some(Self { of, counts })
    }
}

/// The nodes of one level in classes with the same children.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ChildClasses {
    /// The class of each node.
    of: Vec<u32>,
    /// The class above each child.
    parent: Vec<u32>,
    /// The index of each child among those of its class, below `radix`.
    place: Vec<u32>,
    /// Number of children of a class.
    radix: u32,
}

impl ChildClasses {
    /// `rows` are the children of each node, all of them below `child_count`.
    fn new<R: Iterator<Item = u32>>(child_count: usize, rows: impl Iterator<Item = R>) -> Option<Self> {
        const NONE: u32 = u32::MAX;
        let (mut parent, mut place) = (vec![NONE; child_count], vec![0; child_count]);
        let (mut of, mut count, mut radix) = (Vec::new(), 0, None);
        let mut children = Vec::new();
        for row in rows {
            children.clear();
            children.extend(row);
            children.sort_unstable();
            let &first = children.first()?;
            let size = *radix.get_or_insert(children.len());
            if size != children.len() || children.windows(2).any(|two| two[0] == two[1]) {
                return None;
            }
            // Sets of one size are equal or neither contains the other.
            let above = parent[first as usize];
            if children.iter().any(|&child| parent[child as usize] != above) {
                return None;
            }
            if above == NONE {
                for (index, &child) in (0..).zip(&children) {
                    parent[child as usize] = count;
                    place[child as usize] = index;
                }
                count += 1;
            }
            of.push(parent[first as usize]);
        }
        let radix = radix? as u32;
        (!parent.contains(&NONE)).then_some(Self { of, parent, place, radix })
    }

    fn count(&self) -> usize {
        self.parent.len() / self.radix as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(child_count: usize, rows: &[&[u32]]) -> Option<ChildClasses> {
        ChildClasses::new(child_count, rows.iter().map(|row| row.iter().copied()))
    }

    #[test]
    fn equal_sets_are_one_class() {
        let found = classes(4, &[&[0, 2], &[3, 1], &[2, 0]]).unwrap();
        assert_eq!((found.of.as_slice(), found.count(), found.radix), (&[0, 1, 0][..], 2, 2));
        assert_eq!((found.parent.as_slice(), found.place.as_slice()), (&[0, 1, 0, 1][..], &[0, 0, 1, 1][..]));
    }

    #[test]
    fn overlaps_repeats_gaps_and_unequal_sizes_are_refused() {
        for rows in [&[&[0, 1][..], &[1, 2]][..], &[&[0, 0], &[1, 2]], &[&[0, 1]], &[&[0, 1], &[2]], &[&[]], &[]] {
            assert_eq!(classes(3, rows), None, "{rows:?}");
        }
        assert_eq!(classes(4, &[&[0, 1], &[2, 3], &[0, 2]]), None);
    }

    #[test]
    fn the_first_branch_is_the_lowest_digit() {
        let tree: Topology = "b-tree:8".parse().unwrap();
        let level = |range: std::ops::Range<u32>| range.map(NodeId::new).collect::<Vec<_>>();
        let levels = [level(14..15), level(12..14), level(8..12), level(0..8)];
        let down =
            |node: NodeId| tree.out_channels(node).iter().map(|&out| tree.head(out)).filter(move |&head| head < node);
        let levels = levels.each_ref().map(Vec::as_slice);
        let blocks = BlockTree::new(&tree, &levels, down).unwrap();
        assert_eq!(blocks.counts, [1, 2, 4, 8]);
        assert_eq!(blocks.of[..8], [0, 4, 2, 6, 1, 5, 3, 7], "bits reversed");
        assert_eq!(BlockTree::new(&tree, &levels[1..], down), None, "two roots");
    }
}
