//! Pictures, pages and tables of networks and schedules, and plots of numbers.
//!
//! Not here: anything that judges or changes a schedule; a picture of a wrong schedule shows what is wrong with it.
//!
//! ```
//! use lockstep_report::{DrawingLimits, schedule_svg};
//! use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
//! use lockstep_topology::TopologyBuilder;
//!
//! let mut network = TopologyBuilder::new("three in a row");
//! let [a, b, c] = ["a", "b", "c"].map(|name| network.terminal(name));
//! let [[a_b, _], [b_c, _]] = [network.link(a, b), network.link(b, c)];
//! let network = network.build()?;
//!
//! let broadcast = Collective::broadcast(a);
//! let problem = Problem::new(&network, &broadcast, CommunicationModel::store_and_forward())?;
//! let mut schedule = Schedule::new();
//! for channel in [a_b, b_c] {
//!     schedule.begin_step();
//!     schedule.push(MessageId::new(0), &[channel]);
//! }
//! let picture = schedule_svg(&problem, &schedule, &DrawingLimits::PAGE);
//! assert_eq!(picture.matches("class=\"panel\"").count(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod arcs;
mod colouring;
mod covered;
mod geometry;
mod html;
mod keys;
mod layered;
mod layout;
mod markup;
mod paint;
mod palette;
mod plot;
mod scene;
mod sheet;
mod stress;
mod svg;
mod table;
mod wires;
mod words;

pub use html::schedule_html;
pub use plot::{BarChart, BarSeries, PointSeries, ScatterPlot, bars_svg, scatter_svg};
pub use svg::{DrawingLimits, schedule_svg, topology_svg};
pub use table::{Table, csv_line};
