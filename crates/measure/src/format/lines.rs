//! The lines of a benchmark output, without what a launcher or a log puts before them.
//!
//! - `[1,0]<stdout>:` and `[name@1,0]<stdout>: ` of `mpirun -tag-output`,
//! - times such as `2026-01-02T03:04:05Z `, `2026-01-02 03:04:05 ` and `[2026-01-02 03:04:05] `,
//! - `0: ` and `node-1: ` of `srun --label`, `pdsh` and others, if at least half of the lines have such a label.

/// A line without prefixes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The number of the line in the file, from 1.
    pub(super) number: u32,
    /// The text of the line, from its first character that is not blank.
    pub(super) text: &'a str,
}

/// Returns the lines of a text. Takes linear time.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines: Vec<Line<'_>> =
        (1..).zip(text.lines()).map(|(number, text)| Line { number, text: without_marks(text) }).collect();
    let (mut all, mut labelled) = (0, 0);
    for line in &lines {
        all += usize::from(!line.text.is_empty());
        labelled += usize::from(label_and_rest(line.text).is_some());
    }
    if labelled >= 3 && 2 * labelled >= all {
        for line in &mut lines {
            line.text = label_and_rest(line.text).map_or(line.text, |(_, rest)| without_marks(rest));
        }
    }
    lines
}

/// Returns a line without tags and times before it.
fn without_marks(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) = behind_tag(line).or_else(|| behind_time(line)) {
        line = rest.trim_start();
    }
    line
}

/// Returns the text behind `[…]<stdout>:` or behind a time in brackets.
fn behind_tag(line: &str) -> Option<&str> {
    let (inside, rest) = line.strip_prefix('[')?.split_once(']')?;
    match rest.strip_prefix("<std") {
        Some(stream) => {
            stream.split_once(">:").filter(|(name, _)| matches!(*name, "out" | "err")).map(|(_, rest)| rest)
        }
        None => (is_time(inside)).then_some(rest),
    }
}

/// Returns the text behind a date and a time of day.
fn behind_time(line: &str) -> Option<&str> {
    let (first, rest) = line.split_once(char::is_whitespace)?;
    if is_time(first) {
        return Some(rest);
    }
    let (second, rest) = rest.split_once(char::is_whitespace)?;
    (is_date(first) && second.contains(':') && is_time(&line[..first.len() + 1 + second.len()])).then_some(rest)
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() >= 10 && bytes[4] == b'-' && bytes[7] == b'-' && bytes[..4].iter().all(u8::is_ascii_digit)
}

/// Returns true for a date with a time of day.
fn is_time(text: &str) -> bool {
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '-' | ':' | '.' | ',' | '+' | 'T' | 'Z' | ' ');
    is_date(text) && text.contains(':') && text.chars().all(is_part)
}

/// Returns the label of a line and the rest: `0: text`.
fn label_and_rest(line: &str) -> Option<(&str, &str)> {
    let (label, rest) = line.split_once(':')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    let ends = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (ends && !label.is_empty() && label.chars().all(is_name)).then_some((label, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        lines(text).iter().map(|line| line.text).collect()
    }

    #[test]
    fn tags_and_times_are_removed() {
        for line in [
            "  # size 1",
            "[1,0]<stdout>:# size 1",
            "[prterun-a-12@1,0]<stdout>: # size 1",
            "2026-01-02T03:04:05.123Z # size 1",
            "2026-01-02 03:04:05 [1,0]<stdout>:# size 1",
            "[2026-01-02 03:04:05] # size 1",
        ] {
            assert_eq!(texts(line), ["# size 1"], "{line}");
        }
        for line in ["[P2P test] x", "[1,0] x", "2026 1 x", "[2026] x", "1048576 65536 float"] {
            assert_eq!(texts(line), [line]);
        }
    }

    #[test]
    fn labels_are_removed_if_most_lines_have_one() {
        assert_eq!(texts("0: # size\n 0:  1 2\n0:\n1: x"), ["# size", "1 2", "", "x"]);
        assert_eq!(texts("note: one line\n1 2\n3 4\n5 6\n7 8"), ["note: one line", "1 2", "3 4", "5 6", "7 8"]);
        assert_eq!(texts("a: x\nb: y"), ["a: x", "b: y"]);
        assert_eq!(lines("\n\n  x")[2].number, 3);
    }
}
