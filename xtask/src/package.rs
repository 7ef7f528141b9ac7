//! The packages of the workspace, read from their manifests.

use std::path::Path;

use crate::text_file::TextFile;

/// A package below `crates/`.
pub(crate) struct Package<'a> {
    pub(crate) manifest: &'a TextFile,
}

impl<'a> Package<'a> {
    /// Returns the packages below `crates/`, in the order of their folders.
    pub(crate) fn all(files: &'a [TextFile]) -> Vec<Self> {
        let is_manifest = |file: &&TextFile| file.path.starts_with("crates") && file.path.ends_with("Cargo.toml");
        files.iter().filter(is_manifest).map(|manifest| Self { manifest }).collect()
    }

    /// Returns the folder of the package, relative to the root folder.
    pub(crate) fn folder(&self) -> &'a Path {
        self.manifest.path.parent().expect("a manifest is in a folder")
    }

    /// Returns the name of the package.
    pub(crate) fn name(&self) -> &'a str {
        manifest_value(&self.manifest.text, "name").unwrap_or_default()
    }

    /// Returns the description of the package.
    pub(crate) fn description(&self) -> &'a str {
        manifest_value(&self.manifest.text, "description").unwrap_or_default()
    }

    /// Returns false if the package is a workspace of its own.
    pub(crate) fn is_member(&self) -> bool {
        !self.manifest.text.lines().any(|line| line == "[workspace]")
    }

    /// Returns false if the manifest says `publish = false`.
    pub(crate) fn is_published(&self) -> bool {
        manifest_value(&self.manifest.text, "publish") != Some("false")
    }
}

/// Returns the value of a key in a manifest without its quotes, at its first occurrence.
pub(crate) fn manifest_value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let value = |line: &'a str| line.strip_prefix(key)?.trim_start().strip_prefix('=');
    text.lines().find_map(value).map(|value| value.trim().trim_matches('"'))
}
