//! Text that is written line by line.

use std::fmt::{Arguments, Write as _};

/// A text that grows.
#[derive(Default)]
pub(super) struct Text(String);

impl Text {
    /// Adds a line.
    pub(super) fn line(&mut self, line: Arguments<'_>) {
        self.0.write_fmt(line).expect("a string takes all text");
        self.0.push('\n');
    }

    /// Adds a text.
    pub(super) fn push(&mut self, text: &str) {
        self.0.push_str(text);
    }

    /// Returns the whole text.
    pub(super) fn into_string(self) -> String {
        self.0
    }
}
