//! Large scatters in direct transfers: balanced shortest paths, then windows of 64 steps.
//!
//! | file | role |
//! |---|---|
//! | `completion` | the schedule of a packer that was stopped at the deadline |
//! | `packer` | the step of each message: windows of 64 steps are filled one after the other |
//! | `message_rows` | the paths as rows of numbers, in the order in which the packer scans them |
//! | `window` | the messages in up to 64 consecutive steps, as bit sets |
//! | `slot_values` | the messages that a step needs most |

mod completion;
mod message_rows;
mod packer;
mod slot_values;
#[cfg(test)]
mod tests;
mod window;

use lockstep_model::Slots;
use lockstep_schedule::{MessageId, Schedule, Switching};
use rand_chacha::ChaCha8Rng;

use self::completion::complete;
use self::packer::WindowPacker;
use crate::kit::balanced_paths::balanced_paths;
use crate::kit::half_duplex::half_duplex_pairs;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::task::SchedulingTask;
use crate::kit::transfer_log::TransferLog;

/// Window packing: large wormhole scatters along shortest paths, with any ports.
///
/// All messages first get shortest paths, so that the most loaded resource has few of them. Then windows of 64 steps
/// are filled one after the other; see [`WindowPacker`]. A test of one message covers all steps of a window. At the deadline, the
/// messages outside complete windows take the earliest free steps.
///
/// Not supported: fewer than [`MIN_MESSAGES`] messages, networks where channels share a resource other than in opposite
/// pairs, receivers that only relays reach, and networks on which one pass takes more than [`MAX_CHANNEL_VISITS`].
/// Time: a few seconds for a million messages. Memory: about 150 bytes per message on paths of 8 channels.
///
/// # Source
///
/// Greedy set packing with exchanges of one set for another: Hurkens and Schrijver, *On the size of systems of sets
/// every t of which have an SDR, with an application to the worst-case ratio of heuristics for packing problems*
/// (1989); all steps of a window at once by bit sets; with simulated annealing (Kirkpatrick, Gelatt and Vecchi, 1983).
pub(crate) const WINDOW_PACKING: Method = Method {
    name: "window-packing",
    about: "large scatters with one transfer per message: balanced shortest paths, and 64 steps at a time by bit sets",
    find,
    evaluations_per_delivery: 3,
    is_random: true,
    parts: &[],
};

/// Number of passes in which the paths are balanced, per unit of effort.
const PASSES: u32 = 8;

/// The minimum number of messages.
const MIN_MESSAGES: usize = 1 << 13;

/// The maximum number of visits of channels in one pass over all sources.
const MAX_CHANNEL_VISITS: u64 = 1 << 28;

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    let problem = request.problem;
    let is_direct_scatter = problem.messages().is_scatter() && problem.model().switching == Switching::Wormhole;
    let visits = problem.topology().terminal_count() as u64 * problem.topology().channel_count() as u64;
    if !is_direct_scatter
        || problem.messages().len() < MIN_MESSAGES
        || visits > MAX_CHANNEL_VISITS
        || request.fixed.is_some()
    {
        return Err(MethodError::Unsupported);
    }
    half_duplex_pairs(problem.topology()).ok_or(MethodError::Unsupported)?;
    let task = request.task()?;
    let slots = task.slots();
    request.best_attempt(|rng, context| attempt(&task, &slots, rng, context)).map(TransferLog::into_schedule)
}

fn attempt(
    task: &SchedulingTask<'_>,
    slots: &Slots,
    rng: &mut ChaCha8Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let effort = if context.number() == 0 { 1 } else { 2 };
    let routes = balanced_paths(task, slots, PASSES * effort as u32, rng, context)?;
    let mut packer = WindowPacker::new(slots, &routes, rng)?;
    let load = packer.most_load();
    match packer.pack(context.below().saturating_sub(1), effort, rng, context) {
        Ok(steps) => {
            tracing::debug!(load, steps, channel_uses = routes.channel_count());
            let mut log = TransferLog::default();
            for (message, &step) in (0..).zip(packer.steps()) {
                log.push(MessageId::new(message), step, routes.path(message))?;
            }
            Ok(log)
        }
        Err(MethodError::Stopped(_)) => complete(slots, &routes, packer.steps(), context),
        Err(error) => Err(error),
    }
}
