//! The picture of a front: time and bus bandwidth over the size.

use lockstep::{AlgorithmTimes, Front, Problem};
use lockstep_report::size_curves_svg;

/// Draws the times and bus bandwidths of a front from the smallest to the largest size, with those of some algorithms.
pub(super) fn svg(problem: &Problem<'_>, front: &Front, algorithms: &[AlgorithmTimes], sizes: [u64; 2]) -> String {
    let title = format!("{} of {}", problem.collective().word(), problem.topology().name());
    let curves = front.curves(algorithms, sizes);
    size_curves_svg(&title, curves.times, curves.bandwidths)
}
