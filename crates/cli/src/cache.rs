//! The folder of files that a command can make again, such as logs of interrupted sweeps.

use std::env;
use std::path::PathBuf;

/// Returns the folder `lockstep` in the user's cache folder, if there is such a folder. It may not exist yet.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    Some(folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?.join("lockstep"))
}
