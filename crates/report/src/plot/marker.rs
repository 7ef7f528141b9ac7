//! The shapes of points, so that series are distinguishable without colours.

/// A circle, a square, a triangle and a diamond of about the same area around the origin.
const SHAPES: [&str; 4] = [
    "M-4.2,0A4.2,4.2 0 1 1 4.2,0A4.2,4.2 0 1 1 -4.2,0Z",
    "M-3.7,-3.7H3.7V3.7H-3.7Z",
    "M0,-5.2L4.9,3.4H-4.9Z",
    "M0,-5.3L5.3,0L0,5.3L-5.3,0Z",
];

/// Half the width and height of the largest marker.
pub(crate) const REACH: f64 = 5.5;

/// Returns the path commands of the markers of a series.
pub(crate) fn shape(series: usize) -> &'static str {
    SHAPES[series % SHAPES.len()]
}
