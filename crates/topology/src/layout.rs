//! Where nodes are drawn: about one unit between neighbours, y downwards, rounded to thousandths so that files are short
//! and the same on every machine.

use std::f64::consts::TAU;

/// A position rounded to thousandths.
pub(crate) fn at(x: f64, y: f64) -> [f64; 2] {
    // Adding zero turns -0.0 into 0.0.
    [x, y].map(|value| (value * 1000.0).round() / 1000.0 + 0.0)
}

/// The radius of a circle on which `count` points stand one unit apart, and at least one unit from the centre.
pub(crate) fn radius(count: u32) -> f64 {
    (f64::from(count) / TAU).max(1.0)
}

/// The point of a circle about the origin that stands at `place` of `count`, clockwise from the top.
pub(crate) fn on_circle(radius: f64, place: f64, count: u32) -> [f64; 2] {
    let angle = TAU * place / f64::from(count);
    [radius * angle.sin(), -radius * angle.cos()]
}

/// All points of a circle, clockwise from the top.
pub(crate) fn circle(count: u32) -> impl Iterator<Item = [f64; 2]> {
    let radius = radius(count);
    (0..count).map(move |place| {
        let [x, y] = on_circle(radius, f64::from(place), count);
        at(x, y)
    })
}

/// A column of points, centred on the middle of a column of `height` units.
pub(crate) fn column(x: f64, count: u32, height: u32) -> impl Iterator<Item = [f64; 2]> {
    let pitch = f64::from(height) / f64::from(count);
    (0..count).map(move |place| at(x, (f64::from(place) + 0.5) * pitch - 0.5))
}

/// How far one step along each axis of a grid goes on paper.
///
/// The last two axes are right and down. A third recedes to the upper right, and the cells of the first two are made
/// large enough to hold it. Further axes repeat the whole alternately to the right and downwards, a little aslant so
/// that their links do not run through nodes.
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

    /// Where the node with these coordinates is drawn.
    pub(crate) fn place(&self, coordinates: impl IntoIterator<Item = u32>) -> [f64; 2] {
        let steps = coordinates.into_iter().zip(&self.0);
        let [x, y] =
            steps.fold([0.0, 0.0], |[x, y], (c, step)| [x + f64::from(c) * step[0], y + f64::from(c) * step[1]]);
        at(x, y)
    }
}
