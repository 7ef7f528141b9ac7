//! JSON Lines: one JSON value per line of a text.

use serde::de::DeserializeOwned;

use crate::quote::message_line;

/// A line of a JSON Lines text that is not a valid record.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {}; correct that line", message_line(.why))]
pub struct JsonLineError {
    /// Line number, from 1.
    pub line: usize,
    /// The parser's message, with the field and the column.
    pub why: String,
}

/// Returns the records of a JSON Lines text, each with its line number from 1. Blank lines are skipped.
///
/// Reading is lazy and takes O(length of `text`) in total.
///
/// ```
/// let mut points = lockstep_files::from_json_lines::<[i32; 2]>("[1, 2]\n\n[3]\n");
/// assert_eq!(points.next(), Some(Ok((1, [1, 2]))));
/// assert_eq!(points.next().unwrap().unwrap_err().line, 3);
/// ```
///
/// # Errors
///
/// Each item is a [`JsonLineError`] if its line is not a JSON value of type `T`.
pub fn from_json_lines<T: DeserializeOwned>(text: &str) -> impl Iterator<Item = Result<(usize, T), JsonLineError>> {
    let lines = text.lines().enumerate().filter(|(_, content)| !content.trim().is_empty());
    lines.map(|(place, content)| {
        let line = place + 1;
        let refused = |why| JsonLineError { line, why };
        let json = &mut serde_json::Deserializer::from_str(content);
        let value = serde_path_to_error::deserialize(&mut *json).map_err(|error| match error.path().to_string() {
            path if path == "." => refused(column_only(error.inner())),
            path => refused(format!("field '{path}': {}", column_only(error.inner()))),
        })?;
        json.end().map_err(|error| refused(column_only(&error)))?;
        Ok((line, value))
    })
}

/// Returns the parser's message without its line number, which is 1 in each line.
fn column_only(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column ", " at column ")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(PartialEq, Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Point {
        x: i32,
        y: i32,
    }

    #[test]
    fn records_keep_their_line_numbers() {
        let points: Vec<_> = from_json_lines::<Point>("{\"x\":1,\"y\":2}\n \r\n{\"y\":4,\"x\":3}").collect();
        assert_eq!(points, [Ok((1, Point { x: 1, y: 2 })), Ok((3, Point { x: 3, y: 4 }))]);
    }

    #[test]
    fn errors_name_line_field_and_column() {
        let message = |text| from_json_lines::<Point>(text).find_map(Result::err).unwrap().to_string();
        let bad_field = message("{\"x\":1,\"y\":2}\n{\"x\":\"a\",\"y\":2}");
        assert!(
            bad_field.starts_with("line 2: field 'x': invalid type: string \"a\", expected i32 at column"),
            "{bad_field}"
        );
        let trailing = message("{\"x\":1,\"y\":2} 5");
        assert!(trailing.starts_with("line 1: trailing characters at column 15"), "{trailing}");
        let cut_off = message("{\"x\":1,");
        assert!(cut_off.contains("EOF while parsing"), "{cut_off}");
    }
}
