//! Pictures for paper: steps of a schedule in SVG or PDF, with sizes in millimetres.

mod arrangement;
mod figure;
mod helvetica;
mod paper_layout;
mod pdf;
mod shape;
mod svg;

pub use self::figure::PaperFigure;
pub use self::paper_layout::{PaperError, PaperLayout};
