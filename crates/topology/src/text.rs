//! Texts from outside, as errors quote them.

/// A part of a file or spec as an error quotes it: on one line, and not longer than 40 characters.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut quoted: String = text.chars().take(LONGEST).flat_map(escaped).collect();
    if text.chars().nth(LONGEST).is_some() {
        quoted.push('…');
    }
    quoted
}

/// A message that may quote a file, on one line and without characters that a terminal would obey; of a long one the
/// beginning and the end.
///
/// ```
/// assert_eq!(lockstep_topology::one_line("a\n\u{1b}[31m"), "a\\n\\u{1b}[31m");
/// ```
pub fn one_line(message: &str) -> String {
    const HEAD: usize = 160;
    const TAIL: usize = 80;
    let length = message.chars().count();
    let escaped_part = |skip, take| message.chars().skip(skip).take(take).flat_map(escaped);
    if length <= HEAD + TAIL {
        return escaped_part(0, length).collect();
    }
    escaped_part(0, HEAD).chain(['…']).chain(escaped_part(length - TAIL, TAIL)).collect()
}

/// A character, or how to write one that would break the line or hide.
pub fn escaped(c: char) -> impl Iterator<Item = char> {
    let hidden = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{202a}'..='\u{202e}');
    let (shown, written) = if hidden { (None, Some(c.escape_default())) } else { (Some(c), None) };
    shown.into_iter().chain(written.into_iter().flatten())
}
