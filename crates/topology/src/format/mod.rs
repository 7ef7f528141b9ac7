//! Graph files, one format a file.

pub(crate) mod json;
