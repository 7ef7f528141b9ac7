//! Plan files: written as JSON or binary.

use crate::args::PlanFormat;
use crate::output::{Output, extension};

/// Writes a plan or schedule to `output`, if given. Without `format`, the extension chooses the format.
pub(super) fn write(
    output: Option<Output>,
    format: Option<PlanFormat>,
    json: impl FnOnce() -> String,
    binary: impl FnOnce() -> Vec<u8>,
) -> anyhow::Result<()> {
    let Some(output) = output else { return Ok(()) };
    let by_extension = || match extension(output.path()).as_str() {
        "lsb" | "bin" => PlanFormat::Binary,
        _ => PlanFormat::Json,
    };
    match format.unwrap_or_else(by_extension) {
        PlanFormat::Json => output.write(&json()),
        PlanFormat::Binary => output.write_bytes(&binary(), json),
    }
}
