//! A file cache for a [`PathTable`].

use std::fs;
use std::io;
use std::path::Path;

use lockstep_files::{FileError, FileKind, InputError, read_file, replace};
use lockstep_topology::Topology;
use serde::{Deserialize, Serialize};
use tracing::{debug, warn};

use crate::{MAX_BYTES, PathSelection, PathTable, TableError};

/// Version 1 contains illegal paths of networks with buses, and lacks legal ones.
const KIND: FileKind =
    FileKind { format: "lockstep-paths", noun: "path table", magic: *b"lockpath", version: 2, remedies: &[] };

/// The maximum size of a file. bincode uses at most 5 bytes for 4 bytes in memory.
const MAX_FILE_BYTES: u64 = MAX_BYTES / 4 * 5 + 1024;

/// The content of the file.
#[derive(Serialize, Deserialize)]
struct CachedTable<Table> {
    topology: [u8; 32],
    selection: PathSelection,
    table: Table,
}

/// The reason why a cache cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The file is not a path table, has another version, or is damaged.
    #[error(transparent)]
    Damaged(#[from] FileError),
    /// The table belongs to another network.
    #[error("it belongs to another network")]
    OtherTopology,
    /// The table contains other paths than the selected ones.
    #[error("it contains another selection, {0:?}")]
    OtherSelection(PathSelection),
    /// The table contains a path that is not in the network.
    #[error("it contains a path that is not in the network")]
    NoSuchPath,
}

/// The reason why a file cannot be used.
#[derive(Debug, thiserror::Error)]
enum LoadError {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Cache(#[from] CacheError),
}

impl PathTable {
    /// Loads the selected paths from the file `cache`, or computes them and writes the file.
    ///
    /// A file of another network, selection or version, or a damaged file, is replaced with a warning. A file that is no
    /// path cache stays, with a warning. A file that cannot be written is only a warning. The file is
    /// [replaced](lockstep_files::Replacement) as a whole, and missing directories are created. Networks with the same
    /// [`Topology::digest`] have the same table.
    ///
    /// # Errors
    ///
    /// [`TableError`], as [`build`](Self::build).
    ///
    /// ```no_run
    /// use lockstep_paths::{PathSelection, PathTable};
    /// use lockstep_topology::Topology;
    ///
    /// let torus: Topology = "torus:32x32".parse()?;
    /// let selection = PathSelection::Shortest { cap: 8, seed: 1 };
    /// let table = PathTable::load_or_build("torus-32x32.paths".as_ref(), &torus, selection)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn load_or_build(cache: &Path, topology: &Topology, selection: PathSelection) -> Result<Self, TableError> {
        let digest = topology.digest();
        let file = cache.display();
        match load(cache, topology, digest, selection) {
            Ok(table) => return Ok(table),
            Err(LoadError::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => {
                debug!(%file, "no path cache yet");
            }
            // A file of another kind is not a cache, and not ours to replace.
            Err(LoadError::Cache(CacheError::Damaged(reason))) if reason.is_other_kind() => {
                warn!(%file, %reason, "the file is no path cache, and is left as it is");
                return Self::build(topology, selection);
            }
            Err(reason) => warn!(%file, %reason, "the path cache cannot be used and is replaced"),
        }
        let table = Self::build(topology, selection)?;
        if let Err(reason) = store(cache, &CachedTable { topology: digest, selection, table: &table }) {
            warn!(%file, %reason, "the path cache cannot be written");
        }
        Ok(table)
    }

    /// Reads the content of a cache file that [`load_or_build`](Self::load_or_build) wrote. O(content).
    ///
    /// # Errors
    ///
    /// [`CacheError`] if the content is damaged, or does not hold the selected paths of this network.
    pub fn from_cache(content: &[u8], topology: &Topology, selection: PathSelection) -> Result<Self, CacheError> {
        open(content, topology, topology.digest(), selection)
    }
}

fn load(cache: &Path, topology: &Topology, digest: [u8; 32], selection: PathSelection) -> Result<PathTable, LoadError> {
    let sealed = read_file(cache, MAX_FILE_BYTES, |first| KIND.check_first(first));
    let sealed = sealed.map_err(|error| match error {
        InputError::Io(error) => LoadError::Unreadable(error),
        InputError::TooLong => LoadError::Unreadable(io::ErrorKind::FileTooLarge.into()),
        InputError::Refused(error) => CacheError::from(error).into(),
    })?;
    Ok(open(&sealed, topology, digest, selection)?)
}

fn open(
    sealed: &[u8],
    topology: &Topology,
    digest: [u8; 32],
    selection: PathSelection,
) -> Result<PathTable, CacheError> {
    let entry: CachedTable<PathTable> = KIND.open(sealed)?;
    if entry.topology != digest {
        Err(CacheError::OtherTopology)
    } else if entry.selection != selection {
        Err(CacheError::OtherSelection(entry.selection))
    } else if !entry.table.fits(topology) {
        Err(CacheError::NoSuchPath)
    } else {
        Ok(entry.table)
    }
}

fn store(cache: &Path, entry: &CachedTable<&PathTable>) -> io::Result<()> {
    let directory = match cache.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    replace(cache, &KIND.seal(entry)).map(drop)
}
