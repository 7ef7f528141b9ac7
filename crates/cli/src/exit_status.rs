//! The exit status of a command that ran.

/// The exit code of errors.
pub(crate) const ERROR: u8 = 2;

/// The result of a command that was used correctly. Errors end with exit code 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// Done, or a positive answer: exit code 0.
    Success,
    /// A negative answer, such as an invalid schedule: exit code 1.
    Negative,
    /// A signal ended the work without a result: exit code 130, as shells report SIGINT.
    Interrupted,
}

impl ExitStatus {
    /// Returns the exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Negative => 1,
            Self::Interrupted => 130,
        }
    }
}
