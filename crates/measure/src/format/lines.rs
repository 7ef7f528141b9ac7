//! The lines of a benchmark output, without what a launcher, a log or a document puts before them.
//!
//! - `[1,0]<stdout>:` and `[name@1,0]<stdout>: ` of `mpirun`, also behind a time,
//! - times such as `2026-01-02T03:04:05Z `, `2026-01-02 03:04:05 ` and `[2026-01-02 03:04:05] `, also with `stdout F ` behind them
//!   as container runtimes write,
//! - `[pod/NAME] ` of `kubectl logs --prefix`,
//! - `> ` of a quoted message, and lines such as ` ```text ` around a block of code,
//! - `0: `, `node-1: `, `[0] ` and `node-1 | ` of `srun --label`, `pdsh`, `mpiexec -prepend-rank`, containers and others, if at least
//!   half of the lines have such a label,
//! - the numbers of the lines, if all lines have one,
//! - escape sequences of terminals, such as those of colours.

use std::borrow::Cow;

/// A line without prefixes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// The number of the line in the file, from 1.
    pub(super) number: u32,
    /// The text of the line, from its first character that is not blank.
    pub(super) text: &'a str,
}

/// Returns the lines of a text without escape sequences. Takes linear time.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> =
        (1..).zip(text.lines()).map(|(number, text)| Line { number, text: without_marks(text) }).collect();
    remove_numbers(&mut lines);
    let (mut all, mut labelled) = (0, 0);
    for line in &lines {
        all += usize::from(!line.text.is_empty());
        labelled += usize::from(behind_label(line.text).is_some());
    }
    if labelled >= 3 && 2 * labelled >= all {
        for line in &mut lines {
            line.text = behind_label(line.text).map_or(line.text, without_marks);
        }
    }
    lines
}

/// Returns a text without a byte order mark and without the escape sequences of terminals: `ESC [ … letter`.
pub(super) fn without_escapes(text: &str) -> Cow<'_, str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if !text.contains("\u{1b}[") {
        return Cow::Borrowed(text);
    }
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !matches!(c, '0'..='9' | ';' | '?')).unwrap_or(part.len());
        let rest = part[end..].strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(&part[end..]);
        plain.push_str(rest);
    }
    Cow::Owned(plain)
}

/// Returns the JSON of lines: their texts from the first line that begins with `{` or a list on, each in its line of the file. `None` if
/// there is no such line.
pub(super) fn json_of(lines: &[Line<'_>]) -> Option<String> {
    let is_begin = |text: &str| text == "[" || text.starts_with("[{") || text.starts_with('{');
    let begin = lines.iter().position(|line| is_begin(line.text))?;
    let mut json = "\n".repeat(begin);
    for line in &lines[begin..] {
        json.push_str(line.text);
        json.push('\n');
    }
    Some(json)
}

/// Removes the numbers of the lines, if each line begins with its number.
fn remove_numbers(lines: &mut [Line<'_>]) {
    let numbered = |line: &Line<'_>| {
        let (number, _) = line.text.split_once(char::is_whitespace).unwrap_or((line.text, ""));
        number.parse::<u32>().ok()
    };
    let first = lines.first().and_then(numbered);
    let is_next = |(number, line): (u32, &Line<'_>)| numbered(line) == Some(number);
    if let Some(first) = first
        && lines.len() >= 4
        && (first..).zip(lines.iter()).all(is_next)
    {
        for line in lines {
            line.text = without_marks(line.text.split_once(char::is_whitespace).map_or("", |(_, rest)| rest));
        }
    }
}

/// Returns a line without tags and times before it.
fn without_marks(line: &str) -> &str {
    let mut line = line.trim();
    while let Some(rest) = behind_tag(line).or_else(|| behind_time(line)) {
        line = rest.trim_start();
    }
    if line.starts_with("```") { "" } else { line }
}

/// Returns the text behind `<stdout>:`, a time or a pod in brackets, or the mark of a quoted message.
fn behind_tag(line: &str) -> Option<&str> {
    let of_launcher = ["<stdout>:", "<stderr>:"].iter().find_map(|tag| line.split_once(tag));
    if let Some((_, rest)) = of_launcher {
        return Some(rest);
    }
    if let Some(rest) = line.strip_prefix('>').filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return Some(rest);
    }
    let (inside, rest) = line.strip_prefix('[')?.split_once(']')?;
    (is_time(inside) || inside.starts_with("pod/")).then_some(rest)
}

/// Returns the text behind a date and a time of day, and behind the stream that a container runtime names.
fn behind_time<'a>(line: &'a str) -> Option<&'a str> {
    let halves = |text: &'a str| text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (first, rest) = halves(line);
    if is_time(first) {
        let streams = ["stdout F", "stderr F", "stdout P", "stderr P"];
        let behind_stream = streams.iter().find_map(|stream| rest.strip_prefix(stream));
        return Some(behind_stream.filter(|rest| rest.is_empty() || rest.starts_with(' ')).unwrap_or(rest));
    }
    let (second, rest) = halves(rest);
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

/// Returns the text behind a label: `0: text`, `[0] text` or `node-1 | text`.
fn behind_label(line: &str) -> Option<&str> {
    let is_name = |label: &str| {
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
        !label.is_empty() && label.chars().all(is_part)
    };
    let is_end = |rest: &str| rest.is_empty() || rest.starts_with(char::is_whitespace);
    let of_rank = line.strip_prefix('[').and_then(|line| line.split_once(']'));
    if let Some((rank, rest)) = of_rank {
        return (is_end(rest) && rank.parse::<u32>().is_ok()).then_some(rest);
    }
    let named = line.split_once(':').filter(|(label, _)| is_name(label));
    let (_, rest) = named.or_else(|| line.split_once('|').filter(|(label, _)| is_name(label.trim_end())))?;
    is_end(rest).then_some(rest)
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
            "Tue Jan  2 03:04:05 2026[1,0]<stdout>:# size 1",
            "2026-01-02T03:04:05.123Z # size 1",
            "2026-01-02T03:04:05.123456789Z stdout F # size 1",
            "2026-01-02 03:04:05 [1,0]<stdout>:# size 1",
            "[2026-01-02 03:04:05] # size 1",
            "[pod/launcher-0/main] # size 1",
            "> # size 1",
        ] {
            assert_eq!(texts(line), ["# size 1"], "{line}");
        }
        for line in ["[P2P test] x", "[1,0] x", "2026 1 x", "[2026] x", "1048576 65536 float", "-> x"] {
            assert_eq!(texts(line), [line]);
        }
        assert_eq!(texts("2026-01-02T03:04:05Z\n2026-01-02 03:04:05\n2026-01-02 03:04:05 4 1.5"), ["", "", "4 1.5"]);
        assert_eq!(texts("```text\n# size\n```"), ["", "# size", ""]);
    }

    #[test]
    fn labels_are_removed_if_most_lines_have_one() {
        assert_eq!(texts("0: # size\n 0:  1 2\n0:\n1: x"), ["# size", "1 2", "", "x"]);
        assert_eq!(texts("[0] # size\n[0]   1 2\n[0]\n[1] x"), ["# size", "1 2", "", "x"]);
        assert_eq!(texts("a-1  | # size\na-1  |   1 2\na-1  |\nb-1  | x"), ["# size", "1 2", "", "x"]);
        assert_eq!(texts("note: one line\n1 2\n3 4\n5 6\n7 8"), ["note: one line", "1 2", "3 4", "5 6", "7 8"]);
        assert_eq!(texts("a: x\nb: y"), ["a: x", "b: y"]);
        assert_eq!(lines("\n\n  x")[2].number, 3);
    }

    #[test]
    fn numbers_of_lines_are_removed_if_all_lines_have_one() {
        assert_eq!(texts(" 7 GPU 0 1\n 8\n 9  0 1.5 2.5\n10  1 2.5 1.5"), ["GPU 0 1", "", "0 1.5 2.5", "1 2.5 1.5"]);
        assert_eq!(texts("0 1 2\n1 0 2\n2 0 1\nx"), ["0 1 2", "1 0 2", "2 0 1", "x"]);
    }

    #[test]
    fn escape_sequences_are_removed() {
        assert_eq!(without_escapes("\u{feff}\u{1b}[1;32m# size\u{1b}[0m 1\u{1b}[K"), "# size 1");
        assert_eq!(without_escapes("a \u{1b} b"), "a \u{1b} b");
        assert_eq!(without_escapes("a \u{1b}[31"), "a ");
    }

    #[test]
    fn json_keeps_its_lines() {
        let text = "$ tool -j\n0: {\n0: \"a\": 1\n0: }\n";
        assert_eq!(json_of(&lines(text)).as_deref(), Some("\n{\n\"a\": 1\n}\n"));
        assert_eq!(json_of(&lines("[\n{}\n]\n")).as_deref(), Some("[\n{}\n]\n"));
        assert_eq!(json_of(&lines("a\nb\n[0] c")), None);
    }
}
