//! Fault spaces: all sets of a number of faults of one kind.

use std::collections::BTreeSet;
use std::fmt;

use lockstep_topology::Topology;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::combinations::Combinations;
use crate::{Fault, FaultError, Faults};

/// Maximum number of faults of a sample, over all its sets.
const MAX_DRAWN: usize = 1 << 24;

/// A kind of fault.
///
/// ```
/// use lockstep_faults::FaultKind;
/// use lockstep_topology::Topology;
///
/// let omega: Topology = "omega:8".parse()?; // one-way, so it has no links
/// let counts = FaultKind::ALL.map(|kind| kind.of(&omega).len());
/// assert_eq!(counts, [0, 32, 20]);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Links, full-duplex or half-duplex. Parallel links fail one by one. A channel without an opposite is not a link.
    Link,
    /// Single channels.
    Channel,
    /// Nodes: terminals and switches.
    Node,
}

impl FaultKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Link, Self::Channel, Self::Node];

    /// Returns all single faults of this kind, ascending. Failed nodes and channels are not included.
    pub fn of(self, topology: &Topology) -> Vec<Fault> {
        match self {
            Self::Link => topology.links().into_iter().map(Fault::Link).collect(),
            Self::Channel => topology.channels().map(Fault::Channel).collect(),
            Self::Node => topology.nodes().filter(|&node| !topology.has_failed(node)).map(Fault::Node).collect(),
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Link => "link",
            Self::Channel => "channel",
            Self::Node => "node",
        })
    }
}

/// All sets of `at_once` faults of one kind, in lexicographic order.
///
/// The sets are enumerated, not stored. Memory: 12 bytes per single fault.
///
/// ```
/// use lockstep_faults::{FaultKind, FaultSpace};
/// use lockstep_topology::Topology;
///
/// let kautz: Topology = "kautz:3,2".parse()?;
/// let pairs = FaultSpace::new(&kautz, FaultKind::Channel, 2);
/// assert_eq!(pairs.count(), Some(36 * 35 / 2));
/// assert_eq!(pairs.iter().nth(100), pairs.get(100));
/// assert_eq!(pairs.sample(10, 1)?.len(), 10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct FaultSpace<'a> {
    topology: &'a Topology,
    faults: Vec<Fault>,
    at_once: usize,
}

impl<'a> FaultSpace<'a> {
    /// Creates the space of all sets of `at_once` faults of this kind. It is empty if there are fewer faults.
    pub fn new(topology: &'a Topology, kind: FaultKind, at_once: usize) -> Self {
        Self { topology, faults: kind.of(topology), at_once }
    }

    /// Returns the network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// Returns the single faults, ascending.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// Returns the number of sets, or `None` from 2^128 on.
    pub fn count(&self) -> Option<u128> {
        self.sets().count()
    }

    /// Returns the set at this index. `None` past the last set, and if the sets cannot be [counted](Self::count). Takes
    /// `O(K^2 log F)` time for `K` of `F` faults.
    pub fn get(&self, index: u128) -> Option<Faults> {
        self.sets().nth(index).map(|set| self.faults_of(&set))
    }

    /// Returns the index of a set. `None` if it is not in this space, and if the sets cannot be [counted](Self::count).
    pub fn index_of(&self, faults: &Faults) -> Option<u128> {
        let place = |fault| self.faults.binary_search(fault).ok().map(|place| place as u32);
        self.sets().index_of(&faults.iter().map(place).collect::<Option<Vec<u32>>>()?)
    }

    /// Returns an iterator over all sets.
    pub fn iter(&self) -> impl Iterator<Item = Faults> + Clone {
        self.faults_from(self.sets().first())
    }

    /// Returns an iterator over the sets from this index on, to resume a sweep. If the sets cannot be
    /// [counted](Self::count), it is empty unless the index is 0.
    pub fn iter_from(&self, index: u128) -> impl Iterator<Item = Faults> + Clone {
        self.faults_from(if index == 0 { self.sets().first() } else { self.sets().nth(index) })
    }

    fn faults_from(&self, first: Option<Vec<u32>>) -> impl Iterator<Item = Faults> + Clone {
        self.sets().from(first).map(|set| self.faults_of(&set))
    }

    /// Samples `count` distinct sets uniformly, in ascending order; all sets if there are not more. The same seed gives
    /// the same sets.
    ///
    /// # Errors
    ///
    /// [`FaultError::TooManySets`] if the sample would have more than 2^24 faults in total.
    ///
    /// # Source
    ///
    /// Bentley, Floyd, *A sample of brilliance*, Communications of the ACM 30 (1987).
    pub fn sample(&self, count: usize, seed: u64) -> Result<Vec<Faults>, FaultError> {
        let sets = self.sets();
        let total = sets.count();
        let count = total.map_or(count, |total| usize::try_from(total).unwrap_or(usize::MAX).min(count));
        let most = MAX_DRAWN / self.at_once.max(1);
        if count > most {
            return Err(FaultError::TooManySets { sets: Some(count as u128), most });
        }
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(total) = total else {
            // There are 2^128 sets or more, so repetitions are rare.
            let mut drawn = BTreeSet::new();
            while drawn.len() < count {
                let set = sample_distinct(self.faults.len() as u128, self.at_once, &mut rng);
                drawn.insert(set.into_iter().map(|number| number as u32).collect::<Vec<u32>>());
            }
            return Ok(drawn.iter().map(|set| self.faults_of(set)).collect());
        };
        Ok(sample_distinct(total, count, &mut rng).into_iter().filter_map(|index| self.get(index)).collect())
    }

    pub(crate) fn sets(&self) -> Combinations {
        Combinations { bound: self.faults.len(), size: self.at_once }
    }

    fn faults_of(&self, set: &[u32]) -> Faults {
        set.iter().map(|&number| self.faults[number as usize]).collect()
    }
}

/// Samples `count` distinct numbers below `bound` by Floyd's algorithm; `count` is at most `bound`.
fn sample_distinct(bound: u128, count: usize, rng: &mut impl Rng) -> BTreeSet<u128> {
    let mut chosen = BTreeSet::new();
    for last in bound - count as u128..bound {
        let number = rng.random_range(0..=last);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}
