//! Broadcast of any kind: in each step, every terminal fetches the rarest messages it can get.
//!
//! | file | role |
//! |---|---|
//! | `broadcast_context` | the facts that all attempts share |
//! | `holdings` | which terminal holds and lacks which message |
//! | `message_table` | sets of messages by terminal, and the number of terminals per message |
//! | `tight_sets` | the sets of terminals that many messages must enter over few channels |
//! | `step_plan` | the transfers of the current step |
//! | `sender_search`, `fetcher` | the choice of a sender, a path and a message |
//! | `strategy`, `deadline`, `fixed_steps` | the random choices, the target and the given steps of one attempt |
//! | `attempt_steps` | the steps of one attempt, forwards and back |
//! | `builder` | the steps of attempts whose terminals choose one after the other |
//! | `independent` | the steps of attempts whose terminals choose in parallel |
//! | `prune` | the removal of transfers that serve no receiver |

mod attempt_steps;
mod broadcast_context;
mod builder;
mod deadline;
mod fetcher;
mod fixed_steps;
mod holdings;
mod independent;
mod message_table;
mod prune;
mod sender_search;
mod service_queue;
mod step_plan;
mod strategy;
#[cfg(test)]
mod tests;
mod tight_sets;

use lockstep_schedule::{Part, Schedule};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use self::attempt_steps::AttemptSteps;
use self::broadcast_context::{BroadcastContext, MAX_HOLDINGS_BYTES};
use self::builder::ScheduleBuilder;
use self::holdings::Holdings;
use self::independent::IndependentSteps;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::transfer_log::TransferLog;

/// Rarest-first broadcast: step by step, every terminal fetches the rarest message it can get.
///
/// With many messages, a terminal fetches from its neighbours; otherwise from the nearest terminals that free channels
/// connect to it. Ties are broken at random. A terminal that receives too little may cancel planned transfers of
/// others, which are then planned again on other paths. After a step that puts the target out of reach, the attempt
/// backtracks by one or more steps.
///
/// If messages have few receivers, they are relayed either by the terminals on shortest paths to the receivers, or by
/// every terminal with nothing better to do. Transfers that serve no receiver are removed at the end.
///
/// In an all-gather, messages that no terminal of a tight set holds enter the set first; they limit the throughput.
///
/// If no transfer takes a channel or a port from another terminal, and messages are many, all terminals choose in parallel. Such
/// an attempt gives up if its target is out of reach, and terminals choose one after the other.
///
/// Fixed transfers are planned first in their steps. If they may move, they can be cancelled like all others, together
/// with the transfers that depend on them, and those after the target are dropped.
///
/// With few messages on a large network, each terminal would search the whole network in each step. Then terminals fetch from
/// their neighbours first, and the searches of a step are limited. So are those of a quick attempt.
///
/// Time: `O(D log T)` per attempt for `D` deliveries to `T` terminals, while neighbours have many messages to offer; at
/// most `O(D M log T / 64)` for `M` messages. In addition, one search of the network per message that no neighbour
/// holds. An attempt backtracks by at most 64 steps plus its target. Memory: the transfers, and two bits per terminal
/// and message.
///
/// # Source
///
/// Rarest first: Cohen, *Incentives build robustness in `BitTorrent`*, 2003. Prices of contested resources: Bertsekas,
/// *The auction algorithm*, 1988; on paths, `McMurchie` and Ebeling, *`PathFinder`*, 1995.
pub(crate) const RAREST_FIRST: Method = Method {
    name: "rarest-first",
    about: "broadcasts of every kind: matchings of receivers and rare messages, with rerouting and revoked transfers",
    find,
    evaluations_per_delivery: 1,
    is_random: true,
    parts: &[INDEPENDENT, TIGHT_SETS, RELAYS],
};

/// Terminals that choose [in parallel](independent).
const INDEPENDENT: Part =
    Part { owner: "rarest-first", name: "independent", about: "terminals that choose in parallel" };

/// See [`tight_sets`].
const TIGHT_SETS: Part = Part {
    owner: "rarest-first",
    name: "tight-sets",
    about: "sets of terminals that many messages enter over few channels",
};

/// Messages of few receivers that every terminal may relay, or only those on shortest paths.
const RELAYS: Part = Part {
    owner: "rarest-first",
    name: "relays",
    about: "terminals that relay messages because they have nothing better to do",
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    if request.problem.messages().is_scatter() {
        return Err(MethodError::Unsupported);
    }
    let task = request.task()?;
    if Holdings::bytes(&task) > MAX_HOLDINGS_BYTES {
        return Err(MethodError::TooLarge);
    }
    let shared = BroadcastContext::new(&task, request.fixed, request.below < u32::MAX && request.uses(TIGHT_SETS));
    request.best_attempt(|rng, context| attempt(&shared, rng, context)).map(TransferLog::into_schedule)
}

/// Builds one schedule.
fn attempt(
    shared: &BroadcastContext<'_>,
    rng: &mut ChaCha8Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let below = context.below();
    let is_first = below == u32::MAX;
    // If the goal is out of reach, a larger target is easier to meet.
    let goal = context.goal().min(below - 1);
    let target = if is_first { goal } else { rng.random_range(goal..below) };
    if context.uses(INDEPENDENT) && independent::fits(shared) {
        let steps = IndependentSteps::new(shared, target, rng);
        let steps = if context.is_quick() { steps.quickly() } else { steps };
        match steps.run(target, below, context) {
            Err(MethodError::NoShorter) => {}
            result => return result,
        }
    }
    let relayed = shared.relayed_holdings().filter(|_| context.uses(RELAYS));
    let relayed = relayed.filter(|_| if is_first { shared.is_dense() } else { rng.random() });
    let reroutes_early = !is_first && rng.random();
    let builder = ScheduleBuilder::new(shared, relayed.unwrap_or(shared.holdings()), target, reroutes_early, rng);
    let builder = if context.is_quick() { builder.quickly() } else { builder };
    let log = builder.run(target, below, context)?;
    // If every message goes to all terminals, no transfer is unneeded.
    if shared.is_to_all() { Ok(log) } else { prune::needed(shared.task(), &log) }
}
