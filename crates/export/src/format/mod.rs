//! The formats, one file each.

mod c_tables;
mod chakra;
mod csv_table;
mod goal;
mod htsim;
mod latex;
mod mpi_c;
mod msccl_json;
mod msccl_xml;
mod mscclpp_json;
mod nccl_c;
mod simgrid;
mod text;
mod torch;

use crate::export::Format;

/// All formats, in the order of the documentation.
pub static FORMATS: &[Format] = &[
    msccl_xml::FORMAT,
    mscclpp_json::FORMAT,
    msccl_json::FORMAT,
    goal::TEXT_FORMAT,
    goal::BINARY_FORMAT,
    chakra::FORMAT,
    simgrid::FORMAT,
    htsim::FORMAT,
    mpi_c::FORMAT,
    nccl_c::FORMAT,
    torch::FORMAT,
    csv_table::FORMAT,
    latex::FORMAT,
];

/// Returns the format of a name.
pub fn format_named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
