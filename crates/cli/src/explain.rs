//! How a plan came about, for `--explain`.

use lockstep::{Engine, Event};
use lockstep_report::Table;

use crate::text::counted;

/// What was asked, and what it answered, in the order of the first questions.
#[derive(Debug, Default)]
pub(crate) struct Explanation {
    lines: Vec<Line>,
    /// Phases that have ended.
    phase: usize,
}

#[derive(Debug)]
struct Line {
    phase: usize,
    asked: String,
    answer: TrialResult,
}

#[derive(Debug)]
enum TrialResult {
    /// What no schedule can beat, if the rule applies.
    Bound(Option<u32>),
    /// The steps reached, if fewer than before, after so many of these.
    Schedule {
        steps: Option<u32>,
        attempts: u64,
        noun: &'static str,
    },
    Ended(String),
}

impl Explanation {
    /// Remembers an event.
    pub(crate) fn see(&mut self, event: &Event<'_>) {
        match *event {
            Event::Bound { rule, steps } => self.add(format!("bound ({rule})"), TrialResult::Bound(steps)),
            Event::Tried { engine, method, attempts, steps } => {
                let asked = method.map_or(engine.to_string(), |method| format!("{engine} ({method})"));
                let noun = if matches!(engine, Engine::Umda | Engine::Hgsa) { "evaluation" } else { "attempt" };
                self.add(asked, TrialResult::Schedule { steps, attempts, noun });
            }
            Event::Ended(ending) => {
                self.add("ended".to_owned(), TrialResult::Ended(ending.to_string()));
                self.phase += 1;
            }
            _ => {}
        }
    }

    /// Adds an answer, or joins it to an earlier one to the same question.
    fn add(&mut self, asked: String, answer: TrialResult) {
        let phase = self.phase;
        match self.lines.iter_mut().find(|line| line.phase == phase && line.asked == asked) {
            Some(line) => line.answer.join(answer),
            None => self.lines.push(Line { phase, asked, answer }),
        }
    }

    /// A table of all answers.
    pub(crate) fn to_text(&self) -> String {
        let mut table = Table::new(["phase", "asked", "answer"]);
        for Line { phase, asked, answer } in &self.lines {
            table.push([(phase + 1).to_string(), asked.clone(), answer.to_text()]);
        }
        table.to_text()
    }
}

impl TrialResult {
    fn join(&mut self, later: Self) {
        match (self, later) {
            (Self::Bound(steps), Self::Bound(more)) => *steps = (*steps).max(more),
            (Self::Schedule { steps, attempts, .. }, Self::Schedule { steps: fewer, attempts: more, .. }) => {
                *steps = fewer.or(*steps);
                *attempts = attempts.saturating_add(more);
            }
            (this, later) => *this = later,
        }
    }

    fn to_text(&self) -> String {
        match self {
            Self::Bound(Some(steps)) => format!("at least {}", counted(*steps as usize, "step")),
            Self::Bound(None) => "says nothing here".to_owned(),
            Self::Schedule { steps, attempts, noun } => {
                let reached = steps.map_or("nothing shorter".to_owned(), |steps| counted(steps as usize, "step"));
                format!("{reached} in {}", counted(*attempts as usize, noun))
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
    fn answers_to_one_question_are_one_line_a_phase() {
        let mut explanation = Explanation::default();
        let tried = |attempts, steps| Event::Tried { engine: Engine::Construct, method: Some("m"), attempts, steps };
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
            "phase  asked          answer",
            "    1  bound (cut)    at least 7 steps",
            "    1  construct (m)  9 steps in 4 attempts",
            "    1  ended          no engine has anything left to try",
            "    2  construct (m)  4 steps in 1 attempt",
            "    2  ended          the lower bound is reached",
        ];
        assert_eq!(explanation.to_text().lines().collect::<Vec<_>>(), lines);
    }
}
