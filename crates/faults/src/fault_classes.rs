//! Sets of faults that a symmetry of the network takes to each other.

use lockstep_topology::{Automorphism, NodeId, Symmetries};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::disjoint_sets::DisjointSets;
use crate::{FaultError, FaultSpace, Faults};

/// The most faults that are put into classes, those of all sets together: 2^21.
pub const MAX_CLASSIFIED: usize = 1 << 21;

/// Symmetries that join no classes any more before the classes are taken for complete. Those that keep all of the classes
/// in place are a group: if it is not the group of all symmetries, at least every second symmetry is none of it.
const IDLE: usize = 20;

/// The set that a class was not reached from, as it is the first one.
const NONE: u32 = u32::MAX;

/// The sets of a [`FaultSpace`] in classes, such that a symmetry of the network takes the sets of a class to each other:
/// what is true of one of them, in steps and in bounds, is true of all of them.
///
/// Sound always: every set of a class has [its symmetry](Self::onto). Complete, unless the network's symmetries are too
/// hard to find or the random ones that are drawn miss some: classes are then smaller than they could be. Memory: 16 bytes
/// a set, and 8 bytes a node and a channel for each of few symmetries.
///
/// ```
/// use lockstep_faults::{FaultClasses, FaultKind, FaultSpace};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let links = FaultSpace::new(&mesh, FaultKind::Link, 1);
/// let classes = FaultClasses::new(&links, &[])?;
/// let sizes: Vec<String> =
///     classes.iter().map(|class| format!("{} x {}", class.size, class.representative.name(&mesh))).collect();
/// assert_eq!(sizes, ["8 x 00-10", "8 x 01-11", "4 x 01-02", "4 x 11-21"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaultClasses<'a> {
    space: &'a FaultSpace<'a>,
    /// Symmetries and their inverses by turns.
    moves: Vec<Automorphism>,
    /// The class of each set.
    class_of: Vec<u32>,
    /// The set before each one on its way from the first one of its class, and the symmetry that takes it there.
    before: Vec<u32>,
    by: Vec<u32>,
    classes: Vec<FaultClass>,
}

/// Sets of faults that symmetries take to each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultClass {
    /// The first of them.
    pub representative: Faults,
    /// Its place in the space.
    pub index: usize,
    /// How many there are.
    pub size: usize,
}

impl<'a> FaultClasses<'a> {
    /// The classes under the symmetries that keep these nodes in place, such as the root of a broadcast.
    ///
    /// Takes `O(K^2)` time for each set and each of about 30 symmetries, and the time to find those.
    ///
    /// # Errors
    ///
    /// [`FaultError::TooManySets`] past [`MAX_CLASSIFIED`] faults.
    pub fn new(space: &'a FaultSpace<'a>, fixed: &[NodeId]) -> Result<Self, FaultError> {
        let most = MAX_CLASSIFIED / space.sets().size.max(1);
        let too_many = FaultError::TooManySets { sets: space.count(), most };
        let count = space.count().and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|&count| count <= most).ok_or(too_many)?;
        let moves = moves(space, fixed, count);
        Ok(Self::reached(space, moves, count))
    }

    /// Sets that some of the moves take to each other, by breadth-first search.
    fn reached(space: &'a FaultSpace<'a>, moves: Vec<(Automorphism, Images)>, count: usize) -> Self {
        let mut classes = Vec::new();
        let [mut class_of, mut before, mut by] = [const { Vec::new() }; 3].map(|mut table: Vec<u32>| {
            table.resize(count, NONE);
            table
        });
        let mut queue = Vec::new();
        for first in 0..count as u32 {
            if class_of[first as usize] != NONE {
                continue;
            }
            let class = classes.len() as u32;
            class_of[first as usize] = class;
            queue.clear();
            queue.push(first);
            let mut next = 0;
            while let Some(&set) = queue.get(next) {
                next += 1;
                let members = space.sets().nth(u128::from(set)).expect("a set below their count is one of the space");
                for (number, (_, images)) in (0..).zip(&moves) {
                    let image = images.of(space, &members);
                    if class_of[image as usize] == NONE {
                        class_of[image as usize] = class;
                        (before[image as usize], by[image as usize]) = (set, number);
                        queue.push(image);
                    }
                }
            }
            let representative = space.get(u128::from(first)).expect("a set below their count is one of the space");
            classes.push(FaultClass { representative, index: first as usize, size: queue.len() });
        }
        let moves = moves.into_iter().map(|(symmetry, _)| symmetry).collect();
        Self { space, moves, class_of, before, by, classes }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is no set at all.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The classes, by their first sets.
    pub fn iter(&self) -> std::slice::Iter<'_, FaultClass> {
        self.classes.iter()
    }

    /// The class of the set at this place of the space, counted from 0.
    ///
    /// # Panics
    ///
    /// If there is no such set.
    pub fn class_of(&self, index: usize) -> usize {
        self.class_of[index] as usize
    }

    /// The places of the sets of a class, ascending. Takes time in proportion to all sets.
    pub fn members(&self, class: usize) -> impl Iterator<Item = usize> {
        self.class_of.iter().enumerate().filter(move |&(_, &other)| other as usize == class).map(|(index, _)| index)
    }

    /// A symmetry that takes the representative of its class to the set at this place of the space.
    ///
    /// # Panics
    ///
    /// If there is no such set.
    pub fn onto(&self, index: usize) -> Automorphism {
        let way = std::iter::successors(Some(index), |&set| {
            let before = self.before[set];
            (before != NONE).then_some(before as usize)
        });
        let steps: Vec<usize> = way.filter(|&set| self.before[set] != NONE).collect();
        let identity = Automorphism::identity(self.space.topology());
        steps.iter().rev().fold(identity, |symmetry, &set| symmetry.then(&self.moves[self.by[set] as usize]))
    }
}

impl<'c> IntoIterator for &'c FaultClasses<'_> {
    type Item = &'c FaultClass;
    type IntoIter = std::slice::Iter<'c, FaultClass>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Where a symmetry takes each single fault of a space.
#[derive(Clone, Debug)]
struct Images(Vec<u32>);

impl Images {
    /// `None` if it is no permutation of the faults.
    fn new(space: &FaultSpace<'_>, symmetry: &Automorphism) -> Option<Self> {
        let faults = space.faults();
        let image = |fault: &crate::Fault| faults.binary_search(&fault.image(symmetry)).ok().map(|place| place as u32);
        faults.iter().map(image).collect::<Option<_>>().map(Self)
    }

    /// Where the symmetry takes a set of faults.
    fn of(&self, space: &FaultSpace<'_>, set: &[u32]) -> u32 {
        let mut image: Vec<u32> = set.iter().map(|&number| self.0[number as usize]).collect();
        image.sort_unstable();
        space.sets().index_of(&image).expect("a permutation takes sets to sets") as u32
    }
}

/// Random symmetries that generate all classes, each followed by its inverse.
fn moves(space: &FaultSpace<'_>, fixed: &[NodeId], count: usize) -> Vec<(Automorphism, Images)> {
    let mut moves = Vec::new();
    let Some(symmetries) = Symmetries::fixing(space.topology(), fixed) else { return moves };
    // The symmetries that are drawn decide nothing but which of the sound classes these are.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut joined = DisjointSets::new(count);
    let mut idle = 0;
    while idle < IDLE && joined.count() > 1 {
        idle += 1;
        let Some(symmetry) = symmetries.random(&mut rng) else { continue };
        let Some(images) = Images::new(space, &symmetry) else { continue };
        let before = joined.count();
        for (index, set) in (0..).zip(space.sets().from(space.sets().first())) {
            joined.join(index, images.of(space, &set));
        }
        if joined.count() < before {
            idle = 0;
            let back = symmetry.inverse();
            let images_back = Images::new(space, &back);
            moves.push((symmetry, images));
            moves.extend(images_back.map(|images| (back, images)));
        }
    }
    moves
}
