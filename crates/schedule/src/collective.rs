//! Collectives: named sets of messages.

use std::num::NonZeroU32;

use lockstep_topology::{NodeId, Topology};

use crate::messages::{Message, Messages};
use crate::name::CollectiveName;

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
        Messages::new(self, topology)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversing_twice_is_the_identity() {
        let [a, b] = [0, 2].map(NodeId::new);
        let collectives = [
            Collective::one_to_all_broadcast(a),
            Collective::one_to_all_scatter(a),
            Collective::all_to_all_broadcast(),
            CollectiveKind::AllReduce.into(),
            Collective::many_to_many_scatter(&[a], &[b]),
        ];
        for collective in collectives {
            let reversed = collective.reversed().unwrap();
            assert_eq!(reversed.reversed(), Some(collective));
        }
        assert_eq!(Collective::all_to_all_scatter().reversed(), None);
        assert_eq!(Collective::many_to_many_broadcast(&[a], &[b, NodeId::new(3)]).reversed(), None);
    }
}
