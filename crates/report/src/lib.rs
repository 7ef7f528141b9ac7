//! Pictures of interconnection networks and communication schedules in SVG and HTML, plots in SVG, and tables in
//! Markdown, CSV and plain text.
//!
//! The crate does not verify or change schedules. A picture of an invalid schedule shows its errors.
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
//!
//! # Concepts
//!
//! - A *picture* is the text of one `<svg>` element without references to other files. The same input gives the same
//!   text.
//! - A picture of a network draws terminals as circles, switches as squares, and channels as lines. Nodes are at the
//!   positions of the network, or are arranged automatically.
//! - A picture of a schedule has one *panel* per step. Each transfer is a coloured line along its path.
//! - A *page* shows one step at a time, with a timeline, the messages that each node holds, and the facts of a plan.
//!   The page of a network shows its picture, properties and metrics.
//! - [`DrawingLimits`] and [`PageLimits`] bound the size of a picture and of a page.
//!
//! # Entry points
//!
//! | task | item |
//! |---|---|
//! | draw a network, with some channels in red | [`topology_svg`], [`marked_topology_svg`] |
//! | draw a schedule | [`schedule_svg`] |
//! | write an interactive page of a schedule, a recovery book, a network or a front | [`schedule_html`], [`recovery_html`], [`network_html`], [`front_html`] |
//! | write a page with two plans side by side | [`comparison_html`] |
//! | draw steps of a schedule for print, or rings in one picture, in SVG or PDF | [`PaperFigure`] |
//! | plot numbers | [`scatter_svg`], [`bars_svg`] |
//! | say how far a long command is | [`ProgressText`] |
//! | format a table | [`Table`], [`csv_line`], [`padded`] |

mod canvas;
mod channel_curves;
mod colouring;
mod coverage;
mod edge_router;
mod geometry;
mod labels;
mod layered_layout;
mod layout;
mod legend;
mod mark;
mod markup;
mod page;
mod painter;
mod palette;
mod paper;
mod path_line;
mod pen_path;
mod plot;
mod progress_text;
mod scene;
mod stress_layout;
mod structure;
mod svg;
mod table;

pub use page::{
    AxisUnit, FaultEntry, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, LinkMark, MetricRow, NetworkFacts,
    PageLimits, PlanFacts, ScheduleVerdict, comparison_html, front_html, network_html, recovery_html, schedule_html,
};
pub use paper::{DrawnRing, PaperError, PaperFigure, PaperLayout, RingDrawing};
pub use plot::{
    BarChart, BarSeries, CurvePlot, PointSeries, ScatterPlot, bars_svg, curves_svg, scatter_svg, size_curves_svg,
};
pub use progress_text::ProgressText;
pub use svg::{DrawingLimits, MarkedChannels, marked_topology_svg, schedule_svg, topology_svg};
pub use table::{ColumnAlignment, Table, csv_line, padded};
