//! The curves of a front over the size.

use std::iter;

use lockstep_schedule::{Budget, Picoseconds};

use super::algorithms::AlgorithmTimes;
use super::front_plan::{Front, FrontPlan};

/// A size is larger than the one before by one part of this number.
const POINTS: u64 = 4;

/// A curve: its name, and the horizontal and vertical value of each point.
pub type FrontCurve = (String, Vec<[f64; 2]>);

/// The curves of a front, of algorithms beside it and of its lower bound, over the size in bytes.
#[derive(Clone, PartialEq, Debug)]
pub struct FrontCurves {
    /// Times in microseconds; the last curve is the lower bound.
    pub times: Vec<FrontCurve>,
    /// Bus bandwidths in 10^9 bytes per second; the last curve is the upper bound.
    pub bandwidths: Vec<FrontCurve>,
}

/// Returns the sizes of the points of a curve, from the smallest to the largest size: each is a quarter larger than the one
/// before.
///
/// ```
/// assert_eq!(lockstep::curve_sizes([8, 16]), [8, 11, 14, 16]);
/// ```
pub fn curve_sizes(sizes: [u64; 2]) -> Vec<u64> {
    let next = |&bytes: &u64| Some(bytes.saturating_add(bytes / POINTS + 1)).filter(|&bytes| bytes < sizes[1]);
    let all = iter::successors(Some(sizes[0]), next).chain(Some(sizes[1]).filter(|&largest| largest > sizes[0]));
    all.collect()
}

impl Front {
    /// Returns the curves from the smallest to the largest size: one per schedule, one per algorithm, and that of the bound.
    pub fn curves(&self, algorithms: &[AlgorithmTimes], sizes: [u64; 2]) -> FrontCurves {
        let bytes = curve_sizes(sizes);
        let curve = |name: String, value: &dyn Fn(u64) -> f64| -> FrontCurve {
            (name, bytes.iter().map(|&bytes| [bytes as f64, value(bytes)]).collect())
        };
        let microseconds = |time: Picoseconds| time.number() as f64 / 1e6;
        let bandwidth =
            |plan: &FrontPlan, bytes: u64, time: Picoseconds| plan.size(bytes).bus_bandwidth(time) as f64 / 1e9;
        let name = |plan: &FrontPlan| {
            let chunks = plan.file.collective().chunks();
            format!("{} steps, width {}, {chunks} chunks", plan.steps, plan.cost.width_sum)
        };
        let (mut times, mut bandwidths) = (Vec::new(), Vec::new());
        for plan in &self.plans {
            let of_plan = plan.times(self.timing, &bytes, &Budget::unlimited());
            let of_plan = || bytes.iter().zip(&of_plan).filter_map(|(&bytes, &time)| Some((bytes, time?)));
            times.push((name(plan), of_plan().map(|(bytes, time)| [bytes as f64, microseconds(time)]).collect()));
            let bandwidths_of = of_plan().map(|(bytes, time)| [bytes as f64, bandwidth(plan, bytes, time)]);
            bandwidths.push((name(plan), bandwidths_of.collect()));
        }
        for algorithm in algorithms {
            times.push(curve(algorithm.name.clone(), &|bytes| microseconds(algorithm.time(bytes))));
            if let Some(plan) = self.plans.first() {
                let bandwidth = |bytes| bandwidth(plan, bytes, algorithm.time(bytes));
                bandwidths.push(curve(algorithm.name.clone(), &bandwidth));
            }
        }
        times.push(curve("at least".to_owned(), &|bytes| microseconds(self.bound.time(self.timing, bytes))));
        if let Some(plan) = self.plans.first() {
            let at_most = |bytes| bandwidth(plan, bytes, self.bound.time(self.timing, bytes));
            bandwidths.push(curve("at most".to_owned(), &at_most));
        }
        FrontCurves { times, bandwidths }
    }
}
