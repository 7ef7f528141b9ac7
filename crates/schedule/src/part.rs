//! Parts of the search that can be left out.

use std::fmt;

/// A part of the search for schedules and bounds that can be [left out](crate::Budget::without): an engine, a method, a
/// construction, an algorithm, a rule, or a step of one of these.
///
/// To leave a part out shows its use. The other parts then get its share of the budget.
///
/// ```
/// use lockstep_schedule::{Budget, Part};
///
/// const FLOODING: Part = Part { owner: "construct", name: "flooding", about: "broadcast of one message" };
/// assert_eq!(FLOODING.to_string(), "construct/flooding");
/// assert!(Budget::unlimited().uses(FLOODING));
/// assert!(!Budget::unlimited().without(&[FLOODING]).uses(FLOODING));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// What the part belongs to: `engine`, an engine with several methods, a method with several steps, and so on.
    pub owner: &'static str,
    /// The name, in lower case with hyphens. It is unique among the parts of the owner.
    pub name: &'static str,
    /// What the part does, in one line.
    pub about: &'static str,
}

impl PartialEq for Part {
    /// Parts are equal if their owners and names are.
    fn eq(&self, other: &Self) -> bool {
        (self.owner, self.name) == (other.owner, other.name)
    }
}

impl Eq for Part {}

impl fmt::Display for Part {
    /// Writes `OWNER/NAME`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}
