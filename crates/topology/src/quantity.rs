//! Bandwidths, times and sizes as people write them: `300GB/s`, `700ns`, `64MiB`.

use crate::text::excerpt;

/// A kind of quantity: what a text such as `300GB/s` measures. The value is a whole number of the base unit.
///
/// | kind | base unit of the value | a number without a unit means | units |
/// |---|---|---|---|
/// | bandwidth | bytes per second | bytes per second | `B/s`, and bits as `b/s`, `bit/s` or `bps`, with a prefix |
/// | time | picoseconds | seconds | `ps`, `ns`, `us`, `ms`, `s`, `m`, `h` |
/// | size | bytes | bytes | `B`, and bits as `b` or `bit`, with a prefix |
///
/// The prefixes are `k`, `M`, `G`, `T` for powers of 1000, and `Ki`, `Mi`, `Gi`, `Ti` for powers of 1024. Upper and
/// lower case differ, because `GB` and `Gb` do; only `K` also stands for `k`. Numbers may have decimals and an exponent:
/// `12.5`, `1e6`. Values are exact; a value that is not a whole number of the base unit is an error.
///
/// ```
/// use lockstep_topology::Quantity;
///
/// assert_eq!(Quantity::Bandwidth.parse("12.5GB/s")?, 12_500_000_000);
/// assert_eq!(Quantity::Bandwidth.parse("400Gbit/s")?, 50_000_000_000);
/// assert_eq!(Quantity::Time.parse("0.7us")?, 700_000);
/// assert_eq!(Quantity::Size.parse("64MiB")?, 1 << 26);
/// assert_eq!(Quantity::Time.format(700_000), "700ns");
/// # Ok::<(), lockstep_topology::QuantityError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantity {
    /// Bytes per second.
    Bandwidth,
    /// Picoseconds.
    Time,
    /// Bytes.
    Size,
}

/// The reason a text is not a quantity.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantityError {
    /// The text does not begin with a number.
    #[error("'{text}' does not begin with a number; write for example {example}")]
    NotANumber {
        /// The text, shortened if long.
        text: String,
        /// A valid quantity of this kind.
        example: &'static str,
    },
    /// An unknown unit.
    #[error("'{unit}' is not a unit of {kind}; the units are {units}")]
    Unit {
        /// The unit, shortened if long.
        unit: String,
        /// What the quantity measures.
        kind: &'static str,
        /// The valid units.
        units: &'static str,
    },
    /// A value that is not a whole number of the base unit.
    #[error("'{text}' is not a whole number of {base}; use fewer digits")]
    NotWhole {
        /// The text, shortened if long.
        text: String,
        /// The base unit.
        base: &'static str,
    },
    /// A value of 2^64 or more.
    #[error("'{text}' exceeds 2^64 {base}; choose a smaller one")]
    TooLarge {
        /// The text, shortened if long.
        text: String,
        /// The base unit.
        base: &'static str,
    },
}

/// Units of time in picoseconds.
const TIMES: [(&str, u64); 7] = [
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("m", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];

const DECIMAL: [(&str, u64); 5] =
    [("", 1), ("k", 1_000), ("M", 1_000_000), ("G", 1_000_000_000), ("T", 1_000_000_000_000)];

const BINARY: [(&str, u64); 4] = [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30), ("Ti", 1 << 40)];

/// The most decimal digits of a number, and the largest exponent. More cannot be below 2^64 base units.
const MAX_DIGITS: usize = 24;

impl Quantity {
    /// Parses a quantity into its base unit.
    ///
    /// # Errors
    ///
    /// [`QuantityError`]. Its message has one line.
    pub fn parse(self, text: &str) -> Result<u64, QuantityError> {
        let trimmed = text.trim();
        let text = || excerpt(trimmed);
        let not_a_number = || QuantityError::NotANumber { text: text(), example: self.example() };
        let (number, unit) = trimmed.split_at(number_length(trimmed).ok_or_else(not_a_number)?);
        let unit = unit.trim_start();
        // In eighths of the base unit, because eight bits are one byte.
        let eighths = if unit.is_empty() { Some(self.default_unit()) } else { self.unit(unit) };
        let (kind, units) = (self.kind(), self.units());
        let eighths = eighths.ok_or_else(|| QuantityError::Unit { unit: excerpt(unit), kind, units })?;

        let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let fraction = fraction.trim_end_matches('0');
        let too_large = || QuantityError::TooLarge { text: text(), base: self.base_unit() };
        let digits = [whole.trim_start_matches('0'), fraction].concat();
        if digits.len() > MAX_DIGITS {
            return Err(if fraction.is_empty() { too_large() } else { self.not_whole(trimmed) });
        }
        let digits: u128 = if digits.is_empty() { 0 } else { digits.parse().map_err(|_| too_large())? };
        if digits == 0 {
            return Ok(0);
        }
        let overflow = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
        let exponent: i64 = exponent.parse().unwrap_or(overflow);
        let scale = exponent.saturating_sub_unsigned(fraction.len() as u64);
        let power = 10u128.checked_pow(u32::try_from(scale.unsigned_abs()).unwrap_or(u32::MAX));
        let value = match (power, scale < 0) {
            (Some(power), false) => digits.checked_mul(power).and_then(|value| value.checked_mul(eighths)),
            (None, false) => None,
            (power, true) => {
                let value = digits.checked_mul(eighths).ok_or_else(too_large)?;
                let power =
                    power.filter(|&power| value.is_multiple_of(power)).ok_or_else(|| self.not_whole(trimmed))?;
                Some(value / power)
            }
        };
        let value = value.ok_or_else(too_large)?;
        if !value.is_multiple_of(8) {
            return Err(self.not_whole(trimmed));
        }
        u64::try_from(value / 8).map_err(|_| too_large())
    }

    /// Writes a value in the largest unit that it reaches, exactly. [`parse`](Self::parse) reads it again.
    pub fn format(self, value: u64) -> String {
        let (suffix, units): (&str, &[(&str, u64)]) = match self {
            Self::Time => ("", &TIMES[..5]),
            Self::Size if value >= 1 << 10 && value.is_multiple_of(1 << ((value.ilog2() / 10).min(4) * 10)) => {
                ("B", &BINARY)
            }
            Self::Size => ("B", &DECIMAL),
            Self::Bandwidth => ("B/s", &DECIMAL),
        };
        let (prefix, unit) = *units.iter().rev().find(|&&(_, unit)| unit <= value).unwrap_or(&units[0]);
        let (whole, mut rest) = (value / unit, u128::from(value % unit));
        let mut number = whole.to_string();
        if rest > 0 {
            number.push('.');
        }
        // Every unit with a fraction is a power of ten, so the decimals end.
        while rest > 0 {
            rest *= 10;
            number.push_str(&(rest / u128::from(unit)).to_string());
            rest %= u128::from(unit);
        }
        format!("{number}{prefix}{suffix}")
    }

    fn not_whole(self, text: &str) -> QuantityError {
        QuantityError::NotWhole { text: excerpt(text), base: self.base_unit() }
    }

    /// Returns the size of a unit in eighths of the base unit.
    fn unit(self, unit: &str) -> Option<u128> {
        let of_table = |table: &[(&str, u64)], name: &str| {
            table.iter().find(|&&(known, _)| known == name).map(|&(_, size)| 8 * u128::from(size))
        };
        let data = match self {
            Self::Time => return of_table(&TIMES, unit),
            Self::Size => unit,
            Self::Bandwidth => unit.strip_suffix("/s").or_else(|| unit.strip_suffix("ps"))?,
        };
        let (prefix, is_bits) = match data.strip_suffix('B') {
            Some(prefix) => (prefix, false),
            None => (data.strip_suffix("bit").or_else(|| data.strip_suffix('b'))?, true),
        };
        let prefix = if prefix == "K" { "k" } else { prefix };
        let bytes = of_table(&DECIMAL, prefix).or_else(|| of_table(&BINARY, prefix))?;
        Some(if is_bits { bytes / 8 } else { bytes })
    }

    fn default_unit(self) -> u128 {
        match self {
            Self::Time => 8 * 1_000_000_000_000,
            Self::Bandwidth | Self::Size => 8,
        }
    }

    fn kind(self) -> &'static str {
        match self {
            Self::Bandwidth => "bandwidth",
            Self::Time => "time",
            Self::Size => "size",
        }
    }

    fn base_unit(self) -> &'static str {
        match self {
            Self::Bandwidth => "bytes per second",
            Self::Time => "picoseconds",
            Self::Size => "bytes",
        }
    }

    fn units(self) -> &'static str {
        match self {
            Self::Bandwidth => "B/s and bit/s with the prefixes k, M, G, T, Ki, Mi, Gi, Ti, for example 25GB/s",
            Self::Time => "ps, ns, us, ms, s, m and h, for example 700ns",
            Self::Size => "B with the prefixes k, M, G, T, Ki, Mi, Gi, Ti, for example 64MiB",
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Bandwidth => "25GB/s",
            Self::Time => "700ns",
            Self::Size => "64MiB",
        }
    }
}

/// Returns the length of the number at the beginning of a text: digits, optional decimals, optional exponent.
fn number_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let digits_from = |start: usize| bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits_from(0);
    if end == 0 {
        return None;
    }
    if bytes.get(end) == Some(&b'.') {
        let decimals = digits_from(end + 1);
        if decimals == 0 {
            return None;
        }
        end += 1 + decimals;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let digits = digits_from((end + 1 + sign).min(bytes.len()));
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_exact() {
        let bandwidths = [
            ("300GB/s", 300_000_000_000),
            ("12.5GB/s", 12_500_000_000),
            ("0.5 kB/s", 500),
            ("1KB/s", 1_000),
            ("1KiB/s", 1_024),
            ("100Gbps", 12_500_000_000),
            ("400Gb/s", 50_000_000_000),
            ("8bit/s", 1),
            ("25e9", 25_000_000_000),
            ("2.5e+1", 25),
            ("1000e-3B/s", 1),
            ("0", 0),
        ];
        for (text, expected) in bandwidths {
            assert_eq!(Quantity::Bandwidth.parse(text), Ok(expected), "{text}");
        }
        let times = [
            ("700ns", 700_000),
            ("0.7us", 700_000),
            ("1e-6", 1_000_000),
            ("1.3e-6s", 1_300_000),
            ("2h", 7_200 * 10u64.pow(12)),
        ];
        for (text, expected) in times {
            assert_eq!(Quantity::Time.parse(text), Ok(expected), "{text}");
        }
        for (text, expected) in
            [("64MiB", 1 << 26), ("1e6", 1_000_000), ("1.5KiB", 1_536), ("16b", 2), ("1GiB", 1 << 30)]
        {
            assert_eq!(Quantity::Size.parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn malformed_quantities_are_refused_in_one_line() {
        let refused = [
            (Quantity::Bandwidth, "", "does not begin with a number"),
            (Quantity::Bandwidth, "fast", "does not begin with a number"),
            (Quantity::Bandwidth, "-1GB/s", "does not begin with a number"),
            (Quantity::Bandwidth, "1.GB/s", "does not begin with a number"),
            (Quantity::Bandwidth, "1GB", "'GB' is not a unit of bandwidth"),
            (Quantity::Bandwidth, "1gB/s", "'gB/s' is not a unit of bandwidth"),
            (Quantity::Bandwidth, "1e", "'e' is not a unit of bandwidth"),
            (Quantity::Bandwidth, "1bit/s", "not a whole number of bytes per second"),
            (Quantity::Bandwidth, "0.5B/s", "not a whole number of bytes per second"),
            (Quantity::Bandwidth, "20000000TB/s", "exceeds 2^64 bytes per second"),
            (Quantity::Bandwidth, "1e999999999999999999999", "exceeds 2^64 bytes per second"),
            (Quantity::Bandwidth, "1e400", "exceeds 2^64 bytes per second"),
            (Quantity::Time, "1.5ps", "not a whole number of picoseconds"),
            (Quantity::Time, "1e-400", "not a whole number of picoseconds"),
            (Quantity::Time, "99999999h", "exceeds 2^64 picoseconds"),
            (Quantity::Time, "1 fortnight", "'fortnight' is not a unit of time"),
            (Quantity::Size, "64M", "'M' is not a unit of size"),
            (Quantity::Size, "1\nkb\nB", "is not a unit of size"),
        ];
        for (quantity, text, expected) in refused {
            let message = quantity.parse(text).unwrap_err().to_string();
            assert!(message.contains(expected) && !message.contains('\n'), "{text}: {message}");
        }
    }

    #[test]
    fn values_are_written_as_people_write_them() {
        let written = [
            (Quantity::Bandwidth, 300_000_000_000, "300GB/s"),
            (Quantity::Bandwidth, 12_500_000_000, "12.5GB/s"),
            (Quantity::Bandwidth, 0, "0B/s"),
            (Quantity::Time, 700_000, "700ns"),
            (Quantity::Time, 1_300_000, "1.3us"),
            (Quantity::Size, 1 << 26, "64MiB"),
            (Quantity::Size, 1_536, "1.536kB"),
            (Quantity::Size, 1_000_000, "1MB"),
        ];
        for (quantity, value, expected) in written {
            assert_eq!(quantity.format(value), expected);
        }
    }

    proptest! {
        #[test]
        fn a_written_value_is_read_again(value: u64, shift in 0..64u32) {
            for quantity in [Quantity::Bandwidth, Quantity::Time, Quantity::Size] {
                prop_assert_eq!(quantity.parse(&quantity.format(value >> shift)), Ok(value >> shift));
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text: String, digits in "[0-9.eE+-]{0,40}[kMGTi]{0,2}[a-zB/]{0,4}") {
            for quantity in [Quantity::Bandwidth, Quantity::Time, Quantity::Size] {
                let _ = (quantity.parse(&text), quantity.parse(&digits));
            }
        }
    }
}
