//! Amdahl's law: the serial fraction of a run, and the speed-up that it allows.
//!
//! # Source
//!
//! Amdahl, *Validity of the single processor approach to achieving large scale computing capabilities*, AFIPS 1967.

use std::time::Duration;

/// Returns the serial fraction of a run, from its times on one and on two threads: `2 T2 / T1 - 1`, cut to 0 to 1.
pub(super) fn serial_fraction(one: Duration, two: Duration) -> f64 {
    (2.0 * two.as_secs_f64() / one.as_secs_f64() - 1.0).clamp(0.0, 1.0)
}

/// Returns the largest speed-up on this number of cores.
pub(super) fn speed_up(serial_fraction: f64, cores: u32) -> f64 {
    1.0 / (serial_fraction + (1.0 - serial_fraction) / f64::from(cores))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_without_serial_part_halves_its_time() {
        // The last two are outside the model.
        for (one, two, expected) in [(4, 2, 0.0), (4, 3, 0.5), (4, 4, 1.0), (4, 1, 0.0), (4, 5, 1.0)] {
            let fraction = serial_fraction(Duration::from_secs(one), Duration::from_secs(two));
            assert!((fraction - expected).abs() < 1e-9, "{one} s, {two} s: {fraction}");
        }
    }

    #[test]
    fn the_serial_part_limits_the_speed_up() {
        assert!((speed_up(0.0, 64) - 64.0).abs() < 1e-9);
        assert!((speed_up(1.0, 64) - 1.0).abs() < 1e-9);
        assert!((speed_up(0.5, 64) - 1.969).abs() < 1e-3);
    }
}
