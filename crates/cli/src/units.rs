//! Parsers for times, budgets, lengths and ranges of steps.

use std::collections::BTreeSet;
use std::fmt;
use std::time::Duration;

use lockstep::schedule::Part;
use lockstep::topology::{Quantity, Sizes, SizesError};
use lockstep::{Budget, DEFAULT_EVALUATIONS, EngineRegistry, PartError};

/// Units of time in picoseconds.
const UNITS: [(&str, u64); 7] = [
    ("ps", 1),
    ("ns", 1_000),
    ("us", 1_000_000),
    ("ms", 1_000_000_000),
    ("s", 1_000_000_000_000),
    ("m", 60_000_000_000_000),
    ("h", 3_600_000_000_000_000),
];

/// Parses a time such as `1us` or `0.5ns` into picoseconds.
pub(crate) fn picoseconds(text: &str) -> Result<u64, String> {
    let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = UNITS.into_iter().find(|&(name, _)| name == unit).map(|(_, picoseconds)| picoseconds);
    let unit = unit.ok_or("expected a number and one of the units ps, ns, us, ms, s, m, h, for example 1us")?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) || number.ends_with('.') {
        return Err(format!("'{number}' is not a number; write for example 1us or 0.5ns"));
    }
    let scale = 10u64.checked_pow(fraction.len() as u32);
    let fraction = match (fraction.parse::<u64>(), scale) {
        _ if fraction.is_empty() => Some(0),
        (Ok(fraction), Some(scale)) => {
            let parts = u128::from(fraction) * u128::from(unit);
            let exact = parts.is_multiple_of(u128::from(scale));
            exact.then(|| u64::try_from(parts / u128::from(scale)).ok()).flatten()
        }
        _ => None,
    };
    let fraction = fraction.ok_or("times are whole picoseconds; use fewer digits")?;
    let whole = whole.parse::<u64>().ok().and_then(|whole| whole.checked_mul(unit)?.checked_add(fraction));
    whole.ok_or_else(|| "the time exceeds 200 days; use a shorter one".to_owned())
}

/// The budget of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BudgetArg {
    /// A number of evaluations.
    Evaluations(u64),
    /// A time limit.
    Time(Duration),
    /// No limit: until an interruption.
    Unlimited,
}

impl BudgetArg {
    /// The default budget.
    pub(crate) const DEFAULT: Self = Self::Evaluations(DEFAULT_EVALUATIONS);

    /// Returns the budget. A time limit starts now.
    pub(crate) fn begin(self) -> Budget {
        match self {
            Self::Evaluations(evaluations) => Budget::evaluations(evaluations),
            Self::Time(limit) => Budget::time(limit),
            Self::Unlimited => Budget::unlimited(),
        }
    }
}

impl fmt::Display for BudgetArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Evaluations(evaluations) => write!(f, "{evaluations}"),
            Self::Time(limit) => write!(f, "{limit:?}"),
            Self::Unlimited => f.write_str("unlimited"),
        }
    }
}

/// Parses a budget such as `4000000`, `30s` or `unlimited`.
pub(crate) fn budget(text: &str) -> Result<BudgetArg, String> {
    if text == "unlimited" {
        return Ok(BudgetArg::Unlimited);
    }
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        let evaluations = text.parse().ok().filter(|&evaluations| evaluations > 0);
        let evaluations = evaluations.ok_or("expected 1 to 2^64 - 1 evaluations, or 'unlimited'")?;
        return Ok(BudgetArg::Evaluations(evaluations));
    }
    let picoseconds = picoseconds(text);
    let picoseconds =
        picoseconds.map_err(|_| "expected evaluations (4000000), a time (500ms, 30s, 5m) or 'unlimited'")?;
    Ok(BudgetArg::Time(Duration::from_nanos(picoseconds / 1_000)))
}

/// Parses a budget of work that has no evaluations: a time such as `30s`, or `unlimited`.
pub(crate) fn time_limit(text: &str) -> Result<BudgetArg, String> {
    match budget(text) {
        Ok(limit @ (BudgetArg::Time(_) | BudgetArg::Unlimited)) => Ok(limit),
        _ => Err("expected a time (500ms, 30s, 5m) or 'unlimited'".to_owned()),
    }
}

/// Parses the name of a part of the search, such as `rarest-first` or `bounds/cut`.
pub(crate) fn part(text: &str) -> Result<Part, PartError> {
    EngineRegistry::standard().part(text)
}

/// Parses one size above 0, such as `64KiB`, into bytes.
///
/// # Errors
///
/// The reason in words.
pub fn size(text: &str) -> Result<u64, String> {
    let sizes: Sizes = text.parse().map_err(|error: SizesError| error.to_string())?;
    sizes.single().ok_or_else(|| {
        format!("found several sizes, expected one, such as {}", Quantity::Size.format(sizes.bounds()[0]))
    })
}

/// Parses a length such as `85mm`, and returns it in millimetres.
pub(crate) fn millimetres(text: &str) -> Result<f64, String> {
    let units = [("mm", 1.0), ("cm", 10.0), ("in", 25.4), ("pt", 25.4 / 72.0)];
    let split = units.iter().find_map(|&(unit, factor)| Some((text.strip_suffix(unit)?, factor)));
    let (number, factor) = split.ok_or("expected a length with a unit: 85mm, 8.5cm, 3.3in or 240pt")?;
    let is_plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let length = number.parse::<f64>().ok().filter(|length| is_plain && length.is_finite());
    Ok(length.ok_or("expected a number before the unit, such as 85mm")? * factor)
}

/// Ranges of the numbers of steps, from 1.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct StepRanges(Vec<[usize; 2]>);

impl StepRanges {
    /// Returns the indexes of the steps, from 0, ascending.
    ///
    /// # Errors
    ///
    /// If the schedule has fewer steps.
    pub(crate) fn indexes(&self, step_count: usize) -> Result<Vec<usize>, String> {
        let mut indexes = BTreeSet::new();
        for &[first, last] in &self.0 {
            if last > step_count {
                return Err(format!("--steps: step {last} does not exist; the schedule has {step_count}"));
            }
            indexes.extend(first - 1..last);
        }
        Ok(indexes.into_iter().collect())
    }
}

/// Parses ranges of steps such as `1-4,7`.
pub(crate) fn steps(text: &str) -> Result<StepRanges, String> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let [first, last] = [first, last].map(|number| number.trim().parse::<usize>().ok());
        Some([first?, last?]).filter(|&[first, last]| 1 <= first && first <= last)
    };
    let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
    ranges.map(StepRanges).ok_or_else(|| "expected numbers of steps from 1, such as 3, 1-4 or 1,5-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        let times = [("1us", 1_000_000), ("0.5ns", 500), ("1.000001us", 1_000_001), ("2h", 7_200 * 10u64.pow(12))];
        for (text, expected) in times {
            assert_eq!(picoseconds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn lengths_are_in_millimetres() {
        let lengths = ["85mm", "8.5cm", "1in", "72pt"].map(|text| millimetres(text).unwrap());
        assert!(lengths.iter().zip([85.0, 85.0, 25.4, 25.4]).all(|(a, b)| (a - b).abs() < 1e-9), "{lengths:?}");
        for text in ["", "mm", "85", "-1mm", "1e3mm", "nanmm", "1.2.3mm", "infmm"] {
            assert!(millimetres(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_of_steps_are_in_the_schedule() {
        assert_eq!(steps("1-4,3,8").unwrap().indexes(8), Ok(vec![0, 1, 2, 3, 7]));
        assert!(steps("1-18446744073709551615").unwrap().indexes(8).is_err());
        for text in ["", "0", "4-1", "1-", "a", "1,,2", "1-2-3"] {
            assert!(steps(text).is_err(), "{text}");
        }
    }

    #[test]
    fn malformed_times_are_refused() {
        for text in ["", "1", "us", ".5us", "1.us", "-1us", "1 us", "1e3us", "1.5ps", "99999999h", "1us2", "1.2.3s"] {
            assert!(picoseconds(text).is_err(), "{text}");
        }
        let long = format!("0.{}1s", "0".repeat(40));
        assert!(picoseconds(&long).is_err());
    }

    #[test]
    fn budgets_are_counted_timed_or_unlimited() {
        assert_eq!(budget("1000"), Ok(BudgetArg::Evaluations(1000)));
        assert_eq!(budget("1.5s"), Ok(BudgetArg::Time(Duration::from_millis(1500))));
        assert_eq!(budget("unlimited"), Ok(BudgetArg::Unlimited));
        for text in ["0", "", "-3", "18446744073709551616", "soon"] {
            assert!(budget(text).is_err(), "{text}");
        }
        assert_eq!(budget(&BudgetArg::DEFAULT.to_string()), Ok(BudgetArg::DEFAULT));
        assert_eq!(time_limit("5m"), Ok(BudgetArg::Time(Duration::from_mins(5))));
        assert_eq!(time_limit("unlimited"), Ok(BudgetArg::Unlimited));
        assert!(time_limit("1000").is_err());
    }
}
