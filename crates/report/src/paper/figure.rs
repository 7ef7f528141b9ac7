//! A picture of steps of a schedule for paper.

use lockstep_schedule::{Problem, Schedule};

use super::arrangement::Arrangement;
use super::paper_layout::POINTS_PER_MM;
use super::ring_figure::{self, RingDrawing};
use super::shape::{Page, Shape, Text};
use super::{PaperError, PaperLayout, helvetica, pdf, svg};
use crate::geometry::Point;
use crate::labels;

/// A picture of steps of a schedule for paper.
///
/// Each step is a panel with its number. Channels are grey lines of at least half a point, transfers are drawn as in
/// [`schedule_svg`](crate::schedule_svg), and a legend names up to 16 colours. The text is in Helvetica.
///
/// ```
/// use lockstep_report::{PaperFigure, PaperLayout};
/// use lockstep_schedule::{Collective, CommunicationModel, MessageId, Problem, Schedule};
/// use lockstep_topology::{NodeId, Topology};
///
/// let pair: Topology = "mesh:1x2".parse()?;
/// let broadcast = Collective::broadcast(NodeId::new(0));
/// let problem = Problem::new(&pair, &broadcast, CommunicationModel::store_and_forward())?;
/// let mut schedule = Schedule::new();
/// schedule.begin_step();
/// schedule.push(MessageId::new(0), &[pair.out_channels(NodeId::new(0))[0]]);
/// let column = PaperLayout { width_mm: 85.0, ..PaperLayout::A4 };
/// let figure = PaperFigure::new(&problem, &schedule, &column)?;
/// assert!(figure.to_svg().contains("width=\"85mm\""));
/// assert!(figure.to_pdf().starts_with(b"%PDF-1.4\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct PaperFigure {
    title: String,
    pages: Vec<Page>,
    steps_drawn: usize,
}

impl PaperFigure {
    /// Draws the chosen steps of a schedule. The schedule can be invalid.
    ///
    /// # Errors
    ///
    /// If the network is too large, a step does not exist, or the steps do not fit.
    pub fn new(problem: &Problem<'_>, schedule: &Schedule, layout: &PaperLayout) -> Result<Self, PaperError> {
        let arrangement = Arrangement::new(problem, schedule, layout)?;
        let title = labels::visible(&labels::title(problem, schedule.step_count()).join(" · "));
        Ok(Self { title, steps_drawn: arrangement.step_count(), pages: arrangement.pages(schedule) })
    }

    /// Draws rings in one picture: each ring is a line of its own colour, side by side with the others on its channels. The width is
    /// in millimetres; without one, it is that of the network, from one column to the text of A4.
    ///
    /// ```
    /// use lockstep_report::{DrawnRing, MarkedChannels, PaperFigure, RingDrawing};
    /// use lockstep_topology::{NodeId, Topology};
    ///
    /// let pair: Topology = "mesh:1x2".parse()?;
    /// let [there, back] = [0, 1].map(|node| pair.out_channels(NodeId::new(node)));
    /// let ring = DrawnRing { name: "ring 1: 0 1".to_owned(), hops: vec![there.to_vec(), back.to_vec()], is_directed: true };
    /// let title = vec!["a pair".to_owned()];
    /// let drawing = RingDrawing { topology: &pair, title, rings: vec![ring], busiest: MarkedChannels::default() };
    /// assert!(PaperFigure::of_rings(&drawing, None)?.to_svg().contains("ring 1: 0 1"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the network is too large, or the width is out of range.
    pub fn of_rings(drawing: &RingDrawing<'_>, width_mm: Option<f64>) -> Result<Self, PaperError> {
        let title = labels::visible(&drawing.title.join(" · "));
        Ok(Self { title, pages: vec![ring_figure::page(drawing, width_mm)?], steps_drawn: 0 })
    }

    /// Returns a picture that only states why there is none.
    pub fn of_note(problem: &Problem<'_>, schedule: &Schedule, note: &str) -> Self {
        let title = labels::visible(&labels::title(problem, schedule.step_count()).join(" · "));
        let line = |place: f64, is_bold: bool, text: &str| {
            let at = Point::new(0.0, 11.0 * place + 8.0);
            Shape::Text(Text { at, size: 8.0, colour: "#111111", is_bold, halo: None, words: labels::visible(text) })
        };
        let size = Point::new(PaperLayout::A4.width_mm * POINTS_PER_MM, 24.0);
        let page = Page { size, shapes: vec![line(0.0, true, &title), line(1.0, false, note)] };
        Self { title, pages: vec![page], steps_drawn: 0 }
    }

    /// Returns the number of steps in the picture.
    pub fn steps_drawn(&self) -> usize {
        self.steps_drawn
    }

    /// Returns the number of pages.
    pub fn page_count(&self) -> usize {
        self.pages.len()
    }

    /// Returns the first letter of a name that a PDF shows as `?`, because the standard fonts do not have it.
    pub fn missing_letter(&self) -> Option<char> {
        let shapes = self.pages.iter().flat_map(|page| &page.shapes);
        shapes
            .filter_map(|shape| if let Shape::Text(text) = shape { Some(&text.words) } else { None })
            .find_map(|text| helvetica::missing_letter(text))
    }

    /// Returns the first page as the text of one `<svg>` element.
    pub fn to_svg(&self) -> String {
        svg::write(&self.title, self.pages.first())
    }

    /// Returns the pages as a PDF file. The same picture gives the same bytes.
    pub fn to_pdf(&self) -> Vec<u8> {
        pdf::write(&self.title, &self.pages)
    }
}
