//! Violations of the rules by symmetric schedules.

use std::fmt;

use crate::name::CollectiveName;

/// The place of a violation in a base schedule.
///
/// The fields count from 0. The displayed text counts steps and transfers from 1, as for [`Place`](crate::Place).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePlace {
    /// The step, from 0.
    pub step: usize,
    /// The index of the transfer in its step, from 0.
    pub transfer: usize,
    /// The message that the transfer moves.
    pub message: u32,
}

impl fmt::Display for BasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, transfer {}, message {}", self.step + 1, self.transfer + 1, self.message)
    }
}

/// A rule that the base of a symmetric schedule breaks, and its place. Every translate breaks the rule too.
///
/// The displayed text counts steps and transfers from 1, the fields from 0. Other numbers are shown unchanged.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymmetricViolation {
    /// A collective that is not an all-gather or all-to-all.
    #[error("a symmetric schedule is for an all-gather or an all-to-all, not for {collective}")]
    Collective {
        /// The collective.
        collective: CollectiveName,
    },
    /// A group that is too small for a collective, or too large for the element numbers of a base.
    #[error("the graph has {elements} element(s), expected 2 to 2^32")]
    Elements {
        /// Number of elements.
        elements: u64,
    },
    /// A transfer of a message that a source does not have.
    #[error("{at}: there is no such message; the messages of a source are {first} to {last}")]
    UnknownMessage {
        /// The transfer.
        at: BasePlace,
        /// The first message of a source.
        first: u64,
        /// The last message of a source.
        last: u64,
    },
    /// A transfer that starts outside the group.
    #[error("{at}: there is no element {element}; the graph has {elements}, counted from 0")]
    UnknownElement {
        /// The transfer.
        at: BasePlace,
        /// The unknown element.
        element: u64,
        /// Number of elements.
        elements: u64,
    },
    /// A path with a generator that the graph does not have.
    #[error("{at}: there is no generator {generator}; the graph has {generators}, counted from 0")]
    UnknownGenerator {
        /// The transfer.
        at: BasePlace,
        /// The unknown generator.
        generator: u16,
        /// Number of generators.
        generators: usize,
    },
    /// A transfer that crosses no channel.
    #[error("{at}: the path is empty; it needs at least one generator")]
    EmptyPath {
        /// The transfer.
        at: BasePlace,
    },
    /// A store-and-forward transfer over several channels.
    #[error("{at}: the path has {channels} channels; a store-and-forward transfer crosses exactly 1")]
    NotOneChannel {
        /// The transfer.
        at: BasePlace,
        /// Number of channels of its path.
        channels: usize,
    },
    /// Two uses of one generator in one step.
    #[error("{at}: generator {generator} is already used by transfer {} of the step", .other + 1)]
    GeneratorBusy {
        /// The transfer of the second use.
        at: BasePlace,
        /// The generator.
        generator: u16,
        /// The index of the first transfer that uses it in the step, from 0; possibly the same transfer.
        other: usize,
    },
    /// A path that visits an element twice.
    #[error("{at}: the path visits element {element} twice")]
    ElementTwice {
        /// The transfer.
        at: BasePlace,
        /// The element.
        element: u64,
    },
    /// A step with more transfers than ports.
    #[error("{at}: every node sends and receives more than {limit} transfer(s) in the step, its number of ports")]
    Ports {
        /// The first transfer above the limit.
        at: BasePlace,
        /// The number of ports.
        limit: u32,
    },
    /// A sender that does not hold the message.
    #[error("{at}: the sender {sender} does not hold the message when the step begins")]
    NotHeld {
        /// The transfer.
        at: BasePlace,
        /// The sender.
        sender: u64,
    },
    /// A transfer that is not from source to receiver, under direct scatter.
    #[error("{at}: the path goes from {from} to {to}; direct scatter goes from 0 to the receiver in one transfer")]
    NotDirect {
        /// The transfer.
        at: BasePlace,
        /// The sender.
        from: u64,
        /// The receiver.
        to: u64,
    },
    /// An element that does not receive its message.
    #[error("after the last step element {element} does not hold message {message}")]
    Undelivered {
        /// The message.
        message: u64,
        /// The element that does not hold it.
        element: u64,
    },
    /// A path longer than the shortest one, under minimal routing.
    #[error("{at}: the path from {from} to {to} has {channels} channels, the shortest has {shortest}")]
    NotMinimal {
        /// The transfer.
        at: BasePlace,
        /// The sender.
        from: u64,
        /// The receiver.
        to: u64,
        /// Number of channels of the path.
        channels: usize,
        /// Number of channels of the shortest path.
        shortest: usize,
    },
}

impl SymmetricViolation {
    /// Returns the place of the violation; `None` if it concerns the whole schedule or the end of the last step.
    pub fn place(&self) -> Option<&BasePlace> {
        match self {
            Self::Collective { .. } | Self::Elements { .. } | Self::Undelivered { .. } => None,
            Self::UnknownMessage { at, .. }
            | Self::UnknownElement { at, .. }
            | Self::UnknownGenerator { at, .. }
            | Self::EmptyPath { at }
            | Self::NotOneChannel { at, .. }
            | Self::GeneratorBusy { at, .. }
            | Self::ElementTwice { at, .. }
            | Self::Ports { at, .. }
            | Self::NotHeld { at, .. }
            | Self::NotDirect { at, .. }
            | Self::NotMinimal { at, .. } => Some(at),
        }
    }
}
