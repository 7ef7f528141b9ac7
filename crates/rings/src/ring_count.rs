//! Numbers of rings.

/// The number of rings of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RingCount {
    /// This number.
    Exactly(u32),
    /// The number with the greatest bandwidth, up to this one. Of several, the smallest.
    AtMost(u32),
}

impl RingCount {
    /// Returns the smallest and the largest number of rings.
    pub fn range(self) -> std::ops::RangeInclusive<u32> {
        match self {
            Self::Exactly(rings) => rings..=rings,
            Self::AtMost(rings) => 1..=rings,
        }
    }
}
