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
const MAX_UNASKED_WORK: u64 = 10_000_000_000;

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
    /// What is counted, with its unit.
    about: &'static str,
    /// Whether more or less is better.
    sense: Sense,
    score: Option<f64>,
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
        Metric { name, about, sense, score, why }
    };
    match wanted {
        Wanted::Quick => objectives().iter().map(measure).collect(),
        Wanted::These(these) => these.iter().map(measure).collect(),
    }
}

/// Metrics for people.
pub(crate) fn to_text(metrics: &[Metric]) -> String {
    let mut table = Table::new(["metric", "score", "better", "what it is"]);
    for Metric { name, about, sense, score: found, why } in metrics {
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
    /// Whether nothing is gained by the loss of any terminal but one: see [`EdgeConnectivity`](lockstep::metrics::EdgeConnectivity).
    all_pass: bool,
}

impl Size {
    fn of(network: &Network, sources: usize) -> Self {
        let graph = network.graph();
        let count = |count: usize| count as u64;
        let passes = |&terminal: &u32| graph.routes(terminal) || graph.neighbours(terminal).len() <= 1;
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
            "kernighan-lin" => product(&[size, 1000]),
            "bisection" => product(&[size, 10_000]),
            // A search tree that doubles with every terminal, at worst.
            "exact-bisection" => product(&[size, 1 << terminals.min(40).div_ceil(2)]),
            "paths" | "paths-with-selves" | "distance" | "diameter" => product(&[sources, size, 5]),
            "edge-disjoint-paths" | "vertex-disjoint-paths" => product(&[sources, terminals, size, 10]),
            "throughput" => product(&[50, sources, arcs, u64::from(nodes.max(2).ilog2()), 10]),
            "spectral-gap" if nodes <= 512 => product(&[nodes, nodes, nodes]),
            "spectral-gap" => product(&[nodes, 1 << 15]),
            "edge-connectivity" if all_pass => product(&[terminals, size, 100]),
            "edge-connectivity" => product(&[terminals, terminals, size, 100]),
            _ => size,
        }
    }
}
