//! File kinds and containers: one header for JSON files, sealed binary files, JSON texts with one line per row, and files
//! that are replaced as a whole.
//!
//! This crate does not define the contents of any file.
//!
//! ```
//! use lockstep_files::{FileError, FileKind};
//!
//! const SQUARES: FileKind =
//!     FileKind { format: "squares", noun: "list of squares", magic: *b"squares\0", version: 1, remedies: &[] };
//!
//! let sealed = SQUARES.seal(&vec![1u32, 4, 9]);
//! let squares: Vec<u32> = SQUARES.open(&sealed)?;
//! assert_eq!(squares, [1, 4, 9]);
//!
//! // A truncated or altered file is refused.
//! let error = SQUARES.open::<Vec<u32>>(&sealed[..sealed.len() - 1]).unwrap_err();
//! assert!(error.to_string().starts_with("the file has 55 bytes, expected 56"));
//! # Ok::<(), FileError>(())
//! ```
//!
//! # Concepts
//!
//! - A [`FileKind`] names a kind of file. Its JSON form begins with the fields `format` and `version`. Its binary form
//!   is sealed.
//! - A *sealed* file is a magic number, a version, a length, a SHA-256 checksum and a payload. A file that grows is a
//!   sequence of sealed pieces.
//! - [`encode`] and [`decode`] convert values to payloads and back. They are the only callers of the binary codec.
//! - Sealed files need the feature `sealed`, which is on by default.
//!
//! # Entry points
//!
//! - [`FileKind::read`] detects JSON or binary. [`FileKind::parse`] and [`FileKind::open`] read the two forms.
//! - [`FileKind::seal`] writes the binary form, [`to_json_rows`] the JSON form.
//! - [`seal`], [`append_sealed`], [`open`] and [`open_first`] work on payloads that the caller encodes.
//! - [`to_json_line`] writes one record of a JSON Lines file, and [`from_json_lines`] reads such a file.
//! - [`decode_text`] decodes a text file in UTF-8 or UTF-16.
//! - [`one_line`] quotes a foreign text in an error message, and [`message_line`] a whole message.
//! - [`name_chosen`] finds the name that a typed word stands for, and [`name_advice`] suggests names for a wrong word.
//! - [`read_file`] reads a file up to a limit. [`open_input`] and [`read_input`] are its two parts.
//! - [`schema_of`] gives a type the JSON Schema of its serialized form.
//! - [`OutputFile`] writes a device in place, and a file as a [`Replacement`]: as a whole or not at all. [`LogFile`] writes
//!   a file that grows. [`FileIdentity`] tells whether two paths name one file.

#[cfg(feature = "sealed")]
mod codec;
mod encoding;
mod fault;
mod identity;
mod input;
mod json;
mod json_lines;
mod kind;
mod log_file;
mod names;
mod output_file;
mod quote;
mod replacement;
mod schema;
mod seal_error;
#[cfg(feature = "sealed")]
mod sealed;

#[cfg(feature = "sealed")]
pub use codec::{append_encoded, decode, encode};
pub use encoding::{decode_text, first_binary_byte};
pub use identity::FileIdentity;
pub use input::{InputError, open_input, read_file, read_input};
pub use json::{to_json_line, to_json_rows};
pub use json_lines::{JsonLineError, from_json_lines};
pub use kind::{FileError, FileKind};
pub use log_file::LogFile;
pub use names::{NameError, did_you_mean, is_same_name, name_advice, name_chosen, nearest_names};
pub use output_file::OutputFile;
pub use quote::{escaped, is_hidden, message_line, one_line};
pub use replacement::{Replacement, TEMPORARY_SUFFIX, replace};
pub use seal_error::SealError;
#[cfg(feature = "sealed")]
pub use sealed::{HEADER_BYTES, append_sealed, open, open_first, seal};
