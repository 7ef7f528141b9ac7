//! Schedules after a fault: what it leaves is kept, and the rest is found again.

mod survivors;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use lockstep_schedule::{Budget, MessageId, NotFound, Problem, Schedule, Step, Transfer};
use lockstep_topology::{ChannelId, NodeId};
use tracing::instrument;

use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::method::{balanced_routes, first_fit, path_colouring, rarest_first};
use crate::portfolio::{MethodSchedule, Portfolio};

pub use self::survivors::{Survivors, survivors};

/// A schedule that goes on from what is kept of another one.
#[derive(Clone, Debug)]
pub struct RepairedSchedule {
    /// What found it.
    pub method: &'static Method,
    /// All its transfers.
    pub schedule: Schedule,
    /// Kept transfers that it has not, or not in their step or on their path.
    pub moved: usize,
    /// Its transfers beside the kept ones.
    pub added: usize,
}

/// Methods that go on from what is kept, and whether they may move it, in how many rounds.
struct RepairStage {
    methods: &'static [Method],
    may_move: bool,
    rounds: u32,
}

/// In rounds of 1, 3 and then 12 attempts. Those of a broadcast take longer, as it goes back from what ends too late.
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

/// A schedule of few steps with what is kept of another one: the first of at most `goal` steps, else the shortest found.
///
/// First nothing is moved: messages that the faults have stopped take what is left free, and steps are added where nothing
/// is. Only if that takes more than `goal` steps, random parts of what is kept are given up and found again together with
/// the rest; at last, messages put each other out of their places until all have one. Attempts are counted as by
/// [`shortest`](crate::shortest()), but there are few dozens of them: what needs more is better found afresh. With no fault
/// and no waste the kept schedule comes back as it is.
///
/// `problem` and `kept` distribute their messages; turn a collecting phase round first
/// ([`DistributePhase`](lockstep_schedule::DistributePhase)). `observe` sees each method that fits, how many attempts it made, and
/// the steps reached if they are fewer than before.
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
/// let kept = survivors(&before, &schedule, &after)?;
/// // One node has 3 channels left for 15 messages.
/// let repaired = repair(&after, &kept, 5, 1, &budget, |_, _, _| {})?;
/// assert_eq!((verify(&after, &repaired.schedule)?.steps, repaired.moved), (5, 0));
/// assert_eq!(kept.schedule().transfer_count() + repaired.added, 16 * 15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// As [`shortest`](crate::shortest()).
#[instrument(level = "debug", skip_all, fields(network = problem.topology().name(), goal, seed))]
pub fn repair(
    problem: &Problem<'_>,
    kept: &Survivors,
    goal: u32,
    seed: u64,
    budget: &Budget,
    mut observe: impl FnMut(&'static Method, u64, Option<u32>),
) -> Result<RepairedSchedule, NotFound> {
    let schedule = kept.schedule();
    let mut portfolio = Portfolio::new(problem);
    for RepairStage { methods, may_move, rounds } in STAGES {
        portfolio.restrict_to(methods, FixedTransfers { schedule, may_move });
        // Of what takes too many steps already not one attempt more is of use, unless it may be moved.
        let is_hopeless = !may_move && schedule.step_count() > goal as usize;
        for _ in 0..if is_hopeless { 1 } else { rounds } {
            if portfolio.is_over(goal, budget) {
                break;
            }
            portfolio.round(goal, seed, budget, &mut observe);
        }
    }
    let MethodSchedule { method, mut schedule } = portfolio.into_best()?;
    if problem.messages().is_scatter() && !problem.model().is_direct() {
        schedule = without_dead_ends(problem, &schedule);
    }
    let same = common(kept.schedule(), &schedule);
    let (moved, added) = (kept.schedule().transfer_count() - same, schedule.transfer_count() - same);
    Ok(RepairedSchedule { method, schedule, moved, added })
}

/// The transfers of a scatter that bring messages nearer to their receivers: none to where the message has been, nor to
/// where nobody goes on from, as after a kept transfer.
fn without_dead_ends(problem: &Problem<'_>, schedule: &Schedule) -> Schedule {
    let (topology, messages) = (problem.topology(), problem.messages());
    let ends = |path: &[ChannelId]| (topology.tail(path[0]), topology.head(path[path.len() - 1]));
    let transfers: Vec<Transfer<'_>> = schedule.steps().flat_map(|(_, step)| step.iter()).collect();
    let mut been: BTreeSet<(MessageId, NodeId)> =
        messages.ids().map(|message| (message, messages.source(message))).collect();
    let mut is_needed: Vec<bool> =
        transfers.iter().map(|made| been.insert((made.message, ends(made.path).1))).collect();
    // Where each message has to be, seen from the end; it comes there once.
    let receiver = |message| messages.receivers_iter(message).next().expect("a message has a receiver");
    let mut needed: Vec<NodeId> = messages.ids().map(receiver).collect();
    for (made, is_needed) in transfers.iter().zip(&mut is_needed).rev() {
        let (sender, receiver) = ends(made.path);
        let needed = &mut needed[made.message.index()];
        *is_needed &= *needed == receiver;
        if *is_needed {
            *needed = sender;
        }
    }
    let mut is_needed = is_needed.into_iter();
    let mut rest = Schedule::new();
    for (_, step) in schedule.steps() {
        let mut needed = step.iter().filter(|_| is_needed.next() == Some(true)).peekable();
        if needed.peek().is_some() {
            rest.begin_step();
        }
        needed.for_each(|made| rest.push(made.message, made.path));
    }
    rest
}

/// Number of transfers that two schedules have in common, in the same step and on the same path.
fn common(first: &Schedule, second: &Schedule) -> usize {
    let sorted = |step: Step<'_>| {
        let mut transfers: Vec<(MessageId, Vec<ChannelId>)> =
            step.iter().map(|made| (made.message, made.path.to_vec())).collect();
        transfers.sort_unstable();
        transfers
    };
    let in_both = |((_, first), (_, second)): ((usize, Step<'_>), (usize, Step<'_>))| {
        let (first, second) = (sorted(first), sorted(second));
        first.iter().filter(|made| second.binary_search(made).is_ok()).count()
    };
    first.steps().zip(second.steps()).map(in_both).sum()
}
