//! A network in pixels: where every mark stands and how every channel runs.

use lockstep_topology::{ChannelId, NodeId, Topology};

use crate::channel_curves::{WireEnds, switch_widths, wires};
use crate::coverage::Covered;
use crate::geometry::{Curve, Outline, Point};
use crate::labels::clip;
use crate::layout::{Axis, Layout, bounds, layout};

/// What a mark stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// A terminal; in a one-way network its sending side.
    Terminal,
    /// The receiving side of a terminal, drawn apart from its sending side.
    Receiver,
    /// A node that only routes.
    Switch,
    /// A node that has failed.
    Failed,
}

/// A node, or one side of it, in the picture.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Mark {
    pub(crate) node: NodeId,
    pub(crate) role: Role,
    pub(crate) centre: Point,
    pub(crate) outline: Outline,
    /// The node's name, or as much of it as has room.
    pub(crate) label: String,
    /// The middle of the label.
    pub(crate) label_at: Point,
}

/// Where terminals have their names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Labels {
    /// In the mark.
    Inside,
    /// Beside the mark, where the wires leave most room; for pictures where paths cross terminals.
    Beside,
}

/// A network in pixels.
#[derive(Debug)]
pub(crate) struct Scene {
    /// Width and height of everything, margins included.
    pub(crate) size: Point,
    /// One mark a node, in their order, and then the receivers.
    pub(crate) marks: Vec<Mark>,
    /// One curve a channel, from border to border of its marks.
    pub(crate) wires: Vec<Curve>,
    /// The direction in which levels follow each other, if the nodes stand level by level.
    pub(crate) axis: Option<Axis>,
    /// The mark that each channel enters.
    head: Vec<usize>,
}

/// Half the height of a terminal with its name inside.
const RADIUS: f64 = 11.0;
/// Half the height of a terminal with its name beside it.
const SMALL_RADIUS: f64 = 9.0;
/// Width of a letter of a terminal's name, and of a switch's.
const LETTER: [f64; 2] = [6.6, 4.2];
/// Half the height of a letter.
const HALF_LETTER: f64 = 4.0;
/// The longest label of a terminal, in letters.
const LABEL_LETTERS: usize = 12;
/// Half the side of a switch of few channels.
const SWITCH: f64 = 8.0;
/// Half the side that a switch of many channels grows to at most.
const LARGEST_SWITCH: f64 = 40.0;
/// Space that marks need.
struct Room {
    /// Beside and above each other.
    around: Point,
    /// Between joined ones, for an arrow.
    between: f64,
}

/// Marks that stand level by level have their wires on two sides only.
const LEVEL_ROOM: Room = Room { around: Point::new(20.0, 10.0), between: 34.0 };
const OPEN_ROOM: Room = Room { around: Point::new(26.0, 20.0), between: 40.0 };
/// Empty space round a network.
const MARGIN: f64 = 10.0;

impl Mark {
    /// Half the width and height of the label.
    fn label_half(&self) -> Point {
        let letter = LETTER[usize::from(self.role == Role::Switch)];
        Point::new(0.5 * letter * self.label.chars().count() as f64, HALF_LETTER)
    }
}

impl Scene {
    pub(crate) fn new(topology: &Topology, labels: Labels) -> Self {
        let layout = layout(topology);
        let mut marks = marks(topology, &layout, labels);
        let head = heads(topology, &marks);
        let ends: Vec<WireEnds> = topology
            .channel_numbers()
            .map(|channel| {
                let marks = [topology.tail(channel).index(), head[channel.index()]];
                WireEnds { marks, resource: topology.resource(channel) }
            })
            .collect();
        let room = if layout.axis.is_some() { LEVEL_ROOM } else { OPEN_ROOM };
        place(&mut marks, &ends, &room, labels);
        if let Some(axis) = layout.axis {
            steepen(&mut marks, axis, &ends);
            grow_switches(&mut marks, axis, &ends);
            place(&mut marks, &ends, &room, labels);
        }
        let mut wires = wires(&marks, layout.axis, &ends);
        match labels {
            Labels::Inside => label_inside(&mut marks, layout.axis),
            Labels::Beside => label_beside(&mut marks, &wires),
        }

        let corners = marks.iter().flat_map(|mark| [mark.centre - mark.outline.half, mark.centre + mark.outline.half]);
        let bends = wires.iter().flat_map(|wire| [0.25, 0.5, 0.75].map(|t| wire.at(t)));
        let label_ends = marks.iter().flat_map(|mark| {
            let half = mark.label_half();
            [mark.label_at - half, mark.label_at + half]
        });
        let (low, high) = bounds(&corners.chain(bends).chain(label_ends).collect::<Vec<_>>());
        let margin = Point::new(MARGIN, MARGIN);
        let shift = margin - low;
        let mark_points = marks.iter_mut().flat_map(|mark| [&mut mark.centre, &mut mark.label_at]);
        for point in mark_points.chain(wires.iter_mut().flat_map(|wire| &mut wire.control)) {
            *point = *point + shift;
        }
        Self { size: high - low + margin * 2.0, marks, wires, axis: layout.axis, head }
    }

    /// The mark that a channel enters, as an index.
    pub(crate) fn head(&self, channel: ChannelId) -> usize {
        self.head[channel.index()]
    }
}

/// The marks at the places of the layout, not yet in pixels.
fn marks(topology: &Topology, layout: &Layout, labels: Labels) -> Vec<Mark> {
    let name = |node: NodeId| clip(topology.node_name(node), LABEL_LETTERS);
    let letters = topology.terminals().iter().map(|&node| name(node).chars().count()).max().unwrap_or(0);
    let terminal = match labels {
        Labels::Inside => {
            let half_width = (0.5 * LETTER[0] * letters as f64 + 4.0).max(RADIUS);
            Outline { half: Point::new(half_width, RADIUS), corner: RADIUS }
        }
        Labels::Beside => Outline { half: Point::new(SMALL_RADIUS, SMALL_RADIUS), corner: SMALL_RADIUS },
    };
    let switch = Outline { half: Point::new(SWITCH, SWITCH), corner: 2.0 };
    let mark = |node: NodeId, role: Role, &centre: &Point| {
        let outline = if role == Role::Switch { switch } else { terminal };
        Mark { node, role, centre, outline, label: name(node), label_at: centre }
    };
    let role = |node: NodeId| match topology.is_terminal(node) {
        true => Role::Terminal,
        false if topology.has_failed(node) => Role::Failed,
        false => Role::Switch,
    };
    let nodes = topology.nodes().zip(&layout.nodes).map(|(node, place)| mark(node, role(node), place));
    let receivers = topology.terminals().iter().zip(&layout.receiving);
    nodes.chain(receivers.map(|(&node, place)| mark(node, Role::Receiver, place))).collect()
}

/// The mark that each channel enters.
fn heads(topology: &Topology, marks: &[Mark]) -> Vec<usize> {
    let receivers = marks.len() > topology.node_count();
    let mark = |node: NodeId| match topology.terminal_rank(node) {
        Some(rank) if receivers => topology.node_count() + rank,
        _ => node.index(),
    };
    topology.channel_numbers().map(|channel| mark(topology.head(channel))).collect()
}

/// Makes room at every switch for the wires to its neighbouring levels.
fn grow_switches(marks: &mut [Mark], axis: Axis, ends: &[WireEnds]) {
    let widths = switch_widths(marks, axis, ends);
    for (mark, width) in marks.iter_mut().zip(widths).filter(|(mark, _)| mark.role == Role::Switch) {
        mark.outline.half = axis.point(SWITCH, width.clamp(SWITCH, LARGEST_SWITCH));
    }
}

/// Draws levels apart until no wire rises less than two in three, but not further than makes the picture square, or
/// a quarter wider than high.
fn steepen(marks: &mut [Mark], axis: Axis, ends: &[WireEnds]) {
    let ways = ends.iter().map(|ends| marks[ends.marks[1]].centre - marks[ends.marks[0]].centre);
    let rises = ways.map(|way| (axis.along(way).abs(), axis.across().along(way).abs()));
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

/// Turns the places of a layout into pixels: as small as the marks' room allows, in unchanged proportions.
///
/// Any two marks, with what their labels need, are apart in one direction at least, and joined ones by the length of an
/// arrow; but a few that stand much closer than the others may touch.
fn place(marks: &mut [Mark], ends: &[WireEnds], room: &Room, labels: Labels) {
    let mut around = room.around;
    if labels == Labels::Beside {
        around.x += marks.iter().map(|mark| 2.0 * mark.label_half().x).fold(0.0, f64::max);
    }
    // For every mark, the scale that parts it from all others.
    let mut scales = vec![0.0_f64; marks.len()];
    let mut require = |marks: [usize; 2], scale: f64| {
        // Marks at one place stay there at any scale.
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
    for &WireEnds { marks: [tail, head], .. } in ends {
        let way = marks[head].centre - marks[tail].centre;
        let needed = marks[tail].outline.reach(way) + marks[head].outline.reach(way) + room.between;
        require([tail, head], needed / way.length());
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

/// Puts the names of terminals into their marks, and those of switches where no wire of their level runs.
fn label_inside(marks: &mut [Mark], axis: Option<Axis>) {
    for mark in marks {
        let beyond = mark.outline.half + mark.label_half();
        let aside = match (mark.role, axis) {
            (Role::Terminal | Role::Receiver | Role::Failed, _) => Point::default(),
            (Role::Switch, Some(Axis::Vertical)) => Point::new(beyond.x + 2.0, 0.0),
            (Role::Switch, _) => Point::new(0.0, -beyond.y),
        };
        mark.label_at = mark.centre + aside;
    }
}

/// Puts every name beside its mark, in the direction of eight where it covers the fewest wires and other names.
fn label_beside(marks: &mut [Mark], wires: &[Curve]) {
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    let [right, down] = [Point::new(1.0, 0.0), Point::new(0.0, 1.0)];
    let [falling, rising] = [(right + down) * diagonal, (right - down) * diagonal];
    let directions = [rising, rising * -1.0, falling, falling * -1.0, right, right * -1.0, down, down * -1.0];
    let mut covered = Covered::default();
    for wire in wires {
        covered.add_curve(wire);
    }
    for mark in marks {
        let half = mark.label_half();
        let at = |direction: Point| {
            let reach = mark.outline.corner + 2.0 + direction.x.abs() * half.x + direction.y.abs() * half.y;
            mark.centre + direction * reach
        };
        // The first of equals.
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
            [Labels::Inside, Labels::Beside].map(|labels| (topology.clone(), Scene::new(&topology, labels)))
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
    fn marks_do_not_overlap_and_stand_in_the_picture() {
        for (topology, Scene { marks, size, .. }) in scenes() {
            for (place, mark) in marks.iter().enumerate() {
                let (low, high) = (mark.centre - mark.outline.half, size - mark.centre - mark.outline.half);
                assert!(low.x.min(low.y).min(high.x).min(high.y) > 0.0, "{} {mark:?}", topology.name());
                for other in &marks[..place] {
                    let apart = other.centre - mark.centre;
                    let touching = mark.outline.half + other.outline.half;
                    let clear = apart.x.abs() > touching.x || apart.y.abs() > touching.y;
                    // Round corners come closer than boxes.
                    let round = apart.length() > mark.outline.corner + other.outline.corner;
                    assert!(clear || round, "{}: {mark:?} {other:?}", topology.name());
                }
            }
        }
    }

    #[test]
    fn no_wire_crosses_a_mark_that_it_does_not_join() {
        // With labels inside; in the stress layouts some nodes stand too close for it.
        for spec in NETWORKS {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, Labels::Inside);
            for (channel, wire) in topology.channel_numbers().zip(&scene.wires) {
                let own = [topology.tail(channel).index(), scene.head(channel)];
                for (place, mark) in scene.marks.iter().enumerate().filter(|(place, _)| !own.contains(place)) {
                    let inside = (0..=100).any(|i| mark.outline.contains(wire.at(f64::from(i) / 100.0) - mark.centre));
                    assert!(!inside, "{spec}: {} through mark {place}", topology.channel_name(channel));
                }
            }
        }
    }

    #[test]
    fn wires_begin_and_end_at_the_borders_of_their_marks() {
        for (topology, scene) in scenes() {
            for (channel, wire) in topology.channel_numbers().zip(&scene.wires) {
                let ends = [(topology.tail(channel).index(), wire.start()), (scene.head(channel), wire.end())];
                for (mark, end) in ends.map(|(mark, end)| (&scene.marks[mark], end)) {
                    let outside = end - mark.centre;
                    let reach = outside.length() - mark.outline.reach(outside);
                    assert!(reach.abs() < 6.0, "{}: {reach} {mark:?} {end:?}", topology.name());
                }
            }
        }
    }

    #[test]
    fn wires_of_different_resources_lie_side_by_side() {
        for spec in ["mesh:4x4", "torus:4x4", "fat-tree:2,3", "b-tree:8"] {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, Labels::Inside);
            for (channel, wire) in topology.channel_numbers().zip(&scene.wires) {
                let back = topology.out_channels(topology.head(channel)).iter();
                let opposite = back.copied().find(|&back| topology.head(back) == topology.tail(channel)).unwrap();
                let middle = wire.at(0.5);
                let beside = scene.wires[opposite.index()];
                let nearest = (0..=100).map(|i| (beside.at(f64::from(i) / 100.0) - middle).length());
                let nearest = nearest.fold(f64::INFINITY, f64::min);
                // A transfer's line is 3 pixels wide.
                assert!(nearest > 4.0, "{spec}: {} {nearest}", topology.channel_name(channel));
            }
        }
    }

    #[test]
    fn the_channels_of_a_half_duplex_link_are_one_wire() {
        let mesh: Topology = "mesh:2x2".parse().unwrap();
        let half_duplex = mesh.half_duplex();
        let scene = Scene::new(&half_duplex, Labels::Inside);
        for link in half_duplex.shared_groups() {
            let [one, other] = [link[0], link[1]].map(|channel| scene.wires[channel.index()]);
            assert_eq!(one, other.reversed());
        }
    }

    #[test]
    fn messages_cross_a_one_way_network_from_left_to_right() {
        for spec in ["omega:8", "butterfly:16", "clos:3,3,4"] {
            let topology: Topology = spec.parse().unwrap();
            for topology in [without_positions(&topology), topology] {
                let scene = Scene::new(&topology, Labels::Inside);
                assert_eq!(scene.marks.len(), topology.node_count() + topology.terminal_count());
                assert!(scene.wires.iter().all(|wire| wire.start().x < wire.end().x), "{}", topology.name());
            }
        }
    }

    #[test]
    fn a_terminal_that_talks_both_ways_to_its_switch_has_one_mark() {
        for spec in ["fat-tree:2,3", "b-tree:8", "mesh:3x3"] {
            let topology: Topology = spec.parse().unwrap();
            assert_eq!(Scene::new(&topology, Labels::Inside).marks.len(), topology.node_count());
        }
    }

    #[test]
    fn names_beside_marks_do_not_cover_each_other() {
        for spec in ["mesh:4x4", "torus:4x4", "full-b-tree:15", "kautz:3,2"] {
            let topology: Topology = spec.parse().unwrap();
            let scene = Scene::new(&topology, Labels::Beside);
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
