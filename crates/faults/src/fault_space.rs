//! All faults of a kind, so many at once.

use std::collections::BTreeSet;
use std::fmt;

use lockstep_topology::Topology;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::combinations::Combinations;
use crate::{Fault, FaultError, Faults};

/// The most faults that one sample draws, those of all its sets together.
const MAX_DRAWN: usize = 1 << 24;

/// What fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Full-duplex and half-duplex links, wire by wire; a channel without an opposite is none.
    Link,
    /// Single channels.
    Channel,
    /// Nodes, terminals and switches.
    Node,
}

impl FaultKind {
    /// Every single fault of this kind, ascending. What has failed cannot fail again.
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

/// All sets of so many faults of one kind, in lexicographic order.
///
/// Nothing is kept but the single faults, 12 bytes each.
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
    /// All sets of `at_once` faults of this kind; none, if there are fewer faults.
    pub fn new(topology: &'a Topology, kind: FaultKind, at_once: usize) -> Self {
        Self { topology, faults: kind.of(topology), at_once }
    }

    /// The network.
    pub fn topology(&self) -> &'a Topology {
        self.topology
    }

    /// The single faults, ascending.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// How many sets there are; `None` from 2^128 on.
    pub fn count(&self) -> Option<u128> {
        self.sets().count()
    }

    /// The set at this place; `None` past the last one, and where they cannot be [counted](Self::count).
    pub fn get(&self, index: u128) -> Option<Faults> {
        self.sets().nth(index).map(|set| self.faults_of(&set))
    }

    /// The place of a set; `None` if it is none of these, and where they cannot be [counted](Self::count).
    pub fn index_of(&self, faults: &Faults) -> Option<u128> {
        let place = |fault| self.faults.binary_search(fault).ok().map(|place| place as u32);
        self.sets().index_of(&faults.iter().map(place).collect::<Option<Vec<u32>>>()?)
    }

    /// All sets, one after the other.
    pub fn iter(&self) -> impl Iterator<Item = Faults> + Clone {
        self.faults_from(self.sets().first())
    }

    /// The sets from this place on, as for a sweep that was interrupted; none where they cannot be
    /// [counted](Self::count), unless the place is 0.
    pub fn iter_from(&self, index: u128) -> impl Iterator<Item = Faults> + Clone {
        self.faults_from(if index == 0 { self.sets().first() } else { self.sets().nth(index) })
    }

    fn faults_from(&self, first: Option<Vec<u32>>) -> impl Iterator<Item = Faults> + Clone {
        self.sets().from(first).map(|set| self.faults_of(&set))
    }

    /// Different sets by chance, each selection with the same probability, ascending; all of them, if there are no more.
    /// The same seed gives the same sets.
    ///
    /// **Source**: Bentley and Floyd, *A sample of brilliance* (Communications of the ACM 30, 1987).
    ///
    /// # Errors
    ///
    /// [`FaultError::TooManySets`] past 2^24 faults altogether.
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
            // So many that hardly any is drawn twice.
            let mut drawn = BTreeSet::new();
            while drawn.len() < count {
                let set = distinct(self.faults.len() as u128, self.at_once, &mut rng);
                drawn.insert(set.into_iter().map(|number| number as u32).collect::<Vec<u32>>());
            }
            return Ok(drawn.iter().map(|set| self.faults_of(set)).collect());
        };
        Ok(distinct(total, count, &mut rng).into_iter().filter_map(|index| self.get(index)).collect())
    }

    pub(crate) fn sets(&self) -> Combinations {
        Combinations { bound: self.faults.len(), size: self.at_once }
    }

    fn faults_of(&self, set: &[u32]) -> Faults {
        set.iter().map(|&number| self.faults[number as usize]).collect()
    }
}

/// So many different numbers below a bound, which is not less.
fn distinct(bound: u128, count: usize, rng: &mut impl Rng) -> BTreeSet<u128> {
    let mut chosen = BTreeSet::new();
    for last in bound - count as u128..bound {
        let number = rng.random_range(0..=last);
        if !chosen.insert(number) {
            chosen.insert(last);
        }
    }
    chosen
}
