//! JSON texts of benchmarks: one document, or several in a row.

use lockstep_files::one_line;
use serde::de::DeserializeOwned;

use super::error::{ReadError, ReadFault};

/// Parses the JSON documents of a text. An error names the field and the line.
pub(super) fn documents<T: DeserializeOwned>(text: &str) -> Result<Vec<T>, ReadError> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter();
    let mut found = Vec::new();
    loop {
        let start = stream.byte_offset();
        match stream.next() {
            None => return Ok(found),
            Some(Ok(document)) => found.push(document),
            Some(Err(_)) => {
                let rest = text[start..].trim_start();
                if !found.is_empty() && !rest.starts_with(['{', '[']) {
                    return Err(more_text(line_at(text, text.len() - rest.len())));
                }
                return Err(error::<T>(text, start));
            }
        }
    }
}

/// Returns the error of the document that begins at a byte. Tracking the path of fields takes time, so only invalid documents
/// are parsed with it.
fn error<T: DeserializeOwned>(text: &str, start: usize) -> ReadError {
    let before = line_at(text, start) - 1;
    let mut json = serde_json::Deserializer::from_str(text.get(start..).unwrap_or_default());
    let Err(error) = serde_path_to_error::deserialize::<_, T>(&mut json) else {
        return more_text(before + 1);
    };
    let line = before.saturating_add(u32::try_from(error.inner().line().max(1)).unwrap_or(u32::MAX));
    if error.inner().is_eof() {
        return ReadError::truncated(line, "the JSON ends in the middle of a value");
    }
    let message = error.inner().to_string();
    let place = format!(" at line {} column {}", error.inner().line(), error.inner().column());
    let fault = ReadFault::Syntax(one_line(message.strip_suffix(&place).unwrap_or(&message)));
    match one_line(&error.path().to_string()) {
        // `.` is the document itself, `?` a field with an incomplete name.
        path if matches!(&*path, "." | "?") => ReadError::line(line, fault),
        field => ReadError::Field { field, line, fault },
    }
}

fn more_text(line: u32) -> ReadError {
    ReadError::found(line, "more text behind the JSON", "JSON only; give the other text a file of its own")
}

/// Returns the line of a byte, counted from 1.
fn line_at(text: &str, byte: usize) -> u32 {
    let breaks = text.as_bytes().iter().take(byte).filter(|&&byte| byte == b'\n').count();
    u32::try_from(breaks).unwrap_or(u32::MAX - 1) + 1
}

/// Returns the lines of a key, in the order of the text. A key in a quoted text does not count, because its quotes are escaped.
pub(super) fn key_lines(text: &str, key: &str) -> Vec<u32> {
    let quoted = format!("\"{key}\"");
    let (mut line, mut seen, mut lines) = (1, 0, Vec::new());
    for (at, _) in text.match_indices(&quoted) {
        if text[at + quoted.len()..].trim_start().starts_with(':') {
            line += line_at(&text[seen..], at - seen) - 1;
            seen = at;
            lines.push(line);
        }
    }
    lines
}

/// Returns true if a JSON text has this key.
pub(super) fn has_key(text: &str, key: &str) -> bool {
    !key_lines(text, key).is_empty()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(PartialEq, Debug, Deserialize)]
    struct Point {
        x: u32,
    }

    #[test]
    fn documents_follow_each_other() {
        assert_eq!(documents::<Point>("{\"x\": 1}\n{\"x\": 2, \"y\": []} "), Ok(vec![Point { x: 1 }, Point { x: 2 }]));
        assert_eq!(documents::<Point>(" "), Ok(Vec::new()));
        assert_eq!(key_lines("{\"x\": 1}\n{\"y\": \"\\\"x\\\": 3\",\n\"x\" : 2}", "x"), [1, 3]);
    }

    #[test]
    fn errors_name_field_and_line() {
        let message = |text: &str| documents::<Point>(text).unwrap_err().to_string();
        let wrong = message("{\"x\": 1}\n\n{\n\"x\": \"a\"}");
        assert_eq!(wrong, "field 'x' (line 4): invalid type: string \"a\", expected u32");
        let cut = message("{\"x\": 1}\n{\"x\":");
        assert_eq!(
            cut,
            "line 2: the JSON ends in the middle of a value; the output is cut off: copy all of it, or run the benchmark again"
        );
        let more = message("{\"x\": 1}\n\n# text\n");
        assert_eq!(
            more,
            "line 3: found more text behind the JSON, expected JSON only; give the other text a file of its own"
        );
        assert_eq!(message("{}"), "line 1: missing field `x`");
    }
}
