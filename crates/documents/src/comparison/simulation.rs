//! Simulations of growing numbers of flows.

use anyhow::{Context, Result, ensure};
use lockstep_report::Table;

use super::amounts::time;
use super::growth::{Curve, exponent};
use super::selection::Selection;
use super::targets::{SimulationRow, SimulationTargets, reached, time_of};
use super::threads::{ThreadTimes, compare};
use crate::process::Program;

/// The times of one rate model by number of flows.
pub(super) struct SimulationCurve {
    curve: Curve,
    /// Target of the largest size in seconds.
    target: Option<f64>,
    /// Times of the largest size on one and on two threads.
    pub(super) threads: Option<ThreadTimes>,
}

/// Measures the rows that are wanted.
pub(super) fn measure(
    targets: &SimulationTargets,
    program: &Program,
    selection: &Selection,
) -> Result<Vec<SimulationCurve>> {
    let wanted = targets.rows.iter().filter(|row| selection.wants(&row.rates));
    wanted.map(|row| curve(&targets.network, row, program)).collect()
}

fn curve(network: &str, row: &SimulationRow, program: &Program) -> Result<SimulationCurve> {
    let quantity = format!("simulation, {}, {network}", row.rates);
    let (mut points, mut threads) = (Vec::new(), None);
    for (place, flows) in row.flows_per_task.iter().enumerate() {
        eprintln!("Simulation: {}, {flows} flows per task", row.rates);
        let words = format!(
            "simulate {network} --workload uniform --routing sp-tree --rates {} --flows {flows} --json",
            row.rates
        );
        let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let ended = program.run_to_end(&arguments, 1)?;
        ensure!(ended.is_successful, "{words}: failed");
        let result: serde_json::Value = serde_json::from_str(&ended.output)?;
        let count = result["flow_count"].as_u64().context("a number of flows")? as usize;
        points.push((count, ended.cost.processor_or_time()));
        if place + 1 == row.flows_per_task.len() {
            let name = format!("{quantity}, {count} flows");
            let times = compare(program, &arguments, ended.cost)?;
            threads = times.map(|[one, two]| ThreadTimes { name, by: "simulator".to_owned(), one, two });
        }
    }
    Ok(SimulationCurve { curve: Curve { quantity, unit: "flows", points }, target: row.seconds, threads })
}

impl SimulationCurve {
    /// Returns its times.
    pub(super) fn into_curve(self) -> Curve {
        self.curve
    }

    /// Returns the largest number of flows and its time in seconds.
    fn largest(&self) -> Option<(usize, f64)> {
        self.curve.points.last().map(|&(flows, taken)| (flows, taken.as_secs_f64()))
    }

    /// Returns true if the largest size took no longer than its target.
    fn is_reached(&self) -> Option<bool> {
        Some(self.largest()?.1 <= self.target?)
    }

    /// Returns the line of the target that was not reached, if it was not.
    pub(super) fn missed(&self) -> Option<String> {
        let ((flows, taken), target) = (self.largest()?, self.target?);
        let line =
            || format!("{}: {flows} flows in {}; target {}", self.curve.quantity, time_of(taken), time_of(target));
        (self.is_reached() == Some(false)).then(line)
    }
}

/// Returns one row per size.
pub(super) fn table(curves: &[SimulationCurve]) -> Table {
    let mut table = Table::new(["simulation", "flows", "time", "flows per second", "exponent", "target", "reached"]);
    for SimulationCurve { curve, target, .. } in curves {
        let last = curve.points.len().saturating_sub(1);
        for (place, &(flows, taken)) in curve.points.iter().enumerate() {
            let at_last = |text: Option<String>| text.filter(|_| place == last).unwrap_or_else(|| "-".to_owned());
            let is_reached = target.map(|target| reached(taken.as_secs_f64() <= target));
            table.push([
                curve.quantity.clone(),
                flows.to_string(),
                time(taken),
                format!("{:.0}", flows as f64 / taken.as_secs_f64()),
                at_last(exponent(&curve.points).map(|exponent| format!("{exponent:.2}"))),
                at_last(target.map(time_of)),
                at_last(is_reached),
            ]);
        }
    }
    table
}

/// Returns a curve for tests: one flow per millisecond.
#[cfg(test)]
pub(super) fn fake_simulation(target: f64) -> SimulationCurve {
    let points = [1000, 2000].map(|flows| (flows, std::time::Duration::from_millis(flows as u64))).to_vec();
    let quantity = "simulation, max-min, ring:10".to_owned();
    SimulationCurve { curve: Curve { quantity, unit: "flows", points }, target: Some(target), threads: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_size_has_the_target() {
        let expected = "simulation, max-min, ring:10: 2000 flows in 2.00 s; target 1.50 s";
        assert_eq!(fake_simulation(1.5).missed().as_deref(), Some(expected));
        assert_eq!(fake_simulation(2.0).missed(), None);
        let text = table(&[fake_simulation(1.5)]).to_markdown();
        let last = text.lines().last().unwrap();
        for cell in [" 2.00 s ", " 1000 ", " 1.00 ", " no "] {
            assert!(last.contains(cell), "{cell}: {text}");
        }
    }
}
