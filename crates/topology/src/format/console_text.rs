//! Text that a program has printed on a terminal, as logs and pastes have it.

use std::borrow::Cow;

/// Returns a line without the escape sequences that underline or colour text in a terminal.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    if !line.contains('\u{1b}') {
        return Cow::Borrowed(line);
    }
    let mut parts = line.split('\u{1b}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_end = |c: char| c.is_ascii_alphabetic();
        text.push_str(part.split_once(is_end).map_or("", |(_, rest)| rest));
    }
    Cow::Owned(text)
}

/// Returns the text behind the first place where a name stands as a word. A prefix may precede it, such as a host or a time:
/// `node01: GPU0`, `[1,0]<stdout>:GPU0`.
pub(super) fn behind_word<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.match_indices(name).find_map(|(at, _)| {
        let (before, behind) = (&line[..at], &line[at + name.len()..]);
        let begins = !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
        let ends = behind.is_empty() || behind.starts_with(char::is_whitespace);
        (begins && ends).then_some(behind)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_is_not_part_of_a_name() {
        let behind = |line| behind_word(line, "GPU1");
        assert_eq!(behind("GPU1\tX"), Some("\tX"));
        assert_eq!(behind("2026-11-28T10:00:00Z node-1: GPU1 X"), Some(" X"));
        assert_eq!(behind("[1,0]<stdout>:GPU1 X"), Some(" X"));
        assert_eq!(behind("GPU10 GPU1"), Some(""));
        assert_eq!(behind("GPU10 X"), None);
        assert_eq!(behind("MYGPU1 X"), None);
    }

    #[test]
    fn escape_sequences_are_removed() {
        assert_eq!(plain("\u{1b}[4mGPU0\u{1b}[0m GPU1"), "GPU0 GPU1");
    }
}
