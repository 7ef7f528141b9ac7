//! The identity of files: two paths can name one file.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of symbolic links on the way to a file, as in Linux.
const MAX_LINKS: usize = 40;

/// The identity of a file: two paths to one file have the same identity.
///
/// On Unix, hard links to one file have the same identity. On other systems, they do not.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum FileIdentity {
    /// Device and inode of a file.
    Inode(u64, u64),
    /// The path of a file that does not exist yet, or that has no inode number. Its folder is canonical.
    Path(PathBuf),
}

impl FileIdentity {
    /// Returns the identity of the file at `path`. Follows symbolic links. The file does not have to exist, but its folder
    /// does.
    ///
    /// ```
    /// use lockstep_files::FileIdentity;
    ///
    /// let folder = std::env::temp_dir();
    /// let [plain, detour] = ["new", "./new"].map(|name| FileIdentity::of(&folder.join(name)));
    /// assert_eq!(plain?, detour?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of the operating system, for example if the folder does not exist.
    pub fn of(path: &Path) -> io::Result<Self> {
        match fs::metadata(path) {
            Ok(found) => Ok(Self::of_metadata(&found).map_or_else(|| fs::canonicalize(path).map(Self::Path), Ok)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Path(without_links(path)?)),
            Err(error) => Err(error),
        }
    }

    /// Returns the identity of an open file. `None` on systems without inode numbers.
    ///
    /// # Errors
    ///
    /// The errors of the operating system.
    pub fn of_file(file: &File) -> io::Result<Option<Self>> {
        Ok(Self::of_metadata(&file.metadata()?))
    }

    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no inode numbers")]
    fn of_metadata(found: &Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        Some(Self::Inode(found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    fn of_metadata(_: &Metadata) -> Option<Self> {
        None
    }
}

/// Returns the path to which the symbolic links lead, also if no file exists there. Its folder is canonical.
///
/// # Errors
///
/// The errors of the operating system, for example if the folder does not exist.
pub(crate) fn without_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(target) = fs::read_link(&path) {
            path = folder(&path).join(target);
            continue;
        }
        let Some(name) = path.file_name() else { return fs::canonicalize(&path) };
        return Ok(fs::canonicalize(folder(&path))?.join(name));
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Returns the folder of a file: `.` for a plain name.
pub(crate) fn folder(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_to_one_file_have_one_identity() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::write(path("file"), "").unwrap();
        fs::hard_link(path("file"), path("hard")).unwrap();
        symlink("file", path("soft")).unwrap();
        let of = |name: &str| FileIdentity::of(&path(name)).unwrap();
        assert_eq!((of("file"), of("file")), (of("hard"), of("soft")));
        fs::write(path("other"), "").unwrap();
        assert_ne!(of("file"), of("other"));
    }

    #[test]
    fn links_to_one_missing_file_have_one_identity() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        fs::create_dir(path("folder")).unwrap();
        symlink("folder/new", path("soft")).unwrap();
        symlink("folder", path("alias")).unwrap();
        let of = |name: &str| FileIdentity::of(&path(name)).unwrap();
        assert_eq!((of("soft"), of("alias/new")), (of("folder/new"), of("folder/new")));
        assert_ne!(of("folder/new"), of("new"));
        symlink("circle", path("circle")).unwrap();
        assert!(FileIdentity::of(&path("circle")).is_err());
    }
}
