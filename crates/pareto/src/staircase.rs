//! The boundary of the area that points of a plane dominate.

/// A descending staircase within a rectangle. The area above and to the right of each step is covered.
///
/// Invariants: `x` strictly ascends from the left edge, and `y` strictly descends to the lower edge. Left of the first
/// step nothing is covered; right of the last step everything is.
#[derive(Debug)]
pub(crate) struct Staircase {
    steps: Vec<[f64; 2]>,
}

impl Staircase {
    /// Creates an uncovered rectangle from its lower left and upper right corners.
    pub(crate) fn new([left, lower]: [f64; 2], [right, upper]: [f64; 2]) -> Self {
        Self { steps: vec![[left, upper], [right, lower]] }
    }

    /// Starts again with another uncovered rectangle.
    pub(crate) fn reset(&mut self, [left, lower]: [f64; 2], [right, upper]: [f64; 2]) {
        self.steps.clear();
        self.steps.extend([[left, upper], [right, lower]]);
    }

    /// Returns true if the point, which is right of the left edge, is covered.
    pub(crate) fn covers(&self, [x, y]: [f64; 2]) -> bool {
        self.height(x).1 <= y
    }

    /// Covers the area above and to the right of a point. Returns the newly covered area, which is finite if the edges
    /// are.
    ///
    /// O(log n) plus the number of steps that are removed or moved.
    pub(crate) fn cover(&mut self, [x, y]: [f64; 2]) -> f64 {
        // Most points are outside the rectangle of another point.
        if y >= self.steps[0][1] || x >= self.steps[self.steps.len() - 1][0] {
            return 0.0;
        }
        let (after, mut height) = self.height(x);
        if height <= y {
            return 0.0;
        }
        let first = if self.steps[after - 1][0] < x { after } else { after - 1 };
        let end = after + self.steps[after..].partition_point(|step| step[1] >= y);
        let (mut area, mut from) = (0.0, x);
        for &[to, lower] in self.steps[after..].iter().take(end + 1 - after) {
            area += (to - from) * (height - y);
            (from, height) = (to, lower);
        }
        if first == end {
            self.steps.insert(first, [x, y]);
        } else {
            self.steps[first] = [x, y];
            self.steps.drain(first + 1..end);
        }
        area
    }

    /// Returns the number of steps up to `x`, and the height of the staircase at `x`.
    fn height(&self, x: f64) -> (usize, f64) {
        let after = self.steps.partition_point(|step| step[0] <= x);
        (after, self.steps[after - 1][1])
    }
}
