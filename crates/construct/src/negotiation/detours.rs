//! Longer paths, which avoid busy channels and buses.

use std::collections::BTreeSet;

use lockstep_model::{Routes, Slots};
use lockstep_schedule::{Routing, Switching};
use lockstep_topology::{ChannelId, NodeId, ResourceId};

use super::neighbour_routes::MAX_PARALLEL;
use crate::kit::task::SchedulingTask;

/// Maximum number of nodes.
const MAX_NODES: usize = 32;

/// Maximum number of paths that are extended from one terminal.
const MAX_EXTENDED: usize = 1 << 12;

/// Adds legal paths between terminals, the shortest ones first, that do not use all resources of a shorter one. `None` if there
/// are none, in large networks, and unless the model allows longer paths.
pub(crate) fn add_detours(routes: &mut Routes, task: &SchedulingTask<'_>, slots: &Slots) -> Option<()> {
    let (topology, model) = (task.topology(), task.model());
    let has_detours = model.switching == Switching::Wormhole && model.routing == Routing::Any;
    if !has_detours || topology.node_count() > MAX_NODES {
        return None;
    }
    let before = routes.len();
    let known: BTreeSet<Vec<ChannelId>> = (0..before as u32).map(|route| routes.path(route).to_vec()).collect();
    for &source in topology.terminals() {
        for path in detours_from(task, source) {
            if !known.contains(&path) {
                routes.push(slots, &path);
            }
        }
    }
    (routes.len() > before).then_some(())
}

/// Returns paths from a terminal to others, breadth first.
fn detours_from(task: &SchedulingTask<'_>, source: NodeId) -> Vec<Vec<ChannelId>> {
    let topology = task.topology();
    // By node: the resources of the paths to it.
    let mut used: Vec<Vec<Vec<ResourceId>>> = vec![Vec::new(); topology.node_count()];
    let (mut queue, mut next) = (vec![Vec::new()], 0);
    let mut complete = Vec::new();
    while let Some(path) = queue.get(next).cloned() {
        next += 1;
        let node = path.last().map_or(source, |&channel| topology.head(channel));
        if node != source && !task.crosses(node) {
            continue;
        }
        for &channel in topology.out_channels(node) {
            let head = topology.head(channel);
            let mut resources: Vec<ResourceId> = path.iter().map(|&channel| topology.resource(channel)).collect();
            let is_visited = head == source || path.iter().any(|&before| topology.head(before) == head);
            if is_visited || resources.contains(&topology.resource(channel)) || used[head.index()].len() >= MAX_PARALLEL
            {
                continue;
            }
            resources.push(topology.resource(channel));
            let has_all = |other: &Vec<ResourceId>| other.iter().all(|resource| resources.contains(resource));
            if used[head.index()].iter().any(has_all) {
                continue;
            }
            used[head.index()].push(resources);
            let longer = [&path[..], &[channel]].concat();
            if topology.is_terminal(head) {
                complete.push(longer.clone());
            }
            if queue.len() < MAX_EXTENDED {
                queue.push(longer);
            }
        }
    }
    complete
}
