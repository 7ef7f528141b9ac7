//! Plan files: written as JSON or binary.

use std::path::Path;

use crate::args::PlanFormat;
use crate::output;

/// Writes a plan or schedule to `path`, if given. Without `format`, the extension chooses the format.
pub(super) fn write(
    path: Option<&Path>,
    format: Option<PlanFormat>,
    json: impl FnOnce() -> String,
    binary: impl FnOnce() -> Vec<u8>,
) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let by_extension = || match output::extension(path).as_str() {
        "lsb" | "bin" => PlanFormat::Binary,
        _ => PlanFormat::Json,
    };
    let bytes = match format.unwrap_or_else(by_extension) {
        PlanFormat::Json => json().into_bytes(),
        PlanFormat::Binary => binary(),
    };
    output::write(path, &bytes)
}
