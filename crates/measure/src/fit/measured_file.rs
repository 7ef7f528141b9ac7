//! Files with measurements.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use crate::format::{ReadError, ReadOptions, Reading};

/// A file with measurements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MeasuredFile {
    /// Its name in messages.
    pub name: String,
    /// The SHA-256 digest of its text in hexadecimal digits.
    pub sha256: String,
    /// What it says.
    pub reading: Reading,
}

impl MeasuredFile {
    /// Reads the output of a benchmark.
    ///
    /// # Errors
    ///
    /// Those of [`read`](crate::format::read).
    pub fn read(name: impl Into<String>, text: &str, options: &ReadOptions) -> Result<Self, ReadError> {
        let mut sha256 = String::new();
        for byte in Sha256::digest(text.as_bytes()) {
            write!(sha256, "{byte:02x}").expect("writing to a string never fails");
        }
        Ok(Self { name: name.into(), sha256, reading: crate::format::read(text, options)? })
    }
}
