//! Sealed files: a payload behind a header that protects it.

use sha2::{Digest, Sha256};

use crate::seal_error::{SealError, check_magic};

/// Number of bytes that [`seal`] puts before the payload.
///
/// In order: 8 bytes magic, 4 bytes version, 8 bytes payload length, 32 bytes SHA-256 of all other bytes. Numbers are
/// little-endian.
pub const HEADER_BYTES: usize = CHECKSUM + 32;

const VERSION: usize = 8;
const LENGTH: usize = VERSION + 4;
const CHECKSUM: usize = LENGTH + 8;

/// Returns the payload with its header, as the bytes of a file. [`open`] returns the payload.
///
/// O(length of `payload`).
///
/// ```
/// use lockstep_files::{open, seal};
///
/// let sealed = seal(*b"greeting", 1, b"hello");
/// assert_eq!(open(*b"greeting", 1, &sealed)?, b"hello");
/// assert!(open(*b"greeting", 2, &sealed).is_err());
/// # Ok::<(), lockstep_files::SealError>(())
/// ```
pub fn seal(magic: [u8; 8], version: u32, payload: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(HEADER_BYTES + payload.len());
    append_sealed(&mut sealed, magic, version, |sealed| sealed.extend(payload));
    sealed
}

/// Appends a sealed piece to `bytes`. `write` appends the payload, so that a large one needs no second copy.
///
/// ```
/// use lockstep_files::{append_sealed, open};
///
/// let mut sealed = Vec::new();
/// append_sealed(&mut sealed, *b"greeting", 1, |payload| payload.extend(b"hello"));
/// assert_eq!(open(*b"greeting", 1, &sealed)?, b"hello");
/// # Ok::<(), lockstep_files::SealError>(())
/// ```
pub fn append_sealed(bytes: &mut Vec<u8>, magic: [u8; 8], version: u32, write: impl FnOnce(&mut Vec<u8>)) {
    let start = bytes.len();
    bytes.extend([0; HEADER_BYTES]);
    write(bytes);
    let (header, payload) = bytes[start..].split_at_mut(HEADER_BYTES);
    header[..VERSION].copy_from_slice(&magic);
    header[VERSION..LENGTH].copy_from_slice(&version.to_le_bytes());
    header[LENGTH..CHECKSUM].copy_from_slice(&(payload.len() as u64).to_le_bytes());
    let checksum = checksum(&header[..CHECKSUM], payload);
    header[CHECKSUM..].copy_from_slice(&checksum);
}

/// Returns the payload of a sealed file.
///
/// O(length of `sealed`), without allocation.
///
/// # Errors
///
/// Returns the first [`SealError`] in the order magic, version, length, checksum.
pub fn open(magic: [u8; 8], version: u32, sealed: &[u8]) -> Result<&[u8], SealError> {
    match open_first(magic, version, sealed)? {
        (payload, []) => Ok(payload),
        (payload, _) => {
            let expected = (HEADER_BYTES + payload.len()) as u64;
            Err(SealError::Length { found: sealed.len() as u64, expected })
        }
    }
}

/// Returns the payload of the first sealed piece, and the bytes that follow the piece.
///
/// A file that grows is a sequence of sealed pieces. O(length of the first piece).
///
/// ```
/// use lockstep_files::{open_first, seal};
///
/// let log = [seal(*b"numbers\0", 1, &[1]), seal(*b"numbers\0", 1, &[2, 3])].concat();
/// let (first, rest) = open_first(*b"numbers\0", 1, &log)?;
/// let (second, rest) = open_first(*b"numbers\0", 1, rest)?;
/// assert_eq!((first, second, rest), ([1].as_slice(), [2, 3].as_slice(), [].as_slice()));
/// # Ok::<(), lockstep_files::SealError>(())
/// ```
///
/// # Errors
///
/// Returns the same errors as [`open`]. An incomplete piece is a [`SealError::Length`].
pub fn open_first(magic: [u8; 8], version: u32, sealed: &[u8]) -> Result<(&[u8], &[u8]), SealError> {
    check_magic(magic, sealed)?;
    let Some((header, rest)) = sealed.split_first_chunk::<HEADER_BYTES>() else {
        return Err(SealError::Length { found: sealed.len() as u64, expected: HEADER_BYTES as u64 });
    };
    let found = u32::from_le_bytes(field(header, VERSION));
    if found != version {
        return Err(SealError::Version { found, expected: version });
    }
    let length = u64::from_le_bytes(field(header, LENGTH));
    let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let Some((payload, rest)) = split else {
        let expected = length.saturating_add(HEADER_BYTES as u64);
        return Err(SealError::Length { found: sealed.len() as u64, expected });
    };
    if header[CHECKSUM..] != checksum(&header[..CHECKSUM], payload) {
        return Err(SealError::Checksum);
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
        fn open_returns_the_sealed_payload(version: u32, payload: Vec<u8>) {
            let sealed = seal(MAGIC, version, &payload);
            prop_assert_eq!(sealed.len(), HEADER_BYTES + payload.len());
            prop_assert_eq!(open(MAGIC, version, &sealed), Ok(payload.as_slice()));
        }

        #[test]
        fn a_truncated_or_extended_file_is_refused(payload: Vec<u8>, cut: prop::sample::Index, more in 1usize..9) {
            let mut sealed = seal(MAGIC, 1, &payload);
            let kept = cut.index(sealed.len());
            let refused = matches!(open(MAGIC, 1, &sealed[..kept]), Err(SealError::Length { .. }));
            prop_assert!(refused);
            sealed.extend(std::iter::repeat_n(0, more));
            let refused = matches!(open(MAGIC, 1, &sealed), Err(SealError::Length { .. }));
            prop_assert!(refused);
        }

        #[test]
        fn sealed_pieces_are_opened_in_order(pieces: Vec<Vec<u8>>) {
            let sealed: Vec<u8> = pieces.iter().flat_map(|piece| seal(MAGIC, 1, piece)).collect();
            let mut rest = &sealed[..];
            for piece in &pieces {
                let (payload, following) = open_first(MAGIC, 1, rest).unwrap();
                prop_assert_eq!(payload, piece);
                rest = following;
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn an_altered_byte_is_refused(payload: Vec<u8>, place: prop::sample::Index, flip in 1u8..) {
            let mut sealed = seal(MAGIC, 1, &payload);
            let place = place.index(sealed.len());
            sealed[place] ^= flip;
            prop_assert!(open(MAGIC, 1, &sealed).is_err());
        }

        #[test]
        fn arbitrary_bytes_are_refused_without_panic(bytes: Vec<u8>) {
            prop_assert!(open(MAGIC, 1, &bytes).is_err());
        }
    }

    #[test]
    fn each_error_has_its_own_message() {
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
