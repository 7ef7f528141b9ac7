//! The JSON form of programs: `"format": "lockstep-programs"`, version 1.

use lockstep_files::{FileError, FileKind, to_json_rows};
use serde::{Deserialize, Serialize};

use crate::programs::{Event, Programs, ProgramsError};

const KIND: FileKind =
    FileKind { format: "lockstep-programs", noun: "programs", magic: *b"lockprgm", version: 1, remedies: &[] };

/// Why a text is no programs file. Every message is one line.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProgramsFileError {
    /// Another kind of file, a damaged one, or a field that cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// Programs that make no sense.
    #[error("field 'tasks': {0}")]
    Programs(#[from] ProgramsError),
}

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    version: u32,
    tasks: &'a [Vec<Event>],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    format: String,
    version: u32,
    tasks: Vec<Vec<Event>>,
}

impl Programs {
    /// The text of a JSON file: a task a line.
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
        to_json_rows(&Written { format: KIND.format, version: KIND.version, tasks: &self.tasks }, 2)
    }

    /// The programs of a JSON file, [checked](Self::check).
    ///
    /// # Errors
    ///
    /// The first [`ProgramsFileError`]; format and version are looked at before everything else.
    pub fn from_json(text: &str) -> Result<Self, ProgramsFileError> {
        let Record { format, version, tasks } = KIND.parse(text)?;
        KIND.check(&format, version.into())?;
        let programs = Self { tasks };
        programs.check()?;
        Ok(programs)
    }
}
