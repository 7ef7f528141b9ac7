//! Quoting of untrusted text in error messages.

/// Quotes a part of a file or spec in one line of at most 40 characters.
pub(crate) fn excerpt(text: &str) -> String {
    const MAX_LENGTH: usize = 40;
    let mut quoted: String = text.chars().take(MAX_LENGTH).flat_map(escaped).collect();
    if text.chars().nth(MAX_LENGTH).is_some() {
        quoted.push('…');
    }
    quoted
}

/// Escapes line breaks and control characters of a message that may quote a file. A message of more than 240 characters is
/// shortened in the middle.
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

/// Returns the character, or its escape sequence if it is a line break, a control character or invisible.
pub fn escaped(c: char) -> impl Iterator<Item = char> {
    let hidden = c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{202a}'..='\u{202e}');
    let (shown, written) = if hidden { (None, Some(c.escape_default())) } else { (Some(c), None) };
    shown.into_iter().chain(written.into_iter().flatten())
}
