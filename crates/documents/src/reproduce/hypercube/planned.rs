//! Wormhole broadcasts on other tori and on hypercubes, by the planner.

use std::time::{Duration, Instant};

use anyhow::Result;
use lockstep::schedule::Routing;
use lockstep::{Budget, Collective, CommunicationModel, NodeId, PlanOptions, Planner, Problem, load};

use crate::reproduce::tally::Tally;

/// Networks for which the algorithms of the lecture do not exist or need more rounds.
const NETWORKS: [&str; 10] = [
    "torus:7x9",
    "torus:11x11",
    "torus:6x20",
    "torus:16x16",
    "torus:24x26",
    "torus:7x7x7",
    "hypercube:5",
    "hypercube:10",
    "hypercube:13",
    "hypercube:14",
];

/// The routing rules, with their names.
const ROUTINGS: [(Routing, &str); 2] = [(Routing::Any, "any"), (Routing::Minimal, "minimal")];

/// The number of plans.
pub(super) const COUNT: usize = NETWORKS.len() * ROUTINGS.len();

/// A verified plan of a wormhole broadcast.
pub(super) struct PlannedBroadcast {
    pub(super) spec: &'static str,
    pub(super) routing: &'static str,
    pub(super) steps: u32,
    pub(super) bound: u32,
    pub(super) finder: String,
    pub(super) time: Duration,
}

/// Plans the broadcasts under both routing rules, on networks with at most `most_nodes` nodes.
pub(super) fn broadcasts(most_nodes: usize, tally: &mut Tally) -> Result<Vec<PlannedBroadcast>> {
    let mut planned = Vec::new();
    for spec in NETWORKS {
        let topology = load(spec)?;
        if topology.node_count() > most_nodes {
            tally.skip(ROUTINGS.len());
            continue;
        }
        for (routing, name) in ROUTINGS {
            let begin = Instant::now();
            let collective = Collective::broadcast(NodeId::from_index(topology.node_count() / 3));
            let model = CommunicationModel { routing, ..CommunicationModel::wormhole() };
            let problem = Problem::new(&topology, &collective, model)?;
            // One evaluation: the constructions, then one attempt of the general methods.
            let plan = Planner::new(problem, PlanOptions::auto(1)).run(&Budget::evaluations(1), |_| {})?;
            let (steps, bound) = (plan.step_count(), plan.lower_bound().steps);
            let time = begin.elapsed();
            tally.done_steps(bound.into(), steps.into(), &format!("{spec} {name}"));
            planned.push(PlannedBroadcast {
                spec,
                routing: name,
                steps,
                bound,
                finder: plan.engine().to_owned(),
                time,
            });
        }
    }
    Ok(planned)
}
