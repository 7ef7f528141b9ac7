//! The line along a path of channels, with an arrow head at its end.

use crate::geometry::{Curve, Point};
use crate::layout::Axis;
use crate::pen_path::PenPath;

/// A triangle with its tip at a point.
pub(crate) struct Arrow {
    pub(crate) length: f64,
    pub(crate) half_width: f64,
}

impl Arrow {
    pub(crate) fn add_to(&self, path: &mut PenPath, tip: Point, direction: Point) {
        let base = tip - direction * self.length;
        let side = direction.right() * self.half_width;
        path.move_to(tip);
        path.draw(&Curve::line(tip, base + side));
        path.draw(&Curve::line(base + side, base - side));
        path.close();
    }
}

/// The curve of a channel on a path, and the marks that it leaves and enters.
pub(crate) struct PathCurve {
    pub(crate) curve: Curve,
    pub(crate) marks: [usize; 2],
}

/// Returns the line along a path, connected inside the marks that it crosses, and the arrow head at its end. `axis` is the
/// direction from level to level, if the nodes are arranged in levels.
pub(crate) fn path_line(path: &[PathCurve], axis: Option<Axis>, arrow: Option<&Arrow>) -> (PenPath, PenPath) {
    let [mut line, mut head] = [PenPath::default(), PenPath::default()];
    for (place, PathCurve { curve, marks }) in path.iter().enumerate() {
        match place.checked_sub(1).map(|before| &path[before]) {
            Some(before) if before.marks[1] == marks[0] => line.draw(&joint(&before.curve, curve, axis)),
            _ => line.move_to(curve.start()),
        }
        match arrow.filter(|_| place + 1 == path.len()) {
            Some(arrow) => {
                // The line ends inside the arrow head, because the tip would not cover it.
                line.draw(&curve.shortened(arrow.length - 1.0));
                arrow.add_to(&mut head, curve.end(), curve.entering());
            }
            None => line.draw(curve),
        }
    }
    (line, head)
}

/// Returns the connection inside a mark: a straight line along the levels, otherwise a curve.
fn joint(before: &Curve, after: &Curve, axis: Option<Axis>) -> Curve {
    let (entering, leaving) = (before.entering(), after.leaving());
    match axis {
        Some(axis) if axis.along(entering) * axis.along(leaving) > 0.0 => Curve::line(before.end(), after.start()),
        _ => Curve::joint(before.end(), entering, after.start(), leaving),
    }
}
