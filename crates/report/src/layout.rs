//! The layout of a network: positions of nodes before scaling.

use lockstep_topology::{NodeId, Topology};

use crate::geometry::Point;
use crate::layered_layout::{across, levels, stages};
use crate::stress_layout::stress_layout;
use crate::structure::{Rails, crossbar_layout, is_random_circle, rails_layout, structure_layout};

/// The positions of the nodes of a network, all distinct.
#[derive(Debug)]
pub(crate) struct Layout {
    /// One position per node.
    pub(crate) nodes: Vec<Point>,
    /// One position per terminal for its receiving side, if it is drawn separately; otherwise empty.
    pub(crate) receiving: Vec<Point>,
    /// The direction from level to level, if the nodes of an indirect network are arranged in levels.
    pub(crate) axis: Option<Axis>,
    /// The shape of links.
    pub(crate) links: LinkShape,
}

/// The shape of the links of a layout.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LinkShape {
    /// Straight lines, and arcs around nodes.
    Line,
    /// From a terminal along its row, and then along the column of a switch.
    Corner,
}

/// The widest level in one row, in nodes.
const MAX_ROW: usize = 40;
/// Maximum number of rows of a level.
const MAX_ROWS: usize = 2;

/// A direction of the picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Axis {
    Horizontal,
    Vertical,
}

impl Axis {
    /// Returns the coordinate of a point in this direction.
    pub(crate) fn along(self, point: Point) -> f64 {
        match self {
            Self::Horizontal => point.x,
            Self::Vertical => point.y,
        }
    }

    /// Returns the point with these coordinates in this direction and across it.
    pub(crate) fn point(self, along: f64, across: f64) -> Point {
        match self {
            Self::Horizontal => Point::new(along, across),
            Self::Vertical => Point::new(across, along),
        }
    }

    /// Returns the other direction.
    pub(crate) fn across(self) -> Self {
        match self {
            Self::Horizontal => Self::Vertical,
            Self::Vertical => Self::Horizontal,
        }
    }
}

/// Arranges a network: at its own positions unless they are a circle with random links, otherwise in stages, in levels, by its structure, or by stress.
///
/// In a one-way network, the receiving sides of terminals are behind the last stage, so that no ejection channel leads
/// back across the picture.
pub(crate) fn layout(topology: &Topology) -> Layout {
    let stages = stages(topology);
    let one_way = stages.is_some();
    let given = given_places(topology).filter(|places| !is_random_circle(topology, places));
    let rails = || rails_layout(topology).map(|rails| rails.levels);
    let node_levels = stages.or_else(rails).or_else(|| levels(topology));
    if let (None, Some(nodes)) = (&given, crossbar_layout(topology)) {
        return Layout { nodes, receiving: Vec::new(), axis: None, links: LinkShape::Corner };
    }
    if let (None, Some(Rails { places, levels })) = (&given, rails_layout(topology).filter(|_| !one_way)) {
        let axis = level_axis(&places, &levels);
        let nodes = match axis {
            Some(axis) => wrapped(places, &levels, axis),
            None => places,
        };
        return Layout { nodes, receiving: Vec::new(), axis, links: LinkShape::Line };
    }
    let nodes = given.unwrap_or_else(|| match &node_levels {
        Some(levels) => {
            let axis = if one_way { Axis::Horizontal } else { Axis::Vertical };
            let upwards = if one_way { 1.0 } else { -1.0 };
            let across = across(topology, levels, one_way);
            levels.iter().zip(across).map(|(&level, across)| axis.point(upwards * f64::from(level), across)).collect()
        }
        None => structure_layout(topology).unwrap_or_else(|| stress_layout(topology)),
    });
    let receiving = if one_way { receiving_sides(topology, &nodes) } else { None };
    let axis = node_levels.as_ref().and_then(|levels| level_axis(&nodes, levels));
    let levels = node_levels.or_else(|| tree_levels(topology, &nodes));
    let nodes = match levels {
        Some(levels) if !one_way => wrapped(nodes, &levels, axis.unwrap_or(Axis::Vertical)),
        _ => nodes,
    };
    Layout { nodes, receiving: receiving.unwrap_or_default(), axis, links: LinkShape::Line }
}

/// Returns the direction in which all nodes of a level have the same coordinate.
fn level_axis(nodes: &[Point], levels: &[u32]) -> Option<Axis> {
    let (low, high) = bounds(nodes);
    let tolerance = 1e-6 * (high - low).length();
    [Axis::Horizontal, Axis::Vertical].into_iter().find(|axis| {
        let mut coordinate: Vec<Option<f64>> = vec![None; nodes.len() + 1];
        nodes.iter().zip(levels).all(|(&node, &level)| {
            let first = *coordinate[level as usize].get_or_insert(axis.along(node));
            (axis.along(node) - first).abs() <= tolerance
        })
    })
}

/// Returns the level of each node of a tree without switches whose levels are horizontal; 0 is at the top.
fn tree_levels(topology: &Topology, nodes: &[Point]) -> Option<Vec<u32>> {
    if topology.channel_count() != 2 * (topology.node_count().max(1) - 1) {
        return None;
    }
    let mut heights: Vec<f64> = nodes.iter().map(|node| node.y).collect();
    heights.sort_by(f64::total_cmp);
    heights.dedup();
    let level = |node: &Point| heights.binary_search_by(|height| height.total_cmp(&node.y)).unwrap_or(0) as u32;
    let levels: Vec<u32> = nodes.iter().map(level).collect();
    let differ = |channel| levels[topology.tail(channel).index()] != levels[topology.head(channel).index()];
    topology.channels().all(differ).then_some(levels)
}

/// Returns the positions with wide levels in several rows, so that the widest one has few nodes side by side. The nodes of a
/// level keep their order, and go to the rows in turn: links pass between the nodes of the other rows.
fn wrapped(mut nodes: Vec<Point>, levels: &[u32], axis: Axis) -> Vec<Point> {
    /// Distance of two rows, in units of the distance of two nodes.
    const ROW_PITCH: f64 = 0.8;
    let count = levels.iter().max().map_or(0, |&last| last as usize + 1);
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (node, &level) in levels.iter().enumerate() {
        members[level as usize].push(node);
    }
    let widest = members.iter().map(Vec::len).max().unwrap_or(0);
    let rows = widest.div_ceil(MAX_ROW).min(MAX_ROWS);
    if rows < 2 {
        return nodes;
    }
    let across = |place: Point| axis.across().along(place);
    let (low, high) = bounds(&nodes);
    let pitch = ROW_PITCH * (across(high) - across(low)) / (widest - 1) as f64;
    members.retain(|members| !members.is_empty());
    members.sort_by(|one, other| axis.along(nodes[one[0]]).total_cmp(&axis.along(nodes[other[0]])));
    let mut shift = 0.0;
    for mut members in members {
        members.sort_by(|&one, &other| across(nodes[one]).total_cmp(&across(nodes[other])));
        let own = (members.len() * rows).div_ceil(widest);
        for (place, &node) in members.iter().enumerate() {
            let along = axis.along(nodes[node]) + shift + pitch * (place % own) as f64;
            nodes[node] = axis.point(along, across(nodes[node]) / rows as f64);
        }
        shift += pitch * (own - 1) as f64;
    }
    nodes
}

/// Returns the positions of the network, with the largest coordinate scaled to 1, unless two nodes have the same
/// position.
fn given_places(topology: &Topology) -> Option<Vec<Point>> {
    let positions = topology.positions()?;
    let largest = positions.iter().flatten().fold(0.0_f64, |largest, coordinate| largest.max(coordinate.abs()));
    if positions.len() > 1 && largest < f64::MIN_POSITIVE {
        return None;
    }
    let largest = largest.max(f64::MIN_POSITIVE);
    let places: Vec<Point> = positions.iter().map(|&[x, y]| Point::new(x / largest, y / largest)).collect();
    let (low, high) = bounds(&places);
    let apart = 1e-3 * (high.x - low.x).max(high.y - low.y);
    all_apart(&places, apart).then_some(places)
}

/// Returns the corners of the bounding box of some points.
pub(crate) fn bounds(points: &[Point]) -> (Point, Point) {
    let infinite = Point::new(f64::INFINITY, f64::INFINITY);
    points.iter().fold((infinite, infinite * -1.0), |(low, high), point| {
        (Point::new(low.x.min(point.x), low.y.min(point.y)), Point::new(high.x.max(point.x), high.y.max(point.y)))
    })
}

fn all_apart(points: &[Point], distance: f64) -> bool {
    let mut sorted = points.to_vec();
    sorted.sort_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    sorted.iter().enumerate().all(|(place, &point)| {
        let near = sorted[place + 1..].iter().take_while(|other| other.x - point.x <= distance);
        near.into_iter().all(|&other| (other - point).length() > distance)
    })
}

/// Returns the positions of the receiving sides of terminals in a one-way network: the mirror images of the terminals,
/// behind the last switch. Returns `None` if terminals and switches overlap in that direction.
fn receiving_sides(topology: &Topology, nodes: &[Point]) -> Option<Vec<Point>> {
    let terminals = topology.terminals();
    let feeders = terminals.iter().flat_map(|&terminal| topology.in_channels(terminal)).map(|&e| topology.tail(e));
    let place = |node: NodeId| nodes[node.index()];
    let here = mean(terminals.iter().map(|&terminal| place(terminal)))?;
    let ahead = mean(feeders.map(place))? - here;
    let flow = if ahead.x.abs() >= ahead.y.abs() {
        Point::new(ahead.x.signum(), 0.0)
    } else {
        Point::new(0.0, ahead.y.signum())
    };
    let depth = |node: NodeId| place(node).dot(flow);
    let switch_depths = topology.nodes().filter(|&node| !topology.is_terminal(node)).map(depth);
    let (first, last) = switch_depths
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(first, last), depth| (first.min(depth), last.max(depth)));
    let deepest_terminal = terminals.iter().copied().map(depth).fold(f64::NEG_INFINITY, f64::max);
    let gap = first - deepest_terminal;
    let behind = |&terminal: &NodeId| place(terminal) + flow * (last + gap - depth(terminal));
    let sides: Vec<Point> = terminals.iter().map(behind).collect();
    let (low, high) = bounds(&sides);
    (gap > 0.0 && all_apart(&sides, 1e-3 * (high - low).length())).then_some(sides)
}

fn mean(points: impl Iterator<Item = Point>) -> Option<Point> {
    let (sum, count) = points.fold((Point::default(), 0u32), |(sum, count), point| (sum + point, count + 1));
    (count > 0).then(|| sum * (1.0 / f64::from(count)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the largest number of nodes at the same height.
    fn widest_row(places: &[Point]) -> usize {
        let count = |place: &Point| places.iter().filter(|other| (other.y - place.y).abs() < 1e-9).count();
        places.iter().map(count).max().unwrap()
    }

    #[test]
    fn wide_levels_have_several_rows() {
        for (spec, most) in [("b-tree:32", 32), ("b-tree:64", 32), ("fat-tree:4,3", 32), ("full-b-tree:127", 32)] {
            let network: Topology = spec.parse().unwrap();
            let Layout { nodes, .. } = layout(&network);
            assert!(widest_row(&nodes) <= most, "{spec}: {} nodes in a row", widest_row(&nodes));
            assert!(all_apart(&nodes, 1e-6), "{spec}");
        }
    }

    #[test]
    fn rows_of_a_level_stay_on_their_side_of_its_neighbours() {
        let network: Topology = "b-tree:256".parse().unwrap();
        let Layout { nodes, .. } = layout(&network);
        let levels = levels(&network).unwrap();
        for channel in network.channels() {
            let [tail, head] = [network.tail(channel).index(), network.head(channel).index()];
            assert_eq!(levels[tail] > levels[head], nodes[tail].y < nodes[head].y, "{tail} {head}");
        }
    }
}
