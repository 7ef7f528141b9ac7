//! SVG pictures of networks, and of schedules with one panel per step.

use lockstep_schedule::{Problem, Schedule};
use lockstep_topology::{ChannelId, Topology};

use crate::canvas::{GAP, TEXT_LINE, fill, picture, text};
use crate::colouring::{Colouring, Legend};
use crate::geometry::Point;
use crate::labels;
use crate::legend::{KEY_WIDTH, LegendLayout};
use crate::mark::MarkRole;
use crate::markup::{Markup, number};
use crate::painter::{Painter, bare_network, definitions, marked_channels};
use crate::scene::{LabelPlacement, Scene};

/// The limits of a picture. A note in the picture says if something is omitted.
///
/// ```
/// use lockstep_report::{DrawingLimits, topology_svg};
///
/// let ring = lockstep_topology::ring(100)?;
/// let limits = DrawingLimits { nodes: 50, ..DrawingLimits::PAGE };
/// assert!(topology_svg(&ring, &limits).contains("not drawn: 100 nodes"));
/// # Ok::<(), lockstep_topology::FamilyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawingLimits {
    /// Maximum number of steps.
    pub steps: usize,
    /// Maximum number of nodes. For a larger network the picture states only its size.
    pub nodes: usize,
    /// Maximum number of channels.
    pub channels: usize,
}

impl DrawingLimits {
    /// Limits for a browser: 400 steps, 1,024 nodes, 8,192 channels.
    pub const PAGE: Self = Self { steps: 400, nodes: 1024, channels: 8192 };

    /// Returns the reason if the network exceeds the limits. Its picture would only state the reason.
    pub fn refuse(&self, topology: &Topology) -> Option<String> {
        let (nodes, channels) = (topology.node_count(), topology.channel_count());
        (nodes > self.nodes || channels > self.channels).then(|| {
            format!(
                "not drawn: {nodes} nodes and {channels} channels; the limits are {} and {}",
                self.nodes, self.channels
            )
        })
    }
}

/// Height of the caption of a panel.
const CAPTION: f64 = 22.0;
/// Minimum width of a picture.
const MIN_WIDTH: f64 = 360.0;

/// Draws a network as an SVG picture. Returns the text of one `<svg>` element.
///
/// Nodes are at [`Topology::positions`]. Without positions, they are arranged in stages (one-way networks), in levels
/// (such as trees), or by a stress layout. Terminals are labelled circles, switches are squares, channels are lines.
/// Opposite channels are side by side; a channel without an opposite has a small arrow head. The terminals of a one-way
/// indirect network are drawn on both sides, dashed on the receiving side. Takes `O(N^2 + N M)` time.
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
    marked_topology_svg(topology, &MarkedChannels::default(), limits)
}

/// Channels that stand out in a picture of a network.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MarkedChannels {
    /// The channels.
    pub channels: Vec<ChannelId>,
    /// Their meaning, for the legend.
    pub meaning: String,
}

/// Draws a network like [`topology_svg`], with some channels in red.
pub fn marked_topology_svg(topology: &Topology, marked: &MarkedChannels, limits: &DrawingLimits) -> String {
    let title = [labels::name(topology), labels::size(topology)];
    if let Some(reason) = limits.refuse(topology) {
        return PanelGrid::without_panels(&title, &[reason]);
    }
    let scene = Scene::new(topology, LabelPlacement::Inside);
    let page = PanelGrid::new(&title, 1, scene.size);
    let meaning = (!marked.channels.is_empty()).then(|| format!("red: {}", labels::visible(&marked.meaning)));
    let notes: Vec<String> = notes(&scene, None).into_iter().chain(meaning).collect();
    page.draw(&notes, None, |out| {
        definitions(out, topology, &scene, &[]);
        page.panel(out, 0, "network", "", |out| {
            bare_network(out);
            marked_channels(out, &scene, &marked.channels);
        });
    })
}

/// Draws a schedule as an SVG picture with one panel per step. Returns the text of one `<svg>` element.
///
/// The network is drawn as by [`topology_svg`]. A transfer is a thick line along its path with an arrow head at the
/// receiver, in the colour of its message. If several sources have more than 16 messages together, each source has one
/// colour. The border of a terminal has the colour of its messages, and a legend names up to 16 colours. A transfer
/// that exceeds the capacity of a resource in its step is dashed. Pointing at a transfer shows its message and path.
///
/// The schedule can be invalid: a transfer with an unknown message or channel, or without a channel, is counted in the
/// caption. The example of the crate draws a broadcast. Takes `O(N^2 + N M)` time for the layout, and `O(1)` per
/// channel of a transfer.
pub fn schedule_svg(problem: &Problem<'_>, schedule: &Schedule, limits: &DrawingLimits) -> String {
    let topology = problem.topology();
    let steps = schedule.step_count();
    let title = labels::title(problem, steps);
    if let Some(reason) = limits.refuse(topology) {
        return PanelGrid::without_panels(&title, &[reason]);
    }
    let scene = Scene::new(topology, label_placement(topology, schedule));
    let colouring = Colouring::new(problem, schedule);
    let painter = Painter { problem, scene: &scene, colouring: &colouring };
    let drawn = steps.min(limits.steps);
    let page = PanelGrid::new(&title, drawn.max(1), scene.size);
    let notes = notes(&scene, omitted_steps(steps, drawn));
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

/// Returns the placement of names that does not hide paths: inside, unless paths cross terminals.
pub(crate) fn label_placement(topology: &Topology, schedule: &Schedule) -> LabelPlacement {
    let at_terminal =
        |&channel: &ChannelId| topology.is_working(channel) && topology.is_terminal(topology.tail(channel));
    let mut transfers = schedule.steps().flat_map(|(_, step)| step.iter());
    let crossed = transfers.any(|transfer| transfer.path.iter().skip(1).any(at_terminal));
    if crossed { LabelPlacement::Beside } else { LabelPlacement::Inside }
}

/// Returns the notes below a picture.
pub(crate) fn notes(scene: &Scene, omitted_steps: Option<String>) -> Vec<String> {
    let one_way = scene.marks.iter().any(|mark| mark.role == MarkRole::Receiver);
    let sides = one_way.then(|| "dashed circle: the receiving side of the terminal of that name".to_owned());
    omitted_steps.into_iter().chain(sides).collect()
}

/// Returns a note if steps are omitted.
pub(crate) fn omitted_steps(steps: usize, drawn: usize) -> Option<String> {
    (drawn < steps).then(|| format!("the first {drawn} of {steps} steps; the others are omitted"))
}

/// The arrangement of a picture: title lines, a grid of panels, notes and legend.
struct PanelGrid {
    title: String,
    title_lines: Vec<String>,
    columns: usize,
    rows: usize,
    /// Size of a panel without its caption.
    panel: Point,
    width: f64,
}

impl PanelGrid {
    fn new(title: &[String], panels: usize, panel: Point) -> Self {
        let cell = panel + Point::new(GAP, GAP + CAPTION);
        // Aspect ratio of 1.3 or more.
        let wide = |columns: &usize| *columns as f64 * cell.x >= 1.3 * panels.div_ceil(*columns) as f64 * cell.y;
        let columns = (1..=panels).find(wide).unwrap_or(panels);
        let width = (columns as f64 * cell.x + GAP).max(MIN_WIDTH);
        let rows = panels.div_ceil(columns);
        Self { title: title.join(" · "), title_lines: fill(title, width), columns, rows, panel, width }
    }

    /// Returns a picture that contains only notes.
    fn without_panels(title: &[String], notes: &[String]) -> String {
        let page = Self { rows: 0, width: 2.0 * MIN_WIDTH, ..Self::new(title, 1, Point::default()) };
        let page = Self { title_lines: fill(title, page.width), ..page };
        page.draw(notes, None, |_| ())
    }

    fn top(&self) -> f64 {
        GAP + self.title_lines.len() as f64 * TEXT_LINE
    }

    /// Draws the picture; `panels` draws its panels.
    fn draw(&self, notes: &[String], legend: Option<&Legend>, panels: impl FnOnce(&mut Markup)) -> String {
        let below = self.top() + self.rows as f64 * (self.panel.y + CAPTION + GAP) + TEXT_LINE;
        let legend_top = below + notes.len() as f64 * TEXT_LINE;
        let keys = legend.map(|legend| {
            let names = legend.entries.iter().map(|(_, name)| name.clone()).collect();
            (LegendLayout::new(legend.heading, names, self.width), &legend.entries)
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

    /// Draws a panel; `content` draws inside its frame.
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
