//! Errors of files and of executions.

use std::fmt;

/// Error of a file that the runtime would not load.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct LoadError {
    /// The place in the file.
    pub place: FilePlace,
    /// The problem.
    pub problem: LoadProblem,
}

/// A place in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FilePlace {
    /// The line, from 1. In binary files, the offset in bytes.
    Line(usize),
    /// The path to a value of a JSON file, for example `steps[2].sends[0]`.
    Path(String),
    /// The offset in bytes in the file of a rank.
    Rank {
        /// The rank.
        rank: u32,
        /// The offset.
        offset: usize,
    },
}

impl fmt::Display for FilePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Path(path) => f.write_str(path),
            Self::Rank { rank, offset } => write!(f, "rank {rank}, offset {offset}"),
        }
    }
}

impl From<usize> for FilePlace {
    fn from(line: usize) -> Self {
        Self::Line(line)
    }
}

impl From<String> for FilePlace {
    fn from(path: String) -> Self {
        Self::Path(path)
    }
}

/// The problem of a file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// The text does not follow the grammar.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What the grammar allows.
        expected: String,
        /// The text, shortened and escaped.
        found: String,
    },
    /// A field is absent.
    #[error("`{element}` has no `{field}`; add it, the runtime needs it")]
    Missing {
        /// The element.
        element: &'static str,
        /// The field.
        field: &'static str,
    },
    /// RCCL needs a field that is absent, and MSCCL does not.
    #[error("`{element}` has no `{field}`; RCCL needs it: add it, or load the file for MSCCL, which does not need it")]
    MissingForRccl {
        /// The element.
        element: &'static str,
        /// The field.
        field: &'static str,
    },
    /// A field has a value that is not allowed.
    #[error("`{field}` of `{element}` is {value}; expected {expected}")]
    Field {
        /// The element.
        element: &'static str,
        /// The field.
        field: &'static str,
        /// The value, shortened and escaped.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// The value does not have the right type, or a field of it is absent or unknown.
    #[error("{0}")]
    Value(String),
    /// The file does not say which collective it computes.
    #[error("the file does not name its collective; give its name, root and number of chunks")]
    Collective,
    /// A limit of the runtime is exceeded.
    #[error("{count} {what}, but {runtime} supports at most {limit}; {remedy}")]
    Limit {
        /// The runtime or the simulator.
        runtime: &'static str,
        /// What is limited.
        what: &'static str,
        /// The number in the file.
        count: u64,
        /// The limit.
        limit: u64,
        /// What to do.
        remedy: &'static str,
    },
}

impl LoadError {
    pub(crate) fn syntax(place: impl Into<FilePlace>, expected: impl Into<String>, found: &str) -> Self {
        let place = place.into();
        Self { place, problem: LoadProblem::Syntax { expected: expected.into(), found: quoted(found) } }
    }

    pub(crate) fn field(
        place: impl Into<FilePlace>,
        element: &'static str,
        field: &'static str,
        value: impl fmt::Display,
        expected: impl Into<String>,
    ) -> Self {
        let (place, value) = (place.into(), quoted(&value.to_string()));
        Self { place, problem: LoadProblem::Field { element, field, value, expected: expected.into() } }
    }

    pub(crate) fn limit(
        place: impl Into<FilePlace>,
        (runtime, remedy): (&'static str, &'static str),
        what: &'static str,
        count: usize,
        limit: usize,
    ) -> Self {
        let (place, count, limit) = (place.into(), count as u64, limit as u64);
        Self { place, problem: LoadProblem::Limit { runtime, what, count, limit, remedy } }
    }
}

/// Returns a text of a file for a message: escaped and at most 40 characters.
fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "the end".to_owned();
    }
    let short: String = text.chars().take(40).flat_map(char::escape_default).collect();
    format!("`{short}`")
}

/// An instruction that cannot go on, and the reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Waiting {
    /// The instruction.
    pub instruction: String,
    /// What it waits for.
    pub reason: String,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} waits for {}", self.instruction, self.reason)
    }
}

/// A wrong execution.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// No thread can go on.
    #[error("deadlock: {}", joined(.waiting))]
    Deadlock {
        /// Each instruction waits for the next one; the last one waits for the first, or for something that never happens.
        waiting: Vec<Waiting>,
    },
    /// Two accesses to a chunk are not ordered.
    #[error("data race on {address}: {first} and {second} are not ordered; add a dependency")]
    Race {
        /// The chunk.
        address: String,
        /// An instruction.
        first: String,
        /// Another instruction; one of them writes.
        second: String,
    },
    /// The message has another size than its receive expects.
    #[error("{instruction} receives {expected}, but the message has size {found}")]
    Size {
        /// The instruction that receives.
        instruction: String,
        /// The size of the receive.
        expected: u64,
        /// The size of the message.
        found: u64,
    },
    /// A rank sends data that it does not hold, in a format with steps.
    #[error("{instruction} sends data that it does not hold: {address}")]
    NotHeld {
        /// The instruction that sends.
        instruction: String,
        /// The chunk.
        address: String,
    },
    /// A sum has a contribution twice, in a format with steps.
    #[error(
        "{instruction} counts {contribution} twice: {address}; the arriving sums and the present one must share no \
         contribution, or one arriving sum must contain all others"
    )]
    CountedTwice {
        /// The instruction that receives.
        instruction: String,
        /// The chunk.
        address: String,
        /// The contribution.
        contribution: String,
    },
    /// Messages are sent but not received.
    #[error("{count} messages from rank {from} to rank {to} are never received; add receives or remove the sends")]
    Unreceived {
        /// The sender.
        from: u32,
        /// The receiver.
        to: u32,
        /// Number of messages.
        count: usize,
    },
    /// A chunk of an output is wrong.
    #[error("{address} is {found}; expected {expected}")]
    Output {
        /// The chunk.
        address: String,
        /// The required contents.
        expected: String,
        /// The contents.
        found: String,
    },
}

/// Joins the waits of a deadlock.
fn joined(waiting: &[Waiting]) -> String {
    waiting.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}
