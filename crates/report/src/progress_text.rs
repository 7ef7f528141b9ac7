//! The progress of a long command, in words.

use std::fmt;
use std::time::Duration;

/// What a long command has reached: its bound, its best result, the share of the budget that is used, and the time left.
///
/// All commands say the same things in the same words and order:
///
/// ```
/// use std::time::Duration;
///
/// use lockstep_report::ProgressText;
///
/// let progress = ProgressText {
///     elapsed: Duration::from_secs(12),
///     bound: Some("7 steps"),
///     best: Some("8 steps"),
///     used: Some(0.4),
///     left: Some(Duration::from_secs(18)),
///     work: "umda: 7 steps",
/// };
/// assert_eq!(
///     progress.to_string(),
///     "12 s: bound 7 steps, best 8 steps, 40 % of the budget used, 18 s left (umda: 7 steps)"
/// );
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgressText<'a> {
    /// The time since the start.
    pub elapsed: Duration,
    /// The best bound so far, with its unit.
    pub bound: Option<&'a str>,
    /// The best result so far, with its unit.
    pub best: Option<&'a str>,
    /// The share of the budget or of the work that is used, 0 to 1; `None` without a limit.
    pub used: Option<f64>,
    /// The time left, if it can be estimated.
    pub left: Option<Duration>,
    /// The current work; may be empty.
    pub work: &'a str,
}

impl ProgressText<'_> {
    /// Returns the time left after `elapsed`, if the rest of the work goes on at the same rate. `None` below one percent.
    pub fn time_left(elapsed: Duration, used: f64) -> Option<Duration> {
        (used >= 0.01).then(|| elapsed.mul_f64(((1.0 - used) / used).max(0.0)))
    }
}

impl fmt::Display for ProgressText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { elapsed, bound, best, used, left, work } = self;
        let [bound, best] = [bound, best].map(|found| found.unwrap_or("none yet"));
        write!(f, "{}: bound {bound}, best {best}, ", Seconds(*elapsed))?;
        match used {
            Some(used) => write!(f, "{:.0} % of the budget used", (100.0 * used.clamp(0.0, 1.0)).floor())?,
            None => f.write_str("no limit of the budget")?,
        }
        if let Some(left) = left {
            write!(f, ", {} left", Seconds(*left))?;
        }
        if !work.is_empty() {
            write!(f, " ({work})")?;
        }
        Ok(())
    }
}

/// A time in seconds, minutes or hours.
struct Seconds(Duration);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_secs() {
            seconds @ ..60 => write!(f, "{seconds} s"),
            seconds @ 60..3_600 => write!(f, "{} min {:02} s", seconds / 60, seconds % 60),
            seconds => write!(f, "{} h {:02} min", seconds / 3_600, seconds / 60 % 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_the_same_without_results() {
        let elapsed = Duration::from_secs(3_725);
        let text = ProgressText { elapsed, bound: None, best: None, used: None, left: None, work: "" };
        assert_eq!(text.to_string(), "1 h 02 min: bound none yet, best none yet, no limit of the budget");
        let text = ProgressText { elapsed: Duration::from_secs(75), used: Some(2.0), left: Some(elapsed), ..text };
        let expected = "1 min 15 s: bound none yet, best none yet, 100 % of the budget used, 1 h 02 min left";
        assert_eq!(text.to_string(), expected);
    }

    #[test]
    fn the_time_left_follows_the_rate() {
        let elapsed = Duration::from_secs(30);
        assert_eq!(ProgressText::time_left(elapsed, 0.75), Some(Duration::from_secs(10)));
        assert_eq!(ProgressText::time_left(elapsed, 0.001), None);
        assert_eq!(ProgressText::time_left(elapsed, 1.5), Some(Duration::ZERO));
    }
}
