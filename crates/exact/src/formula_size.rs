//! The size of a formula.

/// The size of a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormulaSize {
    /// Number of variables.
    pub variables: u32,
    /// Number of clauses.
    pub clauses: u64,
}
