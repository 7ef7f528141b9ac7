//! What a network is worth, one number an objective.

use lockstep::design::{Network, Objective, objective, objectives};
use lockstep::pareto::Sense;
use lockstep_report::Table;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use serde::Serialize;

use crate::text::score;

/// Seed of the measures that throw dice, so that a network has the same metrics whenever it is asked.
const SEED: u64 = 1;

/// Measures are taken unasked where they take about so many nanoseconds at most.
const MAX_UNASKED_WORK: u64 = 5_000_000_000;

/// Which measures are taken.
pub(crate) enum Wanted {
    /// All that do not take long.
    Quick,
    /// These, however long they take.
    These(Vec<&'static dyn Objective>),
}

impl Wanted {
    /// The measures of these names; without any, all that are quick.
    pub(crate) fn new(names: &[String]) -> anyhow::Result<Self> {
        if names.is_empty() {
            return Ok(Self::Quick);
        }
        Ok(Self::These(names.iter().map(|name| objective(name)).collect::<Result<_, _>>()?))
    }
}

/// One number of a network, or why there is none.
#[derive(Serialize)]
pub(crate) struct Metric {
    name: &'static str,
    score: Option<f64>,
    /// Whether more or less is better.
    sense: Sense,
    /// What is counted, with its unit.
    about: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// The metrics of a network that looks the same from its terminals but for so many of them.
pub(crate) fn measure(network: &mut Network, sources: usize, wanted: &Wanted) -> Vec<Metric> {
    let size = Size::of(network, sources);
    let measure = |objective: &&'static dyn Objective| {
        let (name, about, sense) = (objective.name(), objective.about(), objective.sense());
        let found = match wanted {
            Wanted::Quick if size.work(name) > MAX_UNASKED_WORK => {
                Err(format!("it takes long on such a network; lockstep topology --metrics {name} takes it"))
            }
            _ => {
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
        Wanted::Quick => objectives().iter().map(measure).collect(),
        Wanted::These(these) => these.iter().map(measure).collect(),
    }
}

/// Metrics for people.
pub(crate) fn to_text(metrics: &[Metric]) -> String {
    let mut table = Table::new(["metric", "score", "better", "what it is"]);
    for Metric { name, score: found, sense, about, why } in metrics {
        let what = why.as_ref().map_or((*about).to_owned(), |why| format!("not measured: {why}"));
        let score = found.map_or("-".to_owned(), score);
        table.push([(*name).to_owned(), score, better(*sense).to_owned(), what]);
    }
    table.to_text()
}

/// Whether more or less is better, in a word.
pub(crate) fn better(sense: Sense) -> &'static str {
    match sense {
        Sense::Maximise => "more",
        Sense::Minimise => "less",
    }
}

/// How large a network is, for estimates of work.
struct Size {
    /// Terminals from which all others are looked for.
    sources: u64,
    terminals: u64,
    nodes: u64,
    arcs: u64,
    /// Whether every terminal routes or is a leaf, so that flows from one of them find the edge connectivity.
    all_pass: bool,
}

impl Size {
    fn of(network: &Network, sources: usize) -> Self {
        let graph = network.graph();
        let count = |count: usize| count as u64;
        let is_leaf = |terminal| graph.is_symmetric() && graph.neighbours(terminal).len() <= 1;
        let passes = |&terminal: &u32| graph.routes(terminal) || is_leaf(terminal);
        Self {
            sources: count(sources),
            terminals: count(graph.terminals().len()),
            nodes: count(graph.node_count()),
            arcs: count(graph.arc_count()),
            all_pass: graph.terminals().iter().all(passes),
        }
    }

    /// About how many nanoseconds the measure of this name takes.
    fn work(&self, name: &str) -> u64 {
        let &Self { sources, terminals, nodes, arcs, all_pass } = self;
        let product = |factors: &[u64]| factors.iter().fold(1u64, |product, &factor| product.saturating_mul(factor));
        let size = nodes + arcs;
        match name {
            "links" | "worst-degree" | "cable-length" | "external-cables" => size,
            // Refused, or given up after some seconds.
            "exact-bisection" => 1 << 30,
            "kernighan-lin" => product(&[size, 1_000]),
            "bisection" => product(&[size, 10_000]),
            "paths" | "paths-with-selves" | "distance" | "diameter" => product(&[sources, size, 5]),
            "edge-disjoint-paths" | "vertex-disjoint-paths" => product(&[sources, terminals, size, 5]),
            "throughput" => product(&[sources, arcs, u64::from(nodes.max(2).ilog2()), 100]),
            "spectral-gap" if nodes <= 512 => product(&[nodes, nodes, nodes]),
            "spectral-gap" => product(&[nodes, 50_000]),
            "edge-connectivity" if all_pass => product(&[terminals, size, 30]),
            "edge-connectivity" => product(&[terminals, terminals, size, 30]),
            _ => u64::MAX,
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep::Topology;

    use super::*;

    fn measured(spec: &str, wanted: &Wanted) -> Vec<Metric> {
        let topology: Topology = spec.parse().unwrap();
        measure(&mut Network::of(&topology), topology.terminal_count(), wanted)
    }

    #[test]
    fn every_measure_of_a_small_network_is_quick() {
        for metric in measured("hypercube:5", &Wanted::Quick) {
            let (name, why) = (metric.name, metric.why.unwrap_or_default());
            assert!(metric.score.is_some() || why.contains("cabinet"), "{name}: {why}");
        }
    }

    #[test]
    fn what_takes_long_is_left_out_with_the_remedy() {
        let quick = measured("torus:64x64", &Wanted::Quick);
        let of = |name: &str| quick.iter().find(|metric| metric.name == name).unwrap();
        assert_eq!((of("diameter").score, of("links").score), (Some(64.0), Some(4.0)));
        for name in ["throughput", "edge-disjoint-paths"] {
            let why = of(name).why.as_deref().unwrap_or_default();
            assert!(why.contains(&format!("--metrics {name}")), "{why}");
        }
    }

    #[test]
    fn metrics_that_are_asked_for_come_in_that_order() {
        let wanted = Wanted::new(&["throughput", "links"].map(str::to_owned)).unwrap();
        let names: Vec<_> = measured("ring:4", &wanted).iter().map(|metric| metric.name).collect();
        assert_eq!(names, ["throughput", "links"]);
        assert!(Wanted::new(&["speed".to_owned()]).is_err());
    }
}
