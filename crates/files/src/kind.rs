//! Kinds of files, and the header that identifies them.

use serde::Deserialize;
#[cfg(feature = "sealed")]
use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};

#[cfg(feature = "sealed")]
use crate::codec::{decode, encode};
use crate::quote::{message_line, one_line};
use crate::seal_error::{SealError, check_magic};
#[cfg(feature = "sealed")]
use crate::sealed::{open, open_first, seal};

/// A kind of file, with the headers of its JSON and binary forms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileKind {
    /// The field `format` of the JSON form.
    pub format: &'static str,
    /// What such a file contains, as error messages name it.
    pub noun: &'static str,
    /// The first bytes of the binary form.
    pub magic: [u8; 8],
    /// The version of both forms.
    pub version: u32,
    /// Advice for a JSON file of another kind: its field `format`, and what to do with it.
    pub remedies: &'static [(&'static str, &'static str)],
}

impl FileKind {
    /// Reads the contents of a file with `json` or `binary`, selected by the first byte.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::NotText`] if a JSON file is not UTF-8, and the errors of the two readers.
    pub fn read<T, E: From<FileError>>(
        self,
        bytes: &[u8],
        json: impl FnOnce(&str) -> Result<T, E>,
        binary: impl FnOnce(&[u8]) -> Result<T, E>,
    ) -> Result<T, E> {
        if is_json(bytes) {
            let text = std::str::from_utf8(bytes);
            json(text.map_err(|error| FileError::NotText { kind: self, byte: error.valid_up_to() })?)
        } else {
            binary(bytes)
        }
    }

    /// Reads the record of a JSON text. The caller verifies its header with [`check`](Self::check).
    ///
    /// O(length of `text`). An invalid text is read a second time to locate the error.
    ///
    /// ```
    /// use lockstep_files::{FileError, FileKind};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Record {
    ///     format: String,
    ///     version: u32,
    ///     squares: Vec<u32>,
    /// }
    ///
    /// const SQUARES: FileKind =
    ///     FileKind { format: "squares", noun: "list of squares", magic: *b"squares\0", version: 1, remedies: &[] };
    ///
    /// let record: Record = SQUARES.parse(r#"{"format": "squares", "version": 1, "squares": [1, 4]}"#)?;
    /// SQUARES.check(&record.format, record.version.into())?;
    /// assert_eq!(record.squares, [1, 4]);
    /// # Ok::<(), FileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the first [`FileError`]. A wrong format or version is reported before any other field.
    pub fn parse<T: DeserializeOwned>(self, text: &str) -> Result<T, FileError> {
        serde_json::from_str(text).map_err(|_| self.diagnose::<T>(text))
    }

    /// Finds the error of a text that is not a record. Only this second pass tracks field paths, which is slow.
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

    /// Verifies that a header has the format and version of this kind.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Format`] or [`FileError::Version`], in this order.
    pub fn check(self, format: &str, version: u64) -> Result<(), FileError> {
        if format != self.format {
            return Err(FileError::Format { kind: self, found: format.to_owned() });
        }
        if version != u64::from(self.version) {
            return Err(FileError::Version { kind: self, found: version });
        }
        Ok(())
    }

    /// Returns the sealed binary file with these contents.
    #[cfg(feature = "sealed")]
    pub fn seal<T: Serialize>(self, contents: &T) -> Vec<u8> {
        seal(self.magic, self.version, &encode(contents))
    }

    /// Returns the contents of a sealed binary file.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Sealed`] if the file is truncated, altered or of another kind.
    #[cfg(feature = "sealed")]
    pub fn open<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<T, FileError> {
        Ok(decode(open(self.magic, self.version, bytes)?)?)
    }

    /// Checks the first bytes of a file, before the rest is read. They can begin the JSON form or the binary form.
    ///
    /// ```
    /// use lockstep_files::FileKind;
    ///
    /// const SQUARES: FileKind =
    ///     FileKind { format: "squares", noun: "list of squares", magic: *b"squares\0", version: 1, remedies: &[] };
    ///
    /// assert!(SQUARES.check_first(b"square").is_ok() && SQUARES.check_first(b"{").is_ok());
    /// assert!(SQUARES.check_first(&[0; 8]).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Sealed`] if no file of this kind begins with these bytes.
    pub fn check_first(self, bytes: &[u8]) -> Result<(), FileError> {
        if is_json(bytes) {
            return Ok(());
        }
        Ok(check_magic(self.magic, bytes)?)
    }

    /// Returns the contents of the first sealed piece of a file that grows, and the bytes that follow the piece.
    ///
    /// # Errors
    ///
    /// Returns [`FileError::Sealed`] if the piece is truncated, altered or of another kind.
    #[cfg(feature = "sealed")]
    pub fn open_first<T: DeserializeOwned>(self, bytes: &[u8]) -> Result<(T, &[u8]), FileError> {
        let (payload, rest) = open_first(self.magic, self.version, bytes)?;
        Ok((decode(payload)?, rest))
    }

    /// Returns what to do with a file of another format.
    fn remedy(self, found: &str) -> String {
        match self.remedies.iter().find(|(format, _)| *format == found) {
            Some((_, remedy)) => (*remedy).to_owned(),
            None => format!("give a {} file", self.noun),
        }
    }
}

/// Returns true if a file of JSON or binary form has the JSON form, by its first byte. An empty file has it.
fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(b'{' | b' ' | b'\t' | b'\r' | b'\n') | None)
}

/// Why a file is not of the requested [`FileKind`]. Each message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The bytes are not UTF-8.
    #[error("byte {byte} is no UTF-8 text; give a {} file, JSON or binary", .kind.noun)]
    NotText {
        /// The requested kind.
        kind: FileKind,
        /// Position of the first invalid byte, from 0.
        byte: usize,
    },
    /// The text is not JSON.
    #[error("the text is no JSON: {}; correct it, or give another file", message_line(.why))]
    Syntax {
        /// The parser's message, with line and column.
        why: String,
    },
    /// The file is of another kind.
    #[error("field 'format' is '{}', expected '{}'; {}", one_line(.found), .kind.format, .kind.remedy(.found))]
    Format {
        /// The requested kind.
        kind: FileKind,
        /// The format in the file.
        found: String,
    },
    /// The file has a version that this library does not support.
    #[error("field 'version' is {found}, but only {} known; use a newer lockstep", known(*.kind))]
    Version {
        /// The kind of the file.
        kind: FileKind,
        /// The version in the file.
        found: u64,
    },
    /// A field has the wrong type, is missing, unknown, or out of range.
    #[error("field '{}': {}; correct that field", one_line(.field), message_line(.why))]
    Field {
        /// Path of the field, for example `steps[3][0].path[1]`.
        field: String,
        /// The parser's message, with line and column.
        why: String,
    },
    /// The binary file is truncated, altered or of another kind.
    #[error(transparent)]
    Sealed(#[from] SealError),
    /// The file is binary, and the program is built without the feature `sealed`.
    #[error("the file is binary, and this program reads JSON only; write the {} again as JSON", .kind.noun)]
    Binary {
        /// The requested kind.
        kind: FileKind,
    },
}

/// Returns the versions of JSON files that are read, for a message. Readers of a kind read all earlier versions too.
fn known(kind: FileKind) -> String {
    match kind.version {
        1 => "version 1 is".to_owned(),
        2 => "versions 1 and 2 are".to_owned(),
        version => format!("versions 1 to {version} are"),
    }
}

impl FileError {
    /// Returns true if the file is of another kind, and false if it is a damaged file of the requested kind.
    pub fn is_other_kind(&self) -> bool {
        matches!(self, Self::Format { .. } | Self::Sealed(SealError::Magic { .. }))
    }

    /// Returns true if the file is the beginning of a binary file of the requested kind: its writer was interrupted.
    pub fn is_torn(&self) -> bool {
        matches!(self, Self::Sealed(SealError::Length { found, expected }) if found < expected)
    }
}
