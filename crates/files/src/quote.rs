//! Foreign text in messages, without characters that could disturb a terminal.

/// Returns `text` on one line, with control characters escaped, for use in an error message.
///
/// A text of more than 200 characters is shortened to its first 140 and its last 59. O(length of `text`).
///
/// ```
/// assert_eq!(lockstep_files::one_line("a\n\u{1b}[31m"), "a\\n\\u{1b}[31m");
/// ```
pub fn one_line(text: &str) -> String {
    const MAX_LENGTH: usize = 200;
    const HEAD: usize = 140;
    const TAIL: usize = MAX_LENGTH - HEAD - 1;
    let length = text.chars().count();
    let escaped_part = |skip, take| text.chars().skip(skip).take(take).flat_map(escaped);
    if length <= MAX_LENGTH {
        return escaped_part(0, length).collect();
    }
    escaped_part(0, HEAD).chain(['…']).chain(escaped_part(length - TAIL, TAIL)).collect()
}

/// Returns a message on one line: its words are those of [`one_line`], so a long name in it is shortened, but not the message.
///
/// ```
/// let message = format!("node '{}' has no links; {}", "x".repeat(1000), "remove the node, ".repeat(20));
/// assert!(lockstep_files::message_line(&message).ends_with("remove the node, "));
/// assert!(lockstep_files::message_line(&message).len() < 700);
/// ```
pub fn message_line(text: &str) -> String {
    text.split(' ').map(one_line).collect::<Vec<_>>().join(" ")
}

/// Returns the character, or its escape sequence if it [is hidden](is_hidden).
///
/// ```
/// let shown: String = "größe\t\u{202e}".chars().flat_map(lockstep_files::escaped).collect();
/// assert_eq!(shown, r"größe\t\u{202e}");
/// ```
pub fn escaped(character: char) -> impl Iterator<Item = char> {
    let (shown, written) =
        if is_hidden(character) { (None, Some(character.escape_default())) } else { (Some(character), None) };
    shown.into_iter().chain(written.into_iter().flatten())
}

/// Returns true for characters that break the line, hide text, change the writing direction or control a terminal.
pub fn is_hidden(character: char) -> bool {
    let is_directional =
        matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || is_directional || matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_text_has_at_most_200_characters() {
        let quoted = |length: usize| one_line(&"é".repeat(length)).chars().count();
        assert_eq!([0, 199, 200, 201, 1 << 20].map(quoted), [0, 199, 200, 200, 200]);
        let ends = format!("first {} last", "x".repeat(1 << 16));
        let quoted = one_line(&ends);
        assert!(quoted.starts_with("first x") && quoted.ends_with("x last") && quoted.contains('…'), "{quoted}");
    }

    #[test]
    fn a_message_keeps_its_words_and_shortens_each_long_one() {
        let remedy = "remove the node, or give it a link; ".repeat(20);
        let line = message_line(&format!("node '{}\u{1b}' has no links; {remedy}", "x".repeat(1 << 16)));
        let (name, rest) = line.split_once(" has no links; ").unwrap();
        assert_eq!(rest, remedy);
        assert_eq!(name, format!("node {}", one_line(&format!("'{}\u{1b}'", "x".repeat(1 << 16)))));
        assert!(name.contains('…') && name.ends_with("\\u{1b}'"), "{name}");
        let two_lines = "line 1: 'a'\nline 2: 'b'";
        assert_eq!(message_line(two_lines), "line 1: 'a'\\nline 2: 'b'");
    }

    #[test]
    fn every_control_of_terminals_and_of_writing_directions_is_escaped() {
        let controls = ('\0'..=' ').chain('\u{7f}'..='\u{a0}').filter(|c| !c.is_whitespace() || c.is_control());
        let directions = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}').chain(['\u{200e}', '\u{200f}']);
        for character in controls.chain(directions) {
            let shown: String = escaped(character).collect();
            assert!(shown.starts_with('\\') && shown.is_ascii(), "{character:?} is shown as {shown:?}");
        }
        let plain = "größe 'x' -> \u{3b1}\u{5d0}";
        assert_eq!(plain.chars().flat_map(escaped).collect::<String>(), plain);
    }
}
