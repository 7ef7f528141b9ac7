//! Parsing and writing of JSON text, common to both JSON formats.

use std::fmt::Write as _;

use lockstep_files::{one_line, to_json_line};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{FileFault, FilePlace, ReadError};

/// Parses a JSON object. An error names the field.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    // The parser would also accept a list as an object without field names.
    let (blank, value) = text.split_at(text.len() - text.trim_start().len());
    if let Some(found) = value.chars().next().filter(|&first| first != '{') {
        let (found, expected) = (format!("'{}'", found.escape_debug()), "'{', the start of a JSON object");
        return Err(ReadError::line(1 + blank.matches('\n').count(), FileFault::Unexpected { found, expected }));
    }
    parse_value(text)
}

/// Parses a JSON value. An error names the field.
pub(super) fn parse_value<T: DeserializeOwned>(text: &str) -> Result<T, ReadError> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(value);
    }
    // Tracking the path of fields doubles the time, so only invalid files are parsed with it.
    let mut json = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = one_line(&error.path().to_string());
        let line = error.inner().line();
        // `.` is the file itself, `?` is a field with an incomplete name.
        let place = if matches!(&*path, "." | "?") {
            FilePlace::Line(line)
        } else {
            FilePlace::Field { path, line: Some(line) }
        };
        ReadError::At { place, fault: fault(error.inner()) }
    })?;
    json.end().map_err(|error| ReadError::line(error.line(), fault(&error)))?;
    Ok(value)
}

/// Converts an error of the parser.
fn fault(error: &serde_json::Error) -> FileFault {
    if error.is_eof() {
        return FileFault::Syntax("the file ends in the middle of a value; it is incomplete".to_owned());
    }
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match message.strip_suffix(&place).unwrap_or(&message) {
        "trailing characters" => FileFault::Syntax("unexpected text behind the end of the value; remove it".to_owned()),
        message => FileFault::Syntax(one_line(message)),
    }
}

/// Appends a list field to an object, one element per line.
pub(super) fn push_rows<T: Serialize>(text: &mut String, key: &str, rows: &[T]) {
    write!(text, ",\n \"{key}\": [").expect("writing to a string never fails");
    for (place, row) in rows.iter().enumerate() {
        text.push_str(if place == 0 { "\n  " } else { ",\n  " });
        text.push_str(&quoted(row));
    }
    text.push(']');
}

/// Returns a value as JSON on one line.
pub(super) fn quoted<T: Serialize + ?Sized>(value: &T) -> String {
    let mut text = to_json_line(value);
    text.truncate(text.trim_end().len());
    text
}
