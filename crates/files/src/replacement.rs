//! Files that are replaced as a whole, or not at all.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::fault;
use crate::identity::{FileIdentity, folder, without_links};

/// What is appended to the name of a file while its replacement is written.
pub const TEMPORARY_SUFFIX: &str = ".lockstep-tmp";

/// Number of attempts to create a temporary file that another process removes again and again.
const MAX_ATTEMPTS: usize = 100;

/// New contents of a file. The old contents stay until [`commit`](Self::commit); without it, they stay for good.
///
/// The new contents are written to the temporary file `NAME.lockstep-tmp` beside the file. Dropping a replacement removes
/// it. A killed process leaves it behind, and the next replacement of the same file removes it. The temporary file is
/// locked, so one file has at most one replacement at a time.
///
/// A symbolic link stays a link: the file that it names is replaced. Mode and owner of an old file stay the same. The new
/// contents are a new file, so other hard links to the old file keep the old contents.
///
/// # Source
///
/// Write, `fsync`, rename, and `fsync` of the folder: T. S. Pillai et al., *All file systems are not created equal*, OSDI
/// 2014. The locked file of a known name beside the file is that of git.
#[derive(Debug)]
pub struct Replacement {
    /// The file, after all symbolic links.
    target: PathBuf,
    temporary: PathBuf,
    file: File,
    is_committed: bool,
}

impl Replacement {
    /// Creates the temporary file. Success proves that `path` can be replaced, except for a lack of space.
    ///
    /// ```
    /// use std::io::Write;
    ///
    /// use lockstep_files::Replacement;
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("out.json");
    /// let mut replacement = Replacement::begin(&path)?;
    /// replacement.write_all(b"{}\n")?;
    /// assert!(!path.exists());
    /// replacement.commit()?;
    /// assert_eq!(std::fs::read(&path)?, b"{}\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the operating system; also if `path` is not a regular file, cannot be written, or is being replaced
    /// by another process.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let target = without_links(path)?;
        let old = match fs::metadata(&target) {
            Ok(found) => Some(found),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if let Some(old) = &old {
            expect_regular(old)?;
            // A file that refuses to be written is not replaced, either.
            OpenOptions::new().write(true).open(&target)?;
        }
        let mut name = target.file_name().map(OsString::from).unwrap_or_default();
        name.push(TEMPORARY_SUFFIX);
        let temporary = target.with_file_name(name);
        let file = locked(&temporary, old.is_some())?;
        let replacement = Self { target, temporary, file, is_committed: false };
        if let Some(old) = &old {
            keep_owner_and_mode(&replacement.file, old)?;
        }
        Ok(replacement)
    }

    /// Replaces the file by what was written. The new contents survive a loss of power.
    ///
    /// # Errors
    ///
    /// The errors of the operating system. The old file stays then.
    pub fn commit(mut self) -> io::Result<FileIdentity> {
        fault::point()?;
        self.file.sync_all()?;
        fault::point()?;
        fs::rename(&self.temporary, &self.target)?;
        self.is_committed = true;
        // Some file systems cannot synchronize folders; the file itself is safe.
        let _ = File::open(folder(&self.target)).and_then(|folder| folder.sync_all());
        FileIdentity::of(&self.target)
    }
}

impl Write for Replacement {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        fault::point()?;
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if !self.is_committed {
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

/// Replaces a file by these bytes, or leaves it as it is. Returns the identity of the new file.
///
/// # Errors
///
/// The errors of [`Replacement`].
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<FileIdentity> {
    let mut replacement = Replacement::begin(path)?;
    replacement.write_all(bytes)?;
    replacement.commit()
}

/// Creates and locks a temporary file. Removes one that a killed process left behind.
fn locked(temporary: &Path, is_private: bool) -> io::Result<File> {
    for _ in 0..MAX_ATTEMPTS {
        match options(is_private).open(temporary) {
            Ok(file) => {
                if lock(&file) && is_at(&file, temporary) {
                    return Ok(file);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => remove_abandoned(temporary)?,
            Err(error) => return Err(error),
        }
    }
    Err(in_use())
}

/// Returns options that create a file, for its owner alone if it is private.
#[cfg(unix)]
fn options(is_private: bool) -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(if is_private { 0o600 } else { 0o666 });
    options
}

#[cfg(not(unix))]
fn options(_: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    options
}

/// Removes a temporary file whose process has ended.
fn remove_abandoned(temporary: &Path) -> io::Result<()> {
    let found = match fs::symlink_metadata(temporary) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    expect_regular(&found)?;
    let file = match OpenOptions::new().write(true).open(temporary) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        file => file?,
    };
    if !lock(&file) {
        return Err(in_use());
    }
    if is_at(&file, temporary) { fs::remove_file(temporary) } else { Ok(()) }
}

/// Locks a file until it is closed. Returns false if another process has locked it.
pub(crate) fn lock(file: &File) -> bool {
    // Some network file systems have no locks.
    !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
}

/// Returns true if the path still names this file.
fn is_at(file: &File, path: &Path) -> bool {
    let identity = FileIdentity::of_file(file).ok().flatten();
    identity.is_none_or(|identity| FileIdentity::of(path).is_ok_and(|found| found == identity))
}

pub(crate) fn expect_regular(found: &Metadata) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")) }
}

pub(crate) fn in_use() -> io::Error {
    io::Error::new(io::ErrorKind::ResourceBusy, "another process is writing this file; wait, or use another file")
}

#[cfg(unix)]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    let is_owner_kept =
        (new.uid(), new.gid()) == (old.uid(), old.gid()) || fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
    // Permissions of a group that is not kept would belong to another group.
    let mode = old.mode() & if is_owner_kept { 0o777 } else { 0o707 };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_owner_and_mode(file: &File, old: &Metadata) -> io::Result<()> {
    file.set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_replaced_file_has_the_new_contents_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        replace(&path, b"long contents").unwrap();
        replace(&path, b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(names(directory.path()), ["out"]);
    }

    #[test]
    fn a_dropped_replacement_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(&path, "old").unwrap();
        let mut replacement = Replacement::begin(&path).unwrap();
        replacement.write_all(b"new").unwrap();
        assert_eq!(names(directory.path()), ["out", "out.lockstep-tmp"]);
        drop(replacement);
        assert_eq!((fs::read(&path).unwrap(), names(directory.path())), (b"old".to_vec(), vec!["out".to_owned()]));
    }

    #[test]
    fn a_file_has_one_replacement_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        let first = Replacement::begin(&path).unwrap();
        let error = Replacement::begin(&path).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
        first.commit().unwrap();
        Replacement::begin(&path).unwrap();
    }

    #[test]
    fn the_temporary_file_of_a_killed_process_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::write(directory.path().join("out.lockstep-tmp"), "half of the").unwrap();
        replace(&path, b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(directory.path())), (b"new".to_vec(), vec!["out".to_owned()]));
    }

    #[test]
    fn a_folder_is_neither_replaced_nor_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        fs::create_dir(&path).unwrap();
        assert!(replace(&path, b"new").is_err());
        assert!(replace(Path::new("/"), b"new").is_err());
        fs::create_dir(directory.path().join("file.lockstep-tmp")).unwrap();
        assert!(replace(&directory.path().join("file"), b"new").is_err());
        assert_eq!(names(directory.path()), ["file.lockstep-tmp", "out"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{PermissionsExt, symlink};

        use super::*;

        #[test]
        fn modes_are_kept() {
            let directory = tempfile::tempdir().unwrap();
            let path = directory.path().join("out");
            fs::write(&path, "old").unwrap();
            for mode in [0o600, 0o640, 0o644, 0o755, 0o666] {
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                replace(&path, b"new").unwrap();
                assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
            }
        }

        #[test]
        fn symbolic_links_stay_links() {
            let directory = tempfile::tempdir().unwrap();
            let path = |name: &str| directory.path().join(name);
            fs::create_dir(path("folder")).unwrap();
            fs::write(path("folder/old"), "old").unwrap();
            symlink("folder/old", path("soft")).unwrap();
            symlink("folder/new", path("dangling")).unwrap();
            for (link, target) in [("soft", "folder/old"), ("dangling", "folder/new")] {
                replace(&path(link), b"new").unwrap();
                assert_eq!(fs::read_link(path(link)).unwrap(), Path::new(target));
                assert_eq!(fs::read(path(target)).unwrap(), b"new");
            }
        }

        #[test]
        fn other_hard_links_keep_the_old_contents() {
            let directory = tempfile::tempdir().unwrap();
            let [one, two] = ["one", "two"].map(|name| directory.path().join(name));
            fs::write(&one, "old").unwrap();
            fs::hard_link(&one, &two).unwrap();
            replace(&one, b"new").unwrap();
            assert_eq!((fs::read(one).unwrap(), fs::read(two).unwrap()), (b"new".to_vec(), b"old".to_vec()));
        }

        #[test]
        fn a_device_is_refused_and_stays() {
            assert!(replace(Path::new("/dev/null"), b"new").is_err());
            assert!(!fs::metadata("/dev/null").unwrap().is_file());
        }
    }
}
