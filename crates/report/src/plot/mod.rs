//! Plots of numbers: scatter plots and bar charts.

mod bars;
mod chart;
mod figures;
mod marker;
mod scale;
mod scatter;

pub use bars::{BarChart, BarSeries, bars_svg};
pub use scatter::{PointSeries, ScatterPlot, scatter_svg};
