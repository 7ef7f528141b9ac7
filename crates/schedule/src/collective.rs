//! Collectives: named sets of messages.

use std::fmt;
use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};
use serde::{Deserialize, Serialize};

use crate::name::CollectiveName;

/// A message of a collective, numbered `0..`.
///
/// The order: by source terminal; inside a source by receiver terminal (scatter); chunks of one message follow each
/// other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MessageId(u32);

impl MessageId {
    /// The message with this number.
    #[inline]
    pub const fn new(number: u32) -> Self {
        Self(number)
    }

    /// The number itself.
    #[inline]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The number as the index of a table.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}", self.0)
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One message of a [custom](CollectiveKind::Custom) collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The terminal that holds it at the start.
    pub source: NodeId,
    /// The terminals that must hold it at the end, without the source.
    pub receivers: Vec<NodeId>,
}

/// Which messages, and in which direction of time.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CollectiveKind {
    /// OAB, broadcast: one message from the root to all others.
    OneToAllBroadcast {
        /// The source.
        root: NodeId,
    },
    /// OAS, scatter: one message from the root to each other terminal.
    OneToAllScatter {
        /// The source.
        root: NodeId,
    },
    /// AAB, all-gather: one message from every terminal to all others.
    AllToAllBroadcast,
    /// AAS, all-to-all, total exchange: one message for every ordered pair of terminals.
    AllToAllScatter,
    /// A scatter backwards in time: one message from each other terminal to the root.
    Gather {
        /// Where all messages end.
        root: NodeId,
    },
    /// A broadcast backwards in time: partial results meet on their way to the root.
    Reduce {
        /// Where the result ends.
        root: NodeId,
    },
    /// An all-gather backwards in time: message `m` is reduced towards terminal `m`.
    ReduceScatter,
    /// A reduce-scatter, then an all-gather of the same messages.
    AllReduce,
    /// Any set of messages: M:N broadcast and scatter.
    Custom(Vec<Message>),
}

/// One pass over the messages of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Messages go from their source to their receivers.
    Distribute,
    /// Messages come from their receivers to their source: a distribution read backwards.
    Collect,
}

/// A set of messages that has a name.
///
/// ```
/// use lockstep_schedule::Collective;
///
/// let all_to_all = Collective::all_to_all_scatter().with_chunks(2.try_into()?);
/// assert_eq!(all_to_all.abbreviation(), "aas");
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    /// Which messages.
    pub kind: CollectiveKind,
    /// Into how many equal messages each one is cut.
    pub chunks: NonZeroU32,
}

impl From<CollectiveKind> for Collective {
    fn from(kind: CollectiveKind) -> Self {
        Self { kind, chunks: NonZeroU32::MIN }
    }
}

impl Collective {
    /// OAB: one message from `root` to all others.
    pub fn one_to_all_broadcast(root: NodeId) -> Self {
        CollectiveKind::OneToAllBroadcast { root }.into()
    }

    /// OAS: one message from `root` to each other terminal.
    pub fn one_to_all_scatter(root: NodeId) -> Self {
        CollectiveKind::OneToAllScatter { root }.into()
    }

    /// AAB: one message from every terminal to all others.
    pub fn all_to_all_broadcast() -> Self {
        CollectiveKind::AllToAllBroadcast.into()
    }

    /// AAS: one message for every ordered pair of terminals.
    pub fn all_to_all_scatter() -> Self {
        CollectiveKind::AllToAllScatter.into()
    }

    /// One message from every sender to all receivers but itself.
    pub fn many_to_many_broadcast(senders: &[NodeId], receivers: &[NodeId]) -> Self {
        let messages = senders.iter().map(|&source| {
            let receivers = receivers.iter().copied().filter(|&receiver| receiver != source).collect();
            Message { source, receivers }
        });
        CollectiveKind::Custom(messages.filter(|message| !message.receivers.is_empty()).collect()).into()
    }

    /// One message from every sender to each receiver but itself.
    pub fn many_to_many_scatter(senders: &[NodeId], receivers: &[NodeId]) -> Self {
        let pairs = senders.iter().flat_map(|&source| receivers.iter().map(move |&receiver| (source, receiver)));
        let messages = pairs.filter(|(source, receiver)| source != receiver);
        CollectiveKind::Custom(
            messages.map(|(source, receiver)| Message { source, receivers: vec![receiver] }).collect(),
        )
        .into()
    }

    /// The same collective with every message cut into `chunks`.
    #[must_use]
    pub fn with_chunks(mut self, chunks: NonZeroU32) -> Self {
        self.chunks = chunks;
        self
    }

    /// The short name that files and the command line use.
    pub fn abbreviation(&self) -> &'static str {
        self.name().map_or("custom", CollectiveName::abbreviation)
    }

    /// The name, unless the collective is a custom set of messages.
    pub fn name(&self) -> Option<CollectiveName> {
        match self.kind {
            CollectiveKind::OneToAllBroadcast { .. } => Some(CollectiveName::OneToAllBroadcast),
            CollectiveKind::OneToAllScatter { .. } => Some(CollectiveName::OneToAllScatter),
            CollectiveKind::AllToAllBroadcast => Some(CollectiveName::AllToAllBroadcast),
            CollectiveKind::AllToAllScatter => Some(CollectiveName::AllToAllScatter),
            CollectiveKind::Gather { .. } => Some(CollectiveName::Gather),
            CollectiveKind::Reduce { .. } => Some(CollectiveName::Reduce),
            CollectiveKind::ReduceScatter => Some(CollectiveName::ReduceScatter),
            CollectiveKind::AllReduce => Some(CollectiveName::AllReduce),
            CollectiveKind::Custom(_) => None,
        }
    }

    /// The root, where there is one.
    pub fn root(&self) -> Option<NodeId> {
        match self.kind {
            CollectiveKind::OneToAllBroadcast { root }
            | CollectiveKind::OneToAllScatter { root }
            | CollectiveKind::Gather { root }
            | CollectiveKind::Reduce { root } => Some(root),
            _ => None,
        }
    }

    /// The passes over the messages, in time order.
    pub fn phases(&self) -> &'static [Phase] {
        match self.kind {
            CollectiveKind::Gather { .. } | CollectiveKind::Reduce { .. } | CollectiveKind::ReduceScatter => {
                &[Phase::Collect]
            }
            CollectiveKind::AllReduce => &[Phase::Collect, Phase::Distribute],
            _ => &[Phase::Distribute],
        }
    }

    /// The collective whose schedules on the reversed network, [read backwards](crate::Schedule::reversed), are the
    /// schedules of this one, message by message: gather and scatter, reduce and broadcast, reduce-scatter and
    /// all-gather, all-reduce and itself, custom messages of one receiver with source and receiver exchanged.
    ///
    /// `None` for all-to-all, which is its own reverse but under other message numbers, and for custom messages of
    /// several receivers.
    pub fn reversed(&self) -> Option<Self> {
        let kind = match &self.kind {
            &CollectiveKind::OneToAllBroadcast { root } => CollectiveKind::Reduce { root },
            &CollectiveKind::Reduce { root } => CollectiveKind::OneToAllBroadcast { root },
            &CollectiveKind::OneToAllScatter { root } => CollectiveKind::Gather { root },
            &CollectiveKind::Gather { root } => CollectiveKind::OneToAllScatter { root },
            CollectiveKind::AllToAllBroadcast => CollectiveKind::ReduceScatter,
            CollectiveKind::ReduceScatter => CollectiveKind::AllToAllBroadcast,
            CollectiveKind::AllReduce => CollectiveKind::AllReduce,
            CollectiveKind::AllToAllScatter => return None,
            CollectiveKind::Custom(messages) => {
                let turned = messages.iter().map(|message| match message.receivers[..] {
                    [receiver] => Some(Message { source: receiver, receivers: vec![message.source] }),
                    _ => None,
                });
                CollectiveKind::Custom(turned.collect::<Option<_>>()?)
            }
        };
        Some(Self { kind, chunks: self.chunks })
    }

    /// The messages of this collective on a network, computed when asked and never stored.
    ///
    /// `None` if there are more than 2^32 - 2 of them.
    pub fn messages<'a>(&'a self, topology: &'a Topology) -> Option<Messages<'a>> {
        let terminals = topology.terminal_count() as u64;
        let others = terminals.saturating_sub(1);
        let (shape, count) = match &self.kind {
            CollectiveKind::OneToAllBroadcast { root } | CollectiveKind::Reduce { root } => {
                (Shape::Broadcast { only: Some(*root) }, 1)
            }
            CollectiveKind::OneToAllScatter { root } | CollectiveKind::Gather { root } => {
                (Shape::Scatter { only: Some(*root) }, others)
            }
            CollectiveKind::AllToAllBroadcast | CollectiveKind::ReduceScatter | CollectiveKind::AllReduce => {
                (Shape::Broadcast { only: None }, terminals)
            }
            CollectiveKind::AllToAllScatter => (Shape::Scatter { only: None }, terminals * others),
            CollectiveKind::Custom(messages) => (Shape::Custom(messages), messages.len() as u64),
        };
        let count = count.checked_mul(u64::from(self.chunks.get()))?;
        let count = u32::try_from(count).ok().filter(|&count| count < u32::MAX)?;
        Some(Messages { topology, shape, chunks: self.chunks.get(), count })
    }
}

/// How a message's number gives its source and receivers.
#[derive(Clone, Copy, Debug)]
enum Shape<'a> {
    /// A message a source (or one source only), to all others.
    Broadcast { only: Option<NodeId> },
    /// A message for every other terminal, a source after the other (or one source only).
    Scatter { only: Option<NodeId> },
    /// As listed.
    Custom(&'a [Message]),
}

/// The receivers of one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receivers<'a> {
    /// Every terminal but the source.
    AllOthers,
    /// One terminal: a scatter message.
    One(NodeId),
    /// These terminals.
    List(&'a [NodeId]),
}

/// The messages of a collective on a network.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    topology: &'a Topology,
    shape: Shape<'a>,
    chunks: u32,
    count: u32,
}

impl<'a> Messages<'a> {
    /// Number of messages.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there is no message.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// All messages, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = MessageId> + Clone + use<> {
        (0..self.count).map(MessageId::new)
    }

    /// Into how many messages each original one was cut; those follow each other.
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Whether every message has one receiver by the nature of the collective: a scatter, a gather, or custom messages
    /// of one receiver each. A broadcast on two terminals is none.
    pub fn is_scatter(&self) -> bool {
        match self.shape {
            Shape::Broadcast { .. } => false,
            Shape::Scatter { .. } => true,
            Shape::Custom(messages) => messages.iter().all(|message| message.receivers.len() == 1),
        }
    }

    /// The terminal that holds a message at the start.
    ///
    /// # Panics
    ///
    /// If there is no such message.
    #[inline]
    pub fn source(&self, message: MessageId) -> NodeId {
        let number = self.original(message);
        match self.shape {
            Shape::Broadcast { only: Some(root) } | Shape::Scatter { only: Some(root) } => root,
            Shape::Broadcast { only: None } => self.topology.terminals()[number],
            Shape::Scatter { only: None } => {
                let terminals = self.topology.terminals();
                terminals[number / (terminals.len() - 1)]
            }
            Shape::Custom(messages) => messages[number].source,
        }
    }

    /// The terminals that must hold a message at the end.
    ///
    /// # Panics
    ///
    /// If there is no such message.
    #[inline]
    pub fn receivers(&self, message: MessageId) -> Receivers<'a> {
        let number = self.original(message);
        let terminals = self.topology.terminals();
        match self.shape {
            Shape::Broadcast { .. } if terminals.len() == 2 => {
                let source = self.source(message);
                Receivers::One(if terminals[0] == source { terminals[1] } else { terminals[0] })
            }
            Shape::Broadcast { .. } => Receivers::AllOthers,
            Shape::Scatter { only } => {
                let others = terminals.len() - 1;
                let (source, place) = match only {
                    // A root that is no terminal is refused by `Problem::new`; any rank keeps this total.
                    Some(root) => (self.topology.terminal_rank(root).unwrap_or(0), number),
                    None => (number / others, number % others),
                };
                Receivers::One(terminals[place + usize::from(place >= source)])
            }
            Shape::Custom(messages) => match messages[number].receivers.as_slice() {
                [receiver] => Receivers::One(*receiver),
                receivers => Receivers::List(receivers),
            },
        }
    }

    /// Number of receivers of a message.
    pub fn receiver_count(&self, message: MessageId) -> usize {
        match self.receivers(message) {
            Receivers::AllOthers => self.topology.terminal_count().saturating_sub(1),
            Receivers::One(_) => 1,
            Receivers::List(receivers) => receivers.len(),
        }
    }

    /// The receivers of a message one by one, ascending where the collective has a name.
    pub fn receivers_iter(&self, message: MessageId) -> impl Iterator<Item = NodeId> + use<'a> {
        let source = self.source(message);
        let (all, listed) = match self.receivers(message) {
            Receivers::AllOthers => (self.topology.terminals(), None),
            Receivers::One(receiver) => (&[][..], Some(receiver)),
            Receivers::List(receivers) => (receivers, None),
        };
        all.iter().copied().filter(move |&node| node != source).chain(listed)
    }

    /// Number of deliveries that the collective needs: the receivers of all messages together.
    pub fn delivery_count(&self) -> u64 {
        let others = self.topology.terminal_count().saturating_sub(1) as u64;
        match self.shape {
            Shape::Broadcast { .. } => u64::from(self.count) * others,
            Shape::Scatter { .. } => u64::from(self.count),
            Shape::Custom(messages) => {
                let receivers: u64 = messages.iter().map(|message| message.receivers.len() as u64).sum();
                receivers.saturating_mul(u64::from(self.chunks))
            }
        }
    }

    fn original(&self, message: MessageId) -> usize {
        assert!(message.number() < self.count, "{message:?} of {} messages", self.count);
        if self.chunks == 1 { message.index() } else { (message.number() / self.chunks) as usize }
    }
}
