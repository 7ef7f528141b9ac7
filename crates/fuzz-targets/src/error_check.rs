//! Checks of error messages.

use std::error::Error;

/// Checks that the message of an error is not empty.
pub(crate) fn has_message(error: &dyn Error) {
    assert!(!error.to_string().is_empty());
}

/// Checks that the message of an error is one line without control characters, for any input.
pub(crate) fn is_one_line(error: &dyn Error) {
    has_message(error);
    assert!(!error.to_string().contains(char::is_control), "{error:?}");
}
