//! The interface of rate models.

use crate::routed_flows::RoutedFlows;

/// The active subflows, their rates and their ends.
pub(crate) trait Progress {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self;

    /// Removes ended subflows, adds started ones, and changes rates at the time `now`, which never decreases.
    ///
    /// The ended subflows are those that [`take_ended`](Self::take_ended) returned since the last update. Each subflow
    /// crosses at least one link, and starts once.
    fn update(&mut self, flows: &RoutedFlows, now: f64, ended: &[u32], started: &[u32]);

    /// Returns the time of the next end of a subflow, at the current rates.
    fn next_end(&self) -> Option<f64>;

    /// Appends the subflows that end at `until` or before to `ended`.
    fn take_ended(&mut self, until: f64, ended: &mut Vec<u32>);
}
