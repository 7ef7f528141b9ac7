//! The explanation of a plan, for `--explain`.

use lockstep::Event;
use lockstep::schedule::Effort;
use lockstep_report::Table;

use crate::text::counted;

/// The bounds and engines that were tried and their results, in order of their first use.
#[derive(Debug, Default)]
pub(crate) struct Explanation {
    lines: Vec<Line>,
    /// Number of finished phases.
    phase: usize,
}

#[derive(Debug)]
struct Line {
    phase: usize,
    tried: String,
    result: TrialResult,
}

#[derive(Debug)]
enum TrialResult {
    /// The lower bound in steps, if the rule applies.
    Bound(Option<u32>),
    /// The steps reached, if fewer than before, and the work.
    Schedule {
        steps: Option<u32>,
        effort: Effort,
    },
    Ended(String),
}

impl Explanation {
    /// Records an event.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match *event {
            Event::Bound { rule, steps } => self.add(format!("bound ({rule})"), TrialResult::Bound(steps)),
            Event::Tried { engine, method, effort, steps } => {
                let tried = method.map_or(engine.to_owned(), |method| format!("{engine} ({method})"));
                self.add(tried, TrialResult::Schedule { steps, effort });
            }
            Event::Ended(ending) => {
                self.add("ended".to_owned(), TrialResult::Ended(ending.to_string()));
                self.phase += 1;
            }
            _ => {}
        }
    }

    /// Adds a result, or merges it with earlier results of the same bound or engine.
    fn add(&mut self, tried: String, result: TrialResult) {
        let phase = self.phase;
        match self.lines.iter_mut().find(|line| line.phase == phase && line.tried == tried) {
            Some(line) => line.result.merge(result),
            None => self.lines.push(Line { phase, tried, result }),
        }
    }

    /// Returns all results as a table, with the evaluations of every engine and method.
    pub(crate) fn to_text(&self) -> String {
        let mut table = Table::new(["phase", "tried", "evaluations", "result"]);
        for Line { phase, tried, result } in &self.lines {
            table.push([(phase + 1).to_string(), tried.clone(), result.evaluations(), result.to_text()]);
        }
        table.to_text()
    }
}

impl TrialResult {
    fn merge(&mut self, later: Self) {
        match (self, later) {
            (Self::Bound(steps), Self::Bound(more)) => *steps = (*steps).max(more),
            (Self::Schedule { steps, effort }, Self::Schedule { steps: fewer, effort: more }) => {
                *steps = fewer.or(*steps);
                effort.attempts = effort.attempts.saturating_add(more.attempts);
                effort.evaluations = effort.evaluations.saturating_add(more.evaluations);
            }
            (this, later) => *this = later,
        }
    }

    /// Returns the evaluations of an engine or method; empty for a bound, and for a construction, which takes none.
    fn evaluations(&self) -> String {
        match self {
            Self::Schedule { effort: Effort { evaluations: evaluations @ 1.., .. }, .. } => evaluations.to_string(),
            _ => String::new(),
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Bound(Some(steps)) => format!("at least {}", counted(*steps as usize, "step")),
            Self::Bound(None) => "does not apply".to_owned(),
            Self::Schedule { steps, effort } => {
                let reached = steps.map_or("nothing shorter".to_owned(), |steps| counted(steps as usize, "step"));
                match effort.attempts {
                    0 => reached,
                    attempts => format!("{reached} in {}", counted(attempts as usize, "attempt")),
                }
            }
            Self::Ended(why) => why.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep::Ending;
    use lockstep::bounds::Rule;

    use super::*;

    #[test]
    fn results_of_one_engine_are_one_line_per_phase() {
        let mut explanation = Explanation::default();
        let tried = |attempts, steps| {
            let effort = Effort { attempts, evaluations: 50 * attempts };
            Event::Tried { engine: "construct", method: Some("m"), effort, steps }
        };
        for event in [
            Event::Bound { rule: Rule::Cut, steps: None },
            tried(1, Some(9)),
            Event::Bound { rule: Rule::Cut, steps: Some(7) },
            tried(3, None),
            Event::Ended(Ending::Exhausted),
            tried(1, Some(4)),
            Event::Ended(Ending::BoundReached),
        ] {
            explanation.see(&event);
        }
        let lines = [
            "phase  tried          evaluations  result",
            "    1  bound (cut)                 at least 7 steps",
            "    1  construct (m)          200  9 steps in 4 attempts",
            "    1  ended                       no engine has anything left to try",
            "    2  construct (m)           50  4 steps in 1 attempt",
            "    2  ended                       the lower bound is reached",
        ];
        assert_eq!(explanation.to_text().lines().collect::<Vec<_>>(), lines);
    }
}
