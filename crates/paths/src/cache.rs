//! A [`PathTable`] in a file, to be computed once.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

use lockstep_files::{FileError, FileKind};
use lockstep_topology::Topology;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use tracing::{debug, warn};

use crate::{MAX_BYTES, PathSelection, PathTable, TableError};

const KIND: FileKind =
    FileKind { format: "lockstep-paths", noun: "path table", magic: *b"lockpath", version: 1, remedies: &[] };

/// No file of a table within [`MAX_BYTES`] is longer: bincode spends at most 5 bytes where memory has 4.
const MAX_FILE_BYTES: u64 = MAX_BYTES / 4 * 5 + 1024;

/// What the file holds.
#[derive(Serialize, Deserialize)]
struct Entry<Table> {
    topology: [u8; 32],
    selection: PathSelection,
    table: Table,
}

/// Why a file is of no use.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error(transparent)]
    Damaged(#[from] FileError),
    #[error("it belongs to another network")]
    OtherTopology,
    #[error("it holds another selection, {0:?}")]
    OtherSelection(PathSelection),
    #[error("it names a path that the network does not have")]
    NoSuchPath,
}

impl PathTable {
    /// The selected paths of a network, from the file `cache` if it holds them, otherwise computed and written there.
    ///
    /// A file of another network or selection, of another version, truncated or altered is replaced, with a warning
    /// that says why; one that cannot be written is a warning, too. The file appears whole or not at all, and missing
    /// directories are made. Networks with the same [`Topology::digest`] have the same table.
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
            Err(Refusal::Unreadable(error)) if error.kind() == io::ErrorKind::NotFound => {
                debug!(%file, "no path cache yet");
            }
            Err(reason) => warn!(%file, %reason, "path cache is of no use; building it anew"),
        }
        let table = Self::build(topology, selection)?;
        if let Err(reason) = store(cache, &Entry { topology: digest, selection, table: &table }) {
            warn!(%file, %reason, "path cache cannot be written");
        }
        Ok(table)
    }
}

fn load(cache: &Path, topology: &Topology, digest: [u8; 32], selection: PathSelection) -> Result<PathTable, Refusal> {
    let mut sealed = Vec::new();
    File::open(cache)?.take(MAX_FILE_BYTES).read_to_end(&mut sealed)?;
    let entry: Entry<PathTable> = KIND.open(&sealed)?;
    if entry.topology != digest {
        Err(Refusal::OtherTopology)
    } else if entry.selection != selection {
        Err(Refusal::OtherSelection(entry.selection))
    } else if !entry.table.fits(topology) {
        Err(Refusal::NoSuchPath)
    } else {
        Ok(entry.table)
    }
}

fn store(cache: &Path, entry: &Entry<&PathTable>) -> io::Result<()> {
    let directory = match cache.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(directory)?;
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(&KIND.seal(entry))?;
    file.persist(cache)?;
    Ok(())
}
