//! The growth of times: measured sizes with their times, and the exponents of power laws.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use lockstep::{Budget, Collective, CommunicationModel, PlanFile, Topology, plan};
use lockstep_report::Table;

use super::amounts::time;
use super::measure::scaling;
use super::seeds::Seeds;
use super::selection::Selection;
use crate::process::Program;

/// Sides of the square tori of all-gathers, to plan and to verify.
const PLANNED_SIDES: [u32; 5] = [8, 12, 16, 24, 32];
const VERIFIED_SIDES: [u32; 5] = [16, 24, 32, 48, 64];

/// Numbers of nodes of random 4-regular networks, and the evaluations of a run.
const RANDOM_ORDERS: [usize; 5] = [64, 128, 256, 512, 1024];
const EVALUATIONS: &str = "100000";

/// The times of one quantity at several sizes.
pub(super) struct Curve {
    pub(super) quantity: String,
    /// What the sizes count.
    pub(super) unit: &'static str,
    pub(super) points: Vec<(usize, Duration)>,
}

/// Measures the curves that are wanted.
pub(super) fn measure(program: &Program, seeds: Seeds, selection: &Selection) -> Result<Vec<Curve>> {
    let mut curves = Vec::new();
    let mut add = |quantity: &str, unit, points: &dyn Fn() -> Result<Vec<(usize, Duration)>>| {
        if selection.wants(quantity) {
            eprintln!("Growth: {quantity}");
            curves.push(Curve { quantity: quantity.to_owned(), unit, points: points()? });
        }
        anyhow::Ok(())
    };
    add("all-gather, square torus, store-and-forward", "nodes", &|| scaling(&PLANNED_SIDES, seeds))?;
    add("verification of a plan file, all-gather, square torus", "transfers", &verification)?;
    add("all-to-all, random 4-regular, wormhole, fixed evaluations", "nodes", &|| all_to_all(program))?;
    Ok(curves)
}

/// Returns the times to read and to check plan files, by number of transfers.
fn verification() -> Result<Vec<(usize, Duration)>> {
    let measured = VERIFIED_SIDES.iter().map(|side| {
        let topology: Topology = format!("torus:{side}x{side}").parse()?;
        let model = CommunicationModel::store_and_forward();
        let plan = plan(&topology, &Collective::all_gather(), &model, &Budget::unlimited())?;
        let (transfers, bytes) = (plan.verification().transfers, plan.to_file(None).to_bytes());
        drop(plan);
        let started = Instant::now();
        PlanFile::from_bytes(&bytes)?.check()?;
        Ok((transfers, started.elapsed()))
    });
    measured.collect()
}

/// Returns the times of whole processes that plan all-to-alls on random networks with the same number of evaluations.
fn all_to_all(program: &Program) -> Result<Vec<(usize, Duration)>> {
    let measured = RANDOM_ORDERS.iter().map(|&order| {
        let words =
            format!("plan random-regular:{order},4,1 -c aas --budget {EVALUATIONS} -q -o {}", program.file("plan.lsb"));
        let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
        let ended = program.run_to_end(&arguments, 1)?;
        ensure!(ended.is_successful, "{words}: failed");
        Ok((order, ended.cost.processor_or_time()))
    });
    measured.collect()
}

/// Returns one row per curve.
pub(super) fn table(curves: &[Curve]) -> Table {
    let mut table = Table::new(["quantity", "sizes", "times", "exponent"]);
    for Curve { quantity, unit, points } in curves {
        let sizes: Vec<String> = points.iter().map(|point| point.0.to_string()).collect();
        let times: Vec<String> = points.iter().map(|point| time(point.1)).collect();
        table.push([
            quantity.clone(),
            format!("{} {unit}", sizes.join(", ")),
            times.join(", "),
            exponent(points).map_or("-".to_owned(), |exponent| format!("{exponent:.2}")),
        ]);
    }
    table
}

/// Returns the exponent of the power law through these points by least squares of the logarithms, or `None` for fewer
/// than two points.
pub(super) fn exponent(points: &[(usize, Duration)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().map(|&(size, time)| ((size as f64).ln(), time.as_secs_f64().ln())).collect();
    let count = logs.len() as f64;
    let mean = |part: fn(&(f64, f64)) -> f64| logs.iter().map(part).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = logs.iter().map(|point| (point.0 - x).powi(2)).sum();
    (logs.len() > 1).then(|| logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_square_is_two() {
        let points = [10, 20, 40].map(|n: usize| (n, Duration::from_micros((n * n) as u64)));
        assert!((exponent(&points).unwrap() - 2.0).abs() < 1e-9);
        assert_eq!(exponent(&points[..1]), None);
    }

    #[test]
    fn a_curve_is_one_row() {
        let points = [10, 20].map(|size| (size, Duration::from_millis(size as u64))).to_vec();
        let text = table(&[Curve { quantity: "plans".to_owned(), unit: "nodes", points }]).to_markdown();
        assert!(text.contains("| plans    | 10, 20 nodes | 10 ms, 20 ms | "), "{text}");
        assert!(text.contains(" 1.00 |"), "{text}");
    }
}
