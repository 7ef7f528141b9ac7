//! Classes of rules by running time.

/// The running time class of a rule.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Cost {
    /// About the time it takes to read the problem.
    Linear,
    /// A search of the network for each source or receiver.
    Searches,
    /// Flows, linear programs or local search: up to seconds.
    Expensive,
    /// A decision about all schedules of a small problem: up to a second.
    Exact,
}

impl Cost {
    /// All classes, cheapest first.
    pub(crate) const ALL: [Self; 4] = [Self::Linear, Self::Searches, Self::Expensive, Self::Exact];
}
