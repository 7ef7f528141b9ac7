//! One fault, and faults at once.

use lockstep_topology::{Automorphism, ChannelId, NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::FaultError;

/// What fails at once in a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// Two opposite channels, the lower number first: one wire of a full-duplex or half-duplex link.
    Link([ChannelId; 2]),
    /// One channel.
    Channel(ChannelId),
    /// A terminal or switch with all its channels.
    Node(NodeId),
}

impl Fault {
    /// The node that fails, if one does.
    pub fn node(&self) -> Option<NodeId> {
        match *self {
            Self::Node(node) => Some(node),
            Self::Link(_) | Self::Channel(_) => None,
        }
    }

    /// The channels that fail, but those of a node that fails.
    pub fn channels(&self) -> &[ChannelId] {
        match self {
            Self::Link(channels) => channels,
            Self::Channel(channel) => std::slice::from_ref(channel),
            Self::Node(_) => &[],
        }
    }

    /// Where a symmetry of the network takes the fault.
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

    /// The name of the fault in the network that it befalls: a link is `01-10`, a channel `01->10`, a node `22`, and the
    /// second of parallel wires `01-10#2`. [`FaultSet`](crate::FaultSet) reads what is written here.
    ///
    /// # Panics
    ///
    /// If the network has no such node or channel.
    pub fn name(&self, topology: &Topology) -> String {
        match *self {
            Self::Link(link) => {
                let [tail, head] =
                    [topology.tail(link[0]), topology.head(link[0])].map(|node| topology.node_name(node));
                let wire = wire(topology, upward(topology, link));
                let is_single = link.iter().all(|&channel| parallel(topology, channel).nth(1).is_none());
                format!("{tail}-{head}{}", mark(wire.filter(|_| !is_single)))
            }
            Self::Channel(channel) => {
                let is_single = parallel(topology, channel).nth(1).is_none();
                let mark = mark(wire(topology, channel).filter(|_| !is_single));
                format!("{}{mark}", topology.channel_name(channel))
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

    /// Whether the network has what fails, working or not.
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

/// The channel of a link that leads to the higher node.
pub(crate) fn upward(topology: &Topology, link: [ChannelId; 2]) -> ChannelId {
    if topology.tail(link[0]) < topology.head(link[0]) { link[0] } else { link[1] }
}

/// The working channels between the ends of one of them.
fn parallel(topology: &Topology, channel: ChannelId) -> impl Iterator<Item = ChannelId> {
    let [tail, head] = [topology.tail(channel), topology.head(channel)];
    topology.out_channels(tail).iter().copied().filter(move |&other| topology.head(other) == head)
}

/// The place of a working channel among those parallel to it, from 1.
fn wire(topology: &Topology, channel: ChannelId) -> Option<usize> {
    parallel(topology, channel).position(|other| other == channel).map(|place| place + 1)
}

fn mark(wire: Option<usize>) -> String {
    wire.map_or(String::new(), |wire| format!("#{wire}"))
}

/// Faults at once, in ascending order and each of them once.
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
    /// The faults, ascending.
    pub fn iter(&self) -> std::slice::Iter<'_, Fault> {
        self.0.iter()
    }

    /// Number of faults.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether nothing fails.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Where a symmetry of the network takes the faults.
    #[must_use]
    pub fn image(&self, symmetry: &Automorphism) -> Self {
        self.iter().map(|fault| fault.image(symmetry)).collect()
    }

    /// The [names](Fault::name) of the faults with commas between them: `01-10, 22`.
    ///
    /// # Panics
    ///
    /// If the network has no such node or channel.
    pub fn name(&self, topology: &Topology) -> String {
        let names: Vec<String> = self.iter().map(|fault| fault.name(topology)).collect();
        names.join(", ")
    }

    /// The network after these faults; all numbers stay. Its name says what failed.
    ///
    /// What has failed before may fail again. Takes `O(N + M)` time.
    ///
    /// # Errors
    ///
    /// [`FaultError::ForeignNode`], [`FaultError::ForeignChannel`] or [`FaultError::ForeignLink`], if these are the faults
    /// of another network.
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
        Ok(broken.renamed(format!("{}{join} {}", topology.name(), self.words(topology))))
    }

    /// The network after these faults, under its old name.
    pub(crate) fn injected(&self, topology: &Topology) -> Result<Topology, FaultError> {
        self.iter().try_for_each(|fault| fault.check(topology))?;
        let nodes = self.iter().filter_map(Fault::node);
        Ok(topology.with_failures(nodes, self.iter().flat_map(Fault::channels).copied()))
    }

    /// `link 00-01, channel 02->03 and node 22`; of many faults how many.
    fn words(&self, topology: &Topology) -> String {
        /// The most faults that are named one by one.
        const MOST: usize = 8;
        let of_a_kind = |faults: &[Fault]| match *faults {
            [fault] => format!("{} {}", fault.kind(), fault.name(topology)),
            _ => format!("{} {}s", faults.len(), faults[0].kind()),
        };
        let words: Vec<String> = if self.len() <= MOST {
            self.iter().map(|fault| of_a_kind(&[*fault])).collect()
        } else {
            self.0.chunk_by(|one, other| one.kind() == other.kind()).map(of_a_kind).collect()
        };
        crate::list::list(&words)
    }
}
