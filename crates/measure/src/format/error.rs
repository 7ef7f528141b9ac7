//! Errors of benchmark outputs.

use std::fmt;

use lockstep_files::one_line;
use lockstep_topology::GraphFormat;

/// Error of a file that is no benchmark output, or whose values cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A file without text.
    #[error("the file is empty; give the output of a benchmark")]
    Empty,
    /// A known file that has no measurements.
    #[error("the file is {kind}, which is not read as a measurement; {remedy}")]
    OtherKind {
        /// What the file is.
        kind: &'static str,
        /// What to do.
        remedy: &'static str,
    },
    /// A network.
    #[error("the file is a network in the format {format}, not the output of a benchmark; give it as the network")]
    Network {
        /// The format.
        format: GraphFormat,
    },
    /// A text of no known kind.
    #[error(
        "the text is the output of no known benchmark; give that of {benchmarks}, or a table with the columns from, to, bytes and time_us"
    )]
    Unknown {
        /// The benchmarks whose outputs are read.
        benchmarks: String,
    },
    /// A fault in a line.
    #[error("line {line}: {fault}")]
    Line {
        /// The line, counted from 1.
        line: u32,
        /// The fault.
        fault: ReadFault,
    },
    /// A fault in a field of a JSON text.
    #[error("field '{field}' (line {line}): {fault}")]
    Field {
        /// The path of the field, such as `results[2].size`.
        field: String,
        /// The line, counted from 1.
        line: u32,
        /// The fault.
        fault: ReadFault,
    },
}

/// A fault of a benchmark output. Quotes of the file are on one line and shortened if long.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadFault {
    /// A value that its column does not allow.
    #[error("column '{column}' is '{value}', expected {expected}")]
    Value {
        /// The name or number of the column.
        column: String,
        /// The value.
        value: String,
        /// The allowed values.
        expected: String,
    },
    /// Text that the tool does not print here.
    #[error("found {found}, expected {expected}")]
    Unexpected {
        /// The text found, in quotes, or its description.
        found: String,
        /// The expected text, and the remedy.
        expected: String,
    },
    /// An output whose end is missing.
    #[error("{what}; the output is cut off: copy all of it, or run the benchmark again")]
    Truncated {
        /// What ends too early.
        what: String,
    },
    /// A limit of the readers is exceeded.
    #[error("{count} {what}, but at most {limit} are read; give a part of the output")]
    Limit {
        /// What is limited.
        what: &'static str,
        /// The number in the file.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// A text that is no JSON, or a value of another type.
    #[error("{0}")]
    Syntax(String),
    /// A text that the readers do not support, with the remedy.
    #[error("{0}")]
    Unsupported(String),
}

impl ReadError {
    pub(super) fn line(line: u32, fault: ReadFault) -> Self {
        Self::Line { line, fault }
    }

    /// The error of a value in a column.
    pub(super) fn value(line: u32, column: impl fmt::Display, value: &str, expected: impl fmt::Display) -> Self {
        let (column, value) = (one_line(&column.to_string()), one_line(value));
        Self::line(line, ReadFault::Value { column, value, expected: expected.to_string() })
    }

    /// The error of what the tool does not print here, in words.
    pub(super) fn found(line: u32, found: impl fmt::Display, expected: impl fmt::Display) -> Self {
        Self::line(line, ReadFault::Unexpected { found: found.to_string(), expected: expected.to_string() })
    }

    /// The error of a text that the tool does not print here.
    pub(super) fn unexpected(line: u32, found: &str, expected: impl fmt::Display) -> Self {
        let found =
            if found.trim().is_empty() { "nothing".to_owned() } else { format!("'{}'", one_line(found.trim())) };
        Self::line(line, ReadFault::Unexpected { found, expected: expected.to_string() })
    }

    pub(super) fn truncated(line: u32, what: impl fmt::Display) -> Self {
        Self::line(line, ReadFault::Truncated { what: what.to_string() })
    }

    pub(super) fn unsupported(line: u32, text: impl fmt::Display) -> Self {
        Self::line(line, ReadFault::Unsupported(text.to_string()))
    }
}
