//! The files of tables: one file per format.

mod mpich;
mod nccl;
mod open_mpi;
#[cfg(test)]
mod tests;
mod ucc;

pub(crate) use mpich::Tests as MpichTests;
pub use mpich::{MergeError, merge_into_mpich};

use crate::library::Library;
use crate::tuning::Tuning;

/// Writes the table that the library reads. Text ends with a newline.
///
/// For MPICH, the result has only the collectives of the table. A job that calls another one would abort:
/// [merge](merge_into_mpich) it into the table of the installed version.
pub fn write(tuning: &Tuning) -> String {
    match tuning.library {
        Library::Nccl => nccl::csv(tuning),
        Library::Rccl => nccl::rccl_csv(tuning),
        Library::Torchcomms => nccl::torchcomms_csv(tuning),
        Library::OpenMpi => open_mpi::text(tuning),
        Library::OpenMpi6 => open_mpi::json(tuning),
        Library::Mpich => mpich::json(tuning),
        Library::Ucc => ucc::variable(tuning),
    }
}
