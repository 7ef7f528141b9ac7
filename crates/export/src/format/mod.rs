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
mod paje;
mod perfetto;
mod simgrid;
mod text;
mod torch;

use lockstep_files::{NameError, name_chosen};

pub use self::mscclpp_json::CollectionPlan;

use crate::error::ExportError;
use crate::export::{Export, ExportFile, ExportOptions, Format, Runtime};

/// All formats, in the order of the documentation. Of formats that share a first word, that of most users is first.
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
    perfetto::FORMAT,
    paje::FORMAT,
    csv_table::FORMAT,
    latex::FORMAT,
];

/// Returns the format of a name, or of its beginning: `mpi` is `mpi-c`. [`format_chosen`] says why there is none.
pub fn format_named(name: &str) -> Option<&'static Format> {
    format_chosen(name).ok()
}

/// Returns the format that a word stands for, by the rules of [`name_chosen`].
///
/// ```
/// use lockstep_export::format_chosen;
///
/// assert_eq!(format_chosen("nccl")?.name, "nccl-c");
/// let error = format_chosen("msc").err().expect("several formats").to_string();
/// assert_eq!(error, "'msc' can be msccl-xml, mscclpp-json or msccl-json; write more of it");
/// # Ok::<(), lockstep_files::NameError>(())
/// ```
///
/// # Errors
///
/// [`NameError`] if the word stands for no format, or for several.
#[expect(clippy::missing_panics_doc, reason = "the chosen name is that of a format")]
pub fn format_chosen(word: &str) -> Result<&'static Format, NameError> {
    let chosen = name_chosen(word, FORMATS.iter().map(|format| format.name))?;
    Ok(FORMATS.iter().find(|format| format.name == chosen).expect("the name of a format"))
}

/// The exports for GPUs: their arguments on the command line, format and runtime.
const FOR_GPUS: [(&str, &Format, Runtime); 5] = [
    ("--to msccl-xml --for rccl", &msccl_xml::FORMAT, Runtime::Rccl),
    ("--to msccl-xml --for msccl", &msccl_xml::FORMAT, Runtime::Msccl),
    ("--to mscclpp-json", &mscclpp_json::FORMAT, Runtime::Rccl),
    ("--to nccl-c", &nccl_c::FORMAT, Runtime::Rccl),
    ("--to torch", &torch::FORMAT, Runtime::Rccl),
];

/// Maximum number of other exports in an error.
const MAX_OTHERS: usize = 2;

impl Format {
    /// Returns a file that selects among several plans of this format by size; `None` for formats whose runtimes need no such file.
    pub fn collection(&self, plans: &[CollectionPlan]) -> Option<ExportFile> {
        if self.name == mscclpp_json::FORMAT.name { mscclpp_json::collection(plans) } else { None }
    }

    /// Writes a schedule: one file without a name, or the files of a folder.
    ///
    /// # Errors
    ///
    /// Returns an [`ExportError`] if the schedule has no program, or if it exceeds a limit of the format. The error of a
    /// format for GPUs lists one or two others that support the schedule, because they were tried.
    pub fn write(&self, export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
        let mut result = (self.write)(export);
        let is_for_gpus = FOR_GPUS.iter().any(|(_, format, _)| format.name == self.name);
        if let Err(ExportError::Limit { exports, .. }) = &mut result
            && is_for_gpus
        {
            let others = FOR_GPUS.iter().filter(|&&(_, format, runtime)| {
                let is_this = format.name == self.name && runtime == export.options.runtime;
                let other = Export { options: ExportOptions { runtime, ..export.options }, ..*export };
                !is_this && (format.write)(&other).is_ok()
            });
            exports.extend(others.map(|&(arguments, ..)| arguments).take(MAX_OTHERS));
        }
        result
    }
}
