//! The border of what points of a plane dominate.

/// A descending staircase within a rectangle: what lies above and right of a step is covered.
///
/// Invariants: `x` strictly ascends from the left edge, `y` strictly descends to the lower edge. The first step is where
/// nothing is covered below the upper edge, the last where everything is.
#[derive(Debug)]
pub(crate) struct Stairs {
    steps: Vec<[f64; 2]>,
}

impl Stairs {
    /// A rectangle of which nothing is covered, from its lower left to its upper right corner.
    pub(crate) fn new([left, lower]: [f64; 2], [right, upper]: [f64; 2]) -> Self {
        Self { steps: vec![[left, upper], [right, lower]] }
    }

    /// The same with another rectangle.
    pub(crate) fn reset(&mut self, [left, lower]: [f64; 2], [right, upper]: [f64; 2]) {
        self.steps.clear();
        self.steps.extend([[left, upper], [right, lower]]);
    }

    /// Whether a point right of the left edge is covered.
    pub(crate) fn covers(&self, [x, y]: [f64; 2]) -> bool {
        self.height(x).1 <= y
    }

    /// Covers what lies above and right of a point within the rectangle, and returns the area that was not covered yet:
    /// finite where the edges are. Time O(log n) and what it removes or moves.
    pub(crate) fn cover(&mut self, [x, y]: [f64; 2]) -> f64 {
        // Most points of a front are far from where others look.
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

    /// Number of steps up to `x`, and the height of the staircase there.
    fn height(&self, x: f64) -> (usize, f64) {
        let after = self.steps.partition_point(|step| step[0] <= x);
        (after, self.steps[after - 1][1])
    }
}
