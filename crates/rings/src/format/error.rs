//! Errors of files of NCCL and RCCL.

use std::fmt;

use lockstep_files::one_line;

/// Error of a file that NCCL or RCCL refuses, or uses in another way than the file says.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {fault}")]
pub struct FormatError {
    /// The line, counted from 1.
    pub line: usize,
    /// The fault.
    pub fault: FormatFault,
}

/// A fault of a file. Quotes of the file are on one line and shortened if long.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FormatFault {
    /// Text that the grammar does not allow here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The text found, in quotes, or its description.
        found: String,
        /// The allowed text, and the remedy.
        expected: String,
    },
    /// An attribute with a value that is not allowed.
    #[error("'{attribute}' of <{element}> is '{value}', expected {expected}")]
    Attribute {
        /// The element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// Its value.
        value: String,
        /// The allowed values, and the remedy.
        expected: String,
    },
    /// An attribute is absent.
    #[error("<{element}> has no '{attribute}': {effect}; add it")]
    Missing {
        /// The element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// What the library does.
        effect: &'static str,
    },
    /// A graph with another number of channels than it states.
    #[error("'nchannels' is {stated}, but the graph has {found} <channel>: {effect}; make both numbers equal")]
    ChannelCount {
        /// The number stated.
        stated: u64,
        /// The number of elements.
        found: usize,
        /// What NCCL does.
        effect: &'static str,
    },
    /// A number of a GPU that a ring, chain or tree has twice.
    #[error("{order} has GPU {gpu} twice; each GPU must be there once")]
    Repeated {
        /// The ring, chain or tree.
        order: String,
        /// The number of the GPU.
        gpu: u32,
    },
    /// A number of a GPU that a ring, chain or tree lacks, although another one has it.
    #[error("{order} lacks GPU {gpu}, which {other} has; each GPU must be there once")]
    Lacking {
        /// The ring, chain or tree.
        order: String,
        /// The number of the GPU.
        gpu: u32,
        /// A ring, chain or tree that has the GPU.
        other: String,
    },
    /// A limit of the library is exceeded.
    #[error("{count} {what}, but {library} supports at most {limit}; {remedy}")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// The number in the file.
        count: usize,
        /// The library.
        library: &'static str,
        /// The limit.
        limit: usize,
        /// What to do.
        remedy: &'static str,
    },
    /// Lines of a log that contradict each other.
    #[error("{what} contradicts an earlier line; {remedy}")]
    Contradiction {
        /// What the line states.
        what: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A text that the library, or this reader, does not support.
    #[error("{0}")]
    Unsupported(String),
}

impl FormatError {
    pub(super) fn new(line: usize, fault: FormatFault) -> Self {
        Self { line, fault }
    }

    /// The error of a text that the grammar does not allow.
    pub(super) fn unexpected(line: usize, found: &str, expected: impl fmt::Display) -> Self {
        let found = if found.is_empty() { "nothing".to_owned() } else { format!("'{}'", one_line(found)) };
        Self::new(line, FormatFault::Unexpected { found, expected: expected.to_string() })
    }

    /// The error of a value of an attribute.
    pub(super) fn attribute(
        line: usize,
        (element, attribute): (&'static str, &'static str),
        value: &str,
        expected: impl fmt::Display,
    ) -> Self {
        let (value, expected) = (one_line(value), expected.to_string());
        Self::new(line, FormatFault::Attribute { element, attribute, value, expected })
    }

    pub(super) fn unsupported(line: usize, text: impl fmt::Display) -> Self {
        Self::new(line, FormatFault::Unsupported(text.to_string()))
    }
}
