//! Plots of numbers: scatter plots, curves and bar charts.

mod bars;
mod chart;
mod curves;
mod figures;
mod marker;
mod scale;
mod scatter;
mod size_curves;

pub use bars::{BarChart, BarSeries, bars_svg};
pub use curves::{CurvePlot, curves_svg};
pub use scatter::{PointSeries, ScatterPlot, scatter_svg};
pub use size_curves::size_curves_svg;
