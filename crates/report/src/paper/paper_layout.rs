//! The size of a picture for paper, and why there is none.

/// Points (1/72 inch) per millimetre.
pub(super) const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// The size and the steps of a picture for paper.
///
/// The picture has exactly the given width, and at most the given height per page. Names have 5 to 8 points. Without
/// [`steps`](Self::steps), it shows as many of the first steps as fit.
#[derive(Clone, PartialEq, Debug)]
pub struct PaperLayout {
    /// Width in millimetres.
    pub width_mm: f64,
    /// Maximum height of a page in millimetres.
    pub height_mm: f64,
    /// Maximum number of pages.
    pub pages: usize,
    /// Indexes of the steps to draw, from 0.
    pub steps: Option<Vec<usize>>,
}

impl PaperLayout {
    /// The text area of an A4 page with margins of 20 and 25 mm: 170 mm by 247 mm, for the first steps.
    pub const A4: Self = Self { width_mm: 170.0, height_mm: 247.0, pages: 1, steps: None };

    /// Least and largest width, in millimetres: a third of a column, and the longer side of A0.
    pub const WIDTHS_MM: [f64; 2] = [30.0, 1189.0];
}

/// Why a schedule cannot be drawn for paper.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PaperError {
    /// The network is too large for any page.
    #[error(
        "{nodes} nodes and {channels} channels cannot be drawn for paper; the limits are {max_nodes} and {max_channels}"
    )]
    TooLarge {
        /// Number of nodes.
        nodes: usize,
        /// Number of channels.
        channels: usize,
        /// Maximum number of nodes.
        max_nodes: usize,
        /// Maximum number of channels.
        max_channels: usize,
    },
    /// A step that the schedule does not have.
    #[error("step {step} does not exist; the schedule has {steps}")]
    NoStep {
        /// The number of the step, from 1.
        step: usize,
        /// The number of steps.
        steps: usize,
    },
    /// The wanted steps need more pages.
    #[error("{wanted} steps do not fit; {fitting} do: choose fewer steps, more pages or a larger width")]
    TooManySteps {
        /// Number of steps to draw.
        wanted: usize,
        /// Number of steps for which there is room.
        fitting: usize,
    },
    /// The width is out of range.
    #[error("a width of {width_mm} mm is out of range; expected {} to {} mm", PaperLayout::WIDTHS_MM[0], PaperLayout::WIDTHS_MM[1])]
    Width {
        /// The width in millimetres.
        width_mm: f64,
    },
}
