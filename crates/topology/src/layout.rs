//! Positions of nodes in a drawing: about one unit between neighbours, y downwards.
//!
//! Coordinates are rounded to thousandths, so that files are short and equal on every machine.

use std::f64::consts::TAU;

/// Returns the position rounded to thousandths.
pub(crate) fn at(x: f64, y: f64) -> [f64; 2] {
    // Adding zero turns -0.0 into 0.0.
    [x, y].map(|value| (value * 1000.0).round() / 1000.0 + 0.0)
}

/// Returns the radius of a circle with `count` points one unit apart, at least 1.
pub(crate) fn radius(count: u32) -> f64 {
    (f64::from(count) / TAU).max(1.0)
}

/// Returns point `place` of `count` on a circle around the origin, clockwise from the top.
pub(crate) fn on_circle(radius: f64, place: f64, count: u32) -> [f64; 2] {
    let angle = TAU * place / f64::from(count);
    [radius * angle.sin(), -radius * angle.cos()]
}

/// Returns `count` points on a circle around the origin, clockwise from the top.
pub(crate) fn circle(count: u32) -> impl Iterator<Item = [f64; 2]> {
    let radius = radius(count);
    (0..count).map(move |place| {
        let [x, y] = on_circle(radius, f64::from(place), count);
        at(x, y)
    })
}

/// Returns `count` points in a column of `height` units, evenly spaced.
pub(crate) fn column(x: f64, count: u32, height: u32) -> impl Iterator<Item = [f64; 2]> {
    let pitch = f64::from(height) / f64::from(count);
    (0..count).map(move |place| at(x, (f64::from(place) + 0.5) * pitch - 0.5))
}

/// The axes of a grid in its drawing.
///
/// The last two axes point right and down. A third axis of up to 4 nodes points to the upper right, and the cells of the
/// other two are enlarged to hold it; the planes of a longer one are side by side, in rows. Further axes repeat the drawing
/// to the right and downwards in turn. They are slightly inclined, so that their links do not pass through nodes.
///
/// ```
/// use lockstep_topology::GridAxes;
///
/// let plane = GridAxes::new(&[3, 4]);
/// assert_eq!(plane.place([2, 1]), [1.0, 2.0]);
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GridAxes(Vec<Axis>);

/// The place of the nodes along one axis.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Axis {
    /// In a line: the vector of one step.
    Line([f64; 2]),
    /// In rows of a number of columns: the distances of columns and of rows.
    Rows { columns: u32, pitch: [f64; 2] },
}

impl GridAxes {
    /// Returns the axes of a grid with these numbers of nodes along each axis.
    pub fn new(sides: &[u32]) -> Self {
        const SLANT: f64 = 0.19;
        const GAP: f64 = 1.2;
        /// Distance of two planes.
        const PLANE_GAP: f64 = 2.6;
        /// The longest axis that is drawn inside the cells of the others.
        const MOST_INSIDE: u32 = 4;
        let depth = sides.iter().rev().nth(2).copied();
        let cell = depth.filter(|&depth| depth <= MOST_INSIDE).map_or(1.0, f64::from);
        let (mut width, mut height) = (0.0, 0.0);
        let mut placed = Vec::with_capacity(sides.len());
        for (place, &side) in (0u32..).zip(sides.iter().rev()) {
            let slant = SLANT * f64::from(place.saturating_sub(2));
            let axis = match place {
                0 => Axis::Line([cell, 0.0]),
                1 => Axis::Line([0.0, cell]),
                2 if side > MOST_INSIDE => {
                    let pitch = [width + PLANE_GAP, height + PLANE_GAP];
                    Axis::Rows { columns: column_count(side, pitch), pitch }
                }
                2 => Axis::Line([0.7, -0.6]),
                _ if place % 2 == 1 => Axis::Line([width + GAP, slant]),
                _ => Axis::Line([-slant, height + GAP]),
            };
            let [x, y] = axis.extent(side);
            width += x;
            height += y;
            placed.push(axis);
        }
        placed.reverse();
        Self(placed)
    }

    /// Returns the position of the node with these coordinates.
    pub fn place(&self, coordinates: impl IntoIterator<Item = u32>) -> [f64; 2] {
        let parts = coordinates.into_iter().zip(&self.0).map(|(coordinate, axis)| axis.place(coordinate));
        let [x, y] = parts.fold([0.0, 0.0], |[x, y], part| [x + part[0], y + part[1]]);
        at(x, y)
    }
}

impl Axis {
    fn place(self, coordinate: u32) -> [f64; 2] {
        match self {
            Self::Line(step) => step.map(|step| f64::from(coordinate) * step),
            Self::Rows { columns, pitch } => {
                [f64::from(coordinate % columns) * pitch[0], f64::from(coordinate / columns) * pitch[1]]
            }
        }
    }

    /// Returns the width and the height of this number of nodes.
    fn extent(self, side: u32) -> [f64; 2] {
        match self {
            Self::Line(step) => step.map(|step| f64::from(side.saturating_sub(1)) * step.abs()),
            Self::Rows { columns, .. } => self.place(side.saturating_sub(1) / columns * columns + columns - 1),
        }
    }
}

/// Returns the number of columns for `count` drawings of this size, so that all of them are about 4 wide and 3 high, and
/// few places of the last row are empty.
fn column_count(count: u32, [width, height]: [f64; 2]) -> u32 {
    const SHAPE: f64 = 4.0 / 3.0;
    /// Weight of empty places relative to the shape: two rows of 5 are better than three rows of 4 with two empty places.
    const EMPTY: f64 = 4.0;
    let distance = |columns: u32| {
        let rows = count.div_ceil(columns);
        let shape = (f64::from(columns) * width / (f64::from(rows) * height) / SHAPE).ln().abs();
        shape + EMPTY * (f64::from(columns * rows) / f64::from(count)).ln()
    };
    (1..=count).min_by(|&one, &other| distance(one).total_cmp(&distance(other))).unwrap_or(1)
}

/// Returns the positions of the nodes at this depth of a binary tree. The root is at the top, leaves are one unit
/// apart.
pub(crate) fn tree_row(leaves: u32, depth: u32) -> impl Iterator<Item = [f64; 2]> {
    let count = 1 << depth;
    let pitch_down = f64::max(1.5, f64::from(leaves) / f64::from(3 * leaves.ilog2().max(1)));
    let pitch = f64::from(leaves / count);
    (0..count).map(move |place| at((f64::from(place) + 0.5) * pitch - 0.5, pitch_down * f64::from(depth)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_square_planes_have_few_empty_places() {
        let columns = [5, 6, 7, 8, 9, 10, 12, 16].map(|planes| column_count(planes, [11.6, 11.6]));
        assert_eq!(columns, [3, 3, 4, 4, 3, 5, 4, 4]);
    }

    #[test]
    fn the_planes_of_a_deep_grid_are_side_by_side() {
        for sides in [[10, 10, 10], [5, 4, 3], [7, 2, 30]] {
            let axes = GridAxes::new(&sides);
            let [planes, rows, columns] = sides;
            let nodes = (0..planes).flat_map(|p| (0..rows).flat_map(move |r| (0..columns).map(move |c| [p, r, c])));
            let positions: Vec<[f64; 2]> = nodes.map(|node| axes.place(node)).collect();
            for (place, one) in positions.iter().enumerate() {
                assert!(positions[..place].iter().all(|other| (one[0] - other[0]).hypot(one[1] - other[1]) > 0.99));
            }
            let [width, height] = [0, 1].map(|k| positions.iter().map(|position| position[k]).fold(0.0, f64::max));
            assert!((0.4..3.5).contains(&(width / height)), "{sides:?}: {width} by {height}");
        }
    }
}
