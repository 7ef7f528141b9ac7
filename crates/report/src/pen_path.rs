//! Paths of lines and curves, for SVG and PDF.

use std::fmt::Write;

use crate::geometry::{Curve, Outline, Point};
use crate::markup::pair;

/// A movement of the pen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum PenMove {
    /// Begins a part.
    To(Point),
    Line(Point),
    /// A cubic Bézier curve: two control points and the end.
    Curve([Point; 3]),
    /// A line to the beginning of the part.
    Close,
}

/// Lines and curves of the pen.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PenPath(pub(crate) Vec<PenMove>);

impl PenPath {
    pub(crate) fn move_to(&mut self, point: Point) {
        self.0.push(PenMove::To(point));
    }

    /// Draws a curve. The pen is at its start.
    pub(crate) fn draw(&mut self, curve: &Curve) {
        let [_, first, second, end] = curve.control;
        self.0.push(if curve.is_straight() { PenMove::Line(end) } else { PenMove::Curve([first, second, end]) });
    }

    pub(crate) fn close(&mut self) {
        self.0.push(PenMove::Close);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the border of an outline around a point.
    pub(crate) fn outline(centre: Point, outline: Outline) -> Self {
        // The inner control points of a quarter circle of radius 1 are at this distance from its ends.
        const QUARTER: f64 = 0.552_284_749_831;
        let (half, corner) = (outline.half, outline.corner);
        let pull = corner * (1.0 - QUARTER);
        let mut path = Self::default();
        let at = |x: f64, y: f64| centre + Point::new(x, y);
        path.move_to(at(corner - half.x, -half.y));
        let corners = [(1.0, -1.0, true), (1.0, 1.0, false), (-1.0, 1.0, true), (-1.0, -1.0, false)];
        for (right, down, from_side) in corners {
            let (x, y) = (right * half.x, down * half.y);
            let on_level = [at(x - right * corner, y), at(x - right * pull, y)];
            let on_side = [at(x, y - down * corner), at(x, y - down * pull)];
            let (from, to) = if from_side { (on_level, on_side) } else { (on_side, on_level) };
            path.0.push(PenMove::Line(from[0]));
            path.0.push(PenMove::Curve([from[1], to[1], to[0]]));
        }
        path.close();
        path
    }

    /// Returns the path with all points moved.
    pub(crate) fn mapped(&self, map: impl Fn(Point) -> Point) -> Self {
        let moves = self.0.iter().map(|&pen| match pen {
            PenMove::To(point) => PenMove::To(map(point)),
            PenMove::Line(point) => PenMove::Line(map(point)),
            PenMove::Curve(points) => PenMove::Curve(points.map(&map)),
            PenMove::Close => PenMove::Close,
        });
        Self(moves.collect())
    }

    /// Returns the path as data of an SVG path.
    pub(crate) fn to_svg(&self) -> String {
        self.written(["M", "L", "C"], "Z", |letter, points| {
            let points: Vec<String> = points.iter().copied().map(pair).collect();
            format!("{letter}{}", points.join(" "))
        })
    }

    /// Writes each movement by its letter and its points.
    pub(crate) fn written(&self, letters: [&str; 3], close: &str, write: impl Fn(&str, &[Point]) -> String) -> String {
        let [to, line, curve] = letters;
        self.0.iter().fold(String::new(), |mut text, pen| {
            let words = match pen {
                PenMove::To(point) => write(to, &[*point]),
                PenMove::Line(point) => write(line, &[*point]),
                PenMove::Curve(points) => write(curve, points),
                PenMove::Close => close.to_owned(),
            };
            write!(text, "{words}").expect("writing to a string cannot fail");
            text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_border_of_a_circle_has_its_radius() {
        let circle = Outline { half: Point::new(10.0, 10.0), corner: 10.0 };
        let path = PenPath::outline(Point::default(), circle);
        let mut at = Point::default();
        let mut curves = 0;
        for pen in &path.0 {
            match *pen {
                PenMove::To(point) | PenMove::Line(point) => at = point,
                PenMove::Curve([first, second, end]) => {
                    let middle = Curve { control: [at, first, second, end] }.at(0.5);
                    assert!((middle.length() - 10.0).abs() < 0.01, "{middle:?}");
                    at = end;
                    curves += 1;
                }
                PenMove::Close => {}
            }
        }
        assert_eq!(curves, 4);
        assert!(path.to_svg().starts_with("M0,-10L0,-10C5.5,-10 10,-5.5 10,0") && path.to_svg().ends_with('Z'));
    }
}
