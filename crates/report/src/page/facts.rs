//! Facts about a schedule that a page shows.

/// The distance of a schedule from its lower bound, for the header of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScheduleVerdict {
    /// The schedule is valid and meets its bound.
    Optimal,
    /// The schedule is valid, and the sum of its widths exceeds its bound by this number.
    Gap(u64),
    /// The schedule, or a claim about it, is wrong.
    Invalid,
    /// There is no schedule: the collective is impossible.
    Impossible,
    /// The schedule is valid; there is no bound.
    #[default]
    Unknown,
}

/// Facts about a schedule for the header of a page, in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanFacts {
    /// The distance from the bound.
    pub verdict: ScheduleVerdict,
    /// The bound and its certificate, or the error of an invalid schedule, as one sentence. Can be empty.
    pub bound: String,
    /// Further facts: names and values.
    pub details: Vec<[String; 2]>,
}

impl ScheduleVerdict {
    /// Returns the name of the verdict in the style sheet of the page.
    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Gap(_) => "gap",
            Self::Invalid | Self::Impossible => "invalid",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the verdict in words.
    pub(super) fn words(self) -> String {
        match self {
            Self::Optimal => "optimal".to_owned(),
            Self::Gap(gap) => format!("gap {gap}"),
            Self::Invalid => "invalid".to_owned(),
            Self::Impossible => "impossible".to_owned(),
            Self::Unknown => "valid, without a bound".to_owned(),
        }
    }
}
