//! List scheduling along given routes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{Rng, RngExt};

use super::routes::RouteSet;
use super::terminal_graph::TerminalGraph;
use crate::kit::method_error::MethodError;
use crate::kit::request::AttemptContext;

/// Number of hops between two checks of the budget.
const CHECK_INTERVAL: u32 = 1 << 20;

/// A message that waits for a channel. The greatest message goes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct QueuedMessage {
    /// Number of channels still to cross.
    to_go: u32,
    /// Remaining uses of the next resource on the route, which must not be idle.
    onward: u32,
    tie: u32,
    message: u32,
}

/// Units of work per busy channel and step.
const STEP_WORK: u64 = 32;

/// Schedules the hops of all routes greedily. Returns the number of steps and the step of each hop.
///
/// In each step, every channel carries the waiting messages with the longest remaining routes. If ports or resources are
/// short, the channels with the most remaining uses come first. Takes `O(H log H + S C log C)` time for `H` hops, `S`
/// steps and `C` channels.
///
/// # Source
///
/// Furthest to go first: Leighton, *Introduction to Parallel Algorithms and Architectures* (1992), §1.7.
pub(super) fn furthest_first(
    graph: &TerminalGraph,
    routes: &RouteSet,
    rng: &mut impl Rng,
    context: &AttemptContext<'_>,
) -> Result<(u32, Vec<u32>), MethodError> {
    let hops = routes.hops();
    let mut step_of = vec![0; hops.len()];
    // Remaining uses of each slot, and uses in the current step.
    let mut left = vec![0u32; graph.slot_count()];
    hops.iter().flat_map(|&channel| graph.limited_slots(channel)).for_each(|slot| left[slot as usize] += 1);
    let mut used = vec![0u32; graph.slot_count()];
    let mut queues = vec![BinaryHeap::new(); graph.channel_count()];
    let mut busy: Vec<u32> = Vec::new();
    let mut ranked = Vec::new();
    // Each message with its next hop.
    let mut arrived: Vec<(u32, usize)> =
        (0..routes.len()).map(|message| (message as u32, routes.hop_range(message).start)).collect();
    let mut step = 0;
    let mut unchecked = 0;
    loop {
        unchecked += arrived.len() as u32;
        if unchecked >= CHECK_INTERVAL {
            context.check(0)?;
            unchecked = 0;
        }
        for (message, hop) in arrived.drain(..) {
            let end = routes.hop_range(message as usize).end;
            let onward = hops[hop + 1..end].first().map_or(0, |&next| left[graph.slots(next)[0] as usize]);
            let queue = &mut queues[hops[hop] as usize];
            if queue.is_empty() {
                busy.push(hops[hop]);
            }
            queue.push(QueuedMessage { to_go: (end - hop) as u32, onward, tie: rng.random(), message });
        }
        if busy.is_empty() {
            return Ok((step, step_of));
        }
        ranked.clear();
        ranked.extend(busy.iter().map(|&channel| {
            let steps_left = |slot: u32| left[slot as usize].div_ceil(graph.capacity(slot));
            let first = queues[channel as usize].peek().expect("a message waits for a busy channel");
            (Reverse(graph.limited_slots(channel).map(steps_left).max()), Reverse(first.to_go), first.tie, channel)
        }));
        context.count(STEP_WORK * ranked.len() as u64 + graph.slot_count() as u64);
        ranked.sort_unstable();
        used.fill(0);
        for &(_, _, _, channel) in &ranked {
            while graph.limited_slots(channel).all(|slot| used[slot as usize] < graph.capacity(slot))
                && let Some(QueuedMessage { to_go, message, .. }) = queues[channel as usize].pop()
            {
                for slot in graph.limited_slots(channel) {
                    used[slot as usize] += 1;
                    left[slot as usize] -= 1;
                }
                let hop = routes.hop_range(message as usize).end - to_go as usize;
                step_of[hop] = step;
                if to_go > 1 {
                    arrived.push((message, hop + 1));
                }
            }
        }
        busy.retain(|&channel| !queues[channel as usize].is_empty());
        step += 1;
    }
}
