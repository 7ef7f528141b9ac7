//! Files that are read: no devices, and no more bytes than a limit.

use std::fs::{File, FileType};
use std::io::{self, IsTerminal, Read};
use std::path::Path;

/// Number of bytes that decide whether an input is read to its end.
const FIRST_BYTES: u64 = 4096;

/// Why an input is not read. `E` is the error of the check of its first bytes.
#[derive(Debug)]
pub enum InputError<E> {
    /// The error of the operating system.
    Io(io::Error),
    /// The input is longer than the limit.
    TooLong,
    /// The first bytes are refused.
    Refused(E),
}

/// Opens a file or a pipe to read it.
///
/// ```
/// # #[cfg(unix)]
/// assert!(lockstep_files::open_input("/dev/zero".as_ref()).is_err());
/// ```
///
/// # Errors
///
/// The errors of the operating system; also if the path names a device that is no terminal, because a device such as
/// `/dev/zero` has no end.
pub fn open_input(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if is_device(file.metadata()?.file_type()) && !file.is_terminal() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a device, not a file"));
    }
    Ok(file)
}

#[cfg(unix)]
fn is_device(kind: FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: FileType) -> bool {
    false
}

/// Reads a file or a pipe of at most `limit` bytes, unless `check` refuses its first 4096 bytes.
///
/// # Errors
///
/// [`InputError`], with those of [`open_input`] and [`read_input`]. A file that is too long is not read.
pub fn read_file<E>(
    path: &Path,
    limit: u64,
    check: impl FnOnce(&[u8]) -> Result<(), E>,
) -> Result<Vec<u8>, InputError<E>> {
    let file = open_input(path).map_err(InputError::Io)?;
    if file.metadata().map_err(InputError::Io)?.len() > limit {
        return Err(InputError::TooLong);
    }
    read_input(file, limit, check)
}

/// Reads a stream of at most `limit` bytes to its end, unless `check` refuses its first 4096 bytes.
///
/// ```
/// use lockstep_files::{InputError, read_input};
///
/// let is_text = |first: &[u8]| if first.contains(&0) { Err("no text") } else { Ok(()) };
/// assert_eq!(read_input(&b"a b\n"[..], 4, is_text).unwrap(), b"a b\n");
/// assert!(matches!(read_input(std::io::repeat(0), 1 << 30, is_text), Err(InputError::Refused("no text"))));
/// assert!(matches!(read_input(&b"a b c\n"[..], 4, is_text), Err(InputError::TooLong)));
/// ```
///
/// # Errors
///
/// [`InputError`].
pub fn read_input<E>(
    stream: impl Read,
    limit: u64,
    check: impl FnOnce(&[u8]) -> Result<(), E>,
) -> Result<Vec<u8>, InputError<E>> {
    let mut stream = stream.take(limit.saturating_add(1));
    let mut bytes = Vec::new();
    stream.by_ref().take(FIRST_BYTES).read_to_end(&mut bytes).map_err(InputError::Io)?;
    check(&bytes).map_err(InputError::Refused)?;
    stream.read_to_end(&mut bytes).map_err(InputError::Io)?;
    if bytes.len() as u64 > limit { Err(InputError::TooLong) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn devices_are_refused_also_behind_links() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/null", &link).unwrap();
        for path in [Path::new("/dev/zero"), Path::new("/dev/null"), &link] {
            assert_eq!(open_input(path).unwrap_err().to_string(), "a device, not a file");
        }
    }

    #[test]
    fn an_input_has_its_limit_at_most() {
        let all = |_: &[u8]| Ok::<_, ()>(());
        for length in [0, 1, FIRST_BYTES, FIRST_BYTES + 1, 65_535, 65_536] {
            let read = |limit| read_input(io::repeat(7).take(length), limit, all);
            assert_eq!(read(length).unwrap().len() as u64, length);
            assert!(length == 0 || matches!(read(length - 1), Err(InputError::TooLong)), "{length}");
        }
    }
}
