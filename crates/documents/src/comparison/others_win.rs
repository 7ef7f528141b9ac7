//! Rows where another program is better: fewer steps, the same steps in less time, or an optimum that we do not prove.

use std::time::Duration;

use super::amounts::time;
use super::integer_programme::Answer;
use super::measure::MeasuredRow;

/// The result of another program.
struct Rival {
    name: &'static str,
    steps: Option<u32>,
    time: Option<Duration>,
    /// True if its steps are the fewest.
    is_optimal: bool,
}

/// Lists the advantages of other programs over these rows.
pub(super) fn others_win(measured: &[MeasuredRow<'_>]) -> Vec<String> {
    measured.iter().flat_map(|row| rivals(row).into_iter().filter_map(|rival| advantage(row, &rival))).collect()
}

fn rivals(measured: &MeasuredRow<'_>) -> Vec<Rival> {
    let row = measured.row;
    let figure = |name, figure: &Option<super::rival::Figure>, is_optimal| {
        let time = |figure: &super::rival::Figure| figure.time.as_ref().map(|time| time.value);
        figure.as_ref().map(|figure| Rival { name, steps: figure.steps, time: time(figure), is_optimal })
    };
    let programme = measured.programme.and_then(|(answer, taken)| match answer {
        Answer::Optimal(steps) => {
            Some(Rival { name: "the integer programme", steps: Some(steps), time: Some(taken), is_optimal: true })
        }
        _ => None,
    });
    // SCCL finds no schedule of fewer steps, and proves that there is none.
    [figure("TACOS", &row.tacos, false), figure("SCCL", &row.sccl, true), programme].into_iter().flatten().collect()
}

/// Returns the advantage of the other program, or `None` if it has none.
fn advantage(ours: &MeasuredRow<'_>, rival: &Rival) -> Option<String> {
    let steps = ours.runs.iter().map(|run| run.steps).min()?;
    let theirs = rival.steps?;
    let is_proved = steps == ours.bound;
    let faster = rival.time.filter(|&taken| taken < ours.time);
    let advantage = if theirs < steps {
        format!("needs {theirs} steps, and we need {steps}")
    } else if theirs > steps {
        return None;
    } else if rival.is_optimal && !is_proved {
        format!("proves that {theirs} steps are the fewest, and our bound is {}", ours.bound)
    } else {
        format!("needs the same {theirs} steps and {}, and we need {}", time(faster?), time(ours.time))
    };
    Some(format!("{}, {}: {} {advantage}", ours.row.name, ours.row.collective, rival.name))
}

#[cfg(test)]
mod tests {
    use super::super::measure::fake_row;
    use super::super::rows::Row;
    use super::*;

    /// Lists the advantages over a row of bound 4 that takes 20 ms.
    fn wins(figures: &str, steps: &[u32], programme: Option<Answer>) -> Vec<String> {
        let text = format!(r#"{{"name": "a ring", "network": "ring:10", "collective": "aas"{figures}}}"#);
        let row: Row = serde_json::from_str(&text).unwrap();
        others_win(&[fake_row(&row, steps, programme)])
    }

    #[test]
    fn fewer_steps_win() {
        let figures = r#", "tacos": {"steps": 5, "time": "9 s"}"#;
        assert_eq!(wins(figures, &[6, 7], None), ["a ring, aas: TACOS needs 5 steps, and we need 6"]);
        assert_eq!(wins(figures, &[4], None), [""; 0]);
    }

    #[test]
    fn less_time_wins_with_the_same_steps() {
        let fast = r#", "tacos": {"steps": 4, "mean": 4.5, "time": "3 ms"}"#;
        let expected = "a ring, aas: TACOS needs the same 4 steps and 3.00 ms, and we need 20 ms";
        assert_eq!(wins(fast, &[4], None), [expected]);
        assert_eq!(wins(r#", "tacos": {"steps": 4, "time": "1 s"}"#, &[4], None), [""; 0]);
        // A time without steps cannot be compared.
        assert_eq!(wins(r#", "sccl": {"time": "3 ms"}"#, &[4], None), [""; 0]);
    }

    #[test]
    fn a_proof_wins() {
        let expected = "a ring, aas: the integer programme proves that 5 steps are the fewest, and our bound is 4";
        assert_eq!(wins("", &[5], Some(Answer::Optimal(5))), [expected]);
        assert_eq!(wins("", &[5], Some(Answer::TimeLimit)), [""; 0]);
        let sccl = wins(r#", "sccl": {"steps": 5, "time": "100 s"}"#, &[5], None);
        assert!(sccl[0].contains("SCCL proves"), "{sccl:?}");
    }
}
