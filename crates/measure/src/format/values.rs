//! Numbers of benchmark outputs in the units of runs.

use std::fmt::Display;

use crate::{Device, Flow};

use super::error::{ReadError, ReadFault};

/// Picoseconds per microsecond.
pub(super) const MICROSECOND: u64 = 1_000_000;

/// Bytes in MB and GB, and in MiB.
pub(super) const MB: u64 = 1_000_000;
pub(super) const GB: u64 = 1_000_000_000;
pub(super) const MIB: u64 = 1 << 20;

/// The greatest number of devices in a matrix, and of ranks.
pub(super) const MAX_DEVICES: u64 = 4096;

/// The greatest number of flows in the samples of a file. Tests that run many transfers at the same time list them in each sample.
pub(super) const MAX_FLOWS: u64 = 1 << 20;

/// The greatest number of names that a note lists.
const MAX_NAMES: usize = 8;

/// Returns a number in parts of which `unit` are one, rounded to a whole number; `None` if it is negative or too large.
pub(super) fn scaled(number: f64, unit: u64) -> Option<u64> {
    let value = (number * unit as f64).round();
    #[expect(clippy::cast_sign_loss, reason = "the range is checked")]
    (0.0..9.2e18).contains(&value).then_some(value as u64)
}

/// Parses a decimal number such as `46.10` or `1.2e+06` like [`scaled`]. The result is exact, rounded half up.
pub(super) fn parse_scaled(text: &str, unit: u64) -> Option<u64> {
    let text = text.trim();
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole.trim_start_matches('0'), fraction].concat();
    let has_digits = !(whole.is_empty() && fraction.is_empty());
    if !has_digits || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    exact(&digits, exponent, fraction.len(), unit).or_else(|| scaled(text.parse().ok()?, unit))
}

/// Returns the number of these digits, the last of which are decimals. `None` if it does not fit.
fn exact(digits: &str, exponent: &str, decimals: usize, unit: u64) -> Option<u64> {
    let digits: u128 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    let scale = exponent.parse::<i32>().ok()?.checked_sub(i32::try_from(decimals).ok()?)?;
    let power = 10u128.checked_pow(scale.unsigned_abs())?;
    let units = digits.checked_mul(u128::from(unit))?;
    let value = if scale < 0 { units.checked_add(power / 2)? / power } else { units.checked_mul(power)? };
    u64::try_from(value).ok()
}

/// Returns a number of a column like [`parse_scaled`].
///
/// # Errors
///
/// If it is no number, is negative or too large.
pub(super) fn number(line: u32, column: impl Display, word: &str, unit: u64) -> Result<u64, ReadError> {
    parse_scaled(word, unit).ok_or_else(|| ReadError::value(line, column, word, expected_number(word, unit)))
}

/// Returns what a column of rates or times may have, in place of a word that is none.
pub(super) fn expected_number(word: &str, unit: u64) -> String {
    let is_number = |text: &str| text.parse::<f64>().is_ok_and(|number| number.is_finite() && number >= 0.0);
    if is_number(word) {
        format!("a number up to {}", u64::MAX / unit)
    } else if word.contains(',') && is_number(&word.replace(',', "")) {
        "a number with a decimal point and without commas; run the benchmark with LC_ALL=C, or replace the commas"
            .to_owned()
    } else {
        "a number that is not negative".to_owned()
    }
}

/// Returns a whole number of a column.
///
/// # Errors
///
/// If it has other characters than decimal digits, or is too large.
pub(super) fn whole(line: u32, column: impl Display, word: &str) -> Result<u64, ReadError> {
    parse_whole(word).ok_or_else(|| ReadError::value(line, column, word, format!("a whole number up to {}", u64::MAX)))
}

/// Returns true if the last number of a row has fewer decimals than the others. The tools write the same number of decimals, so such
/// a row is cut off.
pub(super) fn is_cut_off(words: &[&str]) -> bool {
    let decimals = |word: &&str| word.split_once('.').map(|(_, decimals)| decimals.len());
    let Some((last, others)) = words.split_last() else { return false };
    let fewest = others.iter().filter_map(decimals).min();
    last.parse::<f64>().is_ok() && fewest.is_some_and(|fewest| decimals(last).unwrap_or(0) < fewest)
}

/// Parses a whole number of decimal digits.
pub(super) fn parse_whole(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) { text.parse().ok() } else { None }
}

/// Refuses more devices than a reader supports.
pub(super) fn check_devices(line: u32, count: u64) -> Result<(), ReadError> {
    if count <= MAX_DEVICES {
        return Ok(());
    }
    Err(ReadError::line(line, ReadFault::Limit { what: "devices or ranks", count, limit: MAX_DEVICES }))
}

/// The number of flows of a file, which is limited.
#[derive(Default)]
pub(super) struct FlowCount(u64);

impl FlowCount {
    /// Adds the flows of a sample.
    pub(super) fn add(&mut self, line: u32, count: u64) -> Result<(), ReadError> {
        self.0 = self.0.saturating_add(count);
        if self.0 <= MAX_FLOWS {
            return Ok(());
        }
        Err(ReadError::line(line, ReadFault::Limit { what: "flows in all samples", count: self.0, limit: MAX_FLOWS }))
    }
}

/// Returns the first names of a list for a note, and the number of the others.
pub(super) fn first_few(names: &[impl Display]) -> String {
    let first: Vec<String> = names.iter().take(MAX_NAMES).map(ToString::to_string).collect();
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Returns `line 3`, or `lines 3, 4 and 2 more`.
pub(super) fn line_names(lines: &[u32]) -> String {
    format!("line{} {}", if lines.len() == 1 { "" } else { "s" }, first_few(lines))
}

/// Returns `count` devices without names.
pub(super) fn unnamed_devices(count: usize) -> Vec<Device> {
    vec![Device::default(); count]
}

/// Returns the flows between two devices: one direction, and the other one.
pub(super) fn both_ways(from: u32, to: u32) -> Vec<Flow> {
    vec![Flow { from, to }, Flow { from: to, to: from }]
}

/// Returns the bus id of a GPU as `0000:07:00`, in lower case and without the function. The input is `0000:07:00`,
/// `00000000:07:00.0` or `0x07`.
pub(super) fn bus_id(text: &str) -> Option<String> {
    let text = text.trim().to_ascii_lowercase();
    let is_hex = |part: &str| !part.is_empty() && part.len() <= 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if let Some(bus) = text.strip_prefix("0x") {
        return is_hex(bus).then(|| format!("0000:{bus:0>2}:00"));
    }
    let text = text.split('.').next().unwrap_or_default();
    let mut parts = text.split(':');
    let (domain, bus, device) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || ![domain, bus, device].into_iter().all(is_hex) {
        return None;
    }
    let domain = domain.trim_start_matches('0');
    Some(format!("{domain:0>4}:{bus:0>2}:{device:0>2}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_whole_units() {
        assert_eq!(parse_scaled("46.10", GB), Some(46_100_000_000));
        assert_eq!(parse_scaled("1.2e+06", MICROSECOND), Some(1_200_000_000_000));
        assert_eq!(parse_scaled("0.0000004", MICROSECOND), Some(0));
        assert_eq!(parse_scaled("4283075200.5", MIB), Some(4_491_129_861_439_488));
        assert_eq!(parse_scaled("4283078125", MIB), Some(4_491_132_928_000_000));
        assert_eq!(parse_scaled("1.0000000000000000000000000000000000000000001", 1), Some(1));
        for text in [".", "", "-1", "nan", "inf", "1e30", "N/A", "1,5"] {
            assert_eq!(parse_scaled(text, GB), None, "{text}");
        }
    }

    #[test]
    fn errors_of_numbers_name_the_limit_or_the_remedy() {
        let error = |word: &str| number(3, "GB/s", word, GB).unwrap_err().to_string();
        assert_eq!(error("1e11"), "line 3: column 'GB/s' is '1e11', expected a number up to 18446744073");
        for word in ["46,10", "1,234.5"] {
            assert!(error(word).contains("run the benchmark with LC_ALL=C"), "{}", error(word));
        }
        for word in ["-1", "fast", "inf", ",", ""] {
            assert!(error(word).ends_with("expected a number that is not negative"), "{}", error(word));
        }
        assert_eq!(number(3, "GB/s", "18446744073", GB), Ok(18_446_744_073_000_000_000));
        let large = whole(3, "size", "18446744073709551616").unwrap_err().to_string();
        assert!(large.ends_with("expected a whole number up to 18446744073709551615"), "{large}");
    }

    #[test]
    fn rows_are_cut_off_if_the_last_number_has_fewer_decimals() {
        for (words, is_cut) in [
            (vec!["1.50", "2.5"], true),
            (vec!["0", "1.50", "2"], true),
            (vec!["N/A", "1.50", "2.50"], false),
            (vec!["1.50", "N/A"], false),
            (vec!["1", "2"], false),
            (vec!["1.5"], false),
            (vec![], false),
        ] {
            assert_eq!(is_cut_off(&words), is_cut, "{words:?}");
        }
    }

    #[test]
    fn bus_ids_have_one_form() {
        for text in ["0000:07:00", "00000000:07:00.0", "0x07", "0:7:0"] {
            assert_eq!(bus_id(text).as_deref(), Some("0000:07:00"), "{text}");
        }
        assert_eq!(bus_id("0009:01:00").as_deref(), Some("0009:01:00"));
        assert_eq!(bus_id("00010000:0A:00.0").as_deref(), Some("10000:0a:00"));
        for text in ["", "07", "x:y:z", "1:2:3:4", "0x"] {
            assert_eq!(bus_id(text), None, "{text}");
        }
    }
}
