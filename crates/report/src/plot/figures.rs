//! Formatting of the numbers of plots.

/// The largest absolute value that is drawn, so that differences are finite.
pub(crate) const LARGEST: f64 = 1e100;

/// Returns true if a number can be drawn.
pub(crate) fn is_drawable(value: f64) -> bool {
    (-LARGEST..=LARGEST).contains(&value)
}

/// Formats a number: integers below ten million exactly, other numbers with four significant digits, as `1.5e9` if that
/// is shorter.
pub(crate) fn shown(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e7 {
        return decimal(value, 0);
    }
    let (_, exponent) = parts(value, 3);
    if (-4..7).contains(&exponent) {
        let digits = usize::try_from(3 - exponent).unwrap_or(0);
        let text = decimal(value, digits);
        return if digits > 0 { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text };
    }
    let rounded: f64 = format!("{value:.3e}").parse().unwrap_or(value);
    scientific(rounded)
}

/// Formats a number with `digits` decimals and commas between thousands.
pub(crate) fn decimal(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let is_zero = !text.contains(|character: char| ('1'..='9').contains(&character));
    let sign = if value < 0.0 && !is_zero { "\u{2212}" } else { "" };
    let comma = |(place, digit): (usize, char)| {
        let is_group = place > 0 && (whole.len() - place).is_multiple_of(3);
        is_group.then_some(',').into_iter().chain([digit])
    };
    let whole: String = whole.chars().enumerate().flat_map(comma).collect();
    format!("{sign}{whole}{rest}")
}

/// Formats a number as `1.5e9`, with the fewest digits that are exact.
pub(crate) fn scientific(value: f64) -> String {
    format!("{:e}", value + 0.0).replace('-', "\u{2212}")
}

/// Returns the mantissa, rounded to `digits` decimals, and the decimal exponent; both 0 for 0.
pub(crate) fn parts(value: f64, digits: usize) -> (f64, i32) {
    let text = format!("{value:.digits$e}");
    let parts =
        text.split_once('e').and_then(|(mantissa, exponent)| Some((mantissa.parse().ok()?, exponent.parse().ok()?)));
    parts.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_significant_digits() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (11_762.0, "11,762"),
            (-1_234_567.0, "\u{2212}1,234,567"),
            (6.041_6, "6.042"),
            (101.07, "101.1"),
            (2.5, "2.5"),
            (99_999.9, "100,000"),
            (0.000_123_45, "0.0001234"),
            (0.000_012, "1.2e\u{2212}5"),
            (-2e9, "\u{2212}2e9"),
            (1e100, "1e100"),
        ];
        for (value, text) in cases {
            assert_eq!(shown(value), text);
        }
    }

    #[test]
    fn numbers_that_round_to_zero_have_no_sign() {
        assert_eq!(decimal(-0.004, 2), "0.00");
        assert_eq!(decimal(-0.006, 2), "\u{2212}0.01");
    }
}
