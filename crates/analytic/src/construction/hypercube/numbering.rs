//! The numbering of the nodes by rotation classes, which all-gather and scatter use.

use super::dimension::MAX_BASE_USES;

/// The nodes of a hypercube in the order of their numbers: 0, then the rotation classes by ascending number of ones.
///
/// Inside a class, the next word is the previous one rotated left by one bit. The *link* of a node grows cyclically
/// with its number. Inside a level, the class of `0..01..1` comes first. The other classes follow by their smallest
/// words.
///
/// If `w` is the smallest word of a class, the word numbered `n` is `w` rotated left by the link of `n`. The smallest
/// rotation of a word other than 0 has a 1 at its low end. Unless it is all ones, it has its longest run of zeros at
/// the high end. So for every node `t` with link `m`: bit `m` of `t` is 1, and bit `m - 1` (the highest one for link 0)
/// is 0 unless all bits are 1.
///
/// Memory: 4 bytes per node.
///
/// ```
/// use lockstep_analytic::hypercube::Numbering;
///
/// let numbering = Numbering::new(4).expect("not too large");
/// let third: Vec<String> = numbering.sets().nth(2).unwrap().iter().map(|t| format!("{t:04b}")).collect();
/// assert_eq!(third, ["0101", "1010", "1101", "1011"]);
/// ```
///
/// # Source
///
/// Bertsekas, Özveren, Stamoulis, Tseng, Tsitsiklis, *Optimal communication algorithms for hypercubes*, J. Parallel and
/// Distributed Computing 11 (1991), where `n(t)` is the number and `m(t)` the link, counted from 1. There the first
/// word of a class may be any word with bit `m(t)`, and the scatter uses another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbering {
    dimension: u32,
    nodes: Box<[u32]>,
}

/// A class of words that are rotations of each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RotationClass<'a> {
    /// Number of ones of its words: the `k` of `R_{k,n}`.
    pub ones: u32,
    /// Its index among the classes with the same number of ones, from 1: the `n` of `R_{k,n}`.
    pub place: u32,
    /// Its words in the order of their numbers.
    pub nodes: &'a [u32],
}

impl Numbering {
    /// Returns the numbering of the hypercube of this dimension, or `None` for dimensions other than 1 to 24. Takes
    /// `O(2^D)` time.
    pub fn new(dimension: u32) -> Option<Self> {
        let nodes = 1u64.checked_shl(dimension).filter(|&nodes| dimension > 0 && nodes <= MAX_BASE_USES)?;
        let mut numbered = vec![0; nodes as usize].into_boxed_slice();
        let mut next = level_starts(dimension);
        for (smallest, size) in necklaces(dimension) {
            let number = &mut next[smallest.count_ones() as usize];
            for _ in 0..size {
                numbered[*number as usize] = rotated_left(smallest, (*number - 1) % dimension, dimension);
                *number += 1;
            }
        }
        Some(Self { dimension, nodes: numbered })
    }

    /// Dimension of the hypercube.
    pub fn dimension(&self) -> u32 {
        self.dimension
    }

    /// Returns all nodes in the order of their numbers; node 0 has number 0.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Returns the number of every node.
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.nodes.len()];
        for (number, &node) in self.nodes.iter().enumerate() {
            numbers[node as usize] = number as u32;
        }
        numbers
    }

    /// Returns the link of the node with this number, from 0; one less than `m` in the source.
    ///
    /// # Panics
    ///
    /// For number 0, which has no link.
    pub fn link(&self, number: u32) -> u32 {
        assert!(number > 0, "node 0 has no link");
        (number - 1) % self.dimension
    }

    /// Returns the sets `N_1, N_2, ...` of nodes with consecutive numbers and each link at most once. All but the last
    /// one have `D` nodes.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = &[u32]> + DoubleEndedIterator + Clone {
        self.nodes[1..].chunks(self.dimension as usize)
    }

    /// Returns the classes in the order of their numbers, except that of node 0.
    pub fn classes(&self) -> impl Iterator<Item = RotationClass<'_>> + Clone {
        let (mut rest, mut ones, mut place) = (&self.nodes[1..], 0, 0);
        std::iter::from_fn(move || {
            let first = *rest.first()?;
            let returns = |&turn: &u32| rotated_left(first, turn, self.dimension) == first;
            let size = (1..self.dimension).find(returns).unwrap_or(self.dimension);
            let (nodes, later) = rest.split_at(size as usize);
            rest = later;
            place = if first.count_ones() == ones { place + 1 } else { 1 };
            ones = first.count_ones();
            Some(RotationClass { ones, place, nodes })
        })
    }
}

/// Returns a word of `dimension` bits rotated left by fewer than `dimension` bits.
pub(super) fn rotated_left(word: u32, bits: u32, dimension: u32) -> u32 {
    (word << bits | word >> (dimension - bits)) & ((1 << dimension) - 1)
}

/// Returns the first number of the nodes with each number of ones.
fn level_starts(dimension: u32) -> Vec<u32> {
    let (mut start, mut size) = (0, 1);
    let levels = (0..=dimension).map(|ones| {
        let here = start;
        start += size;
        size = size * u64::from(dimension - ones) / u64::from(ones + 1);
        here as u32
    });
    levels.collect()
}

/// Returns the smallest words of all rotation classes except that of 0, ascending, each with the size of its class.
///
/// # Source
///
/// Duval, *Génération d'une section des classes de conjugaison et arbre des mots de Lyndon de longueur bornée*,
/// Theoretical Computer Science 60 (1988).
fn necklaces(dimension: u32) -> impl Iterator<Item = (u32, u32)> {
    let mut word = 0u32;
    std::iter::from_fn(move || {
        loop {
            let ones = word.trailing_ones();
            if ones == dimension {
                return None;
            }
            // The last 0 becomes a 1. The prefix up to it is repeated until the word is complete.
            let size = dimension - ones;
            let prefix = u64::from(word >> ones | 1);
            let (mut repeated, mut length) = (prefix, size);
            while length < dimension {
                repeated = repeated << size | prefix;
                length += size;
            }
            word = (repeated >> (length - dimension)) as u32;
            if dimension.is_multiple_of(size) {
                return Some((word, size));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbering(dimension: u32) -> Numbering {
        Numbering::new(dimension).unwrap()
    }

    #[test]
    fn every_node_has_one_number() {
        for dimension in 1..=16 {
            let mut nodes = numbering(dimension).nodes().to_vec();
            nodes.sort_unstable();
            assert!(nodes.iter().copied().eq(0..1 << dimension), "{dimension}");
        }
    }

    #[test]
    fn bit_of_the_link_is_set_and_the_one_before_is_not() {
        for dimension in 1..=14 {
            let numbering = numbering(dimension);
            for (number, &node) in (0..).zip(numbering.nodes()).skip(1) {
                let link = numbering.link(number);
                assert_eq!(node >> link & 1, 1);
                let before = (link + dimension - 1) % dimension;
                assert_eq!(node >> before & 1, u32::from(node + 1 == 1 << dimension), "{node:b} of {dimension}");
            }
        }
    }

    #[test]
    fn classes_are_orbits_by_ones_and_the_run_of_ones_comes_first() {
        for dimension in 1..=12 {
            let numbering = numbering(dimension);
            let mut classes: Vec<RotationClass<'_>> = numbering.classes().collect();
            assert!(classes.iter().flat_map(|class| class.nodes).eq(&numbering.nodes()[1..]));
            for class in &classes {
                for pair in class.nodes.windows(2) {
                    assert_eq!(pair[1], rotated_left(pair[0], 1, dimension));
                }
                assert!(class.nodes.iter().all(|node| node.count_ones() == class.ones));
                assert_eq!(class.nodes.contains(&((1 << class.ones) - 1)), class.place == 1);
            }
            // The number of classes is the number of words that no rotation makes smaller.
            let turns = |word| (0..dimension).map(move |bits| rotated_left(word, bits, dimension));
            let smallest = (1..1u32 << dimension).filter(|&word| turns(word).all(|turned| turned >= word));
            assert_eq!(classes.len(), smallest.count());
            classes.dedup_by_key(|class| class.ones);
            assert!(classes.iter().map(|class| class.ones).eq(1..=dimension), "levels ascend");
        }
    }

    /// The figure of the lecture *Broadcast and scatter algorithms on mesh-based topologies*, slide 34.
    #[test]
    fn the_links_of_the_4_cube_are_those_of_the_lecture() {
        let numbering = numbering(4);
        let expected = [0b0001, 0b0010, 0b0100, 0b1000, 0b0011, 0b0110, 0b1100, 0b1001, 0b0101, 0b1010]
            .into_iter()
            .zip([1, 2, 3, 4, 1, 2, 3, 4, 1, 2])
            .chain([(0b1101, 3), (0b1011, 4), (0b0111, 1), (0b1110, 2), (0b1111, 3)]);
        let links = (1..).zip(&numbering.nodes()[1..]).map(|(number, &node)| (node, numbering.link(number) + 1));
        assert!(links.eq(expected));
    }

    #[test]
    fn numbers_are_the_inverse_of_nodes() {
        let numbering = numbering(7);
        let numbers = numbering.numbers();
        assert!(numbering.nodes().iter().map(|&node| numbers[node as usize]).eq(0..128));
    }

    #[test]
    fn other_dimensions_have_no_numbering() {
        for dimension in [0, 25, 31, 32, 33, 63, 64, u32::MAX] {
            assert_eq!(Numbering::new(dimension), None);
        }
    }
}
