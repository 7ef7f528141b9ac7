//! List scheduling along given routes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{Rng, RngExt};

use super::routes::RouteSet;
use super::terminal_graph::TerminalGraph;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;

/// Hops between two looks at the budget.
const STRIDE: u32 = 1 << 20;

/// A message that waits for a channel. The greatest goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct QueuedMessage {
    /// Channels still to cross.
    to_go: u32,
    /// Uses still to come of the wire after this one, which must not run dry.
    onward: u32,
    tie: u32,
    message: u32,
}

/// The step of each hop, and the number of steps: in each step every channel carries the message with the longest way to
/// go, and where ports or wires are short, channels with most to do in all go first. Takes `O(log)` for each hop, and for
/// each step and channel where anything waits.
///
/// **Source**: furthest to go first: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.7.
pub(super) fn furthest_first(
    network: &TerminalGraph,
    routes: &RouteSet,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<(u32, Vec<u32>), MethodError> {
    let hops = routes.hops();
    let mut step_of = vec![0; hops.len()];
    // Uses still to come of each slot, and uses in the step at hand.
    let mut left = vec![0u32; network.slot_count()];
    hops.iter().flat_map(|&channel| network.limits(channel)).for_each(|slot| left[slot as usize] += 1);
    let mut used = vec![0u32; network.slot_count()];
    let mut queues = vec![BinaryHeap::new(); network.channel_count()];
    let mut busy: Vec<u32> = Vec::new();
    let mut ranked = Vec::new();
    // Message and next place on its route.
    let mut arrived: Vec<(u32, usize)> =
        (0..routes.len()).map(|message| (message as u32, routes.places(message).start)).collect();
    let mut step = 0;
    let mut unseen = 0;
    loop {
        unseen += arrived.len() as u32;
        if unseen >= STRIDE {
            context.check(0)?;
            unseen = 0;
        }
        for (message, place) in arrived.drain(..) {
            let end = routes.places(message as usize).end;
            let onward = hops[place + 1..end].first().map_or(0, |&next| left[network.slots(next)[0] as usize]);
            let queue = &mut queues[hops[place] as usize];
            if queue.is_empty() {
                busy.push(hops[place]);
            }
            queue.push(QueuedMessage { to_go: (end - place) as u32, onward, tie: rng.random(), message });
        }
        if busy.is_empty() {
            return Ok((step, step_of));
        }
        ranked.clear();
        ranked.extend(busy.iter().map(|&channel| {
            let steps_left = |slot: u32| left[slot as usize].div_ceil(network.capacity(slot));
            let first = queues[channel as usize].peek().expect("somebody waits for a busy channel");
            (Reverse(network.limits(channel).map(steps_left).max()), Reverse(first.to_go), first.tie, channel)
        }));
        ranked.sort_unstable();
        used.fill(0);
        for &(_, _, _, channel) in &ranked {
            if network.limits(channel).any(|slot| used[slot as usize] >= network.capacity(slot)) {
                continue;
            }
            for slot in network.limits(channel) {
                used[slot as usize] += 1;
                left[slot as usize] -= 1;
            }
            let QueuedMessage { to_go, message, .. } = queues[channel as usize].pop().expect("it was at the front");
            let place = routes.places(message as usize).end - to_go as usize;
            step_of[place] = step;
            if to_go > 1 {
                arrived.push((message, place + 1));
            }
        }
        busy.retain(|&channel| !queues[channel as usize].is_empty());
        step += 1;
    }
}
