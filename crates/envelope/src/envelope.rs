//! The envelope: what stands before the bytes and protects them.

use sha2::{Digest, Sha256};

/// Number of bytes that [`seal`] puts before the payload.
///
/// In order: 8 bytes magic, 4 bytes version, 8 bytes payload length, 32 bytes SHA-256 of all the other bytes; numbers
/// are little-endian.
pub const HEADER_BYTES: usize = CHECKSUM + 32;

const VERSION: usize = 8;
const LENGTH: usize = VERSION + 4;
const CHECKSUM: usize = LENGTH + 8;

/// Why bytes are not the sealed payload that was asked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// Another kind of file.
    #[error("the file begins with \"{found}\", expected \"{expected}\"; give a file of the right kind")]
    Magic {
        /// The first bytes, unprintable ones escaped.
        found: String,
        /// The magic, unprintable bytes escaped.
        expected: String,
    },
    /// Written in another version.
    #[error("the file has version {found}, expected {expected}; write it again with this lockstep")]
    Version {
        /// The version in the file.
        found: u32,
        /// The version asked for.
        expected: u32,
    },
    /// Fewer or more bytes than the header says.
    #[error("the file has {found} bytes, expected {expected}; it is truncated or extended, fetch or write it again")]
    Length {
        /// Number of bytes there are.
        found: u64,
        /// Number of bytes there should be.
        expected: u64,
    },
    /// Some byte is not as it was written.
    #[error("the checksum does not match; the file is altered, fetch or write it again")]
    Checksum,
    /// The payload is intact but no value of the type asked for.
    #[error("the payload cannot be read: {why}; write the file again with this lockstep")]
    Payload {
        /// What the codec says.
        why: String,
    },
}

/// The payload with its header, as bytes of a file; [`open`] takes it off again.
pub fn seal(magic: [u8; 8], version: u32, payload: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(HEADER_BYTES + payload.len());
    sealed.extend(magic);
    sealed.extend(version.to_le_bytes());
    sealed.extend((payload.len() as u64).to_le_bytes());
    let checksum = checksum(&sealed, payload);
    sealed.extend(checksum);
    sealed.extend(payload);
    sealed
}

/// The payload of a sealed file. Reads every byte once and allocates nothing.
///
/// # Errors
///
/// The first [`EnvelopeError`] in the order magic, version, length, checksum.
pub fn open(magic: [u8; 8], version: u32, sealed: &[u8]) -> Result<&[u8], EnvelopeError> {
    match open_first(magic, version, sealed)? {
        (payload, []) => Ok(payload),
        (payload, _) => {
            let expected = (HEADER_BYTES + payload.len()) as u64;
            Err(EnvelopeError::Length { found: sealed.len() as u64, expected })
        }
    }
}

/// The payload of the first of several sealed pieces, one behind the other, and the bytes behind it: for files that grow.
///
/// # Errors
///
/// As [`open`]; an unfinished piece is an [`EnvelopeError::Length`].
pub fn open_first(magic: [u8; 8], version: u32, sealed: &[u8]) -> Result<(&[u8], &[u8]), EnvelopeError> {
    let begin = &sealed[..sealed.len().min(magic.len())];
    if !magic.starts_with(begin) {
        let [found, expected] = [begin, &magic].map(|bytes| bytes.escape_ascii().to_string());
        return Err(EnvelopeError::Magic { found, expected });
    }
    let Some((header, rest)) = sealed.split_first_chunk::<HEADER_BYTES>() else {
        return Err(EnvelopeError::Length { found: sealed.len() as u64, expected: HEADER_BYTES as u64 });
    };
    let found = u32::from_le_bytes(field(header, VERSION));
    if found != version {
        return Err(EnvelopeError::Version { found, expected: version });
    }
    let length = u64::from_le_bytes(field(header, LENGTH));
    let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let Some((payload, rest)) = split else {
        let expected = length.saturating_add(HEADER_BYTES as u64);
        return Err(EnvelopeError::Length { found: sealed.len() as u64, expected });
    };
    if header[CHECKSUM..] != checksum(&header[..CHECKSUM], payload) {
        return Err(EnvelopeError::Checksum);
    }
    Ok((payload, rest))
}

fn field<const N: usize>(header: &[u8; HEADER_BYTES], start: usize) -> [u8; N] {
    std::array::from_fn(|byte| header[start + byte])
}

fn checksum(begin: &[u8], payload: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(begin).chain_update(payload).finalize().into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAGIC: [u8; 8] = *b"lockstp\0";

    proptest! {
        #[test]
        fn what_is_sealed_is_opened(version: u32, payload: Vec<u8>) {
            let sealed = seal(MAGIC, version, &payload);
            prop_assert_eq!(sealed.len(), HEADER_BYTES + payload.len());
            prop_assert_eq!(open(MAGIC, version, &sealed), Ok(payload.as_slice()));
        }

        #[test]
        fn a_truncated_or_extended_file_is_refused(payload: Vec<u8>, cut: prop::sample::Index, more in 1usize..9) {
            let mut sealed = seal(MAGIC, 1, &payload);
            let kept = cut.index(sealed.len());
            let refused = matches!(open(MAGIC, 1, &sealed[..kept]), Err(EnvelopeError::Length { .. }));
            prop_assert!(refused);
            sealed.extend(std::iter::repeat_n(0, more));
            let refused = matches!(open(MAGIC, 1, &sealed), Err(EnvelopeError::Length { .. }));
            prop_assert!(refused);
        }

        #[test]
        fn sealed_pieces_are_opened_one_after_the_other(pieces: Vec<Vec<u8>>) {
            let sealed: Vec<u8> = pieces.iter().flat_map(|piece| seal(MAGIC, 1, piece)).collect();
            let mut rest = &sealed[..];
            for piece in &pieces {
                let (payload, behind) = open_first(MAGIC, 1, rest).unwrap();
                prop_assert_eq!(payload, piece);
                rest = behind;
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn a_changed_byte_is_refused(payload: Vec<u8>, place: prop::sample::Index, flip in 1u8..) {
            let mut sealed = seal(MAGIC, 1, &payload);
            let place = place.index(sealed.len());
            sealed[place] ^= flip;
            prop_assert!(open(MAGIC, 1, &sealed).is_err());
        }

        #[test]
        fn any_bytes_are_opened_without_panic(bytes: Vec<u8>) {
            prop_assert!(open(MAGIC, 1, &bytes).is_err());
        }
    }

    #[test]
    fn each_fault_is_named() {
        let sealed = seal(MAGIC, 2, b"payload");
        let message = |bytes: &[u8], version| open(MAGIC, version, bytes).unwrap_err().to_string();
        assert!(message(b"{\"format\"", 2).starts_with(r#"the file begins with "{\"format", expected "lockstp\x00""#));
        assert!(message(&sealed, 1).starts_with("the file has version 2, expected 1"));
        assert!(message(&sealed[..50], 2).starts_with("the file has 50 bytes, expected 52"));
        assert!(message(&sealed[..58], 2).starts_with("the file has 58 bytes, expected 59"));
        let mut altered = sealed;
        altered[58] ^= 1;
        assert!(message(&altered, 2).starts_with("the checksum does not match"));
    }
}
