//! Whole pictures: a network, and a schedule with one panel a step.

use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::{ChannelId, Topology};

use crate::canvas::{GAP, TEXT_LINE, fill, picture, text};
use crate::colouring::{Colouring, Legend};
use crate::geometry::Point;
use crate::labels;
use crate::legend::{KEY_WIDTH, Keys};
use crate::markup::{Markup, number};
use crate::painter::{Painter, bare_network, definitions};
use crate::scene::{Labels, Role, Scene};

/// How much is drawn before a picture says that it leaves something out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawingLimits {
    /// Steps drawn; the others are counted in a line of text.
    pub steps: usize,
    /// The largest network drawn, in nodes; of a larger one the picture gives the size in words.
    pub nodes: usize,
    /// The largest network drawn, in channels.
    pub channels: usize,
}

impl DrawingLimits {
    /// What a browser still shows at once: 400 steps, 1,024 nodes, 8,192 channels.
    pub const PAGE: Self = Self { steps: 400, nodes: 1024, channels: 8192 };

    /// Why a network is not drawn, if it is not.
    pub(crate) fn refuse(&self, topology: &Topology) -> Option<String> {
        let (nodes, channels) = (topology.node_count(), topology.channel_count());
        (nodes > self.nodes || channels > self.channels).then(|| {
            format!(
                "not drawn: {nodes} nodes and {channels} channels; the limits are {} and {}",
                self.nodes, self.channels
            )
        })
    }
}

/// Height of a caption above its panel.
const CAPTION: f64 = 22.0;
/// The narrowest picture, so that titles have room.
const MIN_WIDTH: f64 = 360.0;

/// The network as an SVG picture, text of one `<svg>` element.
///
/// Nodes stand at [`Topology::positions`]; without usable ones in stages (one-way networks), storeys (trees and the
/// like) or where their distances put them. Terminals are labelled circles, switches squares, and each channel is a
/// line: opposite directions side by side, a one-way channel with a small arrow head. The terminals of a one-way
/// indirect network are drawn at both sides, dashed where they receive. Time O(N² + N·M).
///
/// ```
/// use lockstep_report::{DrawingLimits, topology_svg};
/// use lockstep_topology::TopologyBuilder;
///
/// let mut pair = TopologyBuilder::new("pair");
/// let (a, b) = (pair.terminal("a"), pair.terminal("b"));
/// pair.link(a, b);
/// assert!(topology_svg(&pair.build()?, &DrawingLimits::PAGE).starts_with("<svg "));
/// # Ok::<(), lockstep_topology::TopologyError>(())
/// ```
pub fn topology_svg(topology: &Topology, limits: &DrawingLimits) -> String {
    let title = [labels::name(topology), labels::size(topology)];
    if let Some(reason) = limits.refuse(topology) {
        return Page::without_panels(&title, &[reason]);
    }
    let scene = Scene::new(topology, Labels::Inside);
    let page = Page::new(&title, 1, scene.size);
    page.draw(&notes(&scene, None), None, |out| {
        definitions(out, topology, &scene, &[]);
        page.panel(out, 0, "network", "", bare_network);
    })
}

/// The schedule as an SVG picture with one panel a step, text of one `<svg>` element.
///
/// The network is drawn as by [`topology_svg`], each transfer as a thick line along its path with an arrow head at the
/// receiver, in the colour of its message (of its source, where several sources have more than 16 messages together);
/// terminals are ringed in the colour of their own messages, and a legend names up to 16 colours. A transfer that uses a
/// channel a second time in its step is dashed. Pointing at a transfer shows message and path in words.
///
/// The schedule need not be valid; a transfer with an unknown message or channel, or no channel, is only counted.
pub fn schedule_svg(problem: &Problem<'_>, schedule: &Schedule, limits: &DrawingLimits) -> String {
    let topology = problem.topology();
    let steps = schedule.step_count();
    let title = labels::title(problem, steps);
    if let Some(reason) = limits.refuse(topology) {
        return Page::without_panels(&title, &[reason]);
    }
    let scene = Scene::new(topology, labels(topology, schedule));
    let colouring = Colouring::new(problem, schedule);
    let painter = Painter { problem, scene: &scene, colouring: &colouring };
    let drawn = steps.min(limits.steps);
    let page = Page::new(&title, drawn.max(1), scene.size);
    let notes = notes(&scene, left_out(steps, drawn));
    page.draw(&notes, colouring.legend().as_ref(), |out| {
        definitions(out, topology, &scene, &colouring.rings());
        if drawn == 0 {
            page.panel(out, 0, "network", "", bare_network);
        }
        for (place, step) in schedule.steps().take(drawn) {
            let caption = painter.caption(place, steps, &step);
            page.panel(out, place, "panel", &caption, |out| painter.step(out, &step));
        }
    })
}

/// Where the names of terminals do not hide paths: inside, unless paths cross terminals.
pub(crate) fn labels(topology: &Topology, schedule: &Schedule) -> Labels {
    let at_terminal =
        |&channel: &ChannelId| topology.is_working(channel) && topology.is_terminal(topology.tail(channel));
    let mut transfers = schedule.steps().flat_map(|(_, step)| step.iter());
    let crossed = transfers.any(|transfer| transfer.path.iter().skip(1).any(at_terminal));
    if crossed { Labels::Beside } else { Labels::Inside }
}

/// What a reader of a picture must know beside the legend.
pub(crate) fn notes(scene: &Scene, left_out: Option<String>) -> Vec<String> {
    let one_way = scene.marks.iter().any(|mark| mark.role == Role::Receiver);
    let sides = one_way.then(|| "dashed circle: the receiving side of the terminal of that name".to_owned());
    left_out.into_iter().chain(sides).collect()
}

/// What the limits keep from the picture.
pub(crate) fn left_out(steps: usize, drawn: usize) -> Option<String> {
    (drawn < steps).then(|| format!("the first {drawn} of {steps} steps; the others are left out"))
}

/// The arrangement of a picture: title lines, a grid of panels, notes and legend.
struct Page {
    title: String,
    title_lines: Vec<String>,
    columns: usize,
    rows: usize,
    /// Size of a panel without its caption.
    panel: Point,
    width: f64,
}

impl Page {
    fn new(title: &[String], panels: usize, panel: Point) -> Self {
        let cell = panel + Point::new(GAP, GAP + CAPTION);
        // About half as wide again as high.
        let wide = |columns: &usize| *columns as f64 * cell.x >= 1.3 * panels.div_ceil(*columns) as f64 * cell.y;
        let columns = (1..=panels).find(wide).unwrap_or(panels);
        let width = (columns as f64 * cell.x + GAP).max(MIN_WIDTH);
        let rows = panels.div_ceil(columns);
        Self { title: title.join(" · "), title_lines: fill(title, width), columns, rows, panel, width }
    }

    /// A picture that says in words why it shows nothing else.
    fn without_panels(title: &[String], notes: &[String]) -> String {
        let page = Self { rows: 0, width: 2.0 * MIN_WIDTH, ..Self::new(title, 1, Point::default()) };
        let page = Self { title_lines: fill(title, page.width), ..page };
        page.draw(notes, None, |_| ())
    }

    fn top(&self) -> f64 {
        GAP + self.title_lines.len() as f64 * TEXT_LINE
    }

    fn draw(&self, notes: &[String], legend: Option<&Legend>, panels: impl FnOnce(&mut Markup)) -> String {
        let below = self.top() + self.rows as f64 * (self.panel.y + CAPTION + GAP) + TEXT_LINE;
        let legend_top = below + notes.len() as f64 * TEXT_LINE;
        let keys = legend.map(|legend| {
            let names = legend.entries.iter().map(|(_, name)| name.clone()).collect();
            (Keys::new(legend.heading, names, self.width), &legend.entries)
        });
        let height = legend_top + keys.as_ref().map_or(0.0, |(keys, _)| keys.height());
        picture(&self.title, None, Point::new(self.width, height), |out| {
            for (place, line) in self.title_lines.iter().enumerate() {
                let weight = if place == 0 { "bold" } else { "normal" };
                text(out, Point::new(GAP, GAP + 12.0 + place as f64 * TEXT_LINE), weight, line);
            }
            panels(out);
            for (place, note) in notes.iter().enumerate() {
                text(out, Point::new(GAP, below + place as f64 * TEXT_LINE), "normal", note);
            }
            if let Some((keys, entries)) = &keys {
                keys.draw(out, legend_top, |out, place, centre| {
                    let half = Point::new(0.5 * KEY_WIDTH, 0.0);
                    let [left, right] = [centre - half, centre + half];
                    let [x1, x2, y] = [left.x, right.x, centre.y].map(number);
                    let line = [("x1", &*x1), ("y1", &*y), ("x2", &*x2), ("y2", &*y)];
                    out.empty("line", &[&line[..], &[("stroke", &*entries[place].0), ("stroke-width", "3")]].concat());
                });
            }
        })
    }

    fn panel(&self, out: &mut Markup, place: usize, class: &str, caption: &str, content: impl FnOnce(&mut Markup)) {
        let cell = self.panel + Point::new(GAP, GAP + CAPTION);
        let (column, row) = (place % self.columns, place / self.columns);
        let x = GAP + column as f64 * cell.x;
        let y = self.top() + row as f64 * cell.y;
        let translate = |x: f64, y: f64| format!("translate({} {})", number(x), number(y));
        out.nest("g", &[("class", class), ("transform", &translate(x, y))], |out| {
            if !caption.is_empty() {
                text(out, Point::new(0.0, CAPTION - 6.0), "bold", caption);
            }
            out.nest("g", &[("transform", &translate(0.0, CAPTION))], |out| {
                let (width, height) = (number(self.panel.x), number(self.panel.y));
                let frame = [("fill", "none"), ("stroke", "#e2e2e2"), ("rx", "4")];
                out.empty("rect", &[&[("width", &*width), ("height", &*height)][..], &frame].concat());
                content(out);
            });
        });
    }
}
