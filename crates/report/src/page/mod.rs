//! Interactive HTML pages: data, style and script in one file.

mod body;
mod coder;
mod comparison_page;
mod facts;
mod front_page;
mod groups;
mod limits;
mod network;
mod network_page;
mod phases;
mod plan_page;
mod record;
mod shell;
mod transfers;

pub use self::comparison_page::comparison_html;
pub use self::facts::{PlanFacts, ScheduleVerdict};
pub use self::front_page::{AxisUnit, FrontAxis, FrontChart, FrontCurve, FrontDesign, FrontPage, front_html};
pub use self::limits::PageLimits;
pub use self::network_page::{LinkMark, MetricRow, NetworkFacts, network_html};
pub use self::plan_page::{FaultEntry, recovery_html, schedule_html};
