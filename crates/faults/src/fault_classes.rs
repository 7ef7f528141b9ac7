//! Equivalence classes of fault sets under the symmetries of a network.

use lockstep_topology::{Automorphism, NodeId, Symmetries};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::disjoint_sets::DisjointSets;
use crate::{FaultError, FaultSpace, Faults};

/// Maximum number of faults of a classified space, over all its sets: 2^21.
pub const MAX_CLASSIFIED: usize = 1 << 21;

/// Number of successive random symmetries that join no classes, after which the classes are assumed complete. The
/// symmetries that preserve all classes form a subgroup. If it is a proper subgroup, at least half of all symmetries
/// are outside.
const MAX_IDLE: usize = 20;

/// The predecessor of the first set of a class, and the class of a set that has none yet.
const NONE: u32 = u32::MAX;

/// The equivalence classes of a [`FaultSpace`]: two sets are equivalent if a symmetry of the network maps one to the
/// other.
///
/// Equivalent sets have the same effect, such as the number of steps of a schedule. The classes are always sound: each
/// set has [a symmetry](Self::symmetry_to) from its representative. They are complete unless the symmetries are too
/// hard to find, or the random symmetries do not generate the group; then some classes are split. Memory: 16 bytes per
/// set, and 8 bytes per node and channel for each of a few symmetries.
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
    /// Symmetries, each followed by its inverse.
    symmetries: Vec<Automorphism>,
    /// The class of each set.
    class_of: Vec<u32>,
    /// Breadth-first search tree of each class: the predecessor of a set, and the symmetry that maps it to the set.
    predecessor: Vec<u32>,
    symmetry_from_predecessor: Vec<u32>,
    classes: Vec<FaultClass>,
}

/// A class of equivalent fault sets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FaultClass {
    /// The first set.
    pub representative: Faults,
    /// Index of the first set in the space.
    pub index: usize,
    /// Number of sets.
    pub size: usize,
}

impl<'a> FaultClasses<'a> {
    /// Computes the classes under the symmetries that fix these nodes, such as the root of a broadcast.
    ///
    /// Takes `O(K^2)` time per set of `K` faults for each of about 30 symmetries, and the time to find these.
    ///
    /// # Errors
    ///
    /// [`FaultError::TooManySets`] if the space has more than [`MAX_CLASSIFIED`] faults in total.
    pub fn new(space: &'a FaultSpace<'a>, fixed: &[NodeId]) -> Result<Self, FaultError> {
        let most = MAX_CLASSIFIED / space.sets().size.max(1);
        let too_many = FaultError::TooManySets { sets: space.count(), most };
        let count = space.count().and_then(|count| usize::try_from(count).ok());
        let count = count.filter(|&count| count <= most).ok_or(too_many)?;
        let generators = generators(space, fixed, count);
        Ok(Self::orbits(space, generators, count))
    }

    /// Computes the orbits of these symmetries by breadth-first search.
    fn orbits(space: &'a FaultSpace<'a>, generators: Vec<(Automorphism, FaultPermutation)>, count: usize) -> Self {
        let mut classes = Vec::new();
        let [mut class_of, mut predecessor, mut symmetry_from_predecessor] =
            [const { Vec::new() }; 3].map(|mut table: Vec<u32>| {
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
                let members = space.sets().nth(u128::from(set)).expect("indexes below the count are valid");
                for (number, (_, images)) in (0..).zip(&generators) {
                    let image = images.image_of(space, &members);
                    if class_of[image as usize] == NONE {
                        class_of[image as usize] = class;
                        predecessor[image as usize] = set;
                        symmetry_from_predecessor[image as usize] = number;
                        queue.push(image);
                    }
                }
            }
            let representative = space.get(u128::from(first)).expect("indexes below the count are valid");
            classes.push(FaultClass { representative, index: first as usize, size: queue.len() });
        }
        let symmetries = generators.into_iter().map(|(symmetry, _)| symmetry).collect();
        Self { space, symmetries, class_of, predecessor, symmetry_from_predecessor, classes }
    }

    /// Returns the number of classes.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Returns true if the space is empty.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// Returns the classes, by their first sets.
    pub fn iter(&self) -> std::slice::Iter<'_, FaultClass> {
        self.classes.iter()
    }

    /// Returns the class of the set at this index of the space.
    ///
    /// # Panics
    ///
    /// If the index is not below the number of sets.
    pub fn class_of(&self, index: usize) -> usize {
        self.class_of[index] as usize
    }

    /// Returns the indexes of the sets of a class, ascending, in `O(S)` time for `S` sets of the space.
    pub fn members(&self, class: usize) -> impl Iterator<Item = usize> {
        self.class_of.iter().enumerate().filter(move |&(_, &other)| other as usize == class).map(|(index, _)| index)
    }

    /// Returns a symmetry that maps the representative of its class to the set at this index of the space.
    ///
    /// # Panics
    ///
    /// If the index is not below the number of sets.
    pub fn symmetry_to(&self, index: usize) -> Automorphism {
        let path = std::iter::successors(Some(index), |&set| {
            let predecessor = self.predecessor[set];
            (predecessor != NONE).then_some(predecessor as usize)
        });
        let steps: Vec<usize> = path.filter(|&set| self.predecessor[set] != NONE).collect();
        let identity = Automorphism::identity(self.space.topology());
        steps.iter().rev().fold(identity, |symmetry, &set| {
            symmetry.then(&self.symmetries[self.symmetry_from_predecessor[set] as usize])
        })
    }
}

impl<'c> IntoIterator for &'c FaultClasses<'_> {
    type Item = &'c FaultClass;
    type IntoIter = std::slice::Iter<'c, FaultClass>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The image of each single fault of a space under a symmetry.
#[derive(Clone, Debug)]
struct FaultPermutation(Vec<u32>);

impl FaultPermutation {
    /// Returns `None` if the symmetry does not permute the faults.
    fn new(space: &FaultSpace<'_>, symmetry: &Automorphism) -> Option<Self> {
        let faults = space.faults();
        let image = |fault: &crate::Fault| faults.binary_search(&fault.image(symmetry)).ok().map(|place| place as u32);
        faults.iter().map(image).collect::<Option<_>>().map(Self)
    }

    /// Returns the index of the image of a fault set.
    fn image_of(&self, space: &FaultSpace<'_>, set: &[u32]) -> u32 {
        let mut image: Vec<u32> = set.iter().map(|&number| self.0[number as usize]).collect();
        image.sort_unstable();
        space.sets().index_of(&image).expect("a permutation maps sets to sets") as u32
    }
}

/// Returns random symmetries that generate the classes, each followed by its inverse.
fn generators(space: &FaultSpace<'_>, fixed: &[NodeId], count: usize) -> Vec<(Automorphism, FaultPermutation)> {
    let mut generators = Vec::new();
    let Some(symmetries) = Symmetries::fixing(space.topology(), fixed) else { return generators };
    // The seed is fixed: the random symmetries affect completeness, never soundness.
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut orbits = DisjointSets::new(count);
    let mut idle = 0;
    while idle < MAX_IDLE && orbits.count() > 1 {
        idle += 1;
        let Some(symmetry) = symmetries.random(&mut rng) else { continue };
        let Some(images) = FaultPermutation::new(space, &symmetry) else { continue };
        let before = orbits.count();
        for (index, set) in (0..).zip(space.sets().from(space.sets().first())) {
            orbits.union(index, images.image_of(space, &set));
        }
        if orbits.count() < before {
            idle = 0;
            let inverse = symmetry.inverse();
            let inverse_images = FaultPermutation::new(space, &inverse);
            generators.push((symmetry, images));
            generators.extend(inverse_images.map(|images| (inverse, images)));
        }
    }
    generators
}
