//! The scale of an axis, with ticks at round numbers.

use super::figures::{decimal, parts, scientific, shown};

/// Values with a smaller relative difference are treated as equal.
const EQUAL: f64 = 1e-9;
/// Values with a smaller difference are treated as equal, and smaller values as 0.
const ZERO: f64 = 1e-90;

/// A tick of an axis.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Tick {
    pub(crate) value: f64,
    pub(crate) text: String,
}

/// An interval with ticks at multiples of 1, 2 or 5 times a power of ten.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AxisScale {
    low: f64,
    high: f64,
    is_logarithmic: bool,
    pub(crate) ticks: Vec<Tick>,
}

impl AxisScale {
    /// Creates the scale from `low` to `high` with at most `intervals` intervals between ticks; `intervals` is 5 or
    /// more.
    ///
    /// `low` and `high` come from [`extent`], and may be widened by less than a half.
    pub(crate) fn new([low, high]: [f64; 2], intervals: u32) -> Self {
        let (mantissa, exponent) = parts((high - low) / f64::from(intervals), 9);
        let (factor, exponent) = match mantissa {
            up_to if up_to <= 1.0 => (1, exponent),
            up_to if up_to <= 2.0 => (2, exponent),
            up_to if up_to <= 5.0 => (5, exponent),
            _ => (1, exponent + 1),
        };
        // Parsed from decimal text, so that each tick is the number nearest to its text on every machine.
        let multiple = |times: i64| -> f64 { format!("{}e{exponent}", times * factor).parse().unwrap_or(0.0) };
        let step = multiple(1);
        let values: Vec<f64> = ((low / step).floor() as i64..=(high / step).ceil() as i64)
            .map(multiple)
            .filter(|value| (low..=high).contains(value))
            .collect();
        let greatest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
        let is_long = greatest >= 1e7 || exponent < -6;
        let decimals = usize::try_from(-exponent).unwrap_or(0);
        let text = |value: f64| match value {
            0.0 => "0".to_owned(),
            _ if is_long => scientific(value),
            _ => decimal(value, decimals),
        };
        Self {
            low,
            high,
            is_logarithmic: false,
            ticks: values.into_iter().map(|value| Tick { value, text: text(value) }).collect(),
        }
    }

    /// Creates a logarithmic scale from `low` to `high`, which are positive, with ticks at 1, 2 and 5 times powers of ten; at
    /// powers of ten if there are many.
    pub(crate) fn logarithmic([low, high]: [f64; 2]) -> Self {
        let [(_, first), (_, last)] = [low, high].map(|value| parts(value, 9));
        let factors = if last - first <= 3 { &[1, 2, 5][..] } else { &[1] };
        let all = (first..=last).flat_map(|exponent| factors.iter().map(move |factor| format!("{factor}e{exponent}")));
        let values = all.filter_map(|text| text.parse().ok()).filter(|value| (low..=high).contains(value));
        let ticks = values.map(|value| Tick { value, text: shown(value) }).collect();
        Self { low, high, is_logarithmic: true, ticks }
    }

    /// Replaces the ticks.
    pub(crate) fn with_ticks(self, ticks: Vec<Tick>) -> Self {
        Self { ticks, ..self }
    }

    /// Returns the position of a number on the axis: 0 at its start, 1 at its end. Numbers outside are clamped.
    pub(crate) fn share(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            let whole = (self.high / self.low).ln();
            let share = if value > 0.0 { (value / self.low).ln() / whole } else { 0.0 };
            return share.clamp(0.0, 1.0);
        }
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

/// Returns the minimum and maximum of drawable numbers as an interval of positive length. Equal numbers are widened on
/// both sides; no numbers give 0 to 1.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let [least, most] =
        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [least.min(value), most.max(value)]);
    if least > most {
        return [0.0, 1.0];
    }
    let size = least.abs().max(most.abs());
    if most - least > (EQUAL * size).max(ZERO) {
        return [least, most];
    }
    let room = if size > ZERO { size / 10.0 } else { 1.0 };
    [least - room, most + room]
}

/// Widens an interval at both ends by this share of its length, but not beyond 0 if it is on one side of 0.
pub(crate) fn padded([least, most]: [f64; 2], share: f64) -> [f64; 2] {
    let room = share * (most - least);
    let low = if least >= 0.0 { (least - room).max(0.0) } else { least - room };
    let high = if most <= 0.0 { (most + room).min(0.0) } else { most + room };
    [low, high]
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "round numbers are exact")]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::plot::figures::LARGEST;

    fn texts(range: [f64; 2]) -> Vec<String> {
        AxisScale::new(range, 6).ticks.into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts([0.0, 6.0]), ["0", "1", "2", "3", "4", "5", "6"]);
        assert_eq!(texts([1.7, 2.13]), ["1.7", "1.8", "1.9", "2.0", "2.1"]);
        assert_eq!(texts([-0.3, 0.3]), ["\u{2212}0.3", "\u{2212}0.2", "\u{2212}0.1", "0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts([11_500.0, 12_000.0]), ["11,500", "11,600", "11,700", "11,800", "11,900", "12,000"]);
        assert_eq!(texts([0.0, 3e9]), ["0", "5e8", "1e9", "1.5e9", "2e9", "2.5e9", "3e9"]);
    }

    #[test]
    fn equal_values_and_none_have_room() {
        assert_eq!(extent(std::iter::empty()), [0.0, 1.0]);
        assert_eq!(extent([0.0, 0.0].into_iter()), [-1.0, 1.0]);
        assert_eq!(extent([5.0].into_iter()), [4.5, 5.5]);
        assert_eq!(extent([5e-324].into_iter())[1], 1.0);
        assert_eq!(padded([0.0, 10.0], 0.1), [0.0, 11.0]);
        assert_eq!(padded([-10.0, -1.0], 1.0), [-19.0, 0.0]);
    }

    proptest! {
        #[test]
        fn any_extent_has_some_ticks_in_it_with_different_texts(
            values in prop::collection::vec(prop_oneof![-LARGEST..=LARGEST, -1e3..1e3, -1e-95..1e-95], 1..4),
            intervals in 5..9u32,
        ) {
            let scale = AxisScale::new(padded(extent(values.iter().copied()), 0.05), intervals);
            prop_assert!((2..=intervals as usize + 1).contains(&scale.ticks.len()), "{scale:?}");
            for pair in scale.ticks.windows(2) {
                prop_assert!(pair[0].value < pair[1].value && pair[0].text != pair[1].text);
            }
            for tick in &scale.ticks {
                let plain = tick.text.replace('\u{2212}', "-").replace(',', "");
                prop_assert_eq!(plain.parse::<f64>().expect("a number"), tick.value);
                prop_assert!((0.0..=1.0).contains(&scale.share(tick.value)));
            }
        }
    }
}
