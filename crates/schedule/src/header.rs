//! What all files have in common: a header that says what they are, before anything else is looked at.

use lockstep_envelope::{EnvelopeError, decode, encode, open, seal};
use lockstep_topology::one_line;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

/// A kind of file, in JSON or binary, and how its header reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// The field `format` of the JSON form.
    pub format: &'static str,
    /// What such a file holds, in words.
    pub noun: &'static str,
    /// The first bytes of the binary form.
    pub magic: [u8; 8],
    /// The version that is read and written, of both forms.
    pub version: u32,
}

impl FileKind {
    /// What `json` or `binary` makes of the contents of a file, as its first byte says.
    ///
    /// # Errors
    ///
    /// [`FileError::NotText`], and those of the two readers.
    pub fn read<T, E: From<FileError>>(
        self,
        bytes: &[u8],
        json: impl FnOnce(&str) -> Result<T, E>,
        binary: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<T, E> {
        match bytes.first() {
            Some(b'{' | b' ' | b'\t' | b'\r' | b'\n') | None => json(
                std::str::from_utf8(bytes)
                    .map_err(|error| FileError::NotText { kind: self, byte: error.valid_up_to() })?,
            ),
            Some(_) => binary(bytes),
        }
    }

    /// The record that a JSON text holds; [`check`](Self::check) its format and version.
    ///
    /// # Errors
    ///
    /// [`FileError`]; format and version are looked at before everything else.
    pub fn parse<T: DeserializeOwned>(self, text: &str) -> Result<T, FileError> {
        serde_json::from_str(text).map_err(|_| self.diagnose::<T>(text))
    }

    /// What is wrong with a text that is no record. Reads it again: keeping track of fields is too slow for good files.
    fn diagnose<T: DeserializeOwned>(self, text: &str) -> FileError {
        #[derive(Deserialize)]
        struct Header {
            format: Option<serde_json::Value>,
            version: Option<serde_json::Value>,
        }
        if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
            return FileError::Syntax { why: error.to_string() };
        }
        if let Ok(Header { format, version }) = serde_json::from_str(text) {
            let format = format.as_ref().and_then(serde_json::Value::as_str).unwrap_or(self.format);
            let version = version.and_then(|version| version.as_u64()).unwrap_or(self.version.into());
            if let Err(error) = self.check(format, version) {
                return error;
            }
        }
        let json = &mut serde_json::Deserializer::from_str(text);
        match serde_path_to_error::deserialize::<_, T>(json) {
            Ok(_) => FileError::Syntax { why: "there is text behind the end".to_owned() },
            Err(error) => FileError::Field { field: error.path().to_string(), why: error.inner().to_string() },
        }
    }

    /// Whether these are the format and version of this kind.
    ///
    /// # Errors
    ///
    /// [`FileError::Format`], then [`FileError::Version`].
    pub fn check(self, format: &str, version: u64) -> Result<(), FileError> {
        if format != self.format {
            return Err(FileError::Format { kind: self, found: format.to_owned() });
        }
        if version != u64::from(self.version) {
            return Err(FileError::Version { kind: self, found: version });
        }
        Ok(())
    }

    /// The bytes of a binary file with these contents.
    pub fn seal<T: Serialize>(self, contents: &T) -> Vec<u8> {
        seal(self.magic, self.version, &encode(contents))
    }

    /// The contents of a binary file.
    ///
    /// # Errors
    ///
    /// [`FileError::Envelope`] if the file is truncated, altered or of another kind.
    pub fn open<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, FileError> {
        Ok(decode(open(self.magic, self.version, bytes)?)?)
    }

    /// What to give instead of a file of another format.
    fn remedy(self, found: &str) -> String {
        match (self.noun, found) {
            ("schedule", "lockstep-plan") => "a plan holds its schedule in the field 'schedule'".to_owned(),
            ("schedule" | "plan" | "symmetric schedule", "lockstep-topology") => {
                format!("a topology alone is no {}, plan one for it", self.noun)
            }
            (noun, _) => format!("give a {noun} file"),
        }
    }
}

/// Why a file is none of its [`FileKind`], whatever it is about. Every message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// Bytes that are no UTF-8.
    #[error("byte {byte} is no UTF-8 text; give a {} file, JSON or binary", .kind.noun)]
    NotText {
        /// The kind asked for.
        kind: FileKind,
        /// Place of the byte, from 0.
        byte: usize,
    },
    /// Text that is no JSON.
    #[error("the text is no JSON: {}; correct it, or give another file", one_line(.why))]
    Syntax {
        /// What the parser says, with line and column.
        why: String,
    },
    /// Another kind of file.
    #[error("field 'format' is '{}', expected '{}'; {}", one_line(.found), .kind.format, .kind.remedy(.found))]
    Format {
        /// The kind asked for.
        kind: FileKind,
        /// What the file says.
        found: String,
    },
    /// A version that this library does not know.
    #[error("field 'version' is {found}, but only version {} is known; use a newer lockstep", .kind.version)]
    Version {
        /// The kind of the file.
        kind: FileKind,
        /// What the file says.
        found: u64,
    },
    /// A field of the wrong type, missing, unknown, or out of range.
    #[error("field '{}': {}; correct that field", one_line(.field), one_line(.why))]
    Field {
        /// The way to it, for example `steps[3][0].path[1]`.
        field: String,
        /// What is wrong, with line and column.
        why: String,
    },
    /// A binary file that is truncated, altered or of another kind.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
}

impl FileError {
    /// Whether the file is of another kind, and not a damaged one of the kind asked for.
    pub fn is_other_kind(&self) -> bool {
        matches!(self, Self::Format { .. } | Self::Envelope(EnvelopeError::Magic { .. }))
    }
}
