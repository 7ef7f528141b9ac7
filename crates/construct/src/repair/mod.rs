//! Repair of schedules after faults: surviving transfers stay, and the rest is planned again.

mod survivors;
#[cfg(test)]
mod tests;

use lockstep_schedule::{
    Budget, Effort, EngineRequest, MessageId, NotFound, Problem, Schedule, Step, needed_transfers,
};
use lockstep_topology::ChannelId;
use tracing::instrument;

use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::method::{balanced_routes, first_fit, path_colouring, rarest_first};
use crate::portfolio::Portfolio;

pub use self::survivors::{Survivors, survivors};

/// A repaired schedule.
#[derive(Clone, Debug)]
pub struct RepairedSchedule {
    /// The schedule.
    pub schedule: Schedule,
    /// Number of surviving transfers that it does not have in the same step on the same path.
    pub moved: usize,
    /// Number of its transfers that are not surviving ones.
    pub added: usize,
}

/// One stage of the repair: its methods, whether they may move surviving transfers, and the number of rounds.
struct RepairStage {
    methods: &'static [Method],
    may_move: bool,
    rounds: u32,
}

/// The rounds have 1, 3 and then 12 attempts. A broadcast gets fewer rounds, because its attempts backtrack and take
/// longer.
const STAGES: [RepairStage; 4] = [
    RepairStage { methods: &[first_fit::FIRST_FIT], may_move: false, rounds: 3 },
    RepairStage { methods: &[rarest_first::RAREST_FIRST], may_move: false, rounds: 2 },
    RepairStage { methods: &[first_fit::FIRST_FIT, rarest_first::RAREST_FIRST], may_move: true, rounds: 3 },
    RepairStage {
        methods: &[balanced_routes::BALANCED_ROUTES, path_colouring::PATH_COLOURING],
        may_move: true,
        rounds: 2,
    },
];

/// Returns the first schedule of at most `goal` steps that extends the survivors, otherwise the shortest schedule
/// found.
///
/// First, no surviving transfer moves: interrupted messages use free resources, or additional steps. If that takes more
/// than `goal` steps, random parts of the surviving transfers are dropped and planned again. At last, messages displace
/// each other until all are placed. Evaluations are counted as by [`shortest`](crate::shortest()). There are only a few
/// dozen attempts; if they fail, a new schedule is the better choice. If nothing has failed, the schedule returns
/// unchanged, except for transfers without purpose and for steps that have no others.
///
/// `problem` and `survivors` distribute their messages; time-reverse a collecting phase first
/// ([`DistributePhase`](lockstep_schedule::DistributePhase)). `observe` gets each method that supports the problem, its
/// effort, and the number of steps if it is a new best.
///
/// ```
/// use lockstep_construct::{repair, survivors};
/// use lockstep_schedule::{Budget, Collective, CommunicationModel, Problem, verify};
/// use lockstep_topology::Topology;
///
/// let torus: Topology = "torus:4x4".parse()?;
/// let (all_gather, model) = (Collective::all_gather(), CommunicationModel::wormhole());
/// let before = Problem::new(&torus, &all_gather, model)?;
/// let budget = Budget::evaluations(1 << 16);
/// let schedule = lockstep_construct::schedule(&before, 4, 1, &budget)?;
///
/// let faulty = torus.with_failures([], torus.channels().take(1));
/// let after = Problem::new(&faulty, &all_gather, model)?;
/// let survivors = survivors(&before, &schedule, &after)?;
/// // One node has 3 channels left for 15 messages.
/// let repaired = repair(&after, &survivors, 5, 1, &budget, |_, _, _| {})?;
/// assert_eq!((verify(&after, &repaired.schedule)?.steps, repaired.moved), (5, 0));
/// assert_eq!(survivors.schedule().transfer_count() + repaired.added, 16 * 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`shortest`](crate::shortest()).
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), goal, seed))]
pub fn repair(
    problem: &Problem<'_>,
    survivors: &Survivors,
    goal: u32,
    seed: u64,
    budget: &Budget,
    mut observe: impl FnMut(&'static Method, Effort, Option<u32>),
) -> Result<RepairedSchedule, NotFound> {
    let fixed = survivors.schedule();
    let timed = budget.clone().with_evaluations(u64::MAX);
    let request = EngineRequest::new(*problem, goal, seed, &timed);
    let mut portfolio = Portfolio::new(EngineRequest { pause_after: budget.evaluation_limit(), ..request });
    for RepairStage { methods, may_move, rounds } in STAGES {
        portfolio.restrict_to(methods, FixedTransfers { schedule: fixed, may_move });
        // If the survivors alone take too many steps and may not move, one attempt is enough.
        let is_hopeless = !may_move && fixed.step_count() > goal as usize;
        for _ in 0..if is_hopeless { 1 } else { rounds } {
            if portfolio.is_over() {
                break;
            }
            portfolio.round(&mut observe);
        }
    }
    let mut schedule = portfolio.into_best()?.schedule;
    if problem.messages().is_scatter() && !problem.model().is_direct() {
        // Where a fault has cut a path, the transfers before it serve no receiver.
        schedule = needed_transfers(problem, schedule);
    }
    let same = common_transfers(fixed, &schedule);
    let (moved, added) = (fixed.transfer_count() - same, schedule.transfer_count() - same);
    Ok(RepairedSchedule { schedule, moved, added })
}

/// Returns the number of transfers that two schedules have in common, in the same step and on the same path.
fn common_transfers(first: &Schedule, second: &Schedule) -> usize {
    let sorted = |step: Step<'_>| {
        let mut transfers: Vec<(MessageId, Vec<ChannelId>)> =
            step.iter().map(|transfer| (transfer.message, transfer.path.to_vec())).collect();
        transfers.sort_unstable();
        transfers
    };
    let in_both = |((_, first), (_, second)): ((usize, Step<'_>), (usize, Step<'_>))| {
        let (first, second) = (sorted(first), sorted(second));
        first.iter().filter(|transfer| second.binary_search(transfer).is_ok()).count()
    };
    first.steps().zip(second.steps()).map(in_both).sum()
}
