//! The interface of rate models.

use crate::routed_flows::RoutedFlows;

/// The rates of all active subflows, updated when subflows start or end.
pub(crate) trait RateAllocation {
    fn new(flows: &RoutedFlows, capacity: f64) -> Self;

    /// Removes ended subflows, adds started ones, and lists each subflow whose rate changes with its new rate.
    ///
    /// `rate` holds the current rates, 0 for subflows that start. Each subflow crosses at least one link.
    fn update(
        &mut self,
        flows: &RoutedFlows,
        rate: &[f64],
        ended: &[u32],
        started: &[u32],
        changes: &mut Vec<(u32, f64)>,
    );
}
