//! Why bytes are not a sealed file, and the check of its first bytes, which needs no checksum.

/// Why bytes are not a sealed file of the requested kind.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// The file is of another kind.
    #[error("the file begins with \"{found}\", expected \"{expected}\"; give a file of the right kind")]
    Magic {
        /// The first bytes, with unprintable ones escaped.
        found: String,
        /// The expected magic, with unprintable bytes escaped.
        expected: String,
    },
    /// The file has another version.
    #[error("the file has version {found}, expected {expected}; write it again with this lockstep")]
    Version {
        /// The version in the file.
        found: u32,
        /// The expected version.
        expected: u32,
    },
    /// The file has fewer or more bytes than its header says.
    #[error("the file has {found} bytes, expected {expected}; it is truncated or extended, fetch or write it again")]
    Length {
        /// Number of bytes of the file.
        found: u64,
        /// Number of bytes according to the header.
        expected: u64,
    },
    /// At least one byte is altered.
    #[error("the checksum does not match; the file is altered, fetch or write it again")]
    Checksum,
    /// The payload is intact but not a value of the requested type.
    #[error("the payload cannot be read: {why}; write the file again with this lockstep")]
    Payload {
        /// The message of the codec.
        why: String,
    },
}

/// Checks that a file can begin with these bytes: they are the magic number with what follows it, or a part of the magic number.
pub(crate) fn check_magic(magic: [u8; 8], bytes: &[u8]) -> Result<(), SealError> {
    let begin = &bytes[..bytes.len().min(magic.len())];
    if magic.starts_with(begin) {
        return Ok(());
    }
    let [found, expected] = [begin, &magic].map(|bytes| bytes.escape_ascii().to_string());
    Err(SealError::Magic { found, expected })
}
