//! Longer paths for messages that would otherwise overload a channel.

use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use super::path_dag::{Detours, PathDags};
use super::routes::MessageRouter;
use crate::kit::method_error::MethodError;
use crate::kit::request::MethodRequest;
use crate::kit::task::SchedulingTask;

/// Number of random walks per message in search of a slightly longer path.
const WALKS: usize = 8;

/// The number of additional channels of such a path.
const EXTRA_CHANNELS: u32 = 2;

/// Finds paths that are longer than a shortest one. Returns none in the first round if there are shortest paths that use no
/// resource more often than `goal` steps allow.
///
/// The congested messages are routed again, over any paths. The result has the longer paths that some messages take, and a
/// few random longer paths of each message.
///
/// # Errors
///
/// [`MethodError::Stopped`], if the budget ends.
pub(super) fn find_detours(
    task: &SchedulingTask<'_>,
    dags: &PathDags,
    goal: u32,
    request: &MethodRequest<'_>,
) -> Result<Detours, MethodError> {
    let (mut router, mut rng) = (MessageRouter::new(task, dags, goal), request.attempt_rng(request.attempts.start));
    router.reroute(request, &mut rng, MessageRouter::choose_shortest)?;
    let mut detours = Detours::new();
    if router.congested().is_empty() && request.attempts.start == 0 {
        return Ok(detours);
    }
    router.reroute(request, &mut rng, MessageRouter::choose_any)?;
    for (message, path) in (0..).zip(&router.path) {
        if path.len() > dags.distance(message) as usize {
            detours.insert((dags.pair(message), path.clone()));
        }
    }
    add_walks(task, dags, request, &mut rng, &mut detours)?;
    Ok(detours)
}

/// Adds random paths of each message that are slightly longer than a shortest one.
fn add_walks(
    task: &SchedulingTask<'_>,
    dags: &PathDags,
    request: &MethodRequest<'_>,
    rng: &mut impl Rng,
    detours: &mut Detours,
) -> Result<(), MethodError> {
    let mut by_receiver: Vec<u32> = (0..dags.message_count() as u32).collect();
    by_receiver.sort_by_key(|&message| dags.ends(message).1);
    let (mut distance, mut queue, mut path) = (Vec::new(), Vec::new(), Vec::new());
    for messages in by_receiver.chunk_by(|&a, &b| dags.ends(a).1 == dags.ends(b).1) {
        request.check_time()?;
        distances_to(task, dags.ends(messages[0]).1, &mut distance, &mut queue);
        for &message in messages {
            for _ in 0..WALKS {
                let limit = dags.distance(message) + EXTRA_CHANNELS;
                if random_path(task, dags.ends(message), &distance, limit, rng, &mut path)
                    && path.len() as u32 + EXTRA_CHANNELS > limit
                {
                    detours.insert((dags.pair(message), path.clone()));
                }
            }
        }
    }
    Ok(())
}

/// Computes the distance from every node to a target.
fn distances_to(task: &SchedulingTask<'_>, target: NodeId, distance: &mut Vec<u32>, queue: &mut Vec<NodeId>) {
    let topology = task.topology();
    distance.clear();
    distance.resize(topology.node_count(), u32::MAX);
    distance[target.index()] = 0;
    queue.clear();
    queue.push(target);
    let mut next = 0;
    while let Some(&node) = queue.get(next) {
        next += 1;
        if node != target && !topology.routes(node) {
            continue;
        }
        for &channel in topology.in_channels(node) {
            let tail = topology.tail(channel);
            if distance[tail.index()] == u32::MAX {
                distance[tail.index()] = distance[node.index()] + 1;
                queue.push(tail);
            }
        }
    }
}

/// Makes a random walk to the target without repeating a node, over at most `limit` channels; leaves it in `path`.
/// Returns false if the walk gets stuck.
fn random_path(
    task: &SchedulingTask<'_>,
    (source, target): (NodeId, NodeId),
    distance: &[u32],
    limit: u32,
    rng: &mut impl Rng,
    path: &mut Vec<ChannelId>,
) -> bool {
    let topology = task.topology();
    path.clear();
    let mut node = source;
    while node != target {
        let left = limit - path.len() as u32;
        let is_open = |channel: ChannelId| {
            let head = topology.head(channel);
            let is_new = head != source && path.iter().all(|&before| topology.head(before) != head);
            is_new && (head == target || topology.routes(head)) && distance[head.index()] < left
        };
        let open = topology.out_channels(node).iter().copied().filter(|&channel| is_open(channel));
        let Some(channel) = choose_uniformly(open, rng) else { return false };
        node = topology.head(channel);
        path.push(channel);
    }
    true
}

/// Returns a random item, each with the same probability.
fn choose_uniformly<T>(items: impl Iterator<Item = T>, rng: &mut impl Rng) -> Option<T> {
    items
        .enumerate()
        .fold(None, |chosen, (index, item)| if rng.random_range(0..=index) == 0 { Some(item) } else { chosen })
}
