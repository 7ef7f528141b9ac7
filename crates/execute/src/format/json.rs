//! JSON files: values with the paths of their errors.

use serde::de::DeserializeOwned;

use crate::error::{FilePlace, LoadError, LoadProblem};

/// Reads a value. The error has the path of the part that does not fit, or the line of an error in the syntax.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, LoadError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        let place = match inner.classify() {
            serde_json::error::Category::Data if path != "." => FilePlace::Path(escaped(&path)),
            _ => FilePlace::Line(inner.line()),
        };
        LoadError { place, problem: LoadProblem::Value(escaped(&inner.to_string())) }
    })?;
    deserializer.end().map_err(|error| LoadError::syntax(error.line(), "the end of the file", "more text"))?;
    Ok(value)
}

/// Returns at most 200 characters of a text, without control characters.
fn escaped(text: &str) -> String {
    text.chars().take(200).flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
