//! Symmetric tridiagonal matrices, and the reduction of symmetric matrices to them.

/// A symmetric tridiagonal matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Tridiagonal {
    pub(super) diagonal: Vec<f64>,
    /// The entries beside the diagonal, one fewer than on it.
    pub(super) beside: Vec<f64>,
    mirror: Vec<f64>,
    product: Vec<f64>,
}

impl Tridiagonal {
    /// Reduces a symmetric matrix of this order to tridiagonal form by Householder reflections. Overwrites `matrix`.
    /// O(n³).
    pub(super) fn reduce(&mut self, matrix: &mut [f64], order: usize) {
        self.diagonal.clear();
        self.beside.clear();
        for place in 0..order {
            let (done, rest) = matrix.split_at_mut((place + 1) * order);
            let row = &done[place * order..];
            self.diagonal.push(row[place]);
            let below = &row[place + 1..];
            let Some(&first) = below.first() else { break };
            let norm = dot(below, below).sqrt();
            let beside = if first > 0.0 { -norm } else { norm };
            self.beside.push(beside);
            // The reflection along `mirror` maps the row to `beside` and zeros.
            self.mirror.clear();
            self.mirror.extend(below);
            self.mirror[0] -= beside;
            let square = dot(&self.mirror, &self.mirror);
            if square > 0.0 {
                self.reflect(rest, order, place + 1, 2.0 / square);
            }
        }
    }

    /// Applies the reflection along `mirror` from both sides to the rows, from column `start`.
    fn reflect(&mut self, rows: &mut [f64], order: usize, start: usize, scale: f64) {
        self.product.clear();
        self.product.resize(order - start, 0.0);
        for (row, &weight) in rows.chunks_exact(order).zip(&self.mirror) {
            add(&mut self.product, scale * weight, &row[start..]);
        }
        let along = -0.5 * scale * dot(&self.product, &self.mirror);
        add(&mut self.product, along, &self.mirror);
        for ((row, &mirror), &product) in rows.chunks_exact_mut(order).zip(&self.mirror).zip(&self.product) {
            add(&mut row[start..], -mirror, &self.product);
            add(&mut row[start..], -product, &self.mirror);
        }
    }

    /// Computes the eigenvalue of this rank by bisection; rank 0 is the smallest. As accurate as floats allow.
    pub(super) fn eigenvalue(&self, rank: usize) -> f64 {
        let (mut low, mut high) = (-self.radius(), self.radius());
        loop {
            let middle = low.midpoint(high);
            if middle <= low || middle >= high || high - low <= f64::EPSILON * f64::EPSILON {
                return middle;
            }
            if self.count_below(middle) > rank {
                high = middle;
            } else {
                low = middle;
            }
        }
    }

    /// Returns a bound on the absolute values of all eigenvalues (Gershgorin).
    pub(super) fn radius(&self) -> f64 {
        let beside = |place: usize| self.beside.get(place).copied().unwrap_or(0.0).abs();
        let reach = |(place, value): (usize, &f64)| {
            value.abs() + beside(place) + if place > 0 { beside(place - 1) } else { 0.0 }
        };
        self.diagonal.iter().enumerate().map(reach).fold(0.0, f64::max)
    }

    /// Returns the number of eigenvalues below `value`: the number of negative pivots.
    fn count_below(&self, value: f64) -> usize {
        let (mut pivot, mut below) = (1.0, 0);
        for (place, &diagonal) in self.diagonal.iter().enumerate() {
            let beside = if place > 0 { self.beside[place - 1] } else { 0.0 };
            pivot = diagonal - value - beside * beside / pivot;
            if pivot.abs() < f64::MIN_POSITIVE {
                pivot = -f64::MIN_POSITIVE;
            }
            below += usize::from(pivot < 0.0);
        }
        below
    }

    /// Computes a unit eigenvector of the eigenvalue `value` by three steps of inverse iteration.
    pub(super) fn eigenvector(&self, value: f64) -> Vec<f64> {
        // Neither symmetric nor antisymmetric, so that it has a component along each eigenvector.
        let mut vector: Vec<f64> = (1..=self.diagonal.len()).map(|place| 1.0 / place as f64).collect();
        for _ in 0..3 {
            self.solve_shifted(value, &mut vector);
            let norm = dot(&vector, &vector).sqrt();
            for entry in &mut vector {
                *entry /= norm;
            }
        }
        vector
    }

    /// Solves the system with the shifted matrix by Gaussian elimination with row exchange.
    fn solve_shifted(&self, shift: f64, vector: &mut [f64]) {
        let order = vector.len();
        // The three entries at and right of the diagonal of each row after elimination.
        let mut rows: Vec<[f64; 3]> = Vec::with_capacity(order);
        let beside = |place: usize| self.beside.get(place).copied().unwrap_or(0.0);
        let mut current = [self.diagonal[0] - shift, beside(0), 0.0];
        let least = f64::EPSILON * self.radius().max(f64::MIN_POSITIVE);
        for place in 1..order {
            let mut next = [beside(place - 1), self.diagonal[place] - shift, beside(place)];
            if next[0].abs() > current[0].abs() {
                std::mem::swap(&mut current, &mut next);
                vector.swap(place - 1, place);
            }
            if current[0].abs() < least {
                current[0] = least;
            }
            let factor = next[0] / current[0];
            vector[place] -= factor * vector[place - 1];
            rows.push(current);
            current = [next[1] - factor * current[1], next[2] - factor * current[2], 0.0];
        }
        if current[0].abs() < least {
            current[0] = least;
        }
        rows.push(current);
        for place in (0..order).rev() {
            let after = |step: usize| vector.get(place + step).copied().unwrap_or(0.0);
            let [pivot, one, two] = rows[place];
            vector[place] = (vector[place] - one * after(1) - two * after(2)) / pivot;
        }
    }
}

/// Computes the scalar product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times `other` to `vector`.
pub(super) fn add(vector: &mut [f64], factor: f64, other: &[f64]) {
    vector.iter_mut().zip(other).for_each(|(entry, other)| *entry += factor * other);
}
