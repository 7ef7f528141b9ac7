//! Loads and lengths of classes of arcs.

use std::f64::consts::{LN_2, LOG2_E};

/// Capacities, loads and lengths of the classes of arcs.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassLoads {
    /// Number of channels of each class.
    pub(super) capacities: Vec<f64>,
    /// Traffic of each class, if each terminal sends 1 to each other terminal.
    pub(super) loads: Vec<f64>,
    /// Length of each class: the derivative of an exponential potential of the load.
    pub(super) lengths: Vec<f64>,
    /// Growth rate of lengths: a factor of e per `1 / steepness` of traffic per channel.
    pub(super) steepness: f64,
}

impl ClassLoads {
    /// Starts with `classes` classes of load 0 and length 1, without channels.
    pub(super) fn clear(&mut self, classes: usize) {
        for (values, value) in [(&mut self.capacities, 0.0), (&mut self.loads, 0.0), (&mut self.lengths, 1.0)] {
            values.clear();
            values.resize(classes, value);
        }
    }

    /// Returns the greatest traffic per channel.
    pub(super) fn congestion(&self) -> f64 {
        self.loads.iter().zip(&self.capacities).map(|(load, capacity)| load / capacity).fold(0.0, f64::max)
    }

    /// Returns the sum of capacity times length.
    pub(super) fn cost(&self) -> f64 {
        dot(&self.capacities, &self.lengths)
    }

    /// Returns the sum of load times length.
    pub(super) fn paid(&self) -> f64 {
        dot(&self.loads, &self.lengths)
    }

    /// Recomputes lengths from loads, up to a common factor.
    pub(super) fn measure(&mut self) {
        let congestion = self.congestion();
        for ((length, load), capacity) in self.lengths.iter_mut().zip(&self.loads).zip(&self.capacities) {
            *length = exponential((load / capacity - congestion) * self.steepness) / capacity;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Computes the exponential to about six digits, with the argument limited to -400 to 400, so that no length vanishes.
///
/// The result is the same on every machine, unlike that of the standard library.
pub(super) fn exponential(power: f64) -> f64 {
    let power = power.clamp(-400.0, 400.0);
    let twos = (power * LOG2_E) as i64;
    let rest = power - twos as f64 * LN_2;
    let series = (1..=8).rev().fold(1.0, |sum, place| 1.0 + sum * rest / f64::from(place));
    series * f64::from_bits((1023 + twos).unsigned_abs() << 52)
}

#[cfg(test)]
mod tests {
    use super::exponential;

    #[test]
    fn exponentials_are_near_the_exact_ones() {
        for tenths in -4_000..=4_000 {
            let power = f64::from(tenths) / 10.0;
            assert!((exponential(power) / power.exp() - 1.0).abs() < 1e-5, "of {power}");
        }
        assert!(exponential(-1e300) > 0.0 && exponential(1e300).is_finite());
    }
}
