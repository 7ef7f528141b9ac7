//! A word that can end a command line.

use clap::builder::StyledStr;

/// The line that stands for file names.
pub(super) const FILES: &str = ":files";

/// A word with its description, which can be empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub(super) word: String,
    pub(super) about: String,
}

impl Candidate {
    pub(super) fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Self { word: word.into(), about: about.into() }
    }
}

/// Returns the first line of a help text.
pub(super) fn about(help: Option<&StyledStr>) -> String {
    let help = help.map(ToString::to_string).unwrap_or_default();
    help.lines().next().unwrap_or_default().to_owned()
}
