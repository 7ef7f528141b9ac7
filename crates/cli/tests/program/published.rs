//! The published figures of `data/measured/expect.json` beside the predictions of `lockstep expect`: the table of `docs/measured.md`.

use std::fmt::Write;
use std::path::Path;

use expect_test::expect_file;
use lockstep_measure::{Comparison, Verdict};
use serde::Deserialize;
use serde_json::Value;

use super::stdout_of;

const BEGIN: &str = "<!-- written by the test of published cases -->\n";
const END: &str = "<!-- end -->\n";

/// The evaluations of each best plan: fewer than by default, so that the test takes seconds.
const BUDGET: &str = "--budget 1000000";

/// A published figure.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// A page or an issue.
    source: String,
    /// A spec, or a file beside the cases.
    network: String,
    /// More options of the command.
    options: String,
    collective: String,
    size: String,
    /// One bus bandwidth, or the smallest and the largest one.
    gigabytes_per_second: Option<Vec<f64>>,
    /// A time instead of a bandwidth.
    microseconds: Option<Vec<f64>>,
    /// Whether a user asked why the machine is slow.
    is_questioned: bool,
    remark: String,
}

/// A case with its predictions: bus bandwidths in GB/s.
struct Row {
    case: Case,
    bound: f64,
    ring: f64,
    tree: Option<f64>,
    best_plan: Option<f64>,
    published: f64,
    comparison: Comparison,
}

impl Row {
    #[expect(clippy::cast_sign_loss, reason = "no time is negative")]
    fn new(folder: &Path, case: Case) -> Self {
        let Case { network, collective, size, options, .. } = &case;
        let command =
            format!("expect {network} -c {collective} --size {size} --library nccl {options} {BUDGET} --json -q");
        let result: Value = serde_json::from_slice(&stdout_of(folder, &command, b"")).unwrap();
        let of_size = &result["sizes"][0];
        let of = |time: &Value, field: &str| time[field].as_f64().unwrap();
        let busbw = |time: &Value| of(time, "busbw_bytes_per_second") / 1e9;
        let (bound, algorithms) = (&of_size["bound"], of_size["algorithms"].as_array().unwrap());
        let algorithm = |name| algorithms.iter().find(|algorithm| algorithm["name"] == name).map(busbw);
        let factor = busbw(bound) * of(bound, "time_ps");
        let mean = |figures: &Vec<f64>| figures.iter().sum::<f64>() / figures.len() as f64;
        let published = match (&case.gigabytes_per_second, &case.microseconds) {
            (Some(bandwidths), None) => mean(bandwidths),
            (None, Some(times)) => factor / (mean(times) * 1e6),
            _ => panic!("{}: a bandwidth or a time", case.name),
        };
        let [observed, least, predicted] =
            [factor / published, of(bound, "time_ps"), of(&algorithms[0], "time_ps")].map(|time| time.round() as u128);
        assert!(least <= predicted, "{}: faster than the bound", case.name);
        let comparison = Comparison::new(observed, least, Some(predicted));
        let [ring, tree] = ["ring", "tree"].map(algorithm);
        let best_plan = of_size.get("best_plan").map(busbw);
        Self { bound: busbw(bound), ring: ring.unwrap(), tree, best_plan, published, comparison, case }
    }

    fn of_algorithm(&self) -> f64 {
        self.comparison.of_algorithm.unwrap()
    }

    fn to_markdown(&self) -> String {
        let figure = |figure: f64| format!("{figure:.1}").trim_end_matches(".0").to_owned();
        let list = |figures: &Vec<f64>| figures.iter().map(f64::to_string).collect::<Vec<_>>().join(" to ");
        let published = match &self.case.microseconds {
            Some(times) => format!("{} ({} us)", figure(self.published), list(times)),
            None => list(self.case.gigabytes_per_second.as_ref().unwrap()),
        };
        let error = 100.0 * (1.0 / self.of_algorithm() - 1.0);
        let cells = [
            self.case.name.clone(),
            self.case.source.clone(),
            figure(self.bound),
            figure(self.ring),
            self.tree.map_or("-".to_owned(), figure),
            self.best_plan.map_or("-".to_owned(), figure),
            published,
            format!("{error:+.0} %"),
            self.comparison.to_string(),
            self.case.remark.clone(),
        ];
        format!("| {} |\n", cells.join(" | "))
    }
}

/// Returns the least, the median and the greatest part of a prediction that some cases reach.
fn summary(mut parts: Vec<f64>) -> String {
    parts.sort_by(f64::total_cmp);
    let [least, median, most] = [parts[0], parts[parts.len() / 2], parts[parts.len() - 1]];
    format!("{least:.2} to {most:.2}, median {median:.2}")
}

#[test]
fn published_figures_have_their_predictions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/measured");
    let cases: Vec<Case> = serde_json::from_str(&std::fs::read_to_string(folder.join("expect.json")).unwrap()).unwrap();
    let rows: Vec<Row> = cases.into_iter().map(|case| Row::new(&folder, case)).collect();
    let mut table = "\n| case | source | bound | ring | tree | best plan | published | error | verdict | remark |\n|---|---|---|---|---|---|---|---|---|---|\n".to_owned();
    for row in &rows {
        table += &row.to_markdown();
    }
    let is_above = |row: &&Row| row.comparison.verdict == Verdict::AboveBound;
    let is_large = |row: &&Row| row.case.microseconds.is_none();
    let others = || rows.iter().filter(|row| !is_above(row) && is_large(row));
    table += "\n| part of the prediction | cases | of ring or tree | of the ring |\n|---|---|---|---|\n";
    for (name, is_questioned) in [("no user called them slow", false), ("a user asked why they are slow", true)] {
        let cases = || others().filter(|row| row.case.is_questioned == is_questioned);
        let of_algorithm = summary(cases().map(Row::of_algorithm).collect());
        let of_ring = summary(cases().map(|row| row.published / row.ring).collect());
        writeln!(table, "| {name} | {} | {of_algorithm} | {of_ring} |", cases().count()).unwrap();
    }
    table += "\n";

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/measured.md");
    let page = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    expect_file![path].assert_eq(&format!("{before}{BEGIN}{table}{END}{after}"));
}
