//! The libraries, and the algorithms that their tables can choose.

mod collective;
mod mpich;
mod nccl;
mod open_mpi;
mod ucc;

use std::fmt;
use std::str::FromStr;

pub use collective::{LibraryAlgorithm, LibraryCollective};
use lockstep_files::{is_same_name, name_advice, one_line};

pub(crate) use nccl::{NCCL_COLLECTIVES, NcclMachine};

/// A library that reads a table of choices.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Library {
    /// NCCL with the tuner plugin of its examples.
    Nccl,
    /// RCCL of ROCm 7.13 or later, with its built-in tuner.
    Rccl,
    /// NCCLX of torchcomms.
    Torchcomms,
    /// Open MPI 4.1 and 5: rules as text.
    OpenMpi,
    /// Open MPI 6: rules as JSON.
    OpenMpi6,
    /// MPICH 4 and 5.
    Mpich,
    /// UCC: a variable of the environment.
    Ucc,
}

impl Library {
    /// All libraries.
    pub const ALL: [Self; 7] =
        [Self::Nccl, Self::Rccl, Self::Torchcomms, Self::OpenMpi, Self::OpenMpi6, Self::Mpich, Self::Ucc];

    /// Returns the name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nccl => "nccl",
            Self::Rccl => "rccl",
            Self::Torchcomms => "torchcomms",
            Self::OpenMpi => "open-mpi",
            Self::OpenMpi6 => "open-mpi-6",
            Self::Mpich => "mpich",
            Self::Ucc => "ucc",
        }
    }

    /// Returns how a job uses the table in a file: variables of its environment, or the beginning of its command.
    pub fn usage(self, file: &str) -> String {
        match self {
            Self::Nccl => format!("NCCL_TUNER_PLUGIN=libnccl-tuner-example.so NCCL_TUNER_CONFIG_FILE={file}"),
            Self::Rccl => format!("NCCL_TUNER_CONFIG_FILE={file}"),
            Self::Torchcomms => format!("NCCLX_TUNER_CONFIG_FILE={file}"),
            Self::OpenMpi | Self::OpenMpi6 => {
                format!("mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename {file}")
            }
            Self::Mpich => format!("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE={file}"),
            Self::Ucc => format!("source {file}"),
        }
    }

    /// Returns true for NCCL and its relatives: their choices have protocols and channels, and the time is that of NCCL's own
    /// model.
    pub const fn is_nccl(self) -> bool {
        matches!(self, Self::Nccl | Self::Rccl | Self::Torchcomms)
    }

    /// Returns true if a table of the library has segment sizes.
    pub(crate) const fn has_segments(self) -> bool {
        matches!(self, Self::OpenMpi)
    }

    /// Returns the collectives that a table of the library can have.
    pub fn collectives(self) -> &'static [LibraryCollective] {
        match self {
            Self::Nccl | Self::Rccl | Self::Torchcomms => NCCL_COLLECTIVES,
            Self::OpenMpi => open_mpi::COLLECTIVES,
            Self::OpenMpi6 => open_mpi::COLLECTIVES_6,
            Self::Mpich => mpich::COLLECTIVES,
            Self::Ucc => ucc::COLLECTIVES,
        }
    }
}

impl fmt::Display for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error of a word that names no library.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown library '{}'; {}", one_line(.name), name_advice(.name, Library::ALL.map(Library::name)))]
pub struct UnknownLibrary {
    /// The word.
    pub name: String,
}

impl FromStr for Library {
    type Err = UnknownLibrary;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_named = |library: &Self| is_same_name(library.name(), text);
        Self::ALL.into_iter().find(is_named).ok_or_else(|| UnknownLibrary { name: text.to_owned() })
    }
}
