//! How long it takes to plan anew after a fault, and to plan for all of them.

use std::time::{Duration, Instant};

use anyhow::Result;
use lockstep::faults::{FaultKind, FaultSpace};
use lockstep::{
    Budget, CollectiveName, CommunicationModel, Consequence, EngineChoice, FaultOutcome, Plan, PlanOptions, Planner,
    Problem, Topology, load, sweep,
};

use super::cells::COLLECTIVES;
use super::figures::Figures;

/// Evaluations of one plan, should it have to search.
const EVALUATIONS: u64 = 1 << 20;

/// All single faults of a kind, one after the other.
pub(super) struct Replanned {
    pub(super) network: String,
    pub(super) kind: FaultKind,
    pub(super) collective: CollectiveName,
    pub(super) faults: usize,
    /// Plans that are the old one repaired.
    pub(super) repaired: usize,
    /// Transfers of the old plans that the new ones keep, and that there were.
    pub(super) kept: [usize; 2],
    pub(super) mean: Duration,
    pub(super) longest: Duration,
}

/// All pairs of faults at once.
pub(super) struct Doubles {
    pub(super) network: String,
    pub(super) kind: FaultKind,
    pub(super) collective: CollectiveName,
    pub(super) sets: usize,
    pub(super) optimal: usize,
    pub(super) lost: usize,
    pub(super) most_steps: u32,
    pub(super) time: Duration,
}

pub(super) struct Speed {
    pub(super) replanned: Vec<Replanned>,
    /// All of them together in parallel, four collectives.
    pub(super) sweeps: Duration,
    pub(super) doubles: Doubles,
}

/// Measures with the networks of the document's tables of faults.
pub(super) fn measure(figures: &Figures, engine: EngineChoice, seed: u64) -> Result<Speed> {
    let options = PlanOptions { engine, ..PlanOptions::auto(seed) };
    let (mut replanned, mut sweeps) = (Vec::new(), Duration::ZERO);
    for table in &figures.tables {
        let Some(kind) = table.kind() else { continue };
        let network = load(&table.spec)?;
        for collective in COLLECTIVES {
            let before = before(&network, collective, table.roots.first().map(String::as_str), options)?;
            let begin = Instant::now();
            sweep(&before, FaultSpace::new(&network, kind, 1).iter(), options, &budget(), |_| {})?;
            sweeps += begin.elapsed();
            replanned.push(one_by_one(&before, kind, collective, options)?);
        }
    }
    let (network, kind, collective) = (load("kautz:3,2")?, FaultKind::Channel, CollectiveName::AllGather);
    let before = before(&network, collective, None, options)?;
    let mut doubles = Doubles {
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
        doubles.sets += 1;
        match consequence.degradation.outcome {
            FaultOutcome::Planned(planned) => {
                doubles.optimal += usize::from(planned.steps == planned.bound);
                doubles.most_steps = doubles.most_steps.max(planned.steps);
            }
            FaultOutcome::Lost(_) => doubles.lost += 1,
        }
    })?;
    doubles.time = begin.elapsed();
    Ok(Speed { replanned, sweeps, doubles })
}

fn budget() -> Budget {
    Budget::evaluations(EVALUATIONS)
}

/// The plan of the whole network.
fn before(network: &Topology, collective: CollectiveName, root: Option<&str>, options: PlanOptions) -> Result<Plan> {
    let root = root.and_then(|root| network.node_named(root)).filter(|_| collective.has_root());
    let collective = collective.with_root(root)?;
    let problem = Problem::new(network, &collective, CommunicationModel::wormhole())?;
    Ok(Planner::new(problem, options).run(&budget(), |_| {})?)
}

fn one_by_one(before: &Plan, kind: FaultKind, collective: CollectiveName, options: PlanOptions) -> Result<Replanned> {
    let network = before.topology();
    let mut replanned = Replanned {
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
