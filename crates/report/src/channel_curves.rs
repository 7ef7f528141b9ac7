//! How channels run between marks: side by side, and round the marks that are in their way.

use std::collections::BTreeMap;

use lockstep_topology::ResourceId;

use crate::edge_router::Arcs;
use crate::geometry::{Curve, Point};
use crate::layout::Axis;
use crate::scene::{Mark, Role};

/// Distance of neighbouring wires between the same marks.
const LANE: f64 = 6.0;
/// The most that a flat angle widens the place of a wire at a switch.
const STRETCH: f64 = 3.0;
/// The space between the corner of a switch and its first wire.
const BORDER: f64 = 1.0;

/// What a channel joins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WireEnds {
    /// The marks it leaves and enters.
    pub(crate) marks: [usize; 2],
    /// What it occupies.
    pub(crate) resource: ResourceId,
}

/// A wire between two marks, from the lower mark to the higher one: one resource.
struct Lane {
    resource: ResourceId,
    /// The channels on it, and whether each leads from the lower mark to the higher one.
    channels: Vec<(usize, bool)>,
    /// Distance to the right of the middle of its pair.
    offset: f64,
}

/// The wires of two joined marks.
#[derive(Default)]
struct Pair {
    /// From left to right, as seen from the lower mark.
    lanes: Vec<Lane>,
    /// The middle of the place at the border of the lower mark, and of the higher one, that is its own.
    ports: [Option<Point>; 2],
}

/// One curve a channel.
///
/// Wires of one pair of marks run side by side, each on the right of its direction; channels that share a resource are
/// one wire. A pair whose straight line passes through a third mark is joined by an arc round it. If levels follow each
/// other along an axis, wires come to a switch at places of their own.
pub(crate) fn wires(marks: &[Mark], axis: Option<Axis>, ends: &[WireEnds]) -> Vec<Curve> {
    let mut pairs = pairs(marks, ends);
    if let Some(axis) = axis {
        for ((switch, ahead), side) in sides(&pairs, marks, axis) {
            set_ports(&mut pairs, &marks[switch], axis, ahead, &side);
        }
    }
    let arcs = Arcs::new(marks);
    let mut wires = vec![Curve::line(Point::default(), Point::default()); ends.len()];
    for (&[low, high], pair) in &pairs {
        let borders = [low, high].map(|mark| (marks[mark].centre, marks[mark].outline));
        let spread = pair.lanes.last().map_or(0.0, |lane| lane.offset);
        let arc = arcs.between([low, high], spread);
        let [start, end] = pair.ports;
        let line = Curve::line(start.unwrap_or(arc.start()), end.unwrap_or(arc.end()));
        for lane in &pair.lanes {
            let curve = match axis {
                _ if !arc.is_straight() => arc.shifted_right(lane.offset),
                Some(axis) => cut(&line.shifted_right(lane.offset), axis, pair.ports),
                None => line.shifted_right(lane.offset),
            };
            let curve = curve.between(borders[0], borders[1]);
            for &(channel, forward) in &lane.channels {
                wires[channel] = if forward { curve } else { curve.reversed() };
            }
        }
    }
    wires
}

/// Half the width that each switch needs across the levels, so that all wires to one side keep their distance.
pub(crate) fn switch_widths(marks: &[Mark], axis: Axis, ends: &[WireEnds]) -> Vec<f64> {
    let mut widths = vec![0.0_f64; marks.len()];
    for ((switch, _), side) in sides(&pairs(marks, ends), marks, axis) {
        let needed: f64 = side.iter().map(|port| port.width).sum();
        widths[switch] = widths[switch].max(0.5 * needed + BORDER);
    }
    widths
}

/// The straight line with its ends moved, in its own direction, to the level of the ports.
fn cut(line: &Curve, axis: Axis, ports: [Option<Point>; 2]) -> Curve {
    let (start, end) = (line.start(), line.end());
    let rise = axis.along(end) - axis.along(start);
    let at_level = |end_point: Point, port: Option<Point>| match port {
        Some(port) if rise.abs() > 1e-9 => {
            end_point + (end - start) * ((axis.along(port) - axis.along(end_point)) / rise)
        }
        _ => end_point,
    };
    Curve::line(at_level(start, ports[0]), at_level(end, ports[1]))
}

type Pairs = BTreeMap<[usize; 2], Pair>;

fn pairs(marks: &[Mark], ends: &[WireEnds]) -> Pairs {
    let mut pairs = Pairs::new();
    for (channel, &WireEnds { marks: [tail, head], resource }) in ends.iter().enumerate() {
        let end = (channel, tail < head);
        let lanes = &mut pairs.entry([tail.min(head), tail.max(head)]).or_default().lanes;
        match lanes.iter_mut().find(|lane| lane.resource == resource) {
            Some(lane) => lane.channels.push(end),
            None => lanes.push(Lane { resource, channels: vec![end], offset: 0.0 }),
        }
    }
    for (ends, Pair { lanes, .. }) in &mut pairs {
        // Stable, so wires of one direction keep their order.
        lanes.sort_by_key(|lane| lane.channels[0].1);
        let room = ends.map(|mark| marks[mark].outline.half.x.min(marks[mark].outline.half.y));
        let gap = LANE.min(1.4 * room[0].min(room[1]) / lanes.len() as f64);
        let leftmost = -0.5 * gap * (lanes.len() - 1) as f64;
        for (place, lane) in lanes.iter_mut().enumerate() {
            lane.offset = leftmost + gap * place as f64;
        }
    }
    pairs
}

/// A pair of marks at one side of a switch.
struct Port {
    pair: [usize; 2],
    /// Which mark of the pair the switch is.
    end: usize,
    /// The other mark's place across the levels.
    from: f64,
    /// The width that the wires of the pair need there; more if they come in at a flat angle.
    width: f64,
}

/// The pairs at every switch, by the side on which the other mark is (ahead along the axis or not), in their order.
fn sides(pairs: &Pairs, marks: &[Mark], axis: Axis) -> BTreeMap<(usize, bool), Vec<Port>> {
    let mut sides: BTreeMap<(usize, bool), Vec<Port>> = BTreeMap::new();
    for (&pair, wires) in pairs {
        for (end, [here, there]) in [pair, [pair[1], pair[0]]].into_iter().enumerate() {
            let way = marks[there].centre - marks[here].centre;
            let depth = axis.along(way);
            if marks[here].role == Role::Switch && depth != 0.0 {
                let width = LANE * wires.lanes.len() as f64 * (way.length() / depth.abs()).min(STRETCH);
                let from = axis.across().along(marks[there].centre);
                sides.entry((here, depth > 0.0)).or_default().push(Port { pair, end, from, width });
            }
        }
    }
    for side in sides.values_mut() {
        side.sort_by(|a, b| a.from.total_cmp(&b.from));
    }
    sides
}

/// Gives the pairs at one side of a switch their places, the side filled as far as there are wires for it.
fn set_ports(pairs: &mut Pairs, switch: &Mark, axis: Axis, ahead: bool, side: &[Port]) {
    let needed: f64 = side.iter().map(|port| port.width).sum();
    let room = 2.0 * (axis.across().along(switch.outline.half) - BORDER);
    let factor = (room / needed).min(1.5);
    let depth = axis.along(switch.outline.half) * if ahead { 1.0 } else { -1.0 };
    let mut left = -0.5 * needed * factor;
    for port in side {
        let width = port.width * factor;
        let pair = pairs.get_mut(&port.pair).expect("sides are made of pairs");
        pair.ports[port.end] = Some(switch.centre + axis.point(depth, left + 0.5 * width));
        left += width;
    }
}
