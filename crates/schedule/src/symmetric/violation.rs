//! What makes the translates of a base schedule invalid, in words.

use std::fmt;

use crate::name::CollectiveName;

/// Where in a base schedule a violation is.
///
/// The fields count from 0; the words count steps and transfers from 1, as those of [`Place`](crate::Place) do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BasePlace {
    /// The step, from 0.
    pub step: usize,
    /// The place of the transfer in its step, from 0.
    pub transfer: usize,
    /// The message that the transfer moves.
    pub message: u32,
}

impl fmt::Display for BasePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {}, transfer {}, message {}", self.step + 1, self.transfer + 1, self.message)
    }
}

/// A rule that the base of a symmetric schedule breaks, and where; every translate breaks it too.
///
/// The words count steps and transfers from 1, the fields from 0. Messages, elements and generators keep their numbers.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SymmetricViolation {
    /// A collective in which not every source does the same.
    #[error("a symmetric schedule is one of aab or aas, not of {collective}")]
    Collective {
        /// The collective.
        collective: CollectiveName,
    },
    /// A group that is too small for a collective, or too large for the numbers of a base.
    #[error("the graph has {elements} element(s); a symmetric schedule is for 2 to 2^32 of them")]
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
        /// The last one.
        last: u64,
    },
    /// A transfer that starts outside the group.
    #[error("{at}: there is no element {element}; the graph has {elements}, counted from 0")]
    UnknownElement {
        /// The transfer.
        at: BasePlace,
        /// The number that names no element.
        element: u64,
        /// Number of elements.
        elements: u64,
    },
    /// A path by a generator that the graph does not have.
    #[error("{at}: there is no generator {generator}; the graph has {generators}, counted from 0")]
    UnknownGenerator {
        /// The transfer.
        at: BasePlace,
        /// The place that names no generator.
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
        /// The place of the transfer of the first use in the step, from 0; it may be the same.
        other: usize,
    },
    /// A path that comes back.
    #[error("{at}: the path visits element {element} twice")]
    ElementTwice {
        /// The transfer.
        at: BasePlace,
        /// The element.
        element: u64,
    },
    /// A step of too many transfers.
    #[error("{at}: every node starts and finishes more than {limit} transfer(s) in the step, its number of ports")]
    Ports {
        /// The first transfer too many.
        at: BasePlace,
        /// Transfers that a node may start, and finish, in a step.
        limit: u32,
    },
    /// A sender without the message.
    #[error("{at}: the sender {sender} does not hold the message when the step begins")]
    NotHeld {
        /// The transfer.
        at: BasePlace,
        /// The element that sends.
        sender: u64,
    },
    /// Under direct scatter, a transfer that is not from source to receiver.
    #[error("{at}: it goes from {from} to {to}; direct scatter goes from 0 to the receiver in one transfer")]
    NotDirect {
        /// The transfer.
        at: BasePlace,
        /// The element that sends.
        from: u64,
        /// The element that receives.
        to: u64,
    },
    /// A message that never reaches an element.
    #[error("after the last step element {element} does not hold message {message}")]
    Undelivered {
        /// The message.
        message: u64,
        /// The element that lacks it.
        element: u64,
    },
    /// A detour where routing is minimal.
    #[error("{at}: the path from {from} to {to} has {channels} channels, the shortest has {shortest}")]
    NotMinimal {
        /// The transfer.
        at: BasePlace,
        /// The element that sends.
        from: u64,
        /// The element that receives.
        to: u64,
        /// Number of channels of the path.
        channels: usize,
        /// Number of channels of the shortest one.
        shortest: usize,
    },
}

impl SymmetricViolation {
    /// Where it is; `None` for what is wrong with the whole or missing after the last step.
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
