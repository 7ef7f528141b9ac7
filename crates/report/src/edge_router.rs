//! Edge routing: curves that avoid marks.

use crate::geometry::{Curve, Point};
use crate::layout::bounds;
use crate::mark::Mark;

/// Minimum distance to a mark, for a straight line and for an arc.
const GAP: [f64; 2] = [3.0, 5.0];
/// Marks whose spines are farther away than this do not affect a curve.
const NEAR: f64 = 30.0;
/// The tested positions along the spine of a long mark.
const SPINE: [f64; 5] = [-1.0, -0.5, 0.0, 0.5, 1.0];

/// Finds curves that avoid marks.
pub(crate) struct EdgeRouter<'a> {
    marks: &'a [Mark],
    /// The middle of the picture. Arcs bend away from it if possible.
    middle: Point,
    /// The smallest distance of two marks.
    pitch: f64,
}

impl<'a> EdgeRouter<'a> {
    /// Prepares the routing between these marks.
    pub(crate) fn new(marks: &'a [Mark]) -> Self {
        let centres: Vec<Point> = marks.iter().map(|mark| mark.centre).collect();
        let (low, high) = bounds(&centres);
        let pairs = centres.iter().enumerate().flat_map(|(i, &p)| centres[..i].iter().map(move |&q| (p - q).length()));
        let pitch = pairs.fold(f64::INFINITY, f64::min);
        Self { marks, middle: (low + high) * 0.5, pitch }
    }

    /// Returns the straight line between two marks if it avoids all others, otherwise the flattest arc that does,
    /// otherwise the arc with the largest clearance. Parallel curves at a distance of up to `spread` must avoid the
    /// marks, too.
    pub(crate) fn between(&self, [from, to]: [usize; 2], spread: f64) -> Curve {
        let line = Curve::line(self.marks[from].centre, self.marks[to].centre);
        if self.clearance(&line, 1, [from, to]) > spread + GAP[0] {
            return line;
        }
        let [start, .., end] = line.control;
        let right = (end - start).unit().right();
        let outward = if (line.at(0.5) - self.middle).dot(right) >= 0.0 { right } else { right * -1.0 };
        let mut best = (f64::NEG_INFINITY, line);
        for height in [0.35, 0.45, 0.55, 0.7, 0.9, 1.2] {
            for side in [outward, outward * -1.0] {
                // A cubic arc rises to 3/4 of the height of its inner control points.
                let rise = side * (height * self.pitch / 0.75);
                let along = (end - start) * 0.04;
                let arc = Curve { control: [start, start + rise + along, end + rise - along, end] };
                let clearance = self.clearance(&arc, 32, [from, to]);
                if clearance > spread + GAP[1] {
                    return arc;
                }
                if clearance > best.0 {
                    best = (clearance, arc);
                }
            }
        }
        best.1
    }

    /// Returns the distance of a curve, approximated by straight pieces, from all other marks; negative inside a mark.
    /// Marks farther than [`NEAR`] are ignored.
    fn clearance(&self, curve: &Curve, pieces: u32, own: [usize; 2]) -> f64 {
        let points: Vec<Point> = (0..=pieces).map(|i| curve.at(f64::from(i) / f64::from(pieces))).collect();
        // A Bézier curve is inside the bounding box of its control points.
        let (low, high) = bounds(&curve.control);
        let others = self.marks.iter().enumerate().filter(|(place, _)| !own.contains(place));
        let distances = others.flat_map(|(_, mark)| {
            let (spine, radius) = mark.outline.spine();
            let reach = spine + Point::new(NEAR, NEAR);
            let [from_low, to_high] = [mark.centre - low + reach, high - mark.centre + reach];
            let near = from_low.x.min(from_low.y).min(to_high.x).min(to_high.y) > 0.0;
            let places = if spine == Point::default() { &SPINE[2..3] } else { &SPINE };
            let centres = places.iter().filter(move |_| near).map(move |&place| mark.centre + spine * place);
            let points = &points;
            centres.flat_map(move |centre| {
                points.windows(2).map(move |piece| distance(centre, piece[0], piece[1]) - radius)
            })
        });
        distances.fold(f64::INFINITY, f64::min)
    }
}

/// Returns the distance of a point from a line segment.
fn distance(point: Point, start: Point, end: Point) -> f64 {
    let piece = end - start;
    let along = ((point - start).dot(piece) / piece.dot(piece).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    (point - start - piece * along).length()
}
