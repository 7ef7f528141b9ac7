//! Single faults and sets of simultaneous faults.

use lockstep_topology::{Automorphism, ChannelId, NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::FaultError;

/// A single fault of a network: a link, a channel or a node fails.
///
/// ```
/// use lockstep_faults::Fault;
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// assert_eq!(Fault::Link(mesh.links()[0]).name(&mesh), "00-10");
/// assert_eq!(Fault::Node(mesh.terminals()[15]).name(&mesh), "33");
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// A link, full-duplex or half-duplex: two opposite channels, the lower number first.
    Link([ChannelId; 2]),
    /// One channel.
    Channel(ChannelId),
    /// A terminal or switch with all its channels.
    Node(NodeId),
}

impl Fault {
    /// Returns the failed node, if the fault is a node.
    pub fn node(&self) -> Option<NodeId> {
        match *self {
            Self::Node(node) => Some(node),
            Self::Link(_) | Self::Channel(_) => None,
        }
    }

    /// Returns the failed channels of a link or channel; empty for a node.
    pub fn channels(&self) -> &[ChannelId] {
        match self {
            Self::Link(channels) => channels,
            Self::Channel(channel) => std::slice::from_ref(channel),
            Self::Node(_) => &[],
        }
    }

    /// Returns the image of the fault under a symmetry of the network.
    #[must_use]
    pub fn image(self, symmetry: &Automorphism) -> Self {
        match self {
            Self::Link(link) => {
                let mut image = link.map(|channel| symmetry.channel(channel));
                image.sort_unstable();
                Self::Link(image)
            }
            Self::Channel(channel) => Self::Channel(symmetry.channel(channel)),
            Self::Node(node) => Self::Node(symmetry.node(node)),
        }
    }

    /// Returns the name of the fault: `01-10` for a link, `01->10` for a channel, `22` for a node, `01-10#2` for the
    /// second of parallel links. [`FaultSet`](crate::FaultSet) parses these names.
    ///
    /// # Panics
    ///
    /// If the node or channel is not in the network.
    pub fn name(&self, topology: &Topology) -> String {
        match *self {
            Self::Link(link) => {
                let [tail, head] =
                    [topology.tail(link[0]), topology.head(link[0])].map(|node| topology.node_name(node));
                let number = parallel_number(topology, upward(topology, link));
                let is_single = link.iter().all(|&channel| parallel(topology, channel).nth(1).is_none());
                format!("{tail}-{head}{}", number_suffix(number.filter(|_| !is_single)))
            }
            Self::Channel(channel) => {
                let is_single = parallel(topology, channel).nth(1).is_none();
                let suffix = number_suffix(parallel_number(topology, channel).filter(|_| !is_single));
                format!("{}{suffix}", topology.channel_name(channel))
            }
            Self::Node(node) => topology.node_name(node).to_owned(),
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Link(_) => "link",
            Self::Channel(_) => "channel",
            Self::Node(_) => "node",
        }
    }

    /// Checks that the node or channels of the fault are in the network. They may have failed before.
    fn check(&self, topology: &Topology) -> Result<(), FaultError> {
        let is_foreign = |channel: &&ChannelId| channel.index() >= topology.channel_bound();
        if let Some(node) = self.node().filter(|node| node.index() >= topology.node_count()) {
            return Err(FaultError::ForeignNode { node });
        }
        if let Some(&channel) = self.channels().iter().find(is_foreign) {
            return Err(FaultError::ForeignChannel { channel });
        }
        if let Self::Link([first, second]) = *self {
            let ends = |tail: ChannelId, head: ChannelId| topology.tail(tail) == topology.head(head);
            if !ends(first, second) || !ends(second, first) {
                return Err(FaultError::ForeignLink { first, second });
            }
        }
        Ok(())
    }
}

/// Returns the channel of a link that leads to the higher node.
pub(crate) fn upward(topology: &Topology, link: [ChannelId; 2]) -> ChannelId {
    if topology.tail(link[0]) < topology.head(link[0]) { link[0] } else { link[1] }
}

/// Returns the working channels parallel to a channel, including itself.
fn parallel(topology: &Topology, channel: ChannelId) -> impl Iterator<Item = ChannelId> {
    let [tail, head] = [topology.tail(channel), topology.head(channel)];
    topology.out_channels(tail).iter().copied().filter(move |&other| topology.head(other) == head)
}

/// Returns the position of a working channel among its parallel channels, from 1.
fn parallel_number(topology: &Topology, channel: ChannelId) -> Option<usize> {
    parallel(topology, channel).position(|other| other == channel).map(|place| place + 1)
}

/// Returns `#2` for the number 2.
pub(crate) fn number_suffix(number: Option<usize>) -> String {
    number.map_or(String::new(), |number| format!("#{number}"))
}

/// A set of simultaneous faults of a network, distinct and ascending.
///
/// ```
/// use lockstep_faults::{Fault, Faults};
/// use lockstep_topology::Topology;
///
/// let mesh: Topology = "mesh:4x4".parse()?;
/// let faults = Faults::from_iter([Fault::Node(mesh.terminals()[15]), Fault::Link(mesh.links()[0])]);
/// assert_eq!(faults.name(&mesh), "00-10, 33");
/// let broken = faults.apply_to(&mesh)?;
/// assert_eq!(broken.name(), "mesh:4x4 without link 00-10 and node 33");
/// assert_eq!((broken.terminal_count(), broken.channel_count()), (15, 48 - 2 - 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Vec<Fault>")]
pub struct Faults(Vec<Fault>);

impl From<Vec<Fault>> for Faults {
    fn from(mut faults: Vec<Fault>) -> Self {
        for fault in &mut faults {
            if let Fault::Link(link) = fault {
                link.sort_unstable();
            }
        }
        faults.sort_unstable();
        faults.dedup();
        Self(faults)
    }
}

impl FromIterator<Fault> for Faults {
    fn from_iter<I: IntoIterator<Item = Fault>>(faults: I) -> Self {
        Vec::from_iter(faults).into()
    }
}

impl From<Fault> for Faults {
    fn from(fault: Fault) -> Self {
        Self::from_iter([fault])
    }
}

impl<'a> IntoIterator for &'a Faults {
    type Item = &'a Fault;
    type IntoIter = std::slice::Iter<'a, Fault>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Faults {
    /// Returns the faults, ascending.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }

    /// Returns the number of faults.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there are no faults.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the image of the faults under a symmetry of the network.
    #[must_use]
    pub fn image(&self, symmetry: &Automorphism) -> Self {
        self.iter().map(|fault| fault.image(symmetry)).collect()
    }

    /// Returns the [names](Fault::name) of the faults, separated by commas: `01-10, 22`.
    ///
    /// # Panics
    ///
    /// If the node or channel is not in the network.
    pub fn name(&self, topology: &Topology) -> String {
        let names: Vec<String> = self.iter().map(|fault| fault.name(topology)).collect();
        names.join(", ")
    }

    /// Returns the network after these faults. Numbers do not change, and the faults are added to its name.
    ///
    /// Failed nodes and channels may fail again. Takes `O(N + M)` time.
    ///
    /// # Errors
    ///
    /// [`FaultError::ForeignNode`], [`FaultError::ForeignChannel`] or [`FaultError::ForeignLink`] for faults of another
    /// network.
    pub fn apply_to(&self, topology: &Topology) -> Result<Topology, FaultError> {
        let broken = self.injected(topology)?;
        if self.is_empty() {
            return Ok(broken);
        }
        let join = if topology.failed_channels().next().is_some() || !topology.failed_nodes().is_empty() {
            ","
        } else {
            " without"
        };
        Ok(broken.renamed(format!("{}{join} {}", topology.name(), self.describe(topology))))
    }

    /// Returns the network after these faults with its old name.
    pub(crate) fn injected(&self, topology: &Topology) -> Result<Topology, FaultError> {
        self.iter().try_for_each(|fault| fault.check(topology))?;
        let nodes = self.iter().filter_map(Fault::node);
        Ok(topology.with_failures(nodes, self.iter().flat_map(Fault::channels).copied()))
    }

    /// Describes the faults: `link 00-01, channel 02->03 and node 22`, or the number per kind if there are many.
    fn describe(&self, topology: &Topology) -> String {
        /// Maximum number of faults that are named one by one.
        const MAX_NAMED: usize = 8;
        let describe_kind = |faults: &[Fault]| match *faults {
            [fault] => format!("{} {}", fault.kind(), fault.name(topology)),
            _ => format!("{} {}s", faults.len(), faults[0].kind()),
        };
        let words: Vec<String> = if self.len() <= MAX_NAMED {
            self.iter().map(|fault| describe_kind(&[*fault])).collect()
        } else {
            self.0.chunk_by(|one, other| one.kind() == other.kind()).map(describe_kind).collect()
        };
        crate::list::list(&words)
    }
}
