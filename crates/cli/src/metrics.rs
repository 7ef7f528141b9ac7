//! Metrics of a network: the score of each objective.

use lockstep::Topology;
use lockstep::design::{Network, Objective, objective, objectives};
use lockstep::pareto::Sense;
use lockstep_report::{MetricRow, Table};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use crate::text::score;

/// Seed of the random stream of each metric, so that a network always has the same metrics.
const SEED: u64 = 1;

/// Longest estimated time, in nanoseconds, of a metric that is computed without request.
const MAX_UNREQUESTED_NS: u64 = 5_000_000_000;

/// The metrics to compute.
pub(crate) enum Wanted {
    /// All fast metrics.
    Fast,
    /// The requested metrics, even if they are slow.
    Requested(Vec<&'static dyn Objective>),
}

impl Wanted {
    /// Returns the metrics with these names, or all fast ones if there are no names.
    pub(crate) fn new(names: &[String]) -> anyhow::Result<Self> {
        if names.is_empty() {
            return Ok(Self::Fast);
        }
        Ok(Self::Requested(names.iter().map(|name| objective(name)).collect::<Result<_, _>>()?))
    }
}

/// A metric of a network: a score, or the reason why there is none.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Metric {
    name: &'static str,
    score: Option<f64>,
    /// The direction of the score.
    sense: Sense,
    /// What the score measures, with its unit.
    about: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Computes the metrics of a network.
pub(crate) fn measure(network: &mut Network, wanted: &Wanted) -> Vec<Metric> {
    let size = network.size();
    let measure = |objective: &&'static dyn Objective| {
        let (name, about, sense) = (objective.name(), objective.about(), objective.sense());
        let found = match (objective.refusal(&size), wanted) {
            (Some(refusal), _) => Err(refusal.to_string()),
            (None, Wanted::Fast) if objective.estimated_ns(&size) > MAX_UNREQUESTED_NS => {
                Err(format!("slow on this network; lockstep topology --metrics {name} computes it"))
            }
            (None, _) => {
                objective.score(network, &mut ChaCha8Rng::seed_from_u64(SEED)).map_err(|no_score| no_score.to_string())
            }
        };
        let (score, why) = match found {
            Ok(score) => (Some(score), None),
            Err(why) => (None, Some(why)),
        };
        Metric { name, score, sense, about, why }
    };
    match wanted {
        Wanted::Fast => objectives().iter().map(measure).collect(),
        Wanted::Requested(objectives) => objectives.iter().map(measure).collect(),
    }
}

/// Returns what all metrics of a network leave out, if it is more than a graph.
pub(crate) fn simplification(topology: &Topology) -> Option<&'static str> {
    let has_shared_wires = topology.resource_count() < topology.channel_count();
    match (topology.has_capacities(), has_shared_wires) {
        (false, false) => None,
        (true, false) => Some("each channel counts once, whatever its capacity"),
        (false, true) => Some("each channel counts once, also if it shares a wire"),
        (true, true) => Some("each channel counts once, whatever its capacity, and also if it shares a wire"),
    }
}

/// Returns metrics in words.
pub(crate) fn to_rows(metrics: &[Metric]) -> Vec<MetricRow> {
    let row = |Metric { name, score: found, sense, about, why }: &Metric| MetricRow {
        name: (*name).to_owned(),
        score: found.map_or("-".to_owned(), score),
        better: better(*sense).to_owned(),
        about: why.as_ref().map_or((*about).to_owned(), |why| format!("not computed: {why}")),
    };
    metrics.iter().map(row).collect()
}

/// Formats metrics as a text table.
pub(crate) fn to_text(metrics: &[Metric]) -> String {
    let mut table = Table::new(["metric", "score", "better", "meaning"]);
    for MetricRow { name, score, better, about } in to_rows(metrics) {
        table.push([name, score, better, about]);
    }
    table.to_text()
}

/// Returns "more" or "less": the better direction of a score.
pub(crate) fn better(sense: Sense) -> &'static str {
    match sense {
        Sense::Maximise => "more",
        Sense::Minimise => "less",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(spec: &str, wanted: &Wanted) -> Vec<Metric> {
        let topology: Topology = spec.parse().unwrap();
        measure(&mut Network::of(&topology), wanted)
    }

    #[test]
    fn all_metrics_of_a_small_network_are_fast() {
        for metric in measured("hypercube:5", &Wanted::Fast) {
            let (name, why) = (metric.name, metric.why.unwrap_or_default());
            assert!(metric.score.is_some() || why.contains("cabinet"), "{name}: {why}");
        }
    }

    fn reason<'a>(metrics: &'a [Metric], name: &str) -> &'a str {
        metrics.iter().find(|metric| metric.name == name).unwrap().why.as_deref().unwrap_or_default()
    }

    #[test]
    fn slow_metrics_are_skipped_with_a_remedy() {
        let quick = measured("random-regular:1600,4,1", &Wanted::Fast);
        for name in ["throughput", "edge-disjoint-paths"] {
            let why = reason(&quick, name);
            assert!(why.contains(&format!("--metrics {name} computes it")), "{why}");
        }
        assert!(reason(&quick, "diameter").is_empty() && reason(&quick, "links").is_empty());
    }

    #[test]
    fn a_large_symmetric_network_has_a_throughput() {
        // Each of the 4096 terminals sends over a mean distance of 32.0078 with four channels.
        let metrics = measured("torus:64x64", &Wanted::new(&["throughput".to_owned()]).unwrap());
        let throughput = metrics[0].score.unwrap();
        assert!((0.98 * 0.124_97..0.125).contains(&throughput), "{throughput}");
    }

    #[test]
    fn a_metric_beyond_its_limit_is_refused_with_a_remedy_that_exists() {
        let wanted = Wanted::new(&["throughput".to_owned()]).unwrap();
        for wanted in [&Wanted::Fast, &wanted] {
            let metrics = measured("random-regular:2100,4,1", wanted);
            let why = reason(&metrics, "throughput");
            assert!(why.ends_with("use a smaller or a more symmetric network"), "{why}");
        }
    }

    #[test]
    fn requested_metrics_keep_their_order() {
        let wanted = Wanted::new(&["throughput", "links"].map(str::to_owned)).unwrap();
        let names: Vec<_> = measured("ring:4", &wanted).iter().map(|metric| metric.name).collect();
        assert_eq!(names, ["throughput", "links"]);
        assert!(Wanted::new(&["speed".to_owned()]).is_err());
    }
}
