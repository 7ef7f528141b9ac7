//! C with NCCL or RCCL: the tables of a plan, and a function that runs it with sends and receives in groups.

use super::c_tables;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};

pub(super) const FORMAT: Format = Format {
    name: "nccl-c",
    about: "C function for NCCL or RCCL: a group of sends and receives per step",
    extension: "c",
    limits: "",
    write,
};

/// The function.
const DRIVER: &str = include_str!("nccl_driver.c");

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let head = format!(
        "/* {}.\n\n   For RCCL, replace the two headers by <hip/hip_runtime_api.h> and <rccl/rccl.h>, with\n   \
         -DcudaMemcpyAsync=hipMemcpyAsync and so on. Rank r is the r-th working terminal of the network, by node\n   \
         number. */\n\n#include <cuda_runtime_api.h>\n#include <nccl.h>\n#include <stddef.h>\n\n",
        export.title()
    );
    Ok(ExportFile::only(head + &c_tables::operations(export)? + DRIVER))
}
