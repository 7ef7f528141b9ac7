//! The folders of the repository.

use std::path::{Path, PathBuf};

/// Returns the root folder of the repository.
pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().nth(2).expect("the package is at crates/documents").to_owned()
}
