//! What every consumer has: a format, a way to run a plan, and ways to spoil it.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;

use super::cases::Case;

/// A runtime or a simulator that executes exported plans.
pub(crate) trait Consumer {
    /// Name and version.
    fn name(&self) -> &str;

    /// Name of the format of `lockstep export`.
    fn format(&self) -> &'static str;

    /// The options of `lockstep export` after the format.
    fn options(&self, case: &Case) -> Vec<String>;

    /// The time that a run takes.
    fn effort(&self) -> Effort;

    /// Returns true if the consumer can execute the collective.
    fn supports(&self, case: &Case) -> bool;

    /// Executes the exported plan.
    ///
    /// # Errors
    ///
    /// If the consumer cannot be started, or if a file cannot be read.
    fn run(&self, trial: &Trial<'_>) -> Result<Verdict>;

    /// Spoils the exported plan. Returns false if the format cannot express the fault.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    fn spoil(&self, trial: &Trial<'_>, fault: Fault) -> Result<bool>;
}

/// A consumer that is installed, or one that is not.
pub(crate) type Found = Result<Box<dyn Consumer>, Missing>;

/// A consumer that is not installed.
#[derive(Debug)]
pub(crate) struct Missing {
    pub(crate) name: &'static str,
    /// What to install.
    pub(crate) install: &'static str,
}

/// The time that a run takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Less than a second: all plans are spoiled.
    Small,
    /// Many seconds: only small plans are spoiled.
    Large,
}

/// One run of one consumer.
pub(crate) struct Trial<'a> {
    pub(crate) case: &'a Case,
    /// The exported file or folder.
    pub(crate) file: &'a Path,
    /// An own folder for other files.
    pub(crate) folder: &'a Path,
    /// The program `lockstep`.
    pub(crate) program: &'a Path,
    /// The fault of a spoiled plan.
    pub(crate) fault: Option<Fault>,
    /// A longer run is a deadlock.
    pub(crate) limit: Duration,
}

/// The result of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Verdict {
    /// The plan ran, and every result is right.
    Accepted,
    /// The consumer reports an error, a wrong result or a deadlock.
    Refused(String),
}

/// A way to spoil a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Fault {
    /// Two chunks of a buffer are exchanged.
    SwappedOffsets,
    /// A chunk is sent before it has arrived. In a simulator without data, two steps are merged.
    MissingDependency,
    /// A transfer goes to another rank.
    WrongPeer,
}

impl Fault {
    pub(crate) const ALL: [Self; 3] = [Self::SwappedOffsets, Self::MissingDependency, Self::WrongPeer];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::SwappedOffsets => "swapped offsets",
            Self::MissingDependency => "missing dependency",
            Self::WrongPeer => "wrong peer",
        }
    }
}
