//! The four collectives on one hypercube: formula, verified schedule and lower bound.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use lockstep::analytic::hypercube::{self, Counts};
use lockstep::analytic::shortest;
use lockstep::bounds::{BoundSearch, Cost};
use lockstep::schedule::{CollectiveName, Ports};
use lockstep::{
    Budget, CayleyGraph, CommunicationModel, NodeId, Problem, Topology, bounds, load, plan_symmetric, verify,
};

use crate::reproduce::tally::Tally;

/// Memory limit of a network with its explicit schedule.
const EXPLICIT_BYTES: u128 = 2 << 30;

/// Bytes per channel of a network, and per transfer over one channel.
const BYTES: (u128, u128) = (20, 12);

/// One collective on one hypercube.
pub(super) struct CubeFigures {
    pub(super) dimension: u32,
    pub(super) collective: CollectiveName,
    pub(super) formula: Counts,
    /// The counts of the verifier.
    pub(super) verified: Counts,
    /// True if the schedule has the transfers of all sources, and not only those of one.
    pub(super) is_explicit: bool,
    pub(super) bound: u32,
    pub(super) rule: String,
    /// Time to plan, verify and bound.
    pub(super) time: Duration,
}

impl CubeFigures {
    /// Returns true if formula and schedule agree and the schedule is optimal.
    pub(super) fn holds(&self) -> bool {
        self.formula == self.verified && self.verified.rounds == self.bound.into()
    }
}

/// Reproduces all four collectives, in the order of the lecture.
pub(super) fn reproduce(dimension: u32, tally: &mut Tally) -> Result<Vec<CubeFigures>> {
    let spec = format!("hypercube:{dimension}");
    let topology = load(&spec)?;
    let mut rows = Vec::new();
    for (collective, formula) in formulas(dimension) {
        let formula = formula.with_context(|| format!("{spec}: no formula"))?;
        let bytes = topology.channel_count() as u128 * BYTES.0 + formula.transmissions * BYTES.1;
        let is_explicit = bytes <= EXPLICIT_BYTES;
        let begin = Instant::now();
        let (verified, bound) =
            if is_explicit { by_transfers(&topology, collective)? } else { by_group(&spec, collective)? };
        let time = begin.elapsed();
        let name = collective.abbreviation().to_uppercase();
        tally.done_steps(bound.steps.into(), verified.rounds, &format!("{spec} {name}"));
        let (bound, rule) = (bound.steps, bound.rule.to_string());
        rows.push(CubeFigures { dimension, collective, formula, verified, is_explicit, bound, rule, time });
    }
    Ok(rows)
}

/// Number of collectives of each hypercube.
pub(super) const COLLECTIVES: usize = 4;

fn formulas(dimension: u32) -> [(CollectiveName, Option<Counts>); COLLECTIVES] {
    [
        (CollectiveName::Broadcast, hypercube::broadcast_counts(dimension)),
        (CollectiveName::AllGather, hypercube::all_gather_counts(dimension, Ports::All)),
        (CollectiveName::Scatter, hypercube::scatter_counts(dimension, Ports::All)),
        (CollectiveName::AllToAll, hypercube::all_to_all_counts(dimension, Ports::All)),
    ]
}

/// Verifies an explicit schedule. The root of a rooted collective is not node 0.
fn by_transfers(topology: &Topology, name: CollectiveName) -> Result<(Counts, bounds::LowerBound)> {
    let root = NodeId::from_index(topology.node_count() - 2);
    let collective = name.with_root(name.has_root().then_some(root))?;
    let problem = Problem::new(topology, &collective, CommunicationModel::store_and_forward())?;
    let (mut bound_search, budget) = (BoundSearch::new(&problem), Budget::unlimited());
    bound_search.raise(Cost::Linear, u32::MAX, &budget, |_, _| {});
    let found = shortest(&problem, bound_search.best().steps, &budget, |_, _| {});
    let (_, schedule) = found.context("no construction supports the hypercube")?;
    let verification = verify(&problem, &schedule)?;
    let bound = bounds::best_reaching(&problem, verification.steps as u32);
    bound.check(&problem)?;
    Ok((Counts { rounds: verification.steps as u128, transmissions: verification.channel_uses as u128 }, bound))
}

/// Verifies the part of one source, which stands for all sources by translation.
fn by_group(spec: &str, name: CollectiveName) -> Result<(Counts, bounds::LowerBound)> {
    let graph: CayleyGraph = spec.parse()?;
    let plan = plan_symmetric(&graph, name, CommunicationModel::store_and_forward(), &Budget::unlimited())?;
    let verification = plan.verification();
    let transmissions = verification.channel_uses as u128;
    Ok((Counts { rounds: verification.steps as u128, transmissions }, plan.lower_bound().clone()))
}
