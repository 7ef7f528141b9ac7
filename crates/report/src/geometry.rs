//! Points, curves and outlines in the drawing plane, in pixels with y downwards.

use std::ops::{Add, Mul, Sub};

/// A point, or the vector between two.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    pub(crate) fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    pub(crate) fn dot(self, other: Self) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Returns the unit vector in this direction; `(1, 0)` for the zero vector.
    pub(crate) fn unit(self) -> Self {
        let length = self.length();
        if length > 1e-9 { self * (1.0 / length) } else { Self::new(1.0, 0.0) }
    }

    /// Returns the vector rotated by 90 degrees to the right on the screen.
    pub(crate) fn right(self) -> Self {
        Self::new(-self.y, self.x)
    }
}

impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self::new(self.x * factor, self.y * factor)
    }
}

/// A cubic Bézier curve. The inner control points of a straight line divide it into thirds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Curve {
    pub(crate) control: [Point; 4],
}

impl Curve {
    pub(crate) fn line(start: Point, end: Point) -> Self {
        let third = (end - start) * (1.0 / 3.0);
        Self { control: [start, start + third, end - third, end] }
    }

    /// Returns the curve that leaves `start` and enters `end` in the directions of two unit vectors.
    pub(crate) fn joint(start: Point, leaving: Point, end: Point, entering: Point) -> Self {
        let reach = 0.4 * (end - start).length();
        Self { control: [start, start + leaving * reach, end - entering * reach, end] }
    }

    pub(crate) fn start(&self) -> Point {
        self.control[0]
    }

    pub(crate) fn end(&self) -> Point {
        self.control[3]
    }

    pub(crate) fn at(&self, t: f64) -> Point {
        let rest = 1.0 - t;
        let weights = [rest * rest * rest, 3.0 * rest * rest * t, 3.0 * rest * t * t, t * t * t];
        self.control.iter().zip(weights).fold(Point::default(), |sum, (&point, weight)| sum + point * weight)
    }

    /// Returns the unit direction at the start.
    pub(crate) fn leaving(&self) -> Point {
        (self.control[1] - self.control[0]).unit()
    }

    /// Returns the unit direction at the end.
    pub(crate) fn entering(&self) -> Point {
        (self.control[3] - self.control[2]).unit()
    }

    pub(crate) fn is_straight(&self) -> bool {
        let [a, b, c, d] = self.control;
        let across = (d - a).unit().right();
        [b, c].iter().all(|&point| (point - a).dot(across).abs() < 0.05)
    }

    /// Returns the same curve from end to start.
    pub(crate) fn reversed(&self) -> Self {
        let [a, b, c, d] = self.control;
        Self { control: [d, c, b, a] }
    }

    /// Returns the part between two parameters by de Casteljau's algorithm.
    pub(crate) fn part(&self, from: f64, to: f64) -> Self {
        let rest = self.reversed().head(1.0 - from).reversed();
        if from < 1.0 { rest.head((to - from) / (1.0 - from)) } else { rest }
    }

    fn head(&self, t: f64) -> Self {
        let between = |from: Point, to: Point| from + (to - from) * t;
        let [start, first, second, end] = self.control;
        let edges = [between(start, first), between(first, second), between(second, end)];
        let inner = [between(edges[0], edges[1]), between(edges[1], edges[2])];
        Self { control: [start, edges[0], inner[0], between(inner[0], inner[1])] }
    }

    /// Returns the offset curve at this distance to the right: it moves the edges of the control polygon.
    pub(crate) fn shifted_right(&self, distance: f64) -> Self {
        let [a, b, c, d] = self.control;
        let normals = [b - a, c - b, d - c].map(|edge| edge.unit().right());
        let corner = |p: Point, q: Point| (p + q) * (1.0 / (1.0 + p.dot(q)).max(0.2));
        let [first, second, third] = normals;
        let shift = [first, corner(first, second), corner(second, third), third];
        Self { control: [0, 1, 2, 3].map(|i| self.control[i] + shift[i] * distance) }
    }

    /// Returns the part outside the outlines at both ends.
    pub(crate) fn between(&self, at_start: (Point, Outline), at_end: (Point, Outline)) -> Self {
        let leave =
            |curve: &Self, (centre, outline): (Point, Outline)| bisect(|t| outline.contains(curve.at(t) - centre));
        let (from, to) = (leave(self, at_start), 1.0 - leave(&self.reversed(), at_end));
        if to - from > 1e-6 { self.part(from, to) } else { *self }
    }

    /// Returns the curve without its last part of this length.
    pub(crate) fn shortened(&self, length: f64) -> Self {
        let end = self.end();
        let back = self.reversed();
        self.part(0.0, 1.0 - bisect(|t| (back.at(t) - end).length() < length))
    }
}

/// Finds the parameter up to 1/2 where a condition that holds at 0 becomes false, by bisection.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        *(if holds(middle) { &mut low } else { &mut high }) = middle;
    }
    low
}

/// The outline of a mark: a box with rounded corners around a centre.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Outline {
    /// Half of the width and height.
    pub(crate) half: Point,
    /// Radius of the corners, at most half of the shorter side.
    pub(crate) corner: f64,
}

impl Outline {
    /// Returns the distance of the border from the centre in this direction, as if the corners were square.
    pub(crate) fn reach(self, direction: Point) -> f64 {
        let unit = direction.unit();
        (self.half.x / unit.x.abs()).min(self.half.y / unit.y.abs())
    }

    /// Returns the outline as a thick line through the centre: half of the line, and half of its thickness.
    pub(crate) fn spine(self) -> (Point, f64) {
        let radius = self.half.x.min(self.half.y);
        (self.half - Point::new(radius, radius), radius)
    }

    /// Returns true if a point, relative to the centre, is inside.
    pub(crate) fn contains(self, point: Point) -> bool {
        let beyond = |coordinate: f64, half: f64| (coordinate.abs() - half + self.corner).max(0.0);
        Point::new(beyond(point.x, self.half.x), beyond(point.y, self.half.y)).length() < self.corner
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CIRCLE: Outline = Outline { half: Point::new(10.0, 10.0), corner: 10.0 };

    fn near(p: Point, q: Point) -> bool {
        (p - q).length() < 1e-3
    }

    #[test]
    fn a_line_between_circles_ends_on_their_borders() {
        let [left, right] = [Point::new(0.0, 0.0), Point::new(100.0, 0.0)];
        let line = Curve::line(left, right).between((left, CIRCLE), (right, CIRCLE));
        assert!(near(line.start(), Point::new(10.0, 0.0)), "{line:?}");
        assert!(near(line.end(), Point::new(90.0, 0.0)), "{line:?}");
        assert!(line.is_straight());
    }

    #[test]
    fn opposite_directions_shift_to_opposite_sides() {
        let [left, right] = [Point::new(0.0, 0.0), Point::new(100.0, 0.0)];
        assert!(near(Curve::line(left, right).shifted_right(3.0).start(), Point::new(0.0, 3.0)));
        assert!(near(Curve::line(right, left).shifted_right(3.0).end(), Point::new(0.0, -3.0)));
    }

    #[test]
    fn part_keeps_the_points_of_the_curve() {
        let curve =
            Curve::joint(Point::new(0.0, 0.0), Point::new(0.0, 1.0), Point::new(9.0, 3.0), Point::new(1.0, 0.0));
        let part = curve.part(0.25, 0.75);
        for (inner, outer) in [(0.0, 0.25), (0.5, 0.5), (1.0, 0.75)] {
            assert!(near(part.at(inner), curve.at(outer)));
        }
    }

    #[test]
    fn shortened_by_its_straight_length() {
        let line = Curve::line(Point::new(0.0, 0.0), Point::new(0.0, 40.0)).shortened(8.0);
        assert!(near(line.end(), Point::new(0.0, 32.0)), "{line:?}");
    }

    #[test]
    fn overlapping_outlines_leave_the_whole_curve() {
        let [left, right] = [Point::new(0.0, 0.0), Point::new(5.0, 0.0)];
        let line = Curve::line(left, right);
        assert_eq!(line.between((left, CIRCLE), (right, CIRCLE)), line);
    }
}
