//! The published figures of the papers, in `data/papers`.

use std::fs;

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;

use crate::repository::root;

/// Reads the published figures of a paper.
///
/// # Errors
///
/// If the file cannot be read, or if its content does not have the type `T`.
pub(super) fn read<T: DeserializeOwned>(name: &str) -> Result<T> {
    let file = root().join("data/papers").join(name);
    let text = fs::read_to_string(&file).with_context(|| format!("{}: cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{}: unexpected content", file.display()))
}
