//! The page of a front.

use lockstep_topology::Topology;
use serde::Serialize;

use super::body::{CORNER, DIALOG, SAVE};
use super::limits::PageLimits;
use super::shell::{interactive_page, to_json};
use crate::labels::visible;
use crate::palette;
use crate::scene::{LabelPlacement, Scene};

/// The elements of the page. The script writes all texts into them.
const BODY: [&str; 5] = [include_str!("body/front-1.html"), SAVE, CORNER, include_str!("body/front-2.html"), DIALOG];
/// One script: the files share the names that they declare.
const SCRIPT: &str = concat!(
    "'use strict';\n",
    include_str!("script/record.js"),
    include_str!("script/words.js"),
    include_str!("script/svg.js"),
    include_str!("script/colours.js"),
    include_str!("script/rows.js"),
    include_str!("script/chart.js"),
    include_str!("script/save.js"),
    include_str!("script/save_charts.js"),
    include_str!("script/layout.js"),
    include_str!("script/front_page.js"),
);
/// Maximum number of different colours.
const MAX_COLOURS: usize = 32;
/// Maximum number of nodes and links of all drawings.
const MAX_DRAWN: usize = 200_000;
/// Maximum number of drawings, because their layouts take time.
const MAX_DRAWINGS: usize = 100;

/// A front: designs with their scores, or schedules with their times.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FrontPage {
    /// The heading.
    pub title: String,
    /// The line below the heading.
    pub subtitle: String,
    /// Facts about the front: names and values.
    pub facts: Vec<[String; 2]>,
    /// The designs, in the order of their numbers.
    pub designs: Vec<FrontDesign>,
    /// The charts, from top to bottom.
    pub charts: Vec<FrontChart>,
}

/// A design of a front.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FrontDesign {
    /// The name, such as `plan 1`.
    pub name: String,
    /// The line of the list of designs.
    pub label: String,
    /// Names and values.
    pub facts: Vec<[String; 2]>,
    /// The name of a file beside the page that has the design. It is a name without folders.
    pub link: Option<String>,
    /// The network, if it is drawn.
    pub network: Option<Topology>,
}

/// Curves or points over two axes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontChart {
    /// The heading.
    pub title: String,
    /// The horizontal axis.
    pub x: FrontAxis,
    /// The vertical axis.
    pub y: FrontAxis,
    /// Points instead of curves.
    pub is_scatter: bool,
    /// The curves.
    pub curves: Vec<FrontCurve>,
}

/// An axis of a chart.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontAxis {
    /// The quantity.
    pub label: String,
    /// The unit of its numbers.
    pub unit: AxisUnit,
    /// A logarithmic axis. Its values are above 0.
    pub is_log: bool,
}

/// The unit of the numbers of an axis.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AxisUnit {
    /// Bytes.
    Bytes,
    /// Seconds.
    Seconds,
    /// Bytes per second.
    BytesPerSecond,
    /// No unit.
    Number,
}

/// The points of one design, or a limit that no design crosses.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FrontCurve {
    /// The place of the design; `None` for a limit or a comparison.
    pub design: Option<usize>,
    /// The name of a limit.
    pub name: String,
    /// Coordinates, from left to right.
    pub points: Vec<[f64; 2]>,
}

#[derive(Debug, Serialize)]
struct FrontRecord {
    title: String,
    subtitle: String,
    hint: &'static str,
    facts: Vec<[String; 2]>,
    notes: Vec<String>,
    designs: Vec<DesignRecord>,
    charts: Vec<FrontChart>,
    colours: ColourTable,
}

#[derive(Debug, Serialize)]
struct ColourTable {
    light: Vec<String>,
    dark: Vec<String>,
}

#[derive(Debug, Serialize)]
struct DesignRecord {
    name: String,
    label: String,
    facts: Vec<[String; 2]>,
    link: Option<String>,
    drawing: Option<Drawing>,
}

/// A small picture of a network: nodes and straight links, in pixels.
#[derive(Debug, Serialize)]
struct Drawing {
    size: [i32; 2],
    /// Two coordinates per node.
    nodes: Vec<i32>,
    /// 1 for a terminal, 0 for a switch.
    kinds: Vec<u8>,
    /// Two nodes per link.
    links: Vec<usize>,
}

/// Writes a front as a self-contained HTML page: charts, and the facts and network of the design under the pointer.
///
/// A click keeps a design, and a second click opens its file. The page can be used with a keyboard alone. It loads no other
/// file: a Content-Security-Policy allows its own script and style only. Names are shown and never executed. The page has at
/// most 100 networks, and says so.
///
/// ```
/// use lockstep_report::{FrontPage, PageLimits, front_html};
///
/// let front = FrontPage { title: "all-gather of ring:4".to_owned(), ..FrontPage::default() };
/// assert!(front_html(&front, &PageLimits::BROWSER).contains("<title>all-gather of ring:4"));
/// ```
pub fn front_html(front: &FrontPage, limits: &PageLimits) -> String {
    let count = front.designs.len().clamp(1, MAX_COLOURS);
    let colours = |colour: fn(usize, usize) -> String| (0..count).map(|place| colour(place, count)).collect();
    let (mut drawn, mut drawings, mut omitted) = (0, 0, 0);
    let mut drawing = |network: &Topology| {
        let size = network.node_count() + network.channel_count();
        let fits = drawn + size <= MAX_DRAWN && drawings < MAX_DRAWINGS && network.node_count() <= limits.nodes;
        if !fits {
            omitted += 1;
            return None;
        }
        (drawn, drawings) = (drawn + size, drawings + 1);
        Some(Drawing::new(network))
    };
    let designs = front.designs.iter().map(|design| DesignRecord {
        name: visible(&design.name),
        label: visible(&design.label),
        facts: pairs(&design.facts),
        link: design.link.as_deref().filter(|link| is_name(link)).map(str::to_owned),
        drawing: design.network.as_ref().and_then(&mut drawing),
    });
    let designs: Vec<_> = designs.collect();
    let note = format!("The networks of {omitted} designs are not drawn: the page has {drawings} networks.");
    let record = FrontRecord {
        title: visible(&front.title),
        subtitle: visible(&front.subtitle),
        hint: "Hover over a curve or a point, or choose an entry of the list.",
        facts: pairs(&front.facts),
        notes: (omitted > 0).then_some(note).into_iter().collect(),
        designs,
        charts: front.charts.iter().map(FrontChart::visible).collect(),
        colours: ColourTable { light: colours(palette::colour), dark: colours(palette::colour_on_dark) },
    };
    interactive_page(std::slice::from_ref(&front.title), &BODY, SCRIPT, &to_json(&record), &[])
}

impl FrontChart {
    /// Returns the chart without hidden characters in its texts.
    fn visible(&self) -> Self {
        let axis = |axis: &FrontAxis| FrontAxis { label: visible(&axis.label), ..axis.clone() };
        let curve = |curve: &FrontCurve| FrontCurve { name: visible(&curve.name), ..curve.clone() };
        Self {
            title: visible(&self.title),
            x: axis(&self.x),
            y: axis(&self.y),
            is_scatter: self.is_scatter,
            curves: self.curves.iter().map(curve).collect(),
        }
    }
}

fn pairs(facts: &[[String; 2]]) -> Vec<[String; 2]> {
    facts.iter().map(|[name, value]| [visible(name), visible(value)]).collect()
}

/// Returns true if a text is the name of a file without folders or a scheme such as `javascript:`.
fn is_name(link: &str) -> bool {
    link.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'))
}

impl Drawing {
    fn new(network: &Topology) -> Self {
        let scene = Scene::new(network, LabelPlacement::Inside);
        let pixel = |length: f64| length.round() as i32;
        let mut links: Vec<[usize; 2]> = network
            .channels()
            .map(|channel| {
                let [tail, head] = [network.tail(channel).index(), network.head(channel).index()];
                [tail.min(head), tail.max(head)]
            })
            .collect();
        links.sort_unstable();
        links.dedup();
        let marks = scene.marks.iter().take(network.node_count());
        Self {
            size: [pixel(scene.size.x), pixel(scene.size.y)],
            nodes: marks.flat_map(|mark| [mark.centre.x, mark.centre.y]).map(pixel).collect(),
            kinds: network.nodes().map(|node| u8::from(network.is_terminal(node))).collect(),
            links: links.concat(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_a_file_beside_the_page() {
        assert!(is_name("plan-1.html"));
        for link in ["javascript:alert(1)", "../plan.html", "//host/plan", "a b"] {
            assert!(!is_name(link), "{link}");
        }
    }
}
