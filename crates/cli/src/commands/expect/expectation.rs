//! The predictions and the measured times of a collective.

use lockstep::CollectiveName;
use lockstep::schedule::Picoseconds;
use lockstep_measure::{Observed, Prediction, SweepPoint, SweepVerdict};
use lockstep_tune::Ranks;

use super::algorithms::Algorithms;
use crate::commands::rivals::Rival;

/// The times of a collective for several sizes.
pub(super) struct Expectation<'a> {
    pub(super) ranks: Ranks<'a>,
    pub(super) collective: CollectiveName,
    pub(super) algorithms: Option<Algorithms>,
    pub(super) rival: Rival,
    pub(super) observed: Option<Observed>,
    /// In ascending order, at least one.
    pub(super) sizes: Vec<u64>,
}

impl Expectation<'_> {
    /// Returns the bound of a size.
    pub(super) fn bound(&self, bytes: u64) -> Prediction {
        self.rival.bound(bytes)
    }

    /// Returns the name and the prediction of the fastest algorithm of the library.
    pub(super) fn algorithm(&self, bytes: u64) -> Option<(String, Prediction)> {
        self.algorithms.as_ref().and_then(|algorithms| algorithms.best(bytes))
    }

    /// Returns the time of the best plan, if plans were computed.
    pub(super) fn best_plan(&self, bytes: u64) -> Option<Picoseconds> {
        self.rival.best_plan(bytes)
    }

    /// Returns the measured time of a size in picoseconds.
    pub(super) fn measured_ps(&self, bytes: u64) -> Option<u128> {
        self.observed.as_ref().and_then(|observed| observed.time(bytes))
    }

    /// Returns the measured time beside its predictions.
    pub(super) fn point(&self, bytes: u64) -> Option<SweepPoint> {
        let algorithm = self.algorithm(bytes).map(|(_, prediction)| prediction);
        Some(SweepPoint { bytes, bound: self.bound(bytes), algorithm, observed_ps: self.measured_ps(bytes)? })
    }

    /// Returns the verdict of all measured sizes.
    pub(super) fn verdict(&self) -> Option<SweepVerdict> {
        let points: Vec<SweepPoint> = self.sizes.iter().filter_map(|&bytes| self.point(bytes)).collect();
        SweepVerdict::of(&points)
    }
}
