//! Patterns: whether messages are copied, kept apart or combined, and in which direction they travel.

use serde::{Deserialize, Serialize};

/// How the messages of a collective travel between their source and their receivers.
///
/// ```
/// use lockstep_schedule::{Collective, Pattern, Phase};
///
/// let all_reduce = Collective::all_reduce();
/// assert_eq!(all_reduce.pattern(), Pattern::ReduceBroadcast);
/// assert_eq!(all_reduce.phases(), [Phase::Collect, Phase::Distribute]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Pattern {
    /// Every receiver gets a copy of the message, from the source or from another holder.
    Broadcast,
    /// Each message has one receiver.
    Scatter,
    /// A time-reversed scatter: each message travels from its one receiver to its source.
    Gather,
    /// A time-reversed broadcast: the source and the receivers each have a contribution, and the source gets the sum.
    Reduce,
    /// An all-reduce: the source and the receivers each have a contribution, and all of them get the sum. It makes no
    /// difference which of them is the source.
    ReduceBroadcast,
}

/// A direction in which messages travel. In an all-reduce, one message may travel in both directions at the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Messages travel from their source to their receivers.
    Distribute,
    /// Messages travel from their receivers to their source: a time-reversed distribution.
    Collect,
}

impl Pattern {
    /// Returns the directions in which messages travel; of an all-reduce, first the one that can be finished first.
    pub const fn phases(self) -> &'static [Phase] {
        match self {
            Self::Broadcast | Self::Scatter => &[Phase::Distribute],
            Self::Gather | Self::Reduce => &[Phase::Collect],
            Self::ReduceBroadcast => &[Phase::Collect, Phase::Distribute],
        }
    }

    /// Returns true if each message has one receiver, so that it is neither copied nor combined.
    pub const fn is_scatter(self) -> bool {
        matches!(self, Self::Scatter | Self::Gather)
    }

    /// Returns the collective of this pattern: `scatter`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Scatter => "scatter",
            Self::Gather => "gather",
            Self::Reduce => "reduction",
            Self::ReduceBroadcast => "all-reduce",
        }
    }

    /// Returns the collectives of this pattern, as a plural: `scatters`.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcasts",
            Self::Scatter => "scatters",
            Self::Gather => "gathers",
            Self::Reduce => "reductions",
            Self::ReduceBroadcast => "all-reduces",
        }
    }

    /// Returns the pattern of the time-reversed schedules.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Broadcast => Self::Reduce,
            Self::Scatter => Self::Gather,
            Self::Gather => Self::Scatter,
            Self::Reduce => Self::Broadcast,
            Self::ReduceBroadcast => Self::ReduceBroadcast,
        }
    }

    /// Returns the pattern that distributes the same messages.
    pub(crate) const fn distributing(self) -> Self {
        if self.is_scatter() { Self::Scatter } else { Self::Broadcast }
    }
}
