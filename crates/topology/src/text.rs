//! Texts from outside, as errors quote them.

use lockstep_files::escaped;

/// A part of a file or spec as an error quotes it: on one line, and not longer than 40 characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut quoted: String = text.chars().take(LONGEST).flat_map(escaped).collect();
    if text.chars().nth(LONGEST).is_some() {
        quoted.push('…');
    }
    quoted
}
