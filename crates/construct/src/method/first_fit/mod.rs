//! Scatter of any kind: messages are placed one after the other, each in the earliest steps that are free.
//!
//! | file | role |
//! |---|---|
//! | `scatter_context` | the facts that all attempts share, and the order of the messages |
//! | `fixed_part` | the fixed transfers that one attempt uses |
//! | `partial_schedule` | the transfers placed so far |
//! | `path_search`, `hop_search` | the earliest free path of one message, as one transfer or hop by hop |
//! | `placer`, `quick_placement` | the placement of a message, with search or without |
//! | `arrivals` | the channels into all nodes, for the placement without a search |

mod arrivals;
mod fixed_part;
mod hop_search;
mod partial_schedule;
mod path_search;
mod placer;
mod quick_placement;
mod scatter_context;

use lockstep_schedule::{MessageId, Schedule};
use rand::Rng;

use self::fixed_part::FixedPart;
use self::placer::FirstFitPlacer;
use self::scatter_context::ScatterContext;
use crate::kit::fixed_transfers::FixedTransfers;
use crate::kit::method::Method;
use crate::kit::method_error::MethodError;
use crate::kit::request::{AttemptContext, MethodRequest};
use crate::kit::transfer_log::TransferLog;

/// Number of messages placed between two checks of the budget.
const CHECK_INTERVAL: usize = 256;

/// First-fit list scheduling: messages with the longest paths come first, and each takes the earliest free steps.
///
/// A message may use any of its shortest paths. If [any path](lockstep_schedule::Routing::Any) is legal, it takes a
/// detour when no shortest path is free. Ties are broken at random. Fixed transfers stay in place, and their messages
/// continue from there; if fixed transfers may move, a random part of them is dropped first.
///
/// Time per attempt: for each message, the channels on its shortest paths times the 128-step blocks in which they are
/// crowded. Memory: the transfers, one bit per resource and step, and the distances from all sources, up to 1 GiB.
/// In a quick attempt, each message takes one shortest path without a search.
///
/// # Source
///
/// First-fit colouring of paths, longest first, on all shortest paths and 128 colours at once. List scheduling: Graham,
/// *Bounds on multiprocessing timing anomalies*, 1969.
pub(crate) const FIRST_FIT: Method = Method {
    name: "first-fit",
    about: "scatters of every kind: each message takes the earliest free steps",
    find,
    evaluations_per_delivery: 1,
    is_random: true,
    parts: &[],
};

fn find(request: &MethodRequest<'_>) -> Result<Schedule, MethodError> {
    if !request.problem.messages().is_scatter() {
        return Err(MethodError::Unsupported);
    }
    let task = request.task()?;
    let shared = ScatterContext::new(&task)?;
    request.best_attempt(|rng, context| attempt(&shared, request.fixed, rng, context)).map(TransferLog::into_schedule)
}

/// Builds one schedule.
fn attempt(
    shared: &ScatterContext<'_>,
    fixed: Option<FixedTransfers<'_>>,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<TransferLog, MethodError> {
    let fixed = FixedPart::new(shared.task(), fixed, context.goal(), rng);
    let order = shared.placement_order(&fixed, rng, context)?;
    let mut placer = FirstFitPlacer::new(shared, &fixed, context.goal(), rng);
    placer.place_fixed()?;
    let place = if context.is_quick() { FirstFitPlacer::place_quickly } else { FirstFitPlacer::place };
    for messages in order.chunks(CHECK_INTERVAL) {
        context.check(placer.step_count())?;
        messages.iter().try_for_each(|&message| place(&mut placer, MessageId::new(message)))?;
        context.count(placer.take_work());
    }
    Ok(placer.into_log())
}
