//! The JSON file of programs: `"format": "lockstep-programs"`, version 1.

use lockstep_files::{FileError, FileKind, to_json_rows};
use serde::{Deserialize, Serialize};

use crate::programs::{Event, Programs};
use crate::programs_error::ProgramsError;

const KIND: FileKind =
    FileKind { format: "lockstep-programs", noun: "programs", magic: *b"lockprgm", version: 1, remedies: &[] };

/// Why a text is not a programs file. Each message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsFileError {
    /// The file is of another kind, damaged, or has an invalid field.
    #[error(transparent)]
    File(#[from] FileError),
    /// The programs are invalid.
    #[error("field 'tasks': {0}")]
    Programs(#[from] ProgramsError),
}

/// A programs file, as it is written.
#[derive(Serialize)]
struct ProgramsFileView<'a> {
    format: &'static str,
    version: u32,
    tasks: &'a [Vec<Event>],
}

/// A programs file, as it is read.
#[derive(Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Programs"))]
#[serde(deny_unknown_fields)]
struct ProgramsRecord {
    /// The format.
    #[cfg_attr(feature = "schema", schemars(extend("const" = KIND.format)))]
    format: String,
    /// The version of the format.
    #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = KIND.version)))]
    version: u32,
    /// The events of each task, in order.
    tasks: Vec<Vec<Event>>,
}

impl Programs {
    /// Returns the text of a programs file, one line per task.
    ///
    /// ```
    /// use lockstep_flow::{Event, Programs};
    ///
    /// let programs = Programs { tasks: vec![vec![Event::Compute { time: 7 }], vec![]] };
    /// let text = "{
    ///   \"format\": \"lockstep-programs\",
    ///   \"version\": 1,
    ///   \"tasks\": [
    ///     [{\"compute\": {\"time\": 7}}],
    ///     []
    ///   ]
    /// }
    /// ";
    /// assert_eq!(programs.to_json(), text);
    /// assert_eq!(Programs::from_json(text)?, programs);
    /// # Ok::<(), lockstep_flow::ProgramsFileError>(())
    /// ```
    pub fn to_json(&self) -> String {
        to_json_rows(&ProgramsFileView { format: KIND.format, version: KIND.version, tasks: &self.tasks }, 2)
    }

    /// Reads and [verifies](Self::check) the programs of a programs file.
    ///
    /// # Errors
    ///
    /// Returns the first [`ProgramsFileError`]. Format and version are verified first.
    pub fn from_json(text: &str) -> Result<Self, ProgramsFileError> {
        let ProgramsRecord { format, version, tasks } = KIND.parse(text)?;
        KIND.check(&format, version.into())?;
        let programs = Self { tasks };
        programs.check()?;
        Ok(programs)
    }
}

#[cfg(feature = "schema")]
lockstep_files::schema_of!(Programs, ProgramsRecord);
