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

/// The vector of one step along each axis of a grid in the drawing.
///
/// The last two axes point right and down. A third axis points to the upper right, and the cells of the other two are
/// enlarged to hold it. Further axes repeat the drawing to the right and downwards in turn. They are slightly inclined,
/// so that their links do not pass through nodes.
pub(crate) struct Axes(Vec<[f64; 2]>);

impl Axes {
    pub(crate) fn new(sides: &[u32]) -> Self {
        const SLANT: f64 = 0.19;
        const GAP: f64 = 1.2;
        let cell = sides.iter().rev().nth(2).map_or(1.0, |&depth| f64::from(depth));
        let (mut width, mut height) = (0.0, 0.0);
        let mut steps = Vec::with_capacity(sides.len());
        for (axis, &side) in (0u32..).zip(sides.iter().rev()) {
            let slant = SLANT * f64::from(axis.saturating_sub(2));
            let step = match axis {
                0 => [cell, 0.0],
                1 => [0.0, cell],
                2 => [0.7, -0.6],
                _ if axis % 2 == 1 => [width + GAP, slant],
                _ => [-slant, height + GAP],
            };
            width += f64::from(side - 1) * f64::abs(step[0]);
            height += f64::from(side - 1) * f64::abs(step[1]);
            steps.push(step);
        }
        steps.reverse();
        Self(steps)
    }

    /// Returns the position of the node with these coordinates.
    pub(crate) fn place(&self, coordinates: impl IntoIterator<Item = u32>) -> [f64; 2] {
        let steps = coordinates.into_iter().zip(&self.0);
        let [x, y] =
            steps.fold([0.0, 0.0], |[x, y], (c, step)| [x + f64::from(c) * step[0], y + f64::from(c) * step[1]]);
        at(x, y)
    }
}

/// Returns the positions of the nodes at this depth of a binary tree. The root is at the top, leaves are one unit
/// apart.
pub(crate) fn tree_row(leaves: u32, depth: u32) -> impl Iterator<Item = [f64; 2]> {
    let count = 1 << depth;
    let pitch_down = f64::max(1.5, f64::from(leaves) / f64::from(3 * leaves.ilog2().max(1)));
    let pitch = f64::from(leaves / count);
    (0..count).map(move |place| at((f64::from(place) + 0.5) * pitch - 0.5, pitch_down * f64::from(depth)))
}
