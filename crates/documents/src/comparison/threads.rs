//! Times on one and on two threads, and the speed-up that Amdahl's law allows.

use std::time::Duration;

use anyhow::Result;
use lockstep_report::Table;

use super::amdahl::{serial_fraction, speed_up};
use super::amounts::time;
use crate::process::{Cost, Program};

/// Shorter runs are not compared: the start of the program and of its threads would count too much.
const WORTH_COMPARING: Duration = Duration::from_millis(100);

/// Shorter runs are repeated, and their median time counts.
const LONG: Duration = Duration::from_secs(2);
const REPETITIONS: usize = 3;

/// Number of cores of the computed speed-up.
const CORES: u32 = 64;

/// The times of one run from start to end.
#[derive(Clone)]
pub(super) struct ThreadTimes {
    pub(super) name: String,
    /// The engine and its method.
    pub(super) by: String,
    pub(super) one: Duration,
    pub(super) two: Duration,
}

/// Returns the times of a run on one and on two threads, or `None` if it is too short. `first` is its cost on one thread.
pub(super) fn compare(program: &Program, arguments: &[String], first: Cost) -> Result<Option<[Duration; 2]>> {
    if first.time < WORTH_COMPARING {
        return Ok(None);
    }
    let repetitions = if first.time < LONG { REPETITIONS } else { 1 };
    let mut one = vec![first];
    for _ in 1..repetitions {
        one.push(program.run_to_end(arguments, 1)?.cost);
    }
    let two: Result<Vec<Cost>> =
        (0..repetitions).map(|_| program.run_to_end(arguments, 2).map(|ended| ended.cost)).collect();
    Ok(Some([Cost::median(one).time, Cost::median(two?).time]))
}

/// Returns one row per long run, the longest first, or `None` if no run is long.
pub(super) fn table(mut runs: Vec<ThreadTimes>) -> Option<Table> {
    runs.retain(|run| run.one >= WORTH_COMPARING);
    if runs.is_empty() {
        return None;
    }
    runs.sort_by_key(|run| std::cmp::Reverse(run.one));
    let header = ["run", "by", "one thread", "two threads", "ratio", "serial fraction", "speed-up on 64 cores"];
    let mut table = Table::new(header);
    for ThreadTimes { name, by, one, two } in runs {
        let serial = serial_fraction(one, two);
        table.push([
            name,
            by,
            time(one),
            time(two),
            format!("{:.2}", one.as_secs_f64() / two.as_secs_f64()),
            format!("{serial:.2}"),
            format!("{:.1}", speed_up(serial, CORES)),
        ]);
    }
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_listed_from_the_longest_on() {
        let run = |name: &str, one, two| ThreadTimes {
            name: name.to_owned(),
            by: "construct".to_owned(),
            one: Duration::from_millis(one),
            two: Duration::from_millis(two),
        };
        let text =
            table(vec![run("short", 99, 50), run("half", 400, 300), run("long", 2000, 1000)]).unwrap().to_markdown();
        assert!(!text.contains("short"), "{text}");
        let [long, half] = ["long", "half"].map(|name| text.lines().find(|line| line.contains(name)).unwrap());
        assert!(long.contains(" 2.00 ") && long.contains(" 0.00 ") && long.contains(" 64.0 "), "{long}");
        assert!(half.contains(" 1.33 ") && half.contains(" 0.50 ") && half.contains(" 2.0 "), "{half}");
        assert!(text.find("| long") < text.find("| half"), "{text}");
        assert!(table(vec![run("short", 99, 50)]).is_none());
    }
}
