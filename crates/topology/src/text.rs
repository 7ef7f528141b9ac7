//! Quoting of untrusted text in error messages, and comments in lists of edges.

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

/// Returns a line of a list of edges without its comment: a whole line that begins with `%`, otherwise the text from the first
/// `#` on that begins a word.
#[cfg(feature = "formats")]
pub(crate) fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('%') {
        return "";
    }
    let begins_word = |&(at, _): &(usize, &str)| {
        let before = &line[..at];
        before.is_empty() || before.ends_with(char::is_whitespace) || before.ends_with("->")
    };
    line.match_indices('#').find(begins_word).map_or(line, |(at, _)| &line[..at]).trim()
}
