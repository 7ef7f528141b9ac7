//! Quoting of untrusted text in error messages.

use lockstep_files::escaped;

/// Quotes a part of a file or spec in one line of at most 40 characters.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let mut quoted: String = text.chars().take(MAX_LENGTH).flat_map(escaped).collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        quoted.push('…');
    }
    quoted
}
