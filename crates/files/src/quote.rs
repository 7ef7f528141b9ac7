//! Foreign text in messages, without characters that could disturb a terminal.

/// Returns `text` on one line, with control characters escaped, for use in an error message.
///
/// A text of more than 240 characters is shortened to its first 160 and its last 80. O(length of `text`).
///
/// ```
/// assert_eq!(lockstep_files::one_line("a\n\u{1b}[31m"), "a\\n\\u{1b}[31m");
/// ```
pub fn one_line(text: &str) -> String {
    const HEAD: usize = 160;
    const TAIL: usize = 80;
    let length = text.chars().count();
    let escaped_part = |skip, take| text.chars().skip(skip).take(take).flat_map(escaped);
    if length <= HEAD + TAIL {
        return escaped_part(0, length).collect();
    }
    escaped_part(0, HEAD).chain(['…']).chain(escaped_part(length - TAIL, TAIL)).collect()
}

/// Returns the character, or its escape sequence if it breaks the line, hides text or changes the writing direction.
///
/// ```
/// let shown: String = "größe\t\u{202e}".chars().flat_map(lockstep_files::escaped).collect();
/// assert_eq!(shown, r"größe\t\u{202e}");
/// ```
pub fn escaped(character: char) -> impl Iterator<Item = char> {
    let hidden =
        character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{202a}'..='\u{202e}');
    let (shown, written) = if hidden { (None, Some(character.escape_default())) } else { (Some(character), None) };
    shown.into_iter().chain(written.into_iter().flatten())
}
