//! A set of numbers with constant-time clearing.

/// A set of numbers below a bound. Clearing takes constant time.
pub(super) struct MarkSet {
    /// The value of [`Self::marks`] for members.
    round: u32,
    marks: Vec<u32>,
}

impl MarkSet {
    pub(super) fn new(bound: usize) -> Self {
        Self { round: 1, marks: vec![0; bound] }
    }

    pub(super) fn clear(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.marks.fill(0);
            1
        });
    }

    /// Adds a number. Returns true if it is new.
    #[inline]
    pub(super) fn add(&mut self, number: u32) -> bool {
        let mark = &mut self.marks[number as usize];
        let is_new = *mark != self.round;
        *mark = self.round;
        is_new
    }

    #[inline]
    pub(super) fn contains(&self, number: u32) -> bool {
        self.marks[number as usize] == self.round
    }
}
