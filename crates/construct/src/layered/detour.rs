//! Whether a path is longer than it must be.

use lockstep_schedule::Schedule;
use lockstep_topology::{ChannelId, NodeId, Topology};

/// Whether some path of the schedule is no shortest one. Takes a search of the network as far as its longest path for
/// each sender of paths of several channels.
pub(super) fn has_detour(topology: &Topology, schedule: &Schedule) -> bool {
    let sender = |path: &[ChannelId]| path.first().map(|&channel| topology.tail(channel));
    let transfers = schedule.steps().flat_map(|(_, step)| step.iter());
    let mut long: Vec<&[ChannelId]> = transfers.map(|transfer| transfer.path).filter(|path| path.len() > 1).collect();
    long.sort_by_key(|path| sender(path));
    let mut search = Search { topology, distance: vec![u32::MAX; topology.node_count()], queue: Vec::new() };
    long.chunk_by(|a, b| sender(a) == sender(b)).any(|paths| {
        let longest = paths.iter().map(|path| path.len()).max().unwrap_or(0);
        search.near(topology.tail(paths[0][0]), longest as u32 - 1);
        let receiver = |path: &[ChannelId]| topology.head(path[path.len() - 1]);
        paths.iter().any(|path| search.distance[receiver(path).index()] < path.len() as u32)
    })
}

struct Search<'a> {
    topology: &'a Topology,
    /// `u32::MAX` for nodes that are farther than asked for.
    distance: Vec<u32>,
    queue: Vec<NodeId>,
}

impl Search<'_> {
    /// Finds the nodes up to so far from the source.
    fn near(&mut self, source: NodeId, limit: u32) {
        let Self { topology, distance, queue } = self;
        for node in queue.drain(..) {
            distance[node.index()] = u32::MAX;
        }
        distance[source.index()] = 0;
        queue.push(source);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            if distance[node.index()] == limit || node != source && !topology.routes(node) {
                continue;
            }
            for &channel in topology.out_channels(node) {
                let head = topology.head(channel);
                if distance[head.index()] == u32::MAX {
                    distance[head.index()] = distance[node.index()] + 1;
                    queue.push(head);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::strategy::scheduled_instance;
    use lockstep_schedule::{CommunicationModel, Problem, Routing, Violation, violations};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The judge of schedules knows detours, too.
        #[test]
        fn detours_are_those_that_the_judge_sees((instance, schedule) in scheduled_instance(9)) {
            let model = CommunicationModel { routing: Routing::Minimal, ..instance.model };
            let problem = Problem::new(&instance.topology, &instance.collective, model).unwrap();
            let found = violations(&problem, &schedule, usize::MAX);
            let is_detour = |violation: &Violation| matches!(violation, Violation::NotMinimal { .. });
            prop_assert_eq!(has_detour(&instance.topology, &schedule), found.iter().any(is_detour));
        }
    }
}
