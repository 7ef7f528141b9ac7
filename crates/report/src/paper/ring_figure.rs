//! A picture of rings: each ring is a line of its own colour along its hops.

use lockstep_topology::{ChannelId, Topology};

use super::arrangement::{
    CAPTION, GAP, INK, KEY, LABEL, LARGEST_SCALE, TEXT, TEXT_LINE, check_size, legend_key, lines,
};
use super::helvetica;
use super::panel::{LEGIBLE, Panel};
use super::paper_layout::{POINTS_PER_MM, PaperError, PaperLayout};
use super::shape::{Page, Shape, Text};
use crate::channel_curves::LANE;
use crate::coverage::CoverageGrid;
use crate::geometry::{Curve, Point};
use crate::labels;
use crate::palette;
use crate::path_line::{Arrow, PathCurve, path_line};
use crate::pen_path::PenPath;
use crate::scene::{LabelPlacement, Scene};
use crate::svg::MarkedChannels;

/// Distance of neighbouring lines on a channel.
const PITCH: f64 = 3.2;
/// Width of a line.
const LINE: f64 = 2.2;
/// Width of a line if no channel has two.
const ALONE: f64 = 2.8;
/// The largest width of all lines on a channel.
const MAX_BAND: f64 = 12.0;
/// Maximum number of hops that are connected inside a switch. With more, one could not follow them.
const MAX_JOINTS: usize = 16;
/// Space between the lines of two channels.
const BETWEEN: f64 = 3.0;
/// Maximum number of rings in the legend.
const LEGEND_ENTRIES: usize = 16;
/// Maximum number of channels with their number of lines beside them.
const MAX_NUMBERS: usize = 128;
/// Size of the numbers beside channels.
const NUMBER: f64 = 8.5;
/// The colour around the busiest channels.
const BUSIEST: &str = "#ffc4bd";
/// The largest scale: names have 11 points.
const MAX_SCALE: f64 = 1.0;
/// Space around the picture.
const MARGIN: f64 = 4.0;
/// Width of a picture, in millimetres, if none is given.
const WIDTHS_MM: [f64; 2] = [85.0, PaperLayout::A4.width_mm];

/// A ring or chain in a picture.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DrawnRing {
    /// The name in the legend.
    pub name: String,
    /// The channels of each hop, in each direction in which it carries data.
    pub hops: Vec<Vec<ChannelId>>,
    /// True if hops carry data in one direction only. They have arrow heads.
    pub is_directed: bool,
}

/// Rings on a network.
#[derive(Clone, PartialEq, Debug)]
pub struct RingDrawing<'a> {
    /// The network.
    pub topology: &'a Topology,
    /// The lines above the network.
    pub title: Vec<String>,
    /// The rings. Hops with channels that do not exist are not drawn.
    pub rings: Vec<DrawnRing>,
    /// The busiest channels. They stand out if others are used, too.
    pub busiest: MarkedChannels,
}

/// The channels of a hop, and the place of its line on each.
struct Hop {
    ring: usize,
    path: Vec<(ChannelId, usize)>,
}

/// A ring drawing with the arrangement of its lines.
struct Lines<'a> {
    drawing: &'a RingDrawing<'a>,
    hops: Vec<Hop>,
    /// The number of lines on each channel.
    count: Vec<usize>,
    /// By resource: the number of its channels.
    channels: Vec<usize>,
    /// The number of hops through each node.
    passes: Vec<usize>,
}

impl<'a> Lines<'a> {
    fn new(drawing: &'a RingDrawing<'a>) -> Self {
        let topology = drawing.topology;
        let mut count = vec![0; topology.channel_bound()];
        let mut hops = Vec::new();
        for (ring, DrawnRing { hops: all, .. }) in drawing.rings.iter().enumerate() {
            for hop in all.iter().filter(|hop| hop.iter().all(|&channel| topology.is_working(channel))) {
                let mut place = |&channel: &ChannelId| {
                    count[channel.index()] += 1;
                    (channel, count[channel.index()] - 1)
                };
                hops.push(Hop { ring, path: hop.iter().map(&mut place).collect() });
            }
        }
        let mut passes = vec![0; topology.node_count()];
        let inner = hops.iter().flat_map(|hop: &Hop| hop.path.iter().skip(1));
        for &(channel, _) in inner {
            passes[topology.tail(channel).index()] += 1;
        }
        let mut channels = vec![0; topology.resource_count()];
        for channel in topology.channels() {
            channels[topology.resource(channel).index()] += 1;
        }
        Self { drawing, hops, count, channels, passes }
    }

    /// Returns the width of the lines on a channel.
    fn band(&self, channel: ChannelId) -> f64 {
        (PITCH * self.count[channel.index()] as f64).min(MAX_BAND)
    }

    fn is_shared(&self, channel: ChannelId) -> bool {
        self.channels[self.drawing.topology.resource(channel).index()] > 1
    }

    /// Returns the width that a channel needs. Channels that share a resource are on both sides of the same curve.
    fn width(&self, channel: ChannelId) -> f64 {
        let sides = if self.is_shared(channel) { 2.0 } else { 1.0 };
        (sides * self.band(channel) + BETWEEN).max(LANE)
    }

    /// Returns the curve of a line on a channel.
    fn curve(&self, scene: &Scene, channel: ChannelId, place: f64) -> PathCurve {
        let count = self.count[channel.index()] as f64;
        let pitch = self.band(channel) / count.max(1.0);
        let first = if self.is_shared(channel) { 0.5 } else { -0.5 * (count - 1.0) };
        let curve = scene.curves[channel.index()];
        let marks = [self.drawing.topology.tail(channel).index(), scene.head(channel)];
        let [tail, head] = marks.map(|mark| (scene.marks[mark].centre, scene.marks[mark].outline));
        let straight = Some(curve).filter(Curve::is_straight).map(|curve| {
            // The line begins and ends on the borders of its marks, which are not straight.
            let direction = curve.leaving();
            let [back, ahead] = [tail, head].map(|(_, outline)| 0.5 * outline.half.x.min(outline.half.y));
            Curve::line(curve.start() - direction * back, curve.end() + direction * ahead)
        });
        let shifted = straight.unwrap_or(curve).shifted_right(pitch * (first + place));
        PathCurve { curve: if straight.is_some() { shifted.between(tail, head) } else { shifted }, marks }
    }

    /// Returns the placement of names that does not hide lines: inside, unless hops cross terminals.
    fn labels(&self) -> LabelPlacement {
        let topology = self.drawing.topology;
        let mut inner = self.hops.iter().flat_map(|hop| hop.path.iter().skip(1));
        let crosses = inner.any(|&(channel, _)| topology.is_terminal(topology.tail(channel)));
        if crosses { LabelPlacement::Beside } else { LabelPlacement::Inside }
    }

    /// Returns the busiest channels, if other channels are used, too.
    fn busiest(&self) -> &'a [ChannelId] {
        let used = self.count.iter().filter(|&&count| count > 0).count();
        let busiest = &self.drawing.busiest.channels;
        if busiest.len() < used { busiest } else { &[] }
    }

    /// Returns the used channels with their numbers of lines, if these differ and the channels are few.
    fn numbers(&self) -> Vec<(ChannelId, usize)> {
        let used = self.drawing.topology.channels().map(|channel| (channel, self.count[channel.index()]));
        let used: Vec<_> = used.filter(|&(_, count)| count > 0).collect();
        let differ = used.iter().any(|&(_, count)| count != used[0].1);
        let several: Vec<_> = used.into_iter().filter(|&(_, count)| count > 1).collect();
        if differ && several.len() <= MAX_NUMBERS { several } else { Vec::new() }
    }

    /// Draws the lines of all rings, on the busiest channels.
    fn draw(&self, shapes: &mut Vec<Shape>, panel: &Panel, scene: &Scene) {
        for &channel in self.busiest() {
            let middle = 0.5 * (self.count[channel.index()] as f64 - 1.0);
            let mut path = PenPath::default();
            let PathCurve { curve, .. } = self.curve(scene, channel, middle);
            path.move_to(curve.start());
            path.draw(&curve);
            panel.line(shapes, &path, BUSIEST, self.band(channel) + BETWEEN);
        }
        let rings = self.drawing.rings.len();
        let is_alone = self.count.iter().all(|&count| count <= 1);
        let mut heads = Vec::new();
        for Hop { ring, path } in &self.hops {
            let curves: Vec<PathCurve> =
                path.iter().map(|&(channel, place)| self.curve(scene, channel, place as f64)).collect();
            let pitch = path.iter().map(|&(channel, _)| self.band(channel) / self.count[channel.index()] as f64);
            let width = if is_alone { ALONE } else { pitch.fold(LINE, f64::min) };
            let arrow = Arrow { length: 2.8 * width, half_width: if is_alone { 1.4 * width } else { 0.8 * width } };
            let colour = palette::colour(*ring, rings);
            let mut parts = self.parts(&curves).peekable();
            while let Some(part) = parts.next() {
                let arrow = Some(&arrow).filter(|_| parts.peek().is_none() && self.drawing.rings[*ring].is_directed);
                let (line, head) = path_line(part, scene.axis, arrow);
                panel.line(shapes, &line, &colour, width);
                heads.push((head, colour.clone()));
            }
        }
        for (head, colour) in &heads {
            panel.area(shapes, head, colour);
        }
    }

    /// Divides a path at switches with many hops.
    fn parts<'c>(&self, path: &'c [PathCurve]) -> impl Iterator<Item = &'c [PathCurve]> {
        path.chunk_by(|before, _| self.passes.get(before.marks[1]).is_none_or(|&passes| passes <= MAX_JOINTS))
    }

    /// Draws the numbers of lines beside channels, where they cover the fewest marks and numbers.
    fn draw_numbers(&self, shapes: &mut Vec<Shape>, panel: &Panel, scene: &Scene) {
        let mut covered = CoverageGrid::default();
        for mark in &scene.marks {
            covered.add_box(mark.centre, mark.outline.half);
            covered.add_box(mark.label_at, mark.label_half());
        }
        for (channel, count) in self.numbers() {
            let curve = self.curve(scene, channel, 0.5 * (count as f64 - 1.0)).curve;
            let words = count.to_string();
            let half = Point::new(0.3 * NUMBER * words.len() as f64, 0.4 * NUMBER);
            let places = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2].map(|t| curve.at(t));
            let middle = places.into_iter().min_by_key(|&middle| covered.count(middle, half)).unwrap_or_default();
            covered.add_box(middle, half);
            panel.text(shapes, middle, (&words, NUMBER), INK);
        }
    }

    /// Returns the lines below the network.
    fn notes(&self, is_named: bool) -> Vec<String> {
        let is_marked = !self.busiest().is_empty();
        let marked = is_marked.then(|| format!("red: {}", self.drawing.busiest.meaning));
        let numbers =
            (!self.numbers().is_empty()).then(|| "number: the lines on a channel, if it has several".to_owned());
        let nameless = (!is_named).then(|| "the names of the nodes are left out: they would be too small".to_owned());
        [marked, numbers, nameless].into_iter().flatten().collect()
    }
}

/// Draws rings. The width is in millimetres; without one, it is that of the network, from one column to the text of A4.
pub(super) fn page(drawing: &RingDrawing<'_>, width_mm: Option<f64>) -> Result<Page, PaperError> {
    check_size(drawing.topology)?;
    let [least, most] = PaperLayout::WIDTHS_MM;
    if let Some(width_mm) = width_mm.filter(|width_mm| !(least..=most).contains(width_mm)) {
        return Err(PaperError::Width { width_mm });
    }
    let all = Lines::new(drawing);
    let scene = Scene::with_widths(drawing.topology, all.labels(), |channel| all.width(channel));
    let names = drawing.rings.iter().take(LEGEND_ENTRIES).map(|ring| helvetica::width(&ring.name, TEXT, false));
    let legend = names.fold(0.0, f64::max) + KEY + 3.0 + 2.0 * MARGIN;
    let natural = (scene.size.x * LARGEST_SCALE).max(legend) / POINTS_PER_MM;
    let outer = width_mm.unwrap_or(natural.clamp(WIDTHS_MM[0], WIDTHS_MM[1])) * POINTS_PER_MM;
    let width = outer - 2.0 * MARGIN;
    let broken =
        |notes: &[String]| notes.iter().flat_map(|note| lines(&labels::visible(note), width)).collect::<Vec<_>>();
    let title = broken(&drawing.title);
    let entries = drawing.rings.len().min(LEGEND_ENTRIES);
    let below = (title.len() + entries + 6) as f64 * TEXT_LINE;
    let height = (PaperLayout::A4.height_mm * POINTS_PER_MM - below).max(CAPTION + GAP);
    let scale = (width / scene.size.x).min(height / scene.size.y).min(MAX_SCALE);

    let mut shapes = Vec::new();
    let mut bottom = MARGIN;
    let words = |left: f64, bottom: f64, is_bold: bool, words: String| {
        let at = Point::new(MARGIN + left, bottom - 3.0);
        Shape::Text(Text { at, size: TEXT, colour: INK, is_bold, halo: None, words })
    };
    for (place, line) in title.into_iter().enumerate() {
        bottom += TEXT_LINE;
        shapes.push(words(0.0, bottom, place == 0, line));
    }
    let panel = Panel { scale, corner: Point::new(0.5 * (outer - scene.size.x * scale), bottom + 0.3 * GAP) };
    panel.network(&mut shapes, (drawing.topology, &scene), &[], |channel| all.count[channel.index()] == 0);
    all.draw(&mut shapes, &panel, &scene);
    panel.names(&mut shapes, &scene);
    all.draw_numbers(&mut shapes, &panel, &scene);
    bottom = panel.corner.y + scene.size.y * scale + 0.3 * GAP;
    for (place, ring) in drawing.rings.iter().take(entries).enumerate() {
        bottom += TEXT_LINE;
        let name = clipped(&labels::visible(&ring.name), width - KEY - 3.0);
        shapes.push(legend_key(Point::new(MARGIN, bottom - 3.0), &palette::colour(place, drawing.rings.len())));
        shapes.push(words(KEY + 3.0, bottom, false, name));
    }
    let more = drawing.rings.len() - entries;
    let more = (more > 0).then(|| format!("and {more} more in other colours"));
    let notes: Vec<String> = more.into_iter().chain(all.notes(LABEL * scale >= LEGIBLE)).collect();
    for line in broken(&notes) {
        bottom += TEXT_LINE;
        shapes.push(words(0.0, bottom, false, line));
    }
    let size = Point::new(outer, bottom + MARGIN);
    let border = PenPath::outline(size * 0.5, crate::geometry::Outline { half: size * 0.5, corner: 0.0 });
    shapes.insert(0, Shape::Path { path: border, fill: Some("#ffffff".to_owned()), stroke: None });
    Ok(Page { size, shapes })
}

/// Shortens a text to a width, at a word if possible.
fn clipped(text: &str, width: f64) -> String {
    let fits = |text: &str| helvetica::width(text, TEXT, false) <= width;
    if fits(text) {
        return text.to_owned();
    }
    let ends = text.char_indices().map(|(place, _)| place).filter(|&place| place > 0);
    let mut best = "";
    for part in ends.map(|end| &text[..end]) {
        if !fits(&format!("{part} …")) {
            break;
        }
        if text[part.len()..].starts_with(' ') || !best.contains(' ') {
            best = part;
        }
    }
    format!("{} …", best.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;
    use crate::pen_path::PenMove;

    const NETWORKS: [&str; 7] =
        ["complete:6", "torus:4x4", "mesh:3x3", "dgx-h100:2", "fat-tree:2,3", "omega:8", "hypercube:3"];

    fn drawing<'a>(topology: &'a Topology, hops: &[Vec<Vec<ChannelId>>], busiest: &[ChannelId]) -> RingDrawing<'a> {
        let ring = |(place, hops): (usize, &Vec<Vec<ChannelId>>)| DrawnRing {
            name: format!("ring {place} with a name that is wider than the picture: {}", "0123456789 ".repeat(20)),
            hops: hops.clone(),
            is_directed: place % 2 == 0,
        };
        let rings = hops.iter().enumerate().map(ring).collect();
        let busiest = MarkedChannels { channels: busiest.to_vec(), meaning: "busiest".to_owned() };
        RingDrawing { topology, title: vec![topology.name().to_owned(), "rings".to_owned()], rings, busiest }
    }

    fn points(path: &PenPath) -> Vec<Point> {
        let points = |pen: &PenMove| match pen {
            PenMove::To(point) | PenMove::Line(point) => vec![*point],
            PenMove::Curve(points) => points.to_vec(),
            PenMove::Close => Vec::new(),
        };
        path.0.iter().flat_map(points).collect()
    }

    proptest! {
        /// Hops are any sequences of numbers, also of channels that do not exist.
        #[test]
        fn any_rings_are_drawn_on_the_page(
            spec in any::<Index>(), rings in vec(vec(vec(0..200_u32, 0..4), 0..6), 0..20), width in 30.0..300.0,
        ) {
            let topology: Topology = spec.get(&NETWORKS).parse().unwrap();
            let hops: Vec<Vec<Vec<ChannelId>>> = rings
                .into_iter()
                .map(|ring| ring.into_iter().map(|hop| hop.into_iter().map(ChannelId::new).collect()).collect())
                .collect();
            let Page { size, shapes } = page(&drawing(&topology, &hops, &[]), Some(width)).unwrap();
            prop_assert!((size.x - width * POINTS_PER_MM).abs() < 1e-6);
            let is_inside = |point: &Point| {
                (-3.0..=size.x + 3.0).contains(&point.x) && (-3.0..=size.y + 3.0).contains(&point.y)
            };
            for shape in &shapes {
                match shape {
                    Shape::Path { path, .. } => prop_assert!(points(path).iter().all(is_inside), "{path:?} in {size:?}"),
                    Shape::Text(text) => {
                        let end = text.at + Point::new(helvetica::width(&text.words, text.size, false), 0.0);
                        prop_assert!(is_inside(&text.at) && (is_inside(&end) || text.is_bold), "{text:?} in {size:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_lines_of_a_channel_are_side_by_side() {
        let topology: Topology = "mesh:1x2".parse().unwrap();
        let channels: Vec<ChannelId> = topology.channels().collect();
        for count in [1, 2, 5, 40] {
            let hops = vec![channels.iter().map(|&channel| vec![channel]).collect::<Vec<_>>(); count];
            let drawing = drawing(&topology, &hops, &[]);
            let lines = Lines::new(&drawing);
            let scene = Scene::with_widths(&topology, lines.labels(), |channel| lines.width(channel));
            let curves = channels.iter().flat_map(|&channel| (0..count).map(move |place| (channel, place)));
            let mut heights: Vec<f64> =
                curves.map(|(channel, place)| lines.curve(&scene, channel, place as f64).curve.at(0.5).y).collect();
            heights.sort_by(f64::total_cmp);
            let least = MAX_BAND.min(PITCH * count as f64) / count as f64;
            assert!(heights.windows(2).all(|pair| pair[1] - pair[0] > 0.99 * least), "{count}: {heights:?}");
        }
    }

    #[test]
    fn the_busiest_channels_are_red_if_others_are_used() {
        let topology: Topology = "ring:4".parse().unwrap();
        let channels: Vec<ChannelId> = topology.channels().take(2).collect();
        let hops = [vec![vec![channels[0]], vec![channels[1]]]];
        for (busiest, red) in [(1, true), (2, false)] {
            let figure = page(&drawing(&topology, &hops, &channels[..busiest]), None).unwrap();
            let is_red =
                |shape: &Shape| matches!(shape, Shape::Path { stroke: Some(stroke), .. } if stroke.colour == BUSIEST);
            assert_eq!(figure.shapes.iter().any(is_red), red);
        }
    }

    #[test]
    fn names_are_cut_after_words() {
        assert_eq!(clipped("ring 1: 0 1 2", 100.0), "ring 1: 0 1 2");
        let cut = clipped("ring 1: 100 101 102 103 104", 60.0);
        assert!(cut.starts_with("ring 1: 100") && cut.ends_with(" …"), "{cut}");
    }
}
