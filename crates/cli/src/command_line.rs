//! The command line of this run, for files that state how they were made.

use std::env;

/// Returns the command of this run, quoted for a shell.
pub(crate) fn command_line() -> String {
    let arguments = env::args_os().skip(1).map(|argument| quoted(&argument.to_string_lossy()));
    std::iter::once("lockstep".to_owned()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Returns an argument as a shell reads it.
fn quoted(argument: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "_@%+=:,./-".contains(letter);
    if !argument.is_empty() && argument.chars().all(is_plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_only_if_a_shell_would_split_or_change_them() {
        assert_eq!(quoted("torus:4x4"), "torus:4x4");
        assert_eq!(quoted("my plan.html"), "'my plan.html'");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(quoted("$HOME"), "'$HOME'");
    }
}
