//! The messages of a collective, computed from their numbers.

use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology, number_id};

use crate::pattern::Pattern;

number_id!(
    /// A message of a collective, numbered `0..`.
    ///
    /// The order: by source terminal; for one source by receiver terminal (scatter); the chunks of one message follow
    /// each other.
    MessageId,
    "m"
);

#[cfg(feature = "schema")]
lockstep_files::schema_of!(MessageId, u32);

/// One message of a [custom](crate::Collective::custom) collective.
///
/// ```
/// use lockstep_schedule::{Collective, Message, Pattern};
/// use lockstep_topology::{NodeId, Topology};
///
/// let ring: Topology = "ring:4".parse()?;
/// let [a, b, c, _] = *ring.terminals() else { unreachable!() };
/// let collective = Collective::custom(vec![Message { source: a, receivers: vec![b, c] }]);
/// assert_eq!(collective.pattern(), Pattern::Broadcast);
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// The terminal that holds the message at the start; in a gather or reduction, the terminal that must hold it at the
    /// end. In an all-reduce, any of the terminals.
    pub source: NodeId,
    /// The terminals that must hold the message at the end, without the source. In a reduction they contribute to it, as
    /// the source does.
    pub receivers: Vec<NodeId>,
}

impl Message {
    /// Returns the pattern that messages imply: a scatter if each has one receiver, otherwise a broadcast.
    pub(crate) fn implied_pattern(messages: &[Self]) -> Pattern {
        let is_scatter = messages.iter().all(|message| message.receivers.len() == 1);
        if is_scatter { Pattern::Scatter } else { Pattern::Broadcast }
    }

    /// One message from every sender to all receivers but itself.
    pub(crate) fn broadcasts(senders: &[NodeId], receivers: &[NodeId]) -> impl Iterator<Item = Self> {
        let messages = senders.iter().map(|&source| {
            let receivers = receivers.iter().copied().filter(|&receiver| receiver != source).collect();
            Self { source, receivers }
        });
        messages.filter(|message| !message.receivers.is_empty())
    }

    /// One message from every sender to each receiver but itself.
    pub(crate) fn scatters(senders: &[NodeId], receivers: &[NodeId]) -> impl Iterator<Item = Self> {
        let pairs = senders.iter().flat_map(|&source| receivers.iter().map(move |&receiver| (source, receiver)));
        let messages = pairs.filter(|(source, receiver)| source != receiver);
        messages.map(|(source, receiver)| Self { source, receivers: vec![receiver] })
    }
}

/// The sources and receivers of a collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Endpoints {
    /// Every terminal to all others.
    All,
    /// One terminal to all others.
    Root(NodeId),
    /// As listed.
    Listed(Vec<Message>),
}

/// How the number of a message gives its source and receivers.
#[derive(Clone, Copy, Debug)]
enum Shape<'a> {
    /// One message per source (or of `only` one source) to all other terminals.
    Broadcast { only: Option<NodeId> },
    /// One message per source (or of `only` one source) and other terminal, ordered by source.
    Scatter { only: Option<NodeId> },
    /// As listed.
    Listed(&'a [Message]),
}

/// The receivers of one message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Receivers<'a> {
    /// Every terminal but the source.
    AllOthers,
    /// One terminal.
    One(NodeId),
    /// These terminals.
    List(&'a [NodeId]),
}

/// The messages of a collective on a network.
///
/// ```
/// use lockstep_schedule::Collective;
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let exchange = Collective::all_to_all();
/// let messages = exchange.messages(&ring).expect("twelve messages");
/// assert_eq!((messages.len(), messages.delivery_count()), (12, 12));
/// let last = messages.ids().last().unwrap();
/// assert_eq!(ring.node_name(messages.source(last)), "3");
/// # Ok::<(), lockstep_topology::SpecError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    topology: &'a Topology,
    pattern: Pattern,
    shape: Shape<'a>,
    chunks: u32,
    count: u32,
}

impl<'a> Messages<'a> {
    /// `None` if there are more than 2^32 - 2 messages.
    pub(crate) fn new(
        topology: &'a Topology,
        pattern: Pattern,
        endpoints: &'a Endpoints,
        chunks: NonZeroU32,
    ) -> Option<Self> {
        let terminals = topology.terminal_count() as u64;
        let others = terminals.saturating_sub(1);
        let (only, senders) = match endpoints {
            Endpoints::Root(root) => (Some(*root), 1),
            Endpoints::All | Endpoints::Listed(_) => (None, terminals),
        };
        let (shape, count) = match endpoints {
            Endpoints::Listed(messages) => (Shape::Listed(messages), messages.len() as u64),
            _ if pattern.is_scatter() => (Shape::Scatter { only }, senders * others),
            _ => (Shape::Broadcast { only }, senders),
        };
        let count = count.checked_mul(u64::from(chunks.get()))?;
        let count = u32::try_from(count).ok().filter(|&count| count < u32::MAX)?;
        Some(Self { topology, pattern, shape, chunks: chunks.get(), count })
    }

    /// Returns the number of messages.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Returns true if there is no message.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns all messages, ascending.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = MessageId> + Clone + use<> {
        (0..self.count).map(MessageId::new)
    }

    /// Into how many messages each original one was cut; those follow each other.
    pub fn chunks(&self) -> u32 {
        self.chunks
    }

    /// Returns the first chunk of each original message, ascending.
    pub(crate) fn first_chunks(&self) -> impl Iterator<Item = MessageId> + use<> {
        // The steps are taken before numbers become messages: a mapped range would visit every chunk.
        (0..self.count).step_by(self.chunks as usize).map(MessageId::new)
    }

    /// Whether each message has one receiver by its [pattern](Pattern): a scatter or a gather. A broadcast between two
    /// terminals is none.
    pub fn is_scatter(&self) -> bool {
        self.pattern.is_scatter()
    }

    /// Returns the terminal that holds a message at the start.
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
            Shape::Listed(messages) => messages[number].source,
        }
    }

    /// Returns the terminals that must hold a message at the end.
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
            Shape::Listed(messages) => match messages[number].receivers.as_slice() {
                [receiver] => Receivers::One(*receiver),
                receivers => Receivers::List(receivers),
            },
        }
    }

    /// Returns the number of receivers of a message.
    pub fn receiver_count(&self, message: MessageId) -> usize {
        match self.receivers(message) {
            Receivers::AllOthers => self.topology.terminal_count().saturating_sub(1),
            Receivers::One(_) => 1,
            Receivers::List(receivers) => receivers.len(),
        }
    }

    /// Returns the receivers of a message one by one, ascending where the collective has a name.
    pub fn receivers_iter(&self, message: MessageId) -> impl Iterator<Item = NodeId> + use<'a> {
        let source = self.source(message);
        let (all, listed) = match self.receivers(message) {
            Receivers::AllOthers => (self.topology.terminals(), None),
            Receivers::One(receiver) => (&[][..], Some(receiver)),
            Receivers::List(receivers) => (receivers, None),
        };
        all.iter().copied().filter(move |&node| node != source).chain(listed)
    }

    /// Returns the number of deliveries that the collective needs: the receivers of all messages together.
    pub fn delivery_count(&self) -> u64 {
        let others = self.topology.terminal_count().saturating_sub(1) as u64;
        match self.shape {
            Shape::Broadcast { .. } => u64::from(self.count) * others,
            Shape::Scatter { .. } => u64::from(self.count),
            Shape::Listed(messages) => {
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

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_topology::TopologyBuilder;

    use super::*;
    use crate::collective::Collective;

    /// Terminals 0, 2, 3 and the switch 1 between them.
    fn star() -> Topology {
        let mut network = TopologyBuilder::new("star");
        let (first, hub) = (network.terminal("a"), network.switch("hub"));
        let others = [network.terminal("b"), network.terminal("c")];
        for terminal in [first].into_iter().chain(others) {
            network.link(terminal, hub);
        }
        network.build().unwrap()
    }

    fn listed(collective: &Collective) -> Vec<(u32, Vec<u32>)> {
        let star = star();
        let messages = collective.messages(&star).unwrap();
        let list: Vec<_> = messages
            .ids()
            .map(|id| {
                (messages.source(id).number(), messages.receivers_iter(id).map(NodeId::number).collect::<Vec<_>>())
            })
            .collect();
        let deliveries: usize = list.iter().map(|(_, receivers)| receivers.len()).sum();
        assert_eq!((messages.len(), messages.delivery_count()), (list.len(), deliveries as u64));
        assert!(messages.ids().zip(&list).all(|(id, (_, receivers))| messages.receiver_count(id) == receivers.len()));
        list
    }

    #[test]
    fn messages_are_numbered_by_source_then_receiver() {
        let root = NodeId::new(2);
        assert_eq!(listed(&Collective::broadcast(root)), [(2, vec![0, 3])]);
        assert_eq!(listed(&Collective::scatter(root)), [(2, vec![0]), (2, vec![3])]);
        assert_eq!(listed(&Collective::all_gather()), [(0, vec![2, 3]), (2, vec![0, 3]), (3, vec![0, 2])]);
        let pairs = [(0, 2), (0, 3), (2, 0), (2, 3), (3, 0), (3, 2)];
        assert_eq!(listed(&Collective::all_to_all()), pairs.map(|(source, receiver)| (source, vec![receiver])));
    }

    #[test]
    fn chunks_of_a_message_follow_each_other() {
        let two = NonZeroU32::new(2).unwrap();
        let scatter = Collective::scatter(NodeId::new(0)).with_chunks(two);
        assert_eq!(listed(&scatter), [(0, vec![2]), (0, vec![2]), (0, vec![3]), (0, vec![3])]);
    }

    #[test]
    fn many_to_many_leaves_the_source_out() {
        let [a, b, c] = [0, 2, 3].map(NodeId::new);
        let broadcast = Collective::many_to_many_broadcast(&[a, c], &[b, c]);
        assert_eq!(listed(&broadcast), [(0, vec![2, 3]), (3, vec![2])]);
        let scatter = Collective::many_to_many_scatter(&[a, c], &[b, c]);
        assert_eq!(listed(&scatter), [(0, vec![2]), (0, vec![3]), (3, vec![2])]);
        assert!(listed(&Collective::many_to_many_broadcast(&[a], &[a])).is_empty());
    }

    #[test]
    fn on_two_terminals_all_others_are_one() {
        let mut pair = TopologyBuilder::new("pair");
        let (a, b) = (pair.terminal("a"), pair.terminal("b"));
        pair.link(a, b);
        let (pair, broadcast) = (pair.build().unwrap(), Collective::all_gather());
        let messages = broadcast.messages(&pair).unwrap();
        let receivers = [0, 1].map(|number| messages.receivers(MessageId::new(number)));
        assert_eq!(receivers, [Receivers::One(b), Receivers::One(a)]);
        assert!(!messages.is_scatter());
    }

    #[test]
    fn too_many_messages_are_not_numbered() {
        let chunks = NonZeroU32::MAX;
        assert!(Collective::broadcast(NodeId::new(0)).with_chunks(chunks).messages(&star()).is_none());
        let fewer = NonZeroU32::new(u32::MAX - 1).unwrap();
        let most = Collective::broadcast(NodeId::new(0)).with_chunks(fewer);
        assert_eq!(most.messages(&star()).unwrap().len(), u32::MAX as usize - 1);
        assert!(Collective::all_to_all().with_chunks(fewer).messages(&star()).is_none());
    }
}
