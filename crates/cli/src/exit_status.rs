//! The exit status of a command that ran.

/// The result of a command that was used correctly. Errors end with exit code 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitStatus {
    /// Done, or a positive answer: exit code 0.
    Success,
    /// A negative answer, such as an invalid schedule: exit code 1.
    Negative,
}
