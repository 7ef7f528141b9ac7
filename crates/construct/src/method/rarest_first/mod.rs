//! Messages of several receivers: step by step, every terminal fetches what it lacks.

mod builder;
mod holdings;
mod prune;
mod sender_search;
mod step_plan;

use lockstep_schedule::{Receivers, Schedule};
use lockstep_topology::ChannelId;
use rand::{Rng, RngExt};

use self::builder::ScheduleBuilder;
use self::holdings::Holdings;
use crate::kit::capacities::Capacities;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Step by step every terminal fetches the rarest message it can get, from its neighbours where messages are many, else
/// from the nearest terminals that free channels lead from. Ties are broken at random. What stands in the way of a
/// terminal that gets too little is called off and sent on another way; a step after which the goal is out of reach is
/// taken back, with those before it if that does not help.
///
/// Where a message has few receivers, either the terminals on shortest ways to them pass it on, or all that have nothing
/// better to do; what turns out to be of no use is left out.
///
/// What is kept is planned before everything else in its step. Where it may be given up, it is called off like any other
/// transfer, and so are those that depended on it; and what is kept past the steps aimed at is not kept.
///
/// An attempt takes time in proportion to the deliveries times the messages over 64, and to searches of the network for
/// what neighbours do not have; steps taken back are at most 64 and as many as it aims at. Memory: the transfers, and two
/// bits for each terminal and message.
///
/// **Source**: rarest first: Cohen, *Incentives build robustness in `BitTorrent`*, 2003; prices of what changes hands:
/// Bertsekas, *The auction algorithm*, 1988, and on paths `McMurchie` and Ebeling, *`PathFinder`*, 1995.
pub(crate) const RAREST_FIRST: Method = Method {
    name: "rarest-first",
    about: "broadcast of any kind: in each step every terminal fetches the rarest messages it can get",
    find,
    evaluations_per_delivery: 1,
    is_random: true,
};

/// The most bytes that say who holds what: 4 GiB, for each thread.
const MAX_STOCK_BYTES: u64 = 4 << 30;

/// Steps that an attempt may take back beside as many as it aims at.
const PATIENCE: u32 = 64;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    if request.problem.messages().is_scatter() {
        return Err(MethodError::Unsupported);
    }
    let task = SchedulingTask::new(request.problem)?;
    if Holdings::bytes(&task) > MAX_STOCK_BYTES {
        return Err(MethodError::TooLarge);
    }
    let spread = RarestFirst::new(&task, request.fixed);
    request.best_attempt(|rng, context| spread.build(rng, context)).map(|log| log.schedule())
}

/// What all schedules of a broadcast share.
#[derive(Debug)]
struct RarestFirst<'a> {
    task: &'a SchedulingTask<'a>,
    kept: Option<FixedTransfers<'a>>,
    capacities: Capacities,
    /// Whether every message goes to all.
    is_to_all: bool,
    /// Before the first step, where only those on the way to receivers pass a message on.
    stock: Holdings,
    /// The same where all do, if that is another thing and may help.
    open_stock: Option<Holdings>,
    /// The channels from other terminals into each terminal.
    side_end: Vec<u32>,
    side: Vec<IncomingChannel>,
    /// The most messages that each terminal receives in a step.
    rate: Vec<u32>,
}

/// A channel from another terminal.
#[derive(Clone, Copy, Debug)]
struct IncomingChannel {
    channel: ChannelId,
    /// Rank of that terminal.
    neighbour: u32,
}

impl<'a> RarestFirst<'a> {
    fn new(task: &'a SchedulingTask<'a>, kept: Option<FixedTransfers<'a>>) -> Self {
        let (topology, messages) = (task.topology(), task.messages());
        let (mut side_end, mut side, mut rate) = (Vec::new(), Vec::new(), Vec::new());
        for &node in topology.terminals() {
            let channels = topology.in_channels(node);
            side.extend(channels.iter().filter_map(|&channel| {
                let neighbour = topology.terminal_rank(topology.tail(channel))? as u32;
                Some(IncomingChannel { channel, neighbour })
            }));
            side_end.push(side.len() as u32);
            rate.push(task.model().ports.of_degree(channels.len()).max(1) as u32);
        }
        // Under wormhole switching what passes a terminal by takes nothing from it.
        let is_to_all = messages.ids().all(|message| messages.receivers(message) == Receivers::AllOthers);
        let is_open = task.stores_and_forwards() && !is_to_all && Holdings::bytes(task) <= MAX_STOCK_BYTES / 4;
        Self {
            task,
            kept,
            is_to_all,
            capacities: Capacities::new(task),
            stock: Holdings::new(task, kept),
            open_stock: is_open.then(|| Holdings::open(task, kept)),
            side_end,
            side,
            rate,
        }
    }

    fn sides(&self, terminal: usize) -> &[IncomingChannel] {
        let start = terminal.checked_sub(1).map_or(0, |before| self.side_end[before]);
        &self.side[start as usize..self.side_end[terminal] as usize]
    }

    /// One schedule.
    fn build(&self, rng: &mut impl Rng, context: &AttemptContext<'_>) -> Result<TransferLog, MethodError> {
        let below = context.below();
        let is_first = below == u32::MAX;
        // Where the goal is out of reach, less is easier to find.
        let goal = context.goal().min(below - 1);
        let aim = if is_first { goal } else { rng.random_range(goal..below) };
        let open_stock = self.open_stock.as_ref().filter(|_| if is_first { self.is_dense() } else { rng.random() });
        let reroutes = !is_first && rng.random();
        let mut walk = ScheduleBuilder::new(self, open_stock.unwrap_or(&self.stock), aim, rng);
        if reroutes {
            walk.reroute_at_once();
        }
        let mut patience = PATIENCE.saturating_add(aim);
        while !walk.is_done() {
            walk.make_step(context)?;
            if walk.is_on_time() {
                continue;
            }
            if patience > 0 && walk.may_go_back() {
                patience = patience.saturating_sub(walk.go_back());
                continue;
            }
            if walk.least_steps() >= below {
                return Err(MethodError::NoShorter);
            }
            walk.aim_later();
        }
        let log = walk.into_log();
        // Elsewhere some have passed nothing on in the end.
        if self.is_to_all { Ok(log) } else { prune::needed(self.task, &log) }
    }

    /// Whether a message goes to a quarter of all terminals and more.
    fn is_dense(&self) -> bool {
        let messages = self.task.messages();
        let all = messages.len() as u64 * self.task.topology().terminal_count() as u64;
        messages.delivery_count() >= all / 4
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use lockstep_schedule::strategy::instance;
    use lockstep_schedule::{Budget, Collective, CommunicationModel, DistributePhase, Ports, Problem, verify};
    use lockstep_topology::Topology;
    use proptest::prelude::*;

    use super::*;

    /// Without the transfer at this place.
    fn without(schedule: &Schedule, dropped: usize) -> Schedule {
        let mut rest = Schedule::new();
        let mut place = 0;
        for (_, step) in schedule.steps() {
            rest.begin_step();
            for transfer in step.iter() {
                if place != dropped {
                    rest.push(transfer.message, transfer.path);
                }
                place += 1;
            }
        }
        rest
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        /// Whether there is time or not, and whether it aims at anything or not.
        #[test]
        fn every_schedule_is_valid_and_no_transfer_is_dispensable(
            instance in instance(12), pick: prop::sample::Index, attempt in 0..100u64, goal in 1..20u32, hurries: bool,
        ) {
            let whole = instance.problem();
            let phases = DistributePhase::all(&whole);
            let problem = phases[0].problem(&whole);
            let budget = Budget::unlimited();
            if hurries {
                budget.cancel();
            }
            let request = MethodRequest { goal, attempts: attempt..attempt + 1, ..MethodRequest::first(&problem, &budget) };
            let answer = (RAREST_FIRST.find)(&request);
            prop_assert_eq!(answer.as_ref().err(), problem.messages().is_scatter().then_some(&MethodError::Unsupported));
            let Ok(schedule) = answer else { return Ok(()) };
            let report = verify(&problem, &schedule);
            prop_assert!(report.is_ok(), "{}", report.unwrap_err());
            let rest = without(&schedule, pick.index(schedule.transfer_count()));
            prop_assert!(verify(&problem, &rest).is_err());
        }

        /// What is found when only fewer steps are of use is valid, and has fewer steps.
        #[test]
        fn further_attempts_are_shorter_or_miss(instance in instance(9), seed: u64) {
            let whole = instance.problem();
            let phases = DistributePhase::all(&whole);
            let problem = phases[0].problem(&whole);
            let budget = Budget::unlimited();
            let first = MethodRequest { seed, ..MethodRequest::first(&problem, &budget) };
            let Ok(schedule) = (RAREST_FIRST.find)(&first) else { return Ok(()) };
            let below = schedule.step_count() as u32;
            match (RAREST_FIRST.find)(&MethodRequest { below, attempts: 1..5, ..first }) {
                Ok(shorter) => prop_assert!(verify(&problem, &shorter)?.steps < below as usize),
                Err(miss) => prop_assert_eq!(miss, MethodError::NoShorter),
            }
        }
    }

    /// With one port, neighbours that always serve each other leave nothing for the rest: on a path everybody must send far.
    #[test]
    fn one_port_on_a_path_is_busy_in_every_step() {
        let path: Topology = "mesh:4".parse().unwrap();
        let all_gather = Collective::all_gather();
        let one_port = CommunicationModel { ports: Ports::Limit(NonZeroU32::MIN), ..CommunicationModel::wormhole() };
        let problem = Problem::new(&path, &all_gather, one_port).unwrap();
        let budget = Budget::unlimited();
        let request = MethodRequest { goal: 3, below: 4, attempts: 0..200, ..MethodRequest::first(&problem, &budget) };
        let schedule = (RAREST_FIRST.find)(&request).unwrap();
        // Every terminal receives three messages through its one port.
        assert_eq!(verify(&problem, &schedule).unwrap().steps, 3);
    }

    /// Cancelled before it begins, it still ends, in more steps than there is need for at most.
    #[test]
    fn a_schedule_in_a_hurry_is_not_much_longer() {
        let torus: Topology = "torus:8x8".parse().unwrap();
        let all_gather = Collective::all_gather();
        let problem = Problem::new(&torus, &all_gather, CommunicationModel::store_and_forward()).unwrap();
        let budget = Budget::unlimited();
        budget.cancel();
        let schedule =
            (RAREST_FIRST.find)(&MethodRequest { goal: 16, ..MethodRequest::first(&problem, &budget) }).unwrap();
        // Every node receives 63 messages over 4 channels.
        assert!((16..32).contains(&verify(&problem, &schedule).unwrap().steps));
    }
}
