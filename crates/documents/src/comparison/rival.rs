//! Figures of other programs.

use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Number;

/// The result of another program on one row.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Figure {
    /// The fewest steps.
    pub(super) steps: Option<u32>,
    /// Mean number of steps over its seeds.
    mean: Option<Number>,
    pub(super) time: Option<TimeText>,
    /// Memory with its unit.
    memory: Option<String>,
    /// Present if it found nothing in this time.
    none_in: Option<TimeText>,
}

/// A time as it was published, with its value.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(super) struct TimeText {
    text: String,
    pub(super) value: Duration,
}

impl TryFrom<String> for TimeText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let seconds = text.split_once(' ').and_then(|(number, unit)| {
            let scale = match unit {
                "s" => 1.0,
                "ms" => 1e-3,
                _ => return None,
            };
            Some(number.parse::<f64>().ok()? * scale)
        });
        let value = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let value = value.ok_or_else(|| format!("{text}: expected a time such as `3 s` or `2.5 ms`"))?;
        Ok(Self { text, value })
    }
}

impl fmt::Display for TimeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mean = self.mean.as_ref().map_or(String::new(), |mean| format!(" / {mean}"));
        let parts = [
            self.steps.map(|steps| format!("{steps}{mean}")),
            self.time.as_ref().map(ToString::to_string),
            self.memory.clone(),
            self.none_in.as_ref().map(|limit| format!("none in {limit}")),
        ];
        f.write_str(&parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_printed_as_published() {
        for (json, expected) in [
            (r#"{"steps": 3, "mean": 3.01, "time": "0.1 ms"}"#, "3 / 3.01, 0.1 ms"),
            (r#"{"steps": 8, "mean": 8.0}"#, "8 / 8.0"),
            (r#"{"steps": 32, "mean": 32, "time": "11 ms"}"#, "32 / 32, 11 ms"),
            (r#"{"steps": 258, "time": "111 s", "memory": "141 MB"}"#, "258, 111 s, 141 MB"),
            (r#"{"time": "0.5 s"}"#, "0.5 s"),
            (r#"{"none_in": "300 s"}"#, "none in 300 s"),
        ] {
            assert_eq!(serde_json::from_str::<Figure>(json).unwrap().to_string(), expected);
        }
    }

    #[test]
    fn times_have_a_value() {
        let value = |text: &str| TimeText::try_from(text.to_owned()).map(|time| time.value);
        assert_eq!(value("2.5 ms"), Ok(Duration::from_micros(2500)));
        assert_eq!(value("300 s"), Ok(Duration::from_mins(5)));
        for wrong in ["3", "3 h", "x s", "-1 s"] {
            assert!(value(wrong).unwrap_err().contains("expected a time"), "{wrong}");
        }
    }
}
