//! Replanning after each single fault, and after all pairs of faults.

use std::time::{Duration, Instant};

use anyhow::Result;
use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::{
    Budget, CollectiveName, CommunicationModel, Consequence, EngineChoice, FaultOutcome, Plan, PlanOptions, Planner,
    Problem, Topology, load, sweep,
};

use super::cells::COLLECTIVES;
use super::figures::Figures;

/// Evaluations per plan.
const EVALUATIONS: u64 = 1 << 20;

/// The plans after all single faults of a kind.
pub(super) struct ReplannedFaults {
    pub(super) network: String,
    pub(super) kind: FaultKind,
    pub(super) collective: CollectiveName,
    pub(super) faults: usize,
    /// Plans that are the repaired old plan.
    pub(super) repaired: usize,
    /// Transfers of the old plans: those that the new plans keep, and all.
    pub(super) kept: [usize; 2],
    pub(super) mean: Duration,
    pub(super) longest: Duration,
}

/// The plans after all pairs of faults.
pub(super) struct PairSweep {
    pub(super) network: String,
    pub(super) kind: FaultKind,
    pub(super) collective: CollectiveName,
    pub(super) sets: usize,
    pub(super) optimal: usize,
    pub(super) lost: usize,
    pub(super) most_steps: u32,
    pub(super) time: Duration,
}

impl PairSweep {
    /// Returns true if each plan is optimal.
    pub(super) fn all_optimal(&self) -> bool {
        self.optimal + self.lost == self.sets
    }
}

/// The plans after faults with their times.
pub(super) struct ReplanningSpeed {
    pub(super) replanned: Vec<ReplannedFaults>,
    /// Time of all single faults in parallel, for four collectives.
    pub(super) sweeps: Duration,
    pub(super) pairs: PairSweep,
}

/// Replans on the networks of the paper.
pub(super) fn measure(figures: &Figures, engine: EngineChoice, seed: u64) -> Result<ReplanningSpeed> {
    let options = PlanOptions { engine, ..PlanOptions::auto(seed) };
    let (mut replanned, mut sweeps) = (Vec::new(), Duration::ZERO);
    for table in &figures.tables {
        let Some(kind) = table.kind() else { continue };
        let network = load(&table.spec)?;
        for collective in COLLECTIVES {
            let before = plan_without_faults(&network, collective, table.roots.first().map(String::as_str), options)?;
            let begin = Instant::now();
            sweep(&before, FaultSpace::new(&network, kind, 1).iter(), options, &budget(), |_| {})?;
            sweeps += begin.elapsed();
            replanned.push(one_by_one(&before, kind, collective, options)?);
        }
    }
    let (network, kind, collective) = (load("kautz:3,2")?, FaultKind::Channel, CollectiveName::AllGather);
    let before = plan_without_faults(&network, collective, None, options)?;
    let mut pairs = PairSweep {
        network: network.name().to_owned(),
        kind,
        collective,
        sets: 0,
        optimal: 0,
        lost: 0,
        most_steps: 0,
        time: Duration::ZERO,
    };
    let begin = Instant::now();
    sweep(&before, FaultSpace::new(&network, kind, 2).iter(), options, &budget(), |consequence| {
        pairs.sets += 1;
        match consequence.degradation.outcome {
            FaultOutcome::Planned(planned) => {
                pairs.optimal += usize::from(planned.steps == planned.bound);
                pairs.most_steps = pairs.most_steps.max(planned.steps);
            }
            FaultOutcome::Lost(_) => pairs.lost += 1,
        }
    })?;
    pairs.time = begin.elapsed();
    Ok(ReplanningSpeed { replanned, sweeps, pairs })
}

fn budget() -> Budget {
    Budget::evaluations(EVALUATIONS)
}

/// Returns the plan of the network without faults.
fn plan_without_faults(
    network: &Topology,
    collective: CollectiveName,
    root: Option<&str>,
    options: PlanOptions,
) -> Result<Plan> {
    let root = root.and_then(|root| network.node_named(root)).filter(|_| collective.has_root());
    let collective = collective.with_root(root)?;
    let problem = Problem::new(network, &collective, CommunicationModel::wormhole())?;
    Ok(Planner::new(problem, options).run(&budget(), |_| {})?)
}

fn one_by_one(
    before: &Plan,
    kind: FaultKind,
    collective: CollectiveName,
    options: PlanOptions,
) -> Result<ReplannedFaults> {
    let network = before.topology();
    let mut replanned = ReplannedFaults {
        network: network.name().to_owned(),
        kind,
        collective,
        faults: 0,
        repaired: 0,
        kept: [0, 0],
        mean: Duration::ZERO,
        longest: Duration::ZERO,
    };
    let mut total = Duration::ZERO;
    for faults in FaultSpace::new(network, kind, 1).iter() {
        let begin = Instant::now();
        let consequence = Consequence::of(&faults, before, options, &budget())?;
        let time = begin.elapsed();
        if let FaultOutcome::Planned(planned) = consequence.degradation.outcome {
            replanned.faults += 1;
            replanned.kept[1] += before.schedule().transfer_count();
            if let Some(changes) = planned.changes {
                replanned.repaired += 1;
                replanned.kept[0] += changes.kept;
            }
            (total, replanned.longest) = (total + time, replanned.longest.max(time));
        }
    }
    replanned.mean = total / replanned.faults.max(1) as u32;
    Ok(replanned)
}
