//! The scene of a network: positions of marks and curves of channels, in pixels.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::channel_curves::{ChannelEnds, LANE, channel_curves, corner_curves, mark_sizes, switch_widths};
use crate::coverage::CoverageGrid;
use crate::geometry::{Curve, Outline, Point};
use crate::labels::clip;
use crate::layout::{Axis, Layout, LinkShape, bounds, layout};
use crate::mark::{Mark, MarkRole, TERMINAL_LETTER};

/// The placement of the names of terminals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LabelPlacement {
    /// Inside the mark.
    Inside,
    /// Beside the mark, in the free direction. For pictures where paths cross terminals.
    Beside,
}

/// The marks and curves of a network, in pixels.
#[derive(Debug)]
pub(crate) struct Scene {
    /// Width and height, including margins.
    pub(crate) size: Point,
    /// One mark per node, by node, followed by the receiving sides of terminals.
    pub(crate) marks: Vec<Mark>,
    /// One curve per channel, between the borders of its marks.
    pub(crate) curves: Vec<Curve>,
    /// The direction from level to level, if the nodes are arranged in levels.
    pub(crate) axis: Option<Axis>,
    /// Index of the mark that each channel enters.
    head: Vec<usize>,
}

/// Half the height of a terminal with its name inside.
const RADIUS: f64 = 11.0;
/// Half the height of a terminal with its name beside it.
const SMALL_RADIUS: f64 = 9.0;
/// The longest label of a terminal, in letters.
const LABEL_LETTERS: usize = 12;
/// Half the side of a switch of few channels.
const SWITCH: f64 = 8.0;
/// Half the side that a switch of many channels grows to at most.
const LARGEST_SWITCH: f64 = 40.0;
/// The same for channels of different widths, per factor by which the widest one exceeds the usual width.
const LARGEST_WIDE_SWITCH: f64 = 60.0;
/// Space around marks.
struct Spacing {
    /// Horizontal and vertical distance of any two marks.
    around: Point,
    /// Distance of joined marks, with space for an arrow.
    between: f64,
}

/// Spacing for levels, where curves leave marks on two sides only.
const LEVEL_SPACING: Spacing = Spacing { around: Point::new(20.0, 10.0), between: 34.0 };
/// Spacing for other arrangements.
const OPEN_SPACING: Spacing = Spacing { around: Point::new(26.0, 20.0), between: 40.0 };
/// Distance of the name of a switch from its mark: more than a cell of the grid of covered places.
const LABEL_GAP: f64 = 3.5;
/// Margin around a network.
const MARGIN: f64 = 10.0;

impl Scene {
    /// Arranges a network.
    pub(crate) fn new(topology: &Topology, labels: LabelPlacement) -> Self {
        Self::with_widths(topology, labels, |_| LANE)
    }

    /// Arranges a network whose channels have different widths. Marks grow with the channels between them.
    pub(crate) fn with_widths(topology: &Topology, labels: LabelPlacement, width: impl Fn(ChannelId) -> f64) -> Self {
        let layout = layout(topology);
        let mut marks = marks(topology, &layout, labels);
        let head = heads(topology, &marks);
        let ends: Vec<ChannelEnds> = topology
            .channel_numbers()
            .map(|channel| {
                let marks = [topology.tail(channel).index(), head[channel.index()]];
                ChannelEnds { marks, resource: topology.resource(channel), width: width(channel) }
            })
            .collect();
        let widest = ends.iter().map(|ends| ends.width).fold(LANE, f64::max) / LANE;
        let largest_switch = if widest > 1.0 { LARGEST_WIDE_SWITCH * widest } else { LARGEST_SWITCH };
        if widest > 1.0 {
            grow_marks(&mut marks, &ends);
        }
        let room = if layout.axis.is_some() { LEVEL_SPACING } else { OPEN_SPACING };
        scale_to_pixels(&mut marks, &ends, &room, labels);
        if let Some(axis) = layout.axis {
            steepen(&mut marks, axis, &ends);
            grow_switches(&mut marks, (axis, largest_switch), &ends);
            scale_to_pixels(&mut marks, &ends, &room, labels);
        }
        let mut curves = match layout.links {
            LinkShape::Line => channel_curves(&marks, layout.axis, &ends),
            LinkShape::Corner => corner_curves(&marks, &ends),
        };
        match labels {
            LabelPlacement::Inside => label_inside(&mut marks, layout.axis, &curves),
            LabelPlacement::Beside => label_beside(&mut marks, &curves),
        }

        let corners = marks.iter().flat_map(|mark| [mark.centre - mark.outline.half, mark.centre + mark.outline.half]);
        let bends = curves.iter().flat_map(|curve| [0.25, 0.5, 0.75].map(|t| curve.at(t)));
        let label_ends = marks.iter().flat_map(|mark| {
            let half = mark.label_half();
            [mark.label_at - half, mark.label_at + half]
        });
        let (low, high) = bounds(&corners.chain(bends).chain(label_ends).collect::<Vec<_>>());
        let margin = Point::new(MARGIN, MARGIN);
        let shift = margin - low;
        let mark_points = marks.iter_mut().flat_map(|mark| [&mut mark.centre, &mut mark.label_at]);
        for point in mark_points.chain(curves.iter_mut().flat_map(|curve| &mut curve.control)) {
            *point = *point + shift;
        }
        Self { size: high - low + margin * 2.0, marks, curves, axis: layout.axis, head }
    }

    /// Returns the index of the mark that a channel enters.
    pub(crate) fn head(&self, channel: ChannelId) -> usize {
        self.head[channel.index()]
    }
}

/// Creates the marks at their layout positions, before scaling.
fn marks(topology: &Topology, layout: &Layout, labels: LabelPlacement) -> Vec<Mark> {
    let name = |node: NodeId| clip(topology.node_name(node), LABEL_LETTERS);
    let letters = topology.terminals().iter().map(|&node| name(node).chars().count()).max().unwrap_or(0);
    let terminal = match labels {
        LabelPlacement::Inside => {
            let half_width = (0.5 * TERMINAL_LETTER * letters as f64 + 4.0).max(RADIUS);
            Outline { half: Point::new(half_width, RADIUS), corner: RADIUS }
        }
        LabelPlacement::Beside => Outline { half: Point::new(SMALL_RADIUS, SMALL_RADIUS), corner: SMALL_RADIUS },
    };
    let switch = Outline { half: Point::new(SWITCH, SWITCH), corner: 2.0 };
    let mark = |node: NodeId, role: MarkRole, &centre: &Point| {
        let outline = if role == MarkRole::Switch { switch } else { terminal };
        Mark { node, role, centre, outline, label: name(node), label_at: centre }
    };
    let role = |node: NodeId| match topology.is_terminal(node) {
        true => MarkRole::Terminal,
        false if topology.has_failed(node) => MarkRole::Failed,
        false => MarkRole::Switch,
    };
    let nodes = topology.nodes().zip(&layout.nodes).map(|(node, place)| mark(node, role(node), place));
    let receivers = topology.terminals().iter().zip(&layout.receiving);
    nodes.chain(receivers.map(|(&node, place)| mark(node, MarkRole::Receiver, place))).collect()
}

/// Returns the index of the mark that each channel enters.
fn heads(topology: &Topology, marks: &[Mark]) -> Vec<usize> {
    let receivers = marks.len() > topology.node_count();
    let mark = |node: NodeId| match topology.terminal_rank(node) {
        Some(rank) if receivers => topology.node_count() + rank,
        _ => node.index(),
    };
    topology.channel_numbers().map(|channel| mark(topology.head(channel))).collect()
}

/// Enlarges marks so that wide curves fit. Terminals remain equal.
fn grow_marks(marks: &mut [Mark], ends: &[ChannelEnds]) {
    let sizes = mark_sizes(marks, ends);
    let is_switch = |mark: &Mark| mark.role == MarkRole::Switch;
    let terminals = marks.iter().zip(&sizes).filter(|(mark, _)| !is_switch(mark));
    let of_terminals = terminals.map(|(_, &size)| size).fold(0.0, f64::max);
    for (mark, size) in marks.iter_mut().zip(sizes) {
        let (size, half) = (if is_switch(mark) { size } else { of_terminals }, mark.outline.half);
        mark.outline.half = Point::new(half.x.max(size), half.y.max(size));
        if !is_switch(mark) {
            mark.outline.corner = mark.outline.half.x.min(mark.outline.half.y);
        }
    }
}

/// Widens switches so that the curves to neighbouring levels fit, up to half a side.
fn grow_switches(marks: &mut [Mark], (axis, largest): (Axis, f64), ends: &[ChannelEnds]) {
    let widths = switch_widths(marks, axis, ends);
    for (mark, width) in marks.iter_mut().zip(widths).filter(|(mark, _)| mark.role == MarkRole::Switch) {
        let [along, across] = [axis, axis.across()].map(|axis| axis.along(mark.outline.half));
        mark.outline.half = axis.point(along, width.min(largest).max(across));
    }
}

/// Increases the distance of levels until all curves have a slope of 2/3 or more. Limited to a square picture, or to
/// one a quarter wider than high.
fn steepen(marks: &mut [Mark], axis: Axis, ends: &[ChannelEnds]) {
    let vectors = ends.iter().map(|ends| marks[ends.marks[1]].centre - marks[ends.marks[0]].centre);
    let rises = vectors.map(|vector| (axis.along(vector).abs(), axis.across().along(vector).abs()));
    let flattest = rises.filter(|&(along, _)| along > 0.0).map(|(along, across)| across / along).fold(0.0, f64::max);
    let (low, high) = bounds(&marks.iter().map(|mark| mark.centre).collect::<Vec<_>>());
    let (length, width) = (axis.along(high - low), axis.across().along(high - low));
    let shape = if axis == Axis::Horizontal { 1.25 } else { 1.0 };
    let most = if length > 0.0 { (shape * width / length).max(1.0) } else { 1.0 };
    let factor = (flattest / 1.5).clamp(1.0, most);
    for mark in marks {
        let (along, across) = (axis.along(mark.centre), axis.across().along(mark.centre));
        mark.centre = axis.point(along * factor, across);
    }
}

/// Scales the layout to pixels, as small as the spacing allows, with unchanged proportions.
///
/// Any two marks and their labels are separated in at least one direction, joined marks by the length of an arrow. A
/// few marks that are much closer than the others may touch.
fn scale_to_pixels(marks: &mut [Mark], ends: &[ChannelEnds], room: &Spacing, labels: LabelPlacement) {
    let mut around = room.around;
    if labels == LabelPlacement::Beside {
        around.x += marks.iter().map(|mark| 2.0 * mark.label_half().x).fold(0.0, f64::max);
    }
    // For each mark, the scale that separates it from all others.
    let mut scales = vec![0.0_f64; marks.len()];
    let mut require = |marks: [usize; 2], scale: f64| {
        // No scale separates marks at the same place.
        for mark in marks.into_iter().filter(|_| scale.is_finite()) {
            scales[mark] = scales[mark].max(scale);
        }
    };
    for (place, mark) in marks.iter().enumerate() {
        for (before, other) in marks[..place].iter().enumerate() {
            let apart = other.centre - mark.centre;
            let needed = mark.outline.half + other.outline.half + around;
            require([place, before], (needed.x / apart.x.abs()).min(needed.y / apart.y.abs()));
        }
    }
    for &ChannelEnds { marks: [tail, head], .. } in ends {
        let vector = marks[head].centre - marks[tail].centre;
        let needed = marks[tail].outline.reach(vector) + marks[head].outline.reach(vector) + room.between;
        require([tail, head], needed / vector.length());
    }
    scales.sort_by(f64::total_cmp);
    let scale = match scales.last() {
        Some(&largest) if largest > 0.0 => largest.min(2.0 * scales[scales.len() / 2]),
        _ => 1.0,
    };
    for mark in marks {
        mark.centre = mark.centre * scale;
    }
}

/// Places the names of terminals inside their marks, and the names of switches above, below or beside them, where they cover the
/// fewest curves and marks.
fn label_inside(marks: &mut [Mark], axis: Option<Axis>, curves: &[Curve]) {
    if marks.iter().all(|mark| mark.role != MarkRole::Switch) {
        return marks.iter_mut().for_each(|mark| mark.label_at = mark.centre);
    }
    let [right, below] = [Point::new(1.0, 0.0), Point::new(0.0, 1.0)];
    // Ties go to the first direction.
    let directions = match axis {
        Some(Axis::Vertical) => [right, right * -1.0, below * -1.0, below],
        _ => [below * -1.0, below, right, right * -1.0],
    };
    let mut covered = CoverageGrid::default();
    for curve in curves {
        covered.add_curve(curve);
    }
    for mark in marks.iter() {
        covered.add_box(mark.centre, mark.outline.half);
    }
    for mark in marks {
        mark.label_at = mark.centre;
        if mark.role != MarkRole::Switch {
            continue;
        }
        let half = mark.label_half();
        let beyond = mark.outline.half + half + Point::new(LABEL_GAP, LABEL_GAP);
        let at = |direction: Point| mark.centre + Point::new(direction.x * beyond.x, direction.y * beyond.y);
        let best = directions.into_iter().map(at).min_by_key(|&middle| covered.count(middle, half));
        mark.label_at = best.unwrap_or(mark.centre);
        covered.add_box(mark.label_at, half);
    }
}

/// Places each name beside its mark, in one of eight directions, where it covers the fewest curves and names.
fn label_beside(marks: &mut [Mark], curves: &[Curve]) {
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let [right, down] = [Point::new(1.0, 0.0), Point::new(0.0, 1.0)];
    let [falling, rising] = [(right + down) * diagonal, (right - down) * diagonal];
    let directions = [rising, rising * -1.0, falling, falling * -1.0, right, right * -1.0, down, down * -1.0];
    let mut covered = CoverageGrid::default();
    for curve in curves {
        covered.add_curve(curve);
    }
    for mark in marks {
        let half = mark.label_half();
        let at = |direction: Point| {
            let reach = mark.outline.corner + 2.0 + direction.x.abs() * half.x + direction.y.abs() * half.y;
            mark.centre + direction * reach
        };
        // Ties go to the first direction.
        let best = directions.into_iter().map(at).min_by_key(|&middle| covered.count(middle, half));
        mark.label_at = best.unwrap_or(mark.centre);
        covered.add_box(mark.label_at, half);
    }
}

#[cfg(test)]
mod tests {
    use lockstep_topology::TopologyBuilder;

    use super::*;

    const NETWORKS: [&str; 16] = [
        "omega:8",
        "omega:16",
        "butterfly:8",
        "clos:4,4,4",
        "fat-tree:2,4",
        "b-tree:16",
        "mesh:4x4",
        "torus:4x4",
        "torus:8x8",
        "full-b-tree:15",
        "kautz:3,2",
        "hypercube:4",
        "ring:8",
        "complete:8",
        "star:8",
        "de-bruijn:2,4",
    ];

    fn scenes() -> impl Iterator<Item = (Topology, Scene)> {
        let given = NETWORKS.into_iter().map(|spec| spec.parse().unwrap());
        let bare = given.clone().map(|topology: Topology| without_positions(&topology));
        given.chain(bare).flat_map(|topology: Topology| {
            [LabelPlacement::Inside, LabelPlacement::Beside]
                .map(|labels| (topology.clone(), Scene::new(&topology, labels)))
        })
    }

    fn without_positions(topology: &Topology) -> Topology {
        let mut builder = TopologyBuilder::new(format!("{} without positions", topology.name()));
        for node in topology.nodes() {
            builder.node(topology.node_name(node), topology.is_terminal(node), Some(topology.routes(node)));
        }
        for channel in topology.channels() {
            builder.channel(topology.tail(channel), topology.head(channel));
        }
        builder.build().unwrap()
    }

    #[test]
    fn marks_do_not_overlap_and_are_in_the_picture() {
        for (topology, Scene { marks, size, .. }) in scenes() {
            for (place, mark) in marks.iter().enumerate() {
                let (low, high) = (mark.centre - mark.outline.half, size - mark.centre - mark.outline.half);
                assert!(low.x.min(low.y).min(high.x).min(high.y) > 0.0, "{} {mark:?}", topology.name());
                for other in &marks[..place] {
                    let apart = other.centre - mark.centre;
                    let touching = mark.outline.half + other.outline.half;
                    let clear = apart.x.abs() > touching.x || apart.y.abs() > touching.y;
                    // Circles can be closer than their bounding boxes.
                    let round = apart.length() > mark.outline.corner + other.outline.corner;
                    assert!(clear || round, "{}: {mark:?} {other:?}", topology.name());
                }
            }
        }
    }

    #[test]
    fn no_curve_crosses_a_mark_that_it_does_not_join() {
        // Only with given positions: in stress layouts, some nodes are too close.
        for spec in NETWORKS {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, LabelPlacement::Inside);
            for (channel, curve) in topology.channel_numbers().zip(&scene.curves) {
                let own = [topology.tail(channel).index(), scene.head(channel)];
                for (place, mark) in scene.marks.iter().enumerate().filter(|(place, _)| !own.contains(place)) {
                    let inside = (0..=100).any(|i| mark.outline.contains(curve.at(f64::from(i) / 100.0) - mark.centre));
                    assert!(!inside, "{spec}: {} through mark {place}", topology.channel_name(channel));
                }
            }
        }
    }

    #[test]
    fn curves_begin_and_end_at_the_borders_of_their_marks() {
        for (topology, scene) in scenes() {
            for (channel, curve) in topology.channel_numbers().zip(&scene.curves) {
                let ends = [(topology.tail(channel).index(), curve.start()), (scene.head(channel), curve.end())];
                for (mark, end) in ends.map(|(mark, end)| (&scene.marks[mark], end)) {
                    let outside = end - mark.centre;
                    let reach = outside.length() - mark.outline.reach(outside);
                    assert!(reach.abs() < 6.0, "{}: {reach} {mark:?} {end:?}", topology.name());
                }
            }
        }
    }

    #[test]
    fn curves_of_different_resources_are_side_by_side() {
        for spec in ["mesh:4x4", "torus:4x4", "fat-tree:2,3", "b-tree:8", "dgx-h100:2"] {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, LabelPlacement::Inside);
            for (channel, curve) in topology.channel_numbers().zip(&scene.curves) {
                let back = topology.out_channels(topology.head(channel)).iter();
                let opposite = back.copied().find(|&back| topology.head(back) == topology.tail(channel)).unwrap();
                let middle = curve.at(0.5);
                let beside = scene.curves[opposite.index()];
                let nearest = (0..=100).map(|i| (beside.at(f64::from(i) / 100.0) - middle).length());
                let nearest = nearest.fold(f64::INFINITY, f64::min);
                // A transfer's line is 3 pixels wide.
                assert!(nearest > 4.0, "{spec}: {} {nearest}", topology.channel_name(channel));
            }
        }
    }

    #[test]
    fn the_channels_of_a_half_duplex_link_have_one_curve() {
        let mesh: Topology = "mesh:2x2".parse().unwrap();
        let half_duplex = mesh.half_duplex();
        let scene = Scene::new(&half_duplex, LabelPlacement::Inside);
        for link in half_duplex.shared_groups() {
            let [one, other] = [link[0], link[1]].map(|channel| scene.curves[channel.index()]);
            assert_eq!(one, other.reversed());
        }
    }

    #[test]
    fn one_way_networks_are_drawn_from_left_to_right() {
        for spec in ["omega:8", "butterfly:16", "clos:3,3,4"] {
            let topology: Topology = spec.parse().unwrap();
            for topology in [without_positions(&topology), topology] {
                let scene = Scene::new(&topology, LabelPlacement::Inside);
                assert_eq!(scene.marks.len(), topology.node_count() + topology.terminal_count());
                assert!(scene.curves.iter().all(|curve| curve.start().x < curve.end().x), "{}", topology.name());
            }
        }
    }

    #[test]
    fn a_terminal_with_a_full_duplex_link_has_one_mark() {
        for spec in ["fat-tree:2,3", "b-tree:8", "mesh:3x3"] {
            let topology: Topology = spec.parse().unwrap();
            assert_eq!(Scene::new(&topology, LabelPlacement::Inside).marks.len(), topology.node_count());
        }
    }

    #[test]
    fn names_of_switches_cover_no_curve() {
        for spec in ["fat-tree:2,3", "dgx-h100:2", "b-tree:8"] {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, LabelPlacement::Inside);
            let mut covered = CoverageGrid::default();
            for curve in &scene.curves {
                covered.add_curve(curve);
            }
            for mark in scene.marks.iter().filter(|mark| mark.role == MarkRole::Switch) {
                assert_eq!(covered.count(mark.label_at, mark.label_half() * 0.7), 0, "{spec}: {mark:?}");
            }
        }
    }

    #[test]
    fn names_beside_marks_do_not_cover_each_other() {
        for spec in ["mesh:4x4", "torus:4x4", "full-b-tree:15", "kautz:3,2"] {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, LabelPlacement::Beside);
            for (place, mark) in scene.marks.iter().enumerate() {
                for other in &scene.marks[..place] {
                    let apart = other.label_at - mark.label_at;
                    let touching = mark.label_half() + other.label_half();
                    assert!(apart.x.abs() > touching.x || apart.y.abs() > touching.y, "{spec}: {mark:?} {other:?}");
                }
            }
        }
    }
}
