//! Amounts as text: times, memory, rates and shares.

use std::time::Duration;

/// Returns a time with its unit and at most three places.
pub(super) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        ..0.000_1 => format!("{:.0} µs", seconds * 1e6),
        ..0.01 => format!("{:.2} ms", seconds * 1e3),
        ..1.0 => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{seconds:.2} s"),
    }
}

/// Returns a size in megabytes, or `-` for an unknown size, which is 0.
pub(super) fn memory(bytes: u64) -> String {
    if bytes == 0 { "-".to_owned() } else { format!("{:.0} MB", bytes as f64 / 1e6) }
}

/// Returns a number in millions.
pub(super) fn millions(number: f64) -> String {
    format!("{:.2} million", number / 1e6)
}

/// Returns the part of a whole in percent.
pub(super) fn percent(part: f64, whole: f64) -> f64 {
    100.0 * part / whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_places_at_most() {
        let times = [42, 1_234, 56_789, 1_234_567].map(|microseconds| time(Duration::from_micros(microseconds)));
        assert_eq!(times, ["42 µs", "1.23 ms", "57 ms", "1.23 s"]);
    }

    #[test]
    fn unknown_memory_is_a_dash() {
        assert_eq!([memory(0), memory(5_400_000), millions(1_234_567.0)], ["-", "5 MB", "1.23 million"]);
    }
}
