//! One violation of a rule of tidiness.

use std::fmt;
use std::path::{Path, PathBuf};

/// A violation of a rule, with its place.
///
/// Its text form is `path:line: message`, which editors and terminals turn into a link.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Finding {
    path: PathBuf,
    /// Counted from 1; `None` if the finding concerns the whole file.
    line: Option<usize>,
    message: String,
}

impl Finding {
    /// Returns a finding at a line, counted from 1.
    pub(crate) fn at(path: &Path, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }

    /// Returns a finding that concerns a whole file or folder.
    pub(crate) fn of(path: &Path, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:", self.path.display())?;
        if let Some(line) = self.line {
            write!(formatter, "{line}:")?;
        }
        write!(formatter, " {}", self.message)
    }
}
