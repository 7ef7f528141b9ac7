//! Text files: lines and numbers.

use crate::error::LoadError;

/// Returns the bytes as text.
pub(super) fn text(bytes: &[u8]) -> Result<&str, LoadError> {
    str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        LoadError::syntax(line, "text in UTF-8", "other bytes")
    })
}

/// Reads a number from 0 to `most`.
pub(super) fn number(
    line: usize,
    element: &'static str,
    field: &'static str,
    text: &str,
    most: u64,
) -> Result<u64, LoadError> {
    let number = text.parse().ok().filter(|&number| number <= most);
    number.ok_or_else(|| LoadError::field(line, element, field, text, format!("a whole number from 0 to {most}")))
}
