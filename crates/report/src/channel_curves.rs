//! The curves of channels: side by side, and around marks.

use std::collections::BTreeMap;

use lockstep_topology::ResourceId;

use crate::edge_router::EdgeRouter;
use crate::geometry::{Curve, Point};
use crate::layout::Axis;
use crate::mark::{Mark, MarkRole};

/// Width of a channel: the distance of neighbouring curves between the same marks.
pub(crate) const LANE: f64 = 6.0;
/// The part of the smaller mark over which all curves between two marks spread.
const SPREAD: f64 = 1.4;
/// Maximum factor by which a flat angle widens the port of a curve at a switch.
const STRETCH: f64 = 3.0;
/// Space between the corner of a switch and its first curve.
const BORDER: f64 = 1.0;

/// The ends of a channel.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChannelEnds {
    /// The marks that it leaves and enters.
    pub(crate) marks: [usize; 2],
    /// The resource that it occupies.
    pub(crate) resource: ResourceId,
    /// The width that its line needs.
    pub(crate) width: f64,
}

/// One resource between two marks: a curve from the lower mark to the higher one.
struct ResourceLane {
    resource: ResourceId,
    /// Its channels; true for those from the lower mark to the higher one.
    channels: Vec<(usize, bool)>,
    /// The largest width of its channels.
    width: f64,
    /// Distance to the right of the middle line of the pair.
    offset: f64,
}

/// The lanes between two joined marks.
#[derive(Default)]
struct MarkPair {
    /// From left to right, as seen from the lower mark.
    lanes: Vec<ResourceLane>,
    /// The ports of the pair: points at the border of the lower mark, and of the higher one, where they are assigned.
    ports: [Option<Point>; 2],
}

/// Computes one curve per channel.
///
/// The curves of a pair of marks run side by side, each on the right of its direction. Channels that share a resource
/// have the same curve. If the straight line crosses a third mark, the pair is joined by an arc around it. In a layered
/// layout, each pair has a port of its own at a switch.
pub(crate) fn channel_curves(marks: &[Mark], axis: Option<Axis>, ends: &[ChannelEnds]) -> Vec<Curve> {
    let mut pairs = joined_marks(marks, ends);
    if let Some(axis) = axis {
        for ((switch, ahead), side) in sides(&pairs, marks, axis) {
            set_ports(&mut pairs, &marks[switch], axis, ahead, &side);
        }
    }
    let arcs = EdgeRouter::new(marks);
    let mut curves = vec![Curve::line(Point::default(), Point::default()); ends.len()];
    for (&[low, high], pair) in &pairs {
        let borders = [low, high].map(|mark| (marks[mark].centre, marks[mark].outline));
        let spread = pair.lanes.last().map_or(0.0, |lane| lane.offset);
        let arc = arcs.between([low, high], spread);
        let [start, end] = pair.ports;
        let line = Curve::line(start.unwrap_or(arc.start()), end.unwrap_or(arc.end()));
        for lane in &pair.lanes {
            let curve = match axis {
                _ if !arc.is_straight() => arc.shifted_right(lane.offset),
                Some(axis) => extend_to_ports(&line.shifted_right(lane.offset), axis, pair.ports),
                None => line.shifted_right(lane.offset),
            };
            let curve = curve.between(borders[0], borders[1]);
            for &(channel, forward) in &lane.channels {
                curves[channel] = if forward { curve } else { curve.reversed() };
            }
        }
    }
    curves
}

/// Computes one curve per channel of a crossbar: from the right side of a terminal along its row, and then along the column
/// of a switch to its lower side, or back. The curves of a pair run side by side.
pub(crate) fn corner_curves(marks: &[Mark], ends: &[ChannelEnds]) -> Vec<Curve> {
    let mut curves = vec![Curve::line(Point::default(), Point::default()); ends.len()];
    for (&[low, high], pair) in &joined_marks(marks, ends) {
        let is_ahead = marks[low].role != MarkRole::Switch;
        let [terminal, switch] = if is_ahead { [low, high] } else { [high, low] }.map(|mark| &marks[mark]);
        for lane in &pair.lanes {
            // Lanes are on the right of the direction from the lower mark to the higher one.
            let offset = if is_ahead { lane.offset } else { -lane.offset };
            let start = terminal.centre + Point::new(terminal.outline.half.x, offset);
            let end = switch.centre + Point::new(offset, switch.outline.half.y);
            let corner = Point::new(end.x, start.y);
            let curve = Curve { control: [start, corner, corner, end] };
            for &(channel, forward) in &lane.channels {
                curves[channel] = if forward == is_ahead { curve } else { curve.reversed() };
            }
        }
    }
    curves
}

/// Returns half the width that each switch needs for the ports on one of its sides.
pub(crate) fn switch_widths(marks: &[Mark], axis: Axis, ends: &[ChannelEnds]) -> Vec<f64> {
    let mut widths = vec![0.0_f64; marks.len()];
    for ((switch, _), side) in sides(&joined_marks(marks, ends), marks, axis) {
        let needed: f64 = side.iter().map(|port| port.width).sum();
        widths[switch] = widths[switch].max(0.5 * needed + BORDER);
    }
    widths
}

/// Returns half the side that each mark needs, so that the curves to each of its neighbours fit side by side.
pub(crate) fn mark_sizes(marks: &[Mark], ends: &[ChannelEnds]) -> Vec<f64> {
    let mut sizes = vec![0.0_f64; marks.len()];
    for (ends, pair) in joined_marks(marks, ends) {
        let total: f64 = pair.lanes.iter().map(|lane| lane.width).sum();
        for mark in ends {
            sizes[mark] = sizes[mark].max(total / SPREAD);
        }
    }
    sizes
}

/// Moves the ends of a straight line, in its direction, to the level of the ports.
fn extend_to_ports(line: &Curve, axis: Axis, ports: [Option<Point>; 2]) -> Curve {
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

/// The joined marks, lower mark first.
type JoinedMarks = BTreeMap<[usize; 2], MarkPair>;

/// Groups channels by their marks and resources.
fn joined_marks(marks: &[Mark], ends: &[ChannelEnds]) -> JoinedMarks {
    let mut pairs = JoinedMarks::new();
    for (channel, &ChannelEnds { marks: [tail, head], resource, width }) in ends.iter().enumerate() {
        let end = (channel, tail < head);
        let lanes = &mut pairs.entry([tail.min(head), tail.max(head)]).or_default().lanes;
        match lanes.iter_mut().find(|lane| lane.resource == resource) {
            Some(lane) => {
                lane.channels.push(end);
                lane.width = lane.width.max(width);
            }
            None => lanes.push(ResourceLane { resource, channels: vec![end], width, offset: 0.0 }),
        }
    }
    for (ends, MarkPair { lanes, .. }) in &mut pairs {
        // The sort is stable, so curves of one direction keep their order.
        lanes.sort_by_key(|lane| lane.channels[0].1);
        let room = ends.map(|mark| marks[mark].outline.half.x.min(marks[mark].outline.half.y));
        let total: f64 = lanes.iter().map(|lane| lane.width).sum();
        let factor = (SPREAD * room[0].min(room[1]) / total).min(1.0);
        let mut left = -0.5 * total;
        for lane in lanes {
            lane.offset = factor * (left + 0.5 * lane.width);
            left += lane.width;
        }
    }
    pairs
}

/// The port of a pair of marks at one side of a switch.
struct Port {
    pair: [usize; 2],
    /// The index of the switch in the pair.
    end: usize,
    /// Position of the other mark across the levels.
    from: f64,
    /// The width of the port. A flat angle increases it.
    width: f64,
}

/// Returns the ports at each side of each switch, ordered across the levels. The side is true if it is ahead along the
/// axis.
fn sides(pairs: &JoinedMarks, marks: &[Mark], axis: Axis) -> BTreeMap<(usize, bool), Vec<Port>> {
    let mut sides: BTreeMap<(usize, bool), Vec<Port>> = BTreeMap::new();
    for (&pair, joined) in pairs {
        for (end, [here, there]) in [pair, [pair[1], pair[0]]].into_iter().enumerate() {
            let vector = marks[there].centre - marks[here].centre;
            let depth = axis.along(vector);
            if marks[here].role == MarkRole::Switch && depth != 0.0 {
                let lanes: f64 = joined.lanes.iter().map(|lane| lane.width).sum();
                let width = lanes * (vector.length() / depth.abs()).min(STRETCH);
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

/// Assigns the ports at one side of a switch and spreads them over the side.
fn set_ports(pairs: &mut JoinedMarks, switch: &Mark, axis: Axis, ahead: bool, side: &[Port]) {
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
