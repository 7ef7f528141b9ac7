//! Sealed binary files: magic, version, length and checksum around bytes, and the one codec that makes the bytes.
//!
//! Not here: what the bytes mean, and files themselves.
//!
//! ```
//! use lockstep_envelope::{decode, encode, open, seal};
//!
//! const MAGIC: [u8; 8] = *b"squares\0";
//! let sealed = seal(MAGIC, 1, &encode(&vec![1u32, 4, 9]));
//! let squares: Vec<u32> = decode(open(MAGIC, 1, &sealed)?)?;
//! assert_eq!(squares, [1, 4, 9]);
//! assert!(open(MAGIC, 1, &sealed[..sealed.len() - 1]).is_err());
//! # Ok::<(), lockstep_envelope::EnvelopeError>(())
//! ```

mod codec;
mod envelope;

pub use codec::{decode, encode};
pub use envelope::{EnvelopeError, HEADER_BYTES, open, open_first, seal};
