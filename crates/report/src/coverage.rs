//! The covered area of a picture, as a grid of cells.

use std::collections::BTreeSet;

use crate::geometry::{Curve, Point};

/// Side of a cell.
const CELL: f64 = 3.0;

/// The covered cells of a picture.
#[derive(Debug, Default)]
pub(crate) struct CoverageGrid {
    cells: BTreeSet<(i64, i64)>,
}

impl CoverageGrid {
    /// Covers the cells along a curve.
    pub(crate) fn add_curve(&mut self, curve: &Curve) {
        let piece = (CELL / (curve.end() - curve.start()).length()).clamp(0.001, 0.125);
        let parameters = std::iter::successors(Some(0.0), |t| (*t < 1.0).then_some(t + piece));
        self.cells.extend(parameters.map(|t| cell(curve.at(t))));
    }

    /// Covers the cells of a box.
    pub(crate) fn add_box(&mut self, middle: Point, half: Point) {
        self.cells.extend(cells(middle, half));
    }

    /// Returns the number of covered cells that a box touches.
    pub(crate) fn count(&self, middle: Point, half: Point) -> usize {
        cells(middle, half).filter(|cell| self.cells.contains(cell)).count()
    }
}

fn cell(point: Point) -> (i64, i64) {
    ((point.x / CELL).floor() as i64, (point.y / CELL).floor() as i64)
}

fn cells(middle: Point, half: Point) -> impl Iterator<Item = (i64, i64)> {
    let ((left, top), (right, bottom)) = (cell(middle - half), cell(middle + half));
    (left..=right).flat_map(move |x| (top..=bottom).map(move |y| (x, y)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_on_a_line_covers_it_and_one_beside_does_not() {
        let mut covered = CoverageGrid::default();
        covered.add_curve(&Curve::line(Point::new(0.0, 0.0), Point::new(90.0, 0.0)));
        let half = Point::new(6.0, 4.0);
        assert!(covered.count(Point::new(45.0, 0.0), half) > 0);
        assert_eq!(covered.count(Point::new(45.0, 12.0), half), 0);
    }
}
