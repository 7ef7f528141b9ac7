//! The limits of a search.

/// The work that a search may still do, and the function that ends it.
pub(crate) struct Work<'a> {
    /// Visits of table entries.
    pub(crate) left: u64,
    pub(crate) is_stopped: &'a dyn Fn() -> bool,
}

impl Work<'_> {
    /// Subtracts an amount of work. Returns false if the search has to end.
    pub(crate) fn spend(&mut self, amount: u64) -> bool {
        self.left = self.left.saturating_sub(amount);
        self.left > 0 && !(self.is_stopped)()
    }

    /// Lends a part of the work, at most `most`, to a function.
    pub(crate) fn lend<T>(&mut self, most: u64, run: impl FnOnce(&mut Work<'_>) -> T) -> T {
        let lent = self.left.min(most);
        let mut part = Work { left: lent, is_stopped: self.is_stopped };
        let result = run(&mut part);
        self.left -= lent - part.left;
        result
    }
}
