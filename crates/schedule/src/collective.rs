//! Collectives: sets of messages and the directions in which they travel.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};

use crate::messages::{Endpoints, Message, Messages};
use crate::name::{CollectiveName, CollectiveNameError};
use crate::pattern::{Pattern, Phase};

/// A set of messages and its [`Pattern`].
///
/// The standard collectives involve all terminals and have a [name](Self::name). Their messages are computed and never
/// stored. Collectives of [groups](CollectiveName::in_groups) and [custom](Self::custom) ones store their messages.
///
/// ```
/// use lockstep_schedule::{Collective, CollectiveName};
///
/// let all_to_all = Collective::all_to_all().with_chunks(2.try_into()?);
/// assert_eq!(all_to_all.name(), Some(CollectiveName::AllToAll));
/// assert_eq!(all_to_all.abbreviation(), "aas");
/// # Ok::<(), std::num::TryFromIntError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collective {
    pattern: Pattern,
    endpoints: Endpoints,
    chunks: NonZeroU32,
}

impl Collective {
    fn whole(pattern: Pattern, endpoints: Endpoints) -> Self {
        Self { pattern, endpoints, chunks: NonZeroU32::MIN }
    }

    /// Broadcast: one message from `root` to all other terminals.
    pub fn broadcast(root: NodeId) -> Self {
        Self::whole(Pattern::Broadcast, Endpoints::Root(root))
    }

    /// Scatter: a different message from `root` to each other terminal.
    pub fn scatter(root: NodeId) -> Self {
        Self::whole(Pattern::Scatter, Endpoints::Root(root))
    }

    /// All-gather: one message from every terminal to all others.
    pub fn all_gather() -> Self {
        Self::whole(Pattern::Broadcast, Endpoints::All)
    }

    /// All-to-all, or total exchange: a different message for every ordered pair of terminals.
    pub fn all_to_all() -> Self {
        Self::whole(Pattern::Scatter, Endpoints::All)
    }

    /// Gather: a different message from each other terminal to `root`; a time-reversed scatter.
    pub fn gather(root: NodeId) -> Self {
        Self::whole(Pattern::Gather, Endpoints::Root(root))
    }

    /// Reduce: every terminal contributes to one result at `root`; a time-reversed broadcast.
    pub fn reduce(root: NodeId) -> Self {
        Self::whole(Pattern::Reduce, Endpoints::Root(root))
    }

    /// Reduce-scatter: message `m` is reduced towards terminal `m`; a time-reversed all-gather.
    pub fn reduce_scatter() -> Self {
        Self::whole(Pattern::Reduce, Endpoints::All)
    }

    /// All-reduce: every terminal contributes to every message, and every terminal gets the sums. There are as many
    /// messages as terminals; for another number, see [`all_reduce_in_blocks`](Self::all_reduce_in_blocks).
    pub fn all_reduce() -> Self {
        Self::whole(Pattern::ReduceBroadcast, Endpoints::All)
    }

    /// Any list of messages: a scatter if each message has one receiver, otherwise a broadcast.
    ///
    /// A message of several chunks is listed once per chunk, as in an all-to-all of different sizes (all-to-all-v).
    ///
    /// ```
    /// use lockstep_schedule::{Collective, Message};
    /// use lockstep_topology::NodeId;
    ///
    /// let [a, b, c] = [0, 1, 2].map(NodeId::new);
    /// let long = Message { source: a, receivers: vec![b] };
    /// let short = Message { source: a, receivers: vec![c] };
    /// let collective = Collective::custom(vec![long.clone(), long, short]);
    /// assert_eq!((collective.name(), collective.listed().map(<[_]>::len)), (None, Some(3)));
    /// ```
    pub fn custom(messages: Vec<Message>) -> Self {
        Self::listed_as(Message::implied_pattern(&messages), messages)
    }

    /// Returns the messages of a list in any pattern.
    pub(crate) fn listed_as(pattern: Pattern, messages: Vec<Message>) -> Self {
        Self::whole(pattern, Endpoints::Listed(messages))
    }

    /// M:N broadcast: one message from every sender to all receivers but itself.
    pub fn many_to_many_broadcast(senders: &[NodeId], receivers: &[NodeId]) -> Self {
        Self::listed_as(Pattern::Broadcast, Message::broadcasts(senders, receivers).collect())
    }

    /// M:N scatter: a different message from every sender to each receiver but itself.
    pub fn many_to_many_scatter(senders: &[NodeId], receivers: &[NodeId]) -> Self {
        Self::listed_as(Pattern::Scatter, Message::scatters(senders, receivers).collect())
    }

    /// Returns the same collective with every message split into `chunks` messages.
    #[must_use]
    pub fn with_chunks(mut self, chunks: NonZeroU32) -> Self {
        self.chunks = chunks;
        self
    }

    /// Returns the collective that distributes the same messages, as each [phase](crate::DistributePhase) does.
    #[must_use]
    pub fn distributing(&self) -> Self {
        self.clone().with_pattern(self.pattern.distributing())
    }

    /// Returns the same all-reduce with `root` as the source of every message that it contributes to. `messages` is their
    /// number. It makes no difference which terminal is the source.
    #[must_use]
    pub(crate) fn rooted(&self, root: NodeId, messages: NonZeroU32) -> Self {
        let mut rooted = self.clone();
        match &mut rooted.endpoints {
            Endpoints::All => {
                (rooted.endpoints, rooted.chunks) = (Endpoints::Root(root), messages);
            }
            Endpoints::Root(_) => {}
            Endpoints::Listed(messages) => {
                for message in messages {
                    if let Some(receiver) = message.receivers.iter_mut().find(|receiver| **receiver == root) {
                        std::mem::swap(receiver, &mut message.source);
                    }
                }
            }
        }
        rooted
    }

    /// Returns the collective that failures leave: failed terminals neither send nor receive.
    ///
    /// A standard collective is returned as it is, because its terminals are those of the network. A message of a list loses
    /// its failed receivers, and is left out with its source or its last receiver. In an all-reduce, the block of a failed
    /// source is left out only if each member of its group owns a block, as in the standard collective. Otherwise, blocks have
    /// no owner, and the first working member becomes the source.
    ///
    /// ```
    /// use lockstep_schedule::Collective;
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let ring: Topology = "ring:4".parse()?;
    /// let vector = Collective::all_reduce_in_blocks(&ring, &[], 2.try_into()?)?;
    /// let line = ring.with_failures([NodeId::new(0)], []);
    /// let remaining = vector.remaining(&line);
    /// let messages = remaining.messages(&line).ok_or("too many messages")?;
    /// assert_eq!((messages.len(), remaining.named_terminals().len()), (2, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remaining(&self, topology: &Topology) -> Cow<'_, Self> {
        let has_failed = |node: &NodeId| topology.has_failed(*node);
        let Some(messages) = self.listed().filter(|_| !topology.failed_nodes().is_empty()) else {
            return Cow::Borrowed(self);
        };
        let owners = if self.pattern == Pattern::ReduceBroadcast { Owners::of(messages) } else { Owners::default() };
        let mut left = Vec::with_capacity(messages.len());
        for message in messages {
            let receivers = message.receivers.iter().copied().filter(|receiver| !has_failed(receiver));
            let (mut source, mut receivers) = (message.source, receivers.collect::<Vec<_>>());
            if has_failed(&source) {
                if self.pattern != Pattern::ReduceBroadcast || owners.are_several(message) || receivers.is_empty() {
                    continue;
                }
                source = receivers.remove(0);
            }
            if !receivers.is_empty() {
                left.push(Message { source, receivers });
            }
        }
        Cow::Owned(Self { endpoints: Endpoints::Listed(left), ..self.clone() })
    }

    fn with_pattern(mut self, pattern: Pattern) -> Self {
        self.pattern = pattern;
        self
    }

    /// How the messages travel.
    pub fn pattern(&self) -> Pattern {
        self.pattern
    }

    /// Returns the number of messages into which each message is split.
    pub fn chunks(&self) -> NonZeroU32 {
        self.chunks
    }

    /// Returns the size of a chunk of a message of `size` bytes or other units: the size divided by the number of
    /// chunks, rounded up.
    pub fn chunk_size(&self, size: u64) -> u64 {
        size.div_ceil(self.chunks.get().into())
    }

    /// Returns the messages of a collective that stores them, before they are split into chunks.
    pub fn listed(&self) -> Option<&[Message]> {
        match &self.endpoints {
            Endpoints::Listed(messages) => Some(messages),
            Endpoints::All | Endpoints::Root(_) => None,
        }
    }

    /// Whether the name, or else the list of messages, says which pattern the collective has.
    pub(crate) fn implies_pattern(&self) -> bool {
        self.name().is_some()
            || self.listed().is_some_and(|messages| Message::implied_pattern(messages) == self.pattern)
    }

    /// Returns the name of a standard collective; `None` for other sets of messages.
    pub fn name(&self) -> Option<CollectiveName> {
        match (self.pattern, &self.endpoints) {
            (Pattern::Broadcast, Endpoints::Root(_)) => Some(CollectiveName::Broadcast),
            (Pattern::Scatter, Endpoints::Root(_)) => Some(CollectiveName::Scatter),
            (Pattern::Broadcast, Endpoints::All) => Some(CollectiveName::AllGather),
            (Pattern::Scatter, Endpoints::All) => Some(CollectiveName::AllToAll),
            (Pattern::Gather, Endpoints::Root(_)) => Some(CollectiveName::Gather),
            (Pattern::Reduce, Endpoints::Root(_)) => Some(CollectiveName::Reduce),
            (Pattern::Reduce, Endpoints::All) => Some(CollectiveName::ReduceScatter),
            (Pattern::ReduceBroadcast, Endpoints::All) => Some(CollectiveName::AllReduce),
            _ => None,
        }
    }

    /// Returns the word for people: the standard word of a named collective, or the pattern of listed messages in singular or
    /// plural.
    ///
    /// ```
    /// use lockstep_schedule::{Collective, Message};
    /// use lockstep_topology::NodeId;
    ///
    /// assert_eq!(Collective::all_gather().word(), "all-gather");
    /// let [a, b, c] = [0, 1, 2].map(NodeId::new);
    /// let one = Message { source: a, receivers: vec![b, c] };
    /// assert_eq!(Collective::custom(vec![one.clone()]).word(), "broadcast");
    /// assert_eq!(Collective::custom(vec![one.clone(), one]).word(), "broadcasts");
    /// ```
    pub fn word(&self) -> &'static str {
        match (self.name(), self.listed()) {
            (Some(name), _) => name.word(),
            (None, Some([_])) => self.pattern.word(),
            (None, _) => self.pattern.plural(),
        }
    }

    /// Returns the parts of the data, for people: the blocks of an all-reduce of one vector, or the chunks of every message.
    /// `None` if messages are whole.
    ///
    /// ```
    /// use std::num::NonZeroU32;
    ///
    /// use lockstep_schedule::Collective;
    /// use lockstep_topology::Topology;
    ///
    /// let ring: Topology = "ring:8".parse()?;
    /// let vector = Collective::all_reduce_in_blocks(&ring, &[], NonZeroU32::MIN)?;
    /// assert_eq!((vector.word(), vector.parts()), ("all-reduce", Some("1 block".to_owned())));
    /// let chunks = Collective::all_gather().with_chunks(4.try_into()?);
    /// assert_eq!((chunks.parts(), Collective::all_gather().parts()), (Some("4 chunks".to_owned()), None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parts(&self) -> Option<String> {
        let is_vector = self.pattern == Pattern::ReduceBroadcast && matches!(self.listed(), Some([_]));
        match (self.chunks.get(), is_vector) {
            (1, true) => Some("1 block".to_owned()),
            (blocks, true) => Some(format!("{blocks} blocks")),
            (1, false) => None,
            (chunks, false) => Some(format!("{chunks} chunks")),
        }
    }

    /// Returns the name of the collective in the documents, in binary files and in checkpoints: the short form of its
    /// [name](Self::name), or `custom`.
    pub fn abbreviation(&self) -> &'static str {
        self.name().map_or("custom", CollectiveName::abbreviation)
    }

    /// Returns the root of a collective of a single root.
    pub fn root(&self) -> Option<NodeId> {
        match self.endpoints {
            Endpoints::Root(root) => Some(root),
            Endpoints::All | Endpoints::Listed(_) => None,
        }
    }

    /// Returns the terminals that the collective itself names, ascending: the root, or the endpoints of the listed
    /// messages.
    ///
    /// A symmetry of the network that fixes them keeps the collective. O(endpoints) time and memory.
    pub fn named_terminals(&self) -> Vec<NodeId> {
        let listed = self.listed().unwrap_or_default().iter();
        let endpoints = listed.flat_map(|message| message.receivers.iter().copied().chain([message.source]));
        let mut terminals: Vec<NodeId> = endpoints.chain(self.root()).collect();
        terminals.sort_unstable();
        terminals.dedup();
        terminals
    }

    /// Returns the directions in which messages travel: two for an all-reduce, otherwise one.
    pub fn phases(&self) -> &'static [Phase] {
        self.pattern.phases()
    }

    /// Returns the collective of the time-reversed schedules: a [reversed](crate::Schedule::reversed) schedule of this
    /// collective is a schedule of the returned one on the reversed network, message by message.
    ///
    /// Exchanges gather and scatter, reduce and broadcast, reduce-scatter and all-gather. An all-reduce is its own
    /// reversal.
    #[must_use]
    pub fn reversed(&self) -> Self {
        self.clone().with_pattern(self.pattern.reversed())
    }

    /// Returns the messages of this collective on a network, computed on request.
    ///
    /// `None` if there are more than 2^32 - 2 messages.
    pub fn messages<'a>(&'a self, topology: &'a Topology) -> Option<Messages<'a>> {
        Messages::new(topology, self.pattern, &self.endpoints, self.chunks)
    }
}

/// The groups of an all-reduce, by their sorted members: the source of their messages, or `None` if there are several.
#[derive(Default)]
struct Owners(BTreeMap<Vec<NodeId>, Option<NodeId>>);

impl Owners {
    fn of(messages: &[Message]) -> Self {
        let mut owners = BTreeMap::new();
        for message in messages {
            let owner = owners.entry(Self::members(message)).or_insert(Some(message.source));
            *owner = owner.filter(|&owner| owner == message.source);
        }
        Self(owners)
    }

    /// Returns true if the messages of the group of a message have several sources.
    fn are_several(&self, message: &Message) -> bool {
        self.0.get(&Self::members(message)) == Some(&None)
    }

    fn members(message: &Message) -> Vec<NodeId> {
        let mut members: Vec<NodeId> = message.receivers.iter().copied().chain([message.source]).collect();
        members.sort_unstable();
        members
    }
}

impl CollectiveName {
    /// Returns the standard collective of this name in one chunk.
    ///
    /// # Errors
    ///
    /// [`CollectiveNameError`] if the root is missing, or given for a collective without a root.
    pub fn with_root(self, root: Option<NodeId>) -> Result<Collective, CollectiveNameError> {
        match (self.has_root(), root) {
            (true, Some(root)) => Ok(Collective::whole(self.pattern(), Endpoints::Root(root))),
            (false, None) => Ok(Collective::whole(self.pattern(), Endpoints::All)),
            (false, Some(_)) => Err(CollectiveNameError::NeedlessRoot { name: self }),
            (true, None) => Err(CollectiveNameError::MissingRoot { name: self }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversing_twice_is_the_identity() {
        let [a, b, c] = [0, 2, 3].map(NodeId::new);
        let collectives = [
            Collective::broadcast(a),
            Collective::scatter(a),
            Collective::all_gather(),
            Collective::all_to_all(),
            Collective::all_reduce(),
            Collective::many_to_many_scatter(&[a], &[b]),
            Collective::many_to_many_broadcast(&[a], &[b, c]),
        ];
        for collective in collectives {
            assert_eq!(collective.reversed().reversed(), collective);
        }
        assert_eq!(Collective::scatter(a).reversed(), Collective::gather(a));
        assert_eq!(Collective::all_gather().reversed(), Collective::reduce_scatter());
        assert_eq!(Collective::all_reduce().reversed(), Collective::all_reduce());
    }

    #[test]
    fn failed_terminals_leave_a_collective() {
        let ring: Topology = "ring:5".parse().unwrap();
        let [a, b, c, d] = [0, 1, 2, 3].map(NodeId::new);
        let faulty = ring.with_failures([a], []);
        let left = |collective: &Collective| -> Vec<Message> {
            collective.remaining(&faulty).listed().map(<[_]>::to_vec).unwrap_or_default()
        };
        let message = |source, receivers: &[NodeId]| Message { source, receivers: receivers.to_vec() };
        let groups = [vec![a, b, c], vec![c, d]];
        let in_groups = |name: CollectiveName| left(&name.in_groups(&ring, &groups, &[]).unwrap());
        // A block per member: the group goes on with the blocks of the other members.
        let expected = [message(b, &[c]), message(c, &[b]), message(c, &[d]), message(d, &[c])];
        assert_eq!(in_groups(CollectiveName::AllReduce), expected);
        assert_eq!(in_groups(CollectiveName::AllGather), expected);
        // Blocks without owners.
        let in_blocks = Collective::all_reduce_in_blocks(&ring, &groups, 3.try_into().unwrap()).unwrap();
        assert_eq!(left(&in_blocks), [message(b, &[c]), message(c, &[d])]);
        assert_eq!(in_blocks.remaining(&faulty).chunks().get(), 3);
        let vector = Collective::all_reduce_in_blocks(&ring, &[], 2.try_into().unwrap()).unwrap();
        assert_eq!(left(&vector), [message(b, &[c, d, NodeId::new(4)])]);
        let custom = Collective::custom(vec![message(a, &[b]), message(b, &[a, c]), message(d, &[a])]);
        assert_eq!(left(&custom), [message(b, &[c])]);
        assert_eq!(*Collective::all_reduce().remaining(&faulty), Collective::all_reduce());
        assert_eq!(*custom.remaining(&ring), custom);
    }

    #[test]
    fn names_and_collectives_agree() {
        let root = NodeId::new(3);
        for name in CollectiveName::ALL {
            let root = name.has_root().then_some(root);
            let collective = name.with_root(root).unwrap();
            assert_eq!((collective.name(), collective.root()), (Some(name), root));
        }
    }

    #[test]
    fn wrong_roots_are_explained() {
        let message = |error: CollectiveNameError| error.to_string();
        assert_eq!(
            message(CollectiveName::Gather.with_root(None).unwrap_err()),
            "gather needs a root; name the terminal"
        );
        let root = Some(NodeId::new(0));
        assert_eq!(
            message(CollectiveName::AllReduce.with_root(root).unwrap_err()),
            "all-reduce has no root; leave it out"
        );
    }
}
