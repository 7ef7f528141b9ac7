//! One file a command.

pub(crate) mod bound;
mod local;
pub(crate) mod plan;
pub(crate) mod render;
mod symmetric;
pub(crate) mod topology;
pub(crate) mod verify;

use std::path::Path;

/// How a command ends that was asked correctly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// Done, or the answer is yes: exit code 0.
    Yes,
    /// The answer is no: exit code 1.
    No,
}

/// The extension of a file in lower case; empty if there is none.
fn extension(path: &Path) -> String {
    path.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}
