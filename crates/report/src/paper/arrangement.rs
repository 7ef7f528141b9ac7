//! The arrangement of a picture for paper: panels in rows on pages, and a legend.

use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::Topology;

use super::helvetica;
use super::panel::{LEGIBLE, Panel};
use super::paper_layout::{POINTS_PER_MM, PaperError, PaperLayout};
use super::shape::{Page, Shape, Stroke, Text};
use crate::colouring::Colouring;
use crate::geometry::{Curve, Point};
use crate::labels;
use crate::painter::Painter;
use crate::pen_path::PenPath;
use crate::scene::Scene;
use crate::svg::{DrawingLimits, label_placement, omitted_steps};

/// Size of the text of captions, notes and the legend.
pub(super) const TEXT: f64 = 8.0;
/// Height of a line of text.
pub(super) const TEXT_LINE: f64 = 11.0;
/// Space between panels.
pub(super) const GAP: f64 = 10.0;
/// Height of the caption of a panel.
pub(super) const CAPTION: f64 = 13.0;
/// Size of the label of a terminal in a scene.
pub(super) const LABEL: f64 = 11.0;
/// Least size of the labels of terminals, unless a single panel does not fit otherwise.
const LEAST_LABEL: f64 = 5.0;
/// Largest scale: labels have the size of the text.
pub(super) const LARGEST_SCALE: f64 = TEXT / LABEL;
/// Colour of text.
pub(super) const INK: &str = "#111111";
/// Width of the line before a name in the legend.
pub(super) const KEY: f64 = 14.0;
/// The largest number of panels in a row or column.
const MAX_ROW: usize = 1024;
/// Number of lines for notes: at most two notes, each in two lines of a narrow picture.
const NOTE_LINES: usize = 4;

pub(super) struct Arrangement<'a> {
    problem: &'a Problem<'a>,
    scene: Scene,
    colouring: Colouring<'a>,
    /// Indexes of the steps.
    steps: Vec<usize>,
    /// Lines of the notes.
    notes: Vec<String>,
    /// Lines of the legend: colours and names with their left ends.
    legend: Vec<Vec<LegendEntry>>,
    width: f64,
    grid: Grid,
}

struct LegendEntry {
    left: f64,
    /// `None` for the heading.
    colour: Option<String>,
    name: String,
}

/// Panels of one size in rows.
#[derive(Clone, Copy, Debug)]
struct Grid {
    columns: usize,
    rows: usize,
    /// Points per unit of the scene.
    scale: f64,
}

impl Grid {
    /// Returns the grid of panels at this scale that fills an area. At least one panel.
    fn filling(area: Point, panel: Point, scale: f64) -> Self {
        let count = |room: f64, length: f64| {
            // A panel that fits exactly is not lost by rounding.
            (2..=MAX_ROW).take_while(|&count| count as f64 * (length + GAP) - GAP <= room + 1e-6).last().unwrap_or(1)
        };
        let cell = panel * scale + Point::new(0.0, CAPTION);
        Self { columns: count(area.x, cell.x), rows: count(area.y, cell.y), scale }
    }

    /// Returns the grid with the largest panels for this number of panels, within two scales.
    fn largest(area: Point, panel: Point, panels: usize, [least, most]: [f64; 2]) -> Self {
        let grids = (1..=panels).map(|columns| {
            let rows = panels.div_ceil(columns);
            let across = (area.x - (columns - 1) as f64 * GAP) / (columns as f64 * panel.x);
            let down = (area.y - (rows - 1) as f64 * GAP - rows as f64 * CAPTION) / (rows as f64 * panel.y);
            Self { columns, rows, scale: across.min(down).min(most) }
        });
        // Ties go to more columns: the picture is lower.
        let best = grids.max_by(|a, b| a.scale.total_cmp(&b.scale));
        best.filter(|grid| grid.scale >= least).unwrap_or(Self::filling(area, panel, least))
    }

    fn panels(self) -> usize {
        self.columns.saturating_mul(self.rows)
    }
}

impl<'a> Arrangement<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, schedule: &Schedule, layout: &PaperLayout) -> Result<Self, PaperError> {
        let topology = problem.topology();
        check_size(topology)?;
        let [least, most] = PaperLayout::WIDTHS_MM;
        if !(least..=most).contains(&layout.width_mm) {
            return Err(PaperError::Width { width_mm: layout.width_mm });
        }
        let count = schedule.step_count();
        if let Some(step) = layout.steps.iter().flatten().find(|&&step| step >= count) {
            return Err(PaperError::NoStep { step: step + 1, steps: count });
        }
        let scene = Scene::new(topology, label_placement(topology, schedule));
        let colouring = Colouring::new(problem, schedule);
        let width = layout.width_mm * POINTS_PER_MM;
        let legend = legend(&colouring, width);
        let below = (legend.len() + NOTE_LINES) as f64 * TEXT_LINE;
        let height = (layout.height_mm * POINTS_PER_MM - below).max(CAPTION + GAP);
        let area = Point::new(width, height);
        let whole = (area.x / scene.size.x).min((area.y - CAPTION) / scene.size.y).min(LARGEST_SCALE);
        let floor = whole.min(LEAST_LABEL / LABEL);
        let pages = layout.pages.max(1);
        let fitting = Grid::filling(area, scene.size, floor).panels().saturating_mul(pages);
        let steps = match &layout.steps {
            Some(steps) if steps.len() > fitting => {
                return Err(PaperError::TooManySteps { wanted: steps.len(), fitting });
            }
            Some(steps) => steps.clone(),
            None => (0..count.min(fitting)).collect(),
        };
        let per_page = steps.len().div_ceil(pages).max(1);
        let grid = Grid::largest(area, scene.size, per_page, [floor, whole]);
        let omitted = layout.steps.is_none().then(|| omitted_steps(count, steps.len())).flatten();
        let mut notes = crate::svg::notes(&scene, omitted);
        if LABEL * grid.scale < LEGIBLE {
            notes.truncate(1);
            notes.push("the names of the nodes are left out: they would be too small".to_owned());
        }
        let notes = notes.iter().flat_map(|note| lines(note, width)).collect();
        Ok(Self { problem, scene, colouring, steps, notes, legend, width, grid })
    }

    pub(super) fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// Draws all pages.
    pub(super) fn pages(&self, schedule: &Schedule) -> Vec<Page> {
        let per_page = self.grid.panels().max(1);
        let mut chunks: Vec<&[usize]> = self.steps.chunks(per_page).collect();
        if chunks.is_empty() {
            chunks.push(&[]);
        }
        let last = chunks.len() - 1;
        chunks.iter().enumerate().map(|(place, steps)| self.page(schedule, steps, place == last)).collect()
    }

    /// Draws a page. The last one has the notes and the legend.
    fn page(&self, schedule: &Schedule, steps: &[usize], is_last: bool) -> Page {
        let mut shapes = Vec::new();
        let cell = self.scene.size * self.grid.scale + Point::new(GAP, GAP + CAPTION);
        let columns = self.grid.columns.min(steps.len().max(1));
        // Panels are in the middle of the width.
        let left = 0.5 * (self.width - columns as f64 * cell.x + GAP);
        let painter = Painter { problem: self.problem, scene: &self.scene, colouring: &self.colouring };
        let network = [None];
        let panels: Vec<Option<usize>> = steps.iter().map(|&step| Some(step)).collect();
        let panels = if panels.is_empty() { &network[..] } else { &panels };
        for (place, step) in panels.iter().enumerate() {
            let (column, row) = (place % columns, place / columns);
            let corner = Point::new(left + column as f64 * cell.x, row as f64 * cell.y);
            if let Some(step) = step {
                let caption = format!("Step {} of {}", step + 1, schedule.step_count());
                let at = corner + Point::new(0.0, TEXT);
                let halo = None;
                shapes.push(Shape::Text(Text { at, size: TEXT, colour: INK, is_bold: true, halo, words: caption }));
            }
            let panel = Panel { scale: self.grid.scale, corner: corner + Point::new(0.0, CAPTION) };
            let rings = self.colouring.rings();
            panel.network(&mut shapes, (self.problem.topology(), &self.scene), &rings, |_| true);
            if let Some(step) = step {
                panel.transfers(&mut shapes, &painter, &schedule.step(*step));
            }
            panel.names(&mut shapes, &self.scene);
        }
        let mut bottom = panels.len().div_ceil(columns) as f64 * cell.y - GAP;
        if is_last {
            bottom = self.below(&mut shapes, bottom);
        }
        Page { size: Point::new(self.width, bottom), shapes }
    }

    /// Draws the notes and the legend below a height. Returns the height of all.
    fn below(&self, shapes: &mut Vec<Shape>, mut bottom: f64) -> f64 {
        let words = |at: Point, is_bold: bool, text: &str| {
            Shape::Text(Text { at, size: TEXT, colour: INK, is_bold, halo: None, words: text.to_owned() })
        };
        for note in &self.notes {
            bottom += TEXT_LINE;
            shapes.push(words(Point::new(0.0, bottom - 3.0), false, note));
        }
        for line in &self.legend {
            bottom += TEXT_LINE;
            for LegendEntry { left, colour, name } in line {
                let at = Point::new(*left, bottom - 3.0);
                let Some(colour) = colour else {
                    shapes.push(words(at, true, name));
                    continue;
                };
                shapes.push(legend_key(at, colour));
                shapes.push(words(at + Point::new(KEY + 3.0, 0.0), false, name));
            }
        }
        bottom
    }
}

/// Returns the line before a name of the legend, whose baseline begins at a point.
pub(super) fn legend_key(at: Point, colour: &str) -> Shape {
    let middle = at - Point::new(0.0, 0.36 * TEXT);
    let mut path = PenPath::default();
    path.move_to(middle);
    path.draw(&Curve::line(middle, middle + Point::new(KEY, 0.0)));
    Shape::Path { path, fill: None, stroke: Some(Stroke { colour: colour.to_owned(), width: 2.0, dashes: None }) }
}

/// Refuses networks that are too large for any picture.
pub(super) fn check_size(topology: &Topology) -> Result<(), PaperError> {
    let (nodes, channels) = (topology.node_count(), topology.channel_count());
    let DrawingLimits { nodes: max_nodes, channels: max_channels, .. } = DrawingLimits::PAGE;
    if nodes > max_nodes || channels > max_channels {
        return Err(PaperError::TooLarge { nodes, channels, max_nodes, max_channels });
    }
    Ok(())
}

/// Breaks a note into lines of this width, in points.
pub(super) fn lines(note: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in note.split(' ') {
        match lines.last_mut() {
            Some(line) if helvetica::width(&format!("{line} {word}"), TEXT, false) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Breaks the legend into lines of this width. Names are never shortened further than in other pictures.
fn legend(colouring: &Colouring<'_>, width: f64) -> Vec<Vec<LegendEntry>> {
    let Some(legend) = colouring.legend() else { return Vec::new() };
    let heading = legend.heading.to_owned();
    let mut right = helvetica::width(&heading, TEXT, true) + 6.0;
    let mut lines = vec![vec![LegendEntry { left: 0.0, colour: None, name: heading }]];
    for (colour, name) in legend.entries {
        // The standard fonts of PDF have no arrow.
        let name = labels::visible(&name).replace('→', "to");
        let length = KEY + 3.0 + helvetica::width(&name, TEXT, false);
        if right + length > width && right > 0.0 {
            lines.push(Vec::new());
            right = 0.0;
        }
        if let Some(line) = lines.last_mut() {
            line.push(LegendEntry { left: right, colour: Some(colour), name });
        }
        right += length + 8.0;
    }
    lines
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::{Collective, CommunicationModel, MessageId};

    use super::*;
    use crate::pen_path::PenMove;

    /// A schedule in which every channel carries the message of its tail, one node per step.
    fn flooded(topology: &Topology) -> Schedule {
        let mut schedule = Schedule::new();
        for (rank, &node) in topology.terminals().iter().enumerate() {
            schedule.begin_step();
            for &channel in topology.out_channels(node) {
                schedule.push(MessageId::new(rank as u32), &[channel]);
            }
        }
        schedule
    }

    fn drawn(spec: &str, layout: &PaperLayout) -> Result<(usize, Vec<Page>), PaperError> {
        let topology: Topology = spec.parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&topology, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        let schedule = flooded(&topology);
        let arrangement = Arrangement::new(&problem, &schedule, layout)?;
        Ok((arrangement.step_count(), arrangement.pages(&schedule)))
    }

    #[test]
    fn everything_is_on_the_page_and_legible() {
        for (spec, width_mm) in [("ring:6", 85.0), ("mesh:4x4", 170.0), ("hypercube:4", 60.0), ("b-tree:16", 85.0)] {
            let layout = PaperLayout { width_mm, ..PaperLayout::A4 };
            let (steps, pages) = drawn(spec, &layout).unwrap();
            assert!(steps > 0 && pages.len() == 1, "{spec}: {steps} steps");
            let Page { size, shapes } = &pages[0];
            assert!((size.x / POINTS_PER_MM - width_mm).abs() < 1e-6 && size.y <= 247.0 * POINTS_PER_MM + 1e-6);
            let is_inside =
                |point: Point| (-0.5..=size.x + 0.5).contains(&point.x) && (-0.5..=size.y + 0.5).contains(&point.y);
            let mut captions = 0;
            for shape in shapes {
                match shape {
                    Shape::Path { path, .. } => {
                        for pen in &path.0 {
                            let points = match pen {
                                PenMove::To(point) | PenMove::Line(point) => vec![*point],
                                PenMove::Curve(points) => points.to_vec(),
                                PenMove::Close => Vec::new(),
                            };
                            assert!(points.into_iter().all(is_inside), "{spec}: {path:?}");
                        }
                    }
                    Shape::Text(text) => {
                        let end = text.at + Point::new(helvetica::width(&text.words, text.size, text.is_bold), 0.0);
                        assert!(
                            is_inside(text.at) && is_inside(end) && text.size >= LEGIBLE - 1e-6,
                            "{spec}: {text:?}"
                        );
                        captions += usize::from(text.words.starts_with("Step "));
                    }
                }
            }
            assert_eq!(captions, steps, "{spec}");
        }
    }

    #[test]
    fn steps_that_do_not_fit_are_refused_or_need_more_pages() {
        let steps = Some((0..64).collect());
        let one = PaperLayout { width_mm: 85.0, steps, ..PaperLayout::A4 };
        let Err(PaperError::TooManySteps { wanted: 64, fitting }) = drawn("torus:8x8", &one) else {
            panic!("64 panels of 64 nodes fit in one column");
        };
        assert_eq!(drawn("torus:8x8", &PaperLayout { steps: None, ..one.clone() }).unwrap().0, fitting);
        let pages = 64_usize.div_ceil(fitting);
        let (drawn, pages_used) = drawn("torus:8x8", &PaperLayout { pages, ..one }).unwrap();
        assert_eq!((drawn, pages_used.len()), (64, pages));
    }

    #[test]
    fn wrong_steps_widths_and_networks_are_named() {
        let with = |steps: Option<Vec<usize>>, width_mm| PaperLayout { width_mm, steps, ..PaperLayout::A4 };
        assert_eq!(drawn("ring:4", &with(Some(vec![4]), 85.0)).unwrap_err(), PaperError::NoStep { step: 5, steps: 4 });
        for width_mm in [0.0, -1.0, f64::NAN, f64::INFINITY, 29.0] {
            assert!(matches!(drawn("ring:4", &with(None, width_mm)), Err(PaperError::Width { .. })), "{width_mm}");
        }
        assert!(matches!(drawn("ring:1025", &PaperLayout::A4), Err(PaperError::TooLarge { nodes: 1025, .. })));
    }
}
