//! The speed of the evolutionary search, and graphs of given order and degree.

use std::time::{Duration, Instant};

use anyhow::Result;
use lockstep::evolve::UmdaEngine;
use lockstep::schedule::{Engine, EngineRequest};
use lockstep::topology::OrderDegreeSearch;
use lockstep::{Budget, Collective, CollectiveName, CommunicationModel, Problem, Topology};
use lockstep_report::Table;
use rayon::ThreadPoolBuilder;

use super::amounts::{millions, time};
use super::selection::Selection;
use super::targets::{GraphRecord, GraphRow, SearchRow, SearchTargets, reached};

/// Time of an evolutionary search.
const SEARCH_TIME: Duration = Duration::from_secs(4);
/// No round of a search for graphs begins later.
const GRAPH_TIME: Duration = Duration::from_secs(10);
const SEED: u64 = 1;

/// All measurements of the section.
pub(super) struct Searches {
    speeds: Vec<SearchSpeed>,
    graphs: Vec<GraphResult>,
}

/// The evaluations of UMDA on one problem, on one thread.
struct SearchSpeed {
    name: String,
    evaluations: u64,
    time: Duration,
}

/// The result for one order and degree.
struct GraphResult {
    order: u32,
    degree: u32,
    record: Option<GraphRecord>,
    /// Or the reason why the search does not support them.
    found: Result<FoundGraph, String>,
}

/// The best graph found.
struct FoundGraph {
    diameter: u32,
    mean_distance: f64,
    /// Lower bound of the mean distance: the tree of Moore.
    least_mean: f64,
    rounds: u32,
    time: Duration,
}

/// Measures the rows that are wanted. Returns `None` if none is.
pub(super) fn measure(targets: &SearchTargets, selection: &Selection) -> Result<Option<Searches>> {
    let name = |row: &SearchRow| format!("{} {}", row.network, row.collective);
    let wanted = targets.rows.iter().filter(|row| selection.wants(&name(row)));
    let speeds = wanted.map(|row| {
        eprintln!("Search and design: {}", name(row));
        speed(name(row), row)
    });
    let speeds = speeds.collect::<Result<Vec<_>>>()?;
    let wanted = targets.graphs.iter().filter(|row| selection.wants(&format!("{},{}", row.order, row.degree)));
    let graphs = wanted.map(|row| {
        eprintln!("Search and design: order {}, degree {}", row.order, row.degree);
        graph(row)
    });
    let graphs = graphs.collect::<Result<Vec<_>>>()?;
    Ok((!speeds.is_empty() || !graphs.is_empty()).then_some(Searches { speeds, graphs }))
}

fn speed(name: String, row: &SearchRow) -> Result<SearchSpeed> {
    let topology: Topology = row.network.parse()?;
    let collective: Collective = row.collective.parse::<CollectiveName>()?.with_root(None)?;
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole())?;
    let budget = Budget::time(SEARCH_TIME);
    let request = EngineRequest::new(problem, 1, SEED, &budget);
    let started = Instant::now();
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
    // Its schedule does not matter.
    let evaluations = alone.install(|| UmdaEngine.find(&request, &mut |_| {}).work);
    Ok(SearchSpeed { name, evaluations, time: started.elapsed() })
}

fn graph(row: &GraphRow) -> Result<GraphResult> {
    let &GraphRow { order, degree, record } = row;
    let found = match OrderDegreeSearch::new(order, degree, SEED) {
        Ok(search) => Ok(search_graph(search, order)?),
        Err(reason) => Err(reason.to_string()),
    };
    Ok(GraphResult { order, degree, record, found })
}

fn search_graph(mut search: OrderDegreeSearch, order: u32) -> Result<FoundGraph> {
    let started = Instant::now();
    let alone = ThreadPoolBuilder::new().num_threads(1).build()?;
    alone.install(|| {
        while !search.is_over() && started.elapsed() < GRAPH_TIME {
            search.advance();
        }
    });
    let (time, best) = (started.elapsed(), search.best());
    let pairs = u64::from(order) * u64::from(order - 1);
    Ok(FoundGraph {
        diameter: best.diameter(),
        mean_distance: best.average_distance(),
        least_mean: best.bound() as f64 / pairs as f64,
        rounds: search.round(),
        time,
    })
}

impl SearchSpeed {
    fn per_second(&self) -> f64 {
        self.evaluations as f64 / self.time.as_secs_f64()
    }
}

impl Searches {
    /// Returns one row per problem of the evolutionary search.
    pub(super) fn speeds(&self, targets: &SearchTargets) -> Table {
        let header = ["problem", "evaluations", "time", "evaluations per second", "target", "reached"];
        let mut table = Table::new(header);
        for speed in &self.speeds {
            let rate = speed.per_second();
            table.push([
                speed.name.clone(),
                speed.evaluations.to_string(),
                time(speed.time),
                millions(rate),
                millions(targets.evaluations_per_second),
                reached(rate >= targets.evaluations_per_second),
            ]);
        }
        table
    }

    /// Returns one row per order and degree.
    pub(super) fn graphs(&self) -> Table {
        let header =
            ["order", "degree", "diameter", "mean distance", "Moore bound", "above it", "record", "rounds", "time"];
        let mut table = Table::new(header);
        for GraphResult { order, degree, record, found } in &self.graphs {
            let record = record.map_or("-".to_owned(), |best| format!("{:.3}, {}", best.mean_distance, best.diameter));
            let figure = |text: &dyn Fn(&FoundGraph) -> String| found.as_ref().map_or("-".to_owned(), text);
            table.push([
                order.to_string(),
                degree.to_string(),
                figure(&|graph| graph.diameter.to_string()),
                figure(&|graph| format!("{:.5}", graph.mean_distance)),
                figure(&|graph| format!("{:.5}", graph.least_mean)),
                figure(&|graph| format!("{:.2} %", 100.0 * (graph.mean_distance / graph.least_mean - 1.0))),
                record,
                figure(&|graph| graph.rounds.to_string()),
                figure(&|graph| time(graph.time)),
            ]);
        }
        table
    }

    /// Lists the graphs whose mean distance exceeds that of the record.
    pub(super) fn others_win(&self) -> Vec<String> {
        let line = |graph: &GraphResult| {
            let (record, found) = (graph.record?.mean_distance, graph.found.as_ref().ok()?.mean_distance);
            // The record is rounded, too.
            let is_longer = format!("{found:.3}").parse::<f64>().is_ok_and(|rounded| rounded > record);
            let text = || {
                let GraphResult { order, degree, .. } = graph;
                format!("order {order}, degree {degree}: the record has mean distance {record}, and we find {found:.3}")
            };
            is_longer.then(text)
        };
        self.graphs.iter().filter_map(line).collect()
    }

    /// Lists the targets that were not reached.
    pub(super) fn missed(&self, targets: &SearchTargets) -> Vec<String> {
        let target = targets.evaluations_per_second;
        let slow = self.speeds.iter().filter(|speed| speed.per_second() < target);
        let line = |speed: &SearchSpeed| {
            let [rate, target] = [speed.per_second(), target].map(millions);
            format!("UMDA, {}: {rate} evaluations per second; target {target}", speed.name)
        };
        let unsupported = self.graphs.iter().filter_map(|GraphResult { order, degree, found, .. }| {
            let reason = found.as_ref().err()?;
            Some(format!("order {order}, degree {degree}: not supported: {reason}"))
        });
        slow.map(line).chain(unsupported).collect()
    }
}

/// Returns measurements for tests: 1 million evaluations in 2 s.
#[cfg(test)]
pub(super) fn fake_searches() -> Searches {
    let time = Duration::from_secs(2);
    let speed = SearchSpeed { name: "ring:10 aas".to_owned(), evaluations: 1_000_000, time };
    let record = Some(GraphRecord { diameter: 2, mean_distance: 1.7 });
    let found = FoundGraph { diameter: 2, mean_distance: 1.8, least_mean: 1.5, rounds: 4, time };
    let graph = GraphResult { order: 10, degree: 3, record, found: Ok(found) };
    Searches { speeds: vec![speed], graphs: vec![graph] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fake_targets(evaluations_per_second: f64) -> SearchTargets {
        SearchTargets { evaluations_per_second, rows: Vec::new(), records: String::new(), graphs: Vec::new() }
    }

    #[test]
    fn speeds_are_compared_with_the_target() {
        let expected = "UMDA, ring:10 aas: 0.50 million evaluations per second; target 0.60 million";
        assert_eq!(fake_searches().missed(&fake_targets(600_000.0)), [expected]);
        assert_eq!(fake_searches().missed(&fake_targets(500_000.0)), [""; 0]);
    }

    #[test]
    fn a_graph_is_compared_with_the_moore_bound() {
        let text = fake_searches().graphs().to_markdown();
        assert!(text.contains(" 1.80000 ") && text.contains(" 20.00 % "), "{text}");
    }

    #[test]
    fn a_shorter_record_wins() {
        let mut searches = fake_searches();
        let expected = "order 10, degree 3: the record has mean distance 1.7, and we find 1.800";
        assert_eq!(searches.others_win(), [expected]);
        // The same value after rounding.
        searches.graphs[0].found.as_mut().unwrap().mean_distance = 1.7004;
        assert_eq!(searches.others_win(), [""; 0]);
    }

    #[test]
    fn the_petersen_graph_meets_the_moore_bound() {
        let found = graph(&GraphRow { order: 10, degree: 3, record: None }).unwrap().found.unwrap();
        assert_eq!(found.diameter, 2);
        assert!((found.mean_distance - found.least_mean).abs() < 1e-9);
    }

    #[test]
    fn an_unsupported_degree_is_reported() {
        let graphs = vec![graph(&GraphRow { order: 4096, degree: 4095, record: None }).unwrap()];
        let searches = Searches { speeds: Vec::new(), graphs };
        let targets = fake_targets(0.0);
        assert!(searches.missed(&targets)[0].starts_with("order 4096, degree 4095: not supported: "));
        assert!(searches.graphs().to_markdown().contains(" 4095 "));
    }
}
