//! Pictures for paper: steps of a schedule, or rings, in SVG or PDF, with sizes in millimetres.

mod arrangement;
mod figure;
mod helvetica;
mod panel;
mod paper_layout;
mod pdf;
mod ring_figure;
mod shape;
mod svg;

pub use self::figure::PaperFigure;
pub use self::paper_layout::{PaperError, PaperLayout};
pub use self::ring_figure::{DrawnRing, RingDrawing};
