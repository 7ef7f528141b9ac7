//! The names of the standard collectives, for people and files.

use std::fmt;
use std::str::FromStr;

use lockstep_files::{is_same_name, name_advice, one_line};

use crate::pattern::Pattern;

/// The name of a standard collective, without its root.
///
/// ```
/// use lockstep_schedule::{Collective, CollectiveName};
///
/// let name: CollectiveName = "aas".parse()?;
/// assert_eq!((name.to_string().as_str(), name.with_root(None)?), ("all-to-all", Collective::all_to_all()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum CollectiveName {
    /// `broadcast`; in the documents `oab`.
    Broadcast,
    /// `scatter`; in the documents `oas`.
    Scatter,
    /// `all-gather`; in the documents `aab`.
    AllGather,
    /// `all-to-all`; in the documents `aas`.
    AllToAll,
    /// `gather`.
    Gather,
    /// `reduce`.
    Reduce,
    /// `reduce-scatter`.
    ReduceScatter,
    /// `all-reduce`.
    AllReduce,
}

impl CollectiveName {
    /// All names, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Broadcast,
        Self::Scatter,
        Self::AllGather,
        Self::AllToAll,
        Self::Gather,
        Self::Reduce,
        Self::ReduceScatter,
        Self::AllReduce,
    ];

    /// Returns every accepted name: first the standard word, then the short forms. Case, hyphens, underscores and spaces do
    /// not count in them: `ALLREDUCE` and `all_reduce` are `all-reduce`.
    pub const fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::Broadcast => &["broadcast", "bcast", "oab", "one-to-all-broadcast"],
            Self::Scatter => &["scatter", "oas", "one-to-all-scatter"],
            Self::AllGather => &["all-gather", "ag", "aab", "all-to-all-broadcast"],
            Self::AllToAll => &["all-to-all", "a2a", "aas", "total-exchange", "all-to-all-scatter"],
            Self::Gather => &["gather"],
            Self::Reduce => &["reduce"],
            Self::ReduceScatter => &["reduce-scatter", "rs"],
            Self::AllReduce => &["all-reduce", "ar"],
        }
    }

    /// Returns the standard word, as messages, pictures and files use it.
    pub const fn word(self) -> &'static str {
        self.spellings()[0]
    }

    /// Returns the name in the documents and in binary files: their short form if there is one, otherwise the standard word.
    pub const fn abbreviation(self) -> &'static str {
        match self {
            Self::Broadcast => "oab",
            Self::Scatter => "oas",
            Self::AllGather => "aab",
            Self::AllToAll => "aas",
            _ => self.word(),
        }
    }

    /// Returns the messages of the collective in one line.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Broadcast => "one message from the root to all other terminals",
            Self::Scatter => "one message from the root to each other terminal",
            Self::AllGather => "one message from every terminal to all others",
            Self::AllToAll => "one message for every ordered pair of terminals",
            Self::Gather => "a time-reversed scatter",
            Self::Reduce => "the sum of one contribution per terminal, to the root; a time-reversed broadcast",
            Self::ReduceScatter => {
                "one sum of contributions per terminal, to that terminal; a time-reversed all-gather"
            }
            Self::AllReduce => "sums of one contribution per terminal, to all terminals",
        }
    }

    /// How the messages of this collective travel.
    pub const fn pattern(self) -> Pattern {
        match self {
            Self::Broadcast | Self::AllGather => Pattern::Broadcast,
            Self::Scatter | Self::AllToAll => Pattern::Scatter,
            Self::Gather => Pattern::Gather,
            Self::Reduce | Self::ReduceScatter => Pattern::Reduce,
            Self::AllReduce => Pattern::ReduceBroadcast,
        }
    }

    /// Returns the bus bandwidth of nccl-tests over its algorithm bandwidth for a number of ranks, as a fraction.
    ///
    /// ```
    /// use lockstep_schedule::CollectiveName;
    ///
    /// assert_eq!(CollectiveName::AllReduce.bus_factor(8), [14, 8]);
    /// ```
    pub const fn bus_factor(self, ranks: u64) -> [u64; 2] {
        let others = ranks.saturating_sub(1);
        match self {
            Self::AllReduce => [2 * others, ranks],
            Self::Broadcast | Self::Reduce => [1, 1],
            _ => [others, ranks],
        }
    }

    /// Whether one terminal is the source or the destination of all messages.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::Broadcast | Self::Scatter | Self::Gather | Self::Reduce)
    }
}

impl fmt::Display for CollectiveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Why a word or a root does not name a collective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveNameError {
    /// An unknown name.
    #[error("unknown collective '{}'; {}", one_line(.name), name_advice(.name, CollectiveName::ALL.map(CollectiveName::word)))]
    Unknown {
        /// The word.
        name: String,
    },
    /// The root is missing.
    #[error("{name} needs a root; name the terminal")]
    MissingRoot {
        /// The collective.
        name: CollectiveName,
    },
    /// The collective has no root.
    #[error("{name} has no root; leave it out")]
    NeedlessRoot {
        /// The collective.
        name: CollectiveName,
    },
}

impl FromStr for CollectiveName {
    type Err = CollectiveNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_spelled = |name: &Self| name.spellings().iter().any(|spelling| is_same_name(spelling, text));
        Self::ALL.into_iter().find(is_spelled).ok_or_else(|| CollectiveNameError::Unknown { name: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_read_and_the_first_is_written() {
        for name in CollectiveName::ALL {
            assert_eq!(name.to_string(), name.spellings()[0]);
            assert!(name.spellings().contains(&name.abbreviation()));
            for spelling in name.spellings() {
                assert_eq!(spelling.parse(), Ok(name));
                assert_eq!(spelling.to_uppercase().replace('-', "_").parse(), Ok(name));
                assert_eq!(spelling.replace('-', "").parse(), Ok(name));
            }
        }
    }

    #[test]
    fn unknown_names_are_explained() {
        let message = |text: &str| text.parse::<CollectiveName>().unwrap_err().to_string();
        assert_eq!(message("all-redcue"), "unknown collective 'all-redcue'; did you mean 'all-reduce'?");
        assert_eq!(
            message("all"),
            "unknown collective 'all'; did you mean 'all-gather' or 'all-to-all' or 'all-reduce'?"
        );
        assert_eq!(
            message("barrier"),
            "unknown collective 'barrier'; choose broadcast, scatter, all-gather, all-to-all, gather, reduce, reduce-scatter or all-reduce"
        );
    }
}
