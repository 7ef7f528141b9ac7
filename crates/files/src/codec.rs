//! Values as bytes. This module is the only caller of bincode.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::seal_error::SealError;

/// Returns the value as bytes. [`decode`] reads them.
///
/// O(size of the value). A number below 251 takes one byte.
///
/// ```
/// use lockstep_files::{decode, encode};
///
/// let bytes = encode(&("torus", [4u32, 4]));
/// assert_eq!(bytes.len(), 8);
/// assert_eq!(decode::<(String, [u32; 2])>(&bytes)?, ("torus".to_owned(), [4, 4]));
/// # Ok::<(), lockstep_files::SealError>(())
/// ```
///
/// # Panics
///
/// Panics if the `Serialize` implementation of `T` fails or writes a sequence without its length. Derived ones do not.
pub fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    let mut bytes = Vec::new();
    append_encoded(&mut bytes, value);
    bytes
}

/// Appends the bytes of [`encode`].
///
/// # Panics
///
/// As [`encode`].
pub fn append_encoded<T: Serialize>(bytes: &mut Vec<u8>, value: &T) {
    let written = bincode::serde::encode_into_std_write(value, bytes, bincode::config::standard());
    written.expect("derived types can be serialized");
}

/// Returns the value that [`encode`] wrote.
///
/// The codec needs all fields in order, so types with skipped fields or untagged enums cannot be read. O(length of
/// `bytes`). Each allocation is at most 256 times as large as `bytes`, or 1 MiB, whatever lengths they claim.
///
/// # Errors
///
/// Returns [`SealError::Payload`] if the bytes are not exactly one `T`.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, SealError> {
    // Each byte of the payload counts up to 16 towards the limit, which bincode takes as a constant only.
    match bytes.len() {
        0..=0xFFFF => decode_within::<T, { limit(20) }>(bytes),
        0x1_0000..=0xF_FFFF => decode_within::<T, { limit(24) }>(bytes),
        0x10_0000..=0xFF_FFFF => decode_within::<T, { limit(28) }>(bytes),
        0x100_0000..=0xFFF_FFFF => decode_within::<T, { limit(32) }>(bytes),
        _ => decode_within::<T, { limit(40) }>(bytes),
    }
}

const fn limit(exponent: u32) -> usize {
    if exponent < usize::BITS - 1 { 1 << exponent } else { isize::MAX as usize }
}

fn decode_within<T: DeserializeOwned, const LIMIT: usize>(bytes: &[u8]) -> Result<T, SealError> {
    let config = bincode::config::standard().with_limit::<LIMIT>();
    let payload = |why: String| SealError::Payload { why };
    let (value, used) =
        bincode::serde::decode_from_slice(bytes, config).map_err(|error| payload(format!("{error:?}")))?;
    if used < bytes.len() {
        return Err(payload(format!("{} bytes are left over", bytes.len() - used)));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Table = (String, Vec<(u32, Option<u64>)>, [f64; 2], bool);

    proptest! {
        #[test]
        fn decode_returns_the_encoded_value(
            table: (String, Vec<(u32, Option<u64>)>, bool),
            point in [-1.0e9..1.0e9, -1.0e9..1.0e9],
        ) {
            let table: Table = (table.0, table.1, point, table.2);
            prop_assert_eq!(decode::<Table>(&encode(&table)).unwrap(), table);
        }

        #[test]
        fn arbitrary_bytes_are_read_without_panic(bytes: Vec<u8>) {
            let _ = decode::<Table>(&bytes);
            let _ = decode::<Vec<String>>(&bytes);
        }

        #[test]
        fn bytes_after_the_value_are_refused(value: Vec<u16>, rest in 1usize..9) {
            let mut bytes = encode(&value);
            bytes.extend(std::iter::repeat_n(0, rest));
            prop_assert!(decode::<Vec<u16>>(&bytes).is_err());
        }
    }

    #[test]
    fn a_claimed_length_without_contents_is_refused() {
        // bincode writes a length past 250 as the marker 253 and 8 bytes.
        let claim = [[253].as_slice(), &(u64::MAX >> 2).to_le_bytes()].concat();
        assert!(decode::<String>(&claim).is_err());
        assert!(decode::<Vec<u64>>(&claim).is_err());
        assert!(decode::<Vec<Vec<u8>>>(&claim).is_err());
    }

    #[test]
    fn every_size_class_round_trips() {
        for exponent in [0, 12, 17, 21, 25] {
            // Small numbers are the worst case: one byte counts as eight.
            let numbers = vec![1u64; 1 << exponent];
            assert_eq!(decode::<Vec<u64>>(&encode(&numbers)).unwrap(), numbers, "2^{exponent}");
        }
    }
}
