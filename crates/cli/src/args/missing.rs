//! The error of a command line without a collective.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use lockstep::CollectiveName;

/// Adds the list of the collectives to an error, if it says that one is missing.
pub(super) fn with_collectives(error: Error) -> Error {
    let is_missing = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(arguments)) => arguments.iter().any(|name| name.starts_with("--collective")),
        _ => false,
    };
    if error.kind() != ErrorKind::MissingRequiredArgument || !is_missing {
        return error;
    }
    let text = error.render().to_string();
    let list = CollectiveName::ALL.map(|name| format!("  {:15} {}\n", name.word(), name.about()));
    let text = format!("{}\nCollectives:\n{}", text.strip_prefix("error: ").unwrap_or(&text), list.concat());
    Error::raw(error.kind(), text)
}
