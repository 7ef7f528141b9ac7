//! The names of collectives, as people and files write them.

use std::fmt;
use std::str::FromStr;

use lockstep_topology::NodeId;

use crate::collective::{Collective, CollectiveKind};

/// The name of a collective, without its root.
///
/// ```
/// use lockstep_schedule::{Collective, CollectiveName};
///
/// let name: CollectiveName = "all-to-all".parse()?;
/// assert_eq!((name.to_string().as_str(), name.with_root(None)?), ("aas", Collective::all_to_all_scatter()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum CollectiveName {
    /// `oab`, broadcast.
    OneToAllBroadcast,
    /// `oas`, scatter.
    OneToAllScatter,
    /// `aab`, all-gather.
    AllToAllBroadcast,
    /// `aas`, all-to-all.
    AllToAllScatter,
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
        Self::OneToAllBroadcast,
        Self::OneToAllScatter,
        Self::AllToAllBroadcast,
        Self::AllToAllScatter,
        Self::Gather,
        Self::Reduce,
        Self::ReduceScatter,
        Self::AllReduce,
    ];

    /// Every accepted spelling; the first is the one that files use.
    pub const fn spellings(self) -> &'static [&'static str] {
        match self {
            Self::OneToAllBroadcast => &["oab", "broadcast", "one-to-all-broadcast"],
            Self::OneToAllScatter => &["oas", "scatter", "one-to-all-scatter"],
            Self::AllToAllBroadcast => &["aab", "all-gather", "allgather", "all-to-all-broadcast"],
            Self::AllToAllScatter => &["aas", "all-to-all", "alltoall", "total-exchange", "all-to-all-scatter"],
            Self::Gather => &["gather"],
            Self::Reduce => &["reduce"],
            Self::ReduceScatter => &["reduce-scatter"],
            Self::AllReduce => &["all-reduce", "allreduce"],
        }
    }

    /// The spelling that files and the command line use.
    pub const fn abbreviation(self) -> &'static str {
        self.spellings()[0]
    }

    /// Whether one terminal is the source or the goal of everything.
    pub const fn has_root(self) -> bool {
        matches!(self, Self::OneToAllBroadcast | Self::OneToAllScatter | Self::Gather | Self::Reduce)
    }

    /// The collective of this name in one chunk.
    ///
    /// # Errors
    ///
    /// [`CollectiveNameError`] if there is a root where none belongs, or none where one does.
    pub fn with_root(self, root: Option<NodeId>) -> Result<Collective, CollectiveNameError> {
        let kind = match (self, root) {
            (Self::OneToAllBroadcast, Some(root)) => CollectiveKind::OneToAllBroadcast { root },
            (Self::OneToAllScatter, Some(root)) => CollectiveKind::OneToAllScatter { root },
            (Self::Gather, Some(root)) => CollectiveKind::Gather { root },
            (Self::Reduce, Some(root)) => CollectiveKind::Reduce { root },
            (Self::AllToAllBroadcast, None) => CollectiveKind::AllToAllBroadcast,
            (Self::AllToAllScatter, None) => CollectiveKind::AllToAllScatter,
            (Self::ReduceScatter, None) => CollectiveKind::ReduceScatter,
            (Self::AllReduce, None) => CollectiveKind::AllReduce,
            (_, Some(_)) => return Err(CollectiveNameError::NeedlessRoot { name: self }),
            (_, None) => return Err(CollectiveNameError::MissingRoot { name: self }),
        };
        Ok(kind.into())
    }
}

impl fmt::Display for CollectiveName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.abbreviation())
    }
}

/// Why words name no collective.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectiveNameError {
    /// An unknown name.
    #[error(
        "unknown collective '{name}'; known are {}",
        CollectiveName::ALL.map(CollectiveName::abbreviation).join(", ")
    )]
    Unknown {
        /// What was written.
        name: String,
    },
    /// A collective with a root, without it.
    #[error("{name} needs a root; name the terminal")]
    MissingRoot {
        /// The collective.
        name: CollectiveName,
    },
    /// A root for a collective that has none.
    #[error("{name} has no root; leave it out")]
    NeedlessRoot {
        /// The collective.
        name: CollectiveName,
    },
}

impl FromStr for CollectiveName {
    type Err = CollectiveNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_spelled = |name: &Self| name.spellings().iter().any(|spelling| spelling.eq_ignore_ascii_case(text));
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
            for spelling in name.spellings() {
                assert_eq!(spelling.parse(), Ok(name));
                assert_eq!(spelling.to_uppercase().parse(), Ok(name));
            }
        }
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
    fn wrong_names_and_roots_are_explained() {
        let message = |error: CollectiveNameError| error.to_string();
        assert_eq!(
            message("bcast".parse::<CollectiveName>().unwrap_err()),
            "unknown collective 'bcast'; known are oab, oas, aab, aas, gather, reduce, reduce-scatter, all-reduce"
        );
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
