//! Paths of several channels without counts of ports or capacities: a fast path that only decides whether there is a violation.

use super::case::ScheduleCase;
use crate::model::{Ports, Switching};
use crate::schedule::Step;

/// The channels of a network, with all facts about them that the rules of a path need, in one place each.
///
/// Memory: 16 bytes per channel.
pub(super) struct PlainLinks {
    links: Vec<PlainLink>,
    node_count: usize,
    resource_count: usize,
    /// Whether a path may have several channels.
    is_wormhole: bool,
}

#[derive(Clone, Copy)]
struct PlainLink {
    tail: u32,
    head: u32,
    /// [`UNUSABLE`] if the channel has failed.
    resource: u32,
    /// Whether a path may begin, go on and end here: [`BEGINS`], [`GOES_ON`], [`ENDS`].
    flags: u32,
}

/// The resource of a channel that no path may use.
const UNUSABLE: u32 = u32::MAX;

/// The tail of the channel is a terminal.
const BEGINS: u32 = 1;

/// The head of the channel routes.
const GOES_ON: u32 = 2;

/// The head of the channel is a terminal.
const ENDS: u32 = 4;

impl PlainLinks {
    /// `None` if ports or capacities must be counted, if every path is one channel, or if there are fewer transfers than
    /// channels.
    pub(super) fn new(case: &ScheduleCase<'_>) -> Option<Self> {
        let is_worth =
            !case.schedule.has_only_hops() && case.schedule.transfer_count() >= case.topology.channel_bound();
        is_worth.then(|| Self::of(case))?
    }

    /// `None` if ports or capacities must be counted.
    fn of(case: &ScheduleCase<'_>) -> Option<Self> {
        let topology = case.topology;
        let is_plain =
            case.problem.model().ports == Ports::All && !topology.has_capacities() && case.schedule.widths().is_empty();
        let link = |channel| {
            let (tail, head) = (topology.tail(channel), topology.head(channel));
            let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
            PlainLink {
                tail: tail.number(),
                head: head.number(),
                resource: if topology.is_working(channel) { topology.resource(channel).number() } else { UNUSABLE },
                flags: flag(topology.is_terminal(tail), BEGINS)
                    | flag(topology.routes(head), GOES_ON)
                    | flag(topology.is_terminal(head), ENDS),
            }
        };
        is_plain.then(|| Self {
            links: topology.channel_numbers().map(link).collect(),
            node_count: topology.node_count(),
            resource_count: topology.resource_count(),
            is_wormhole: case.problem.model().switching == Switching::Wormhole,
        })
    }
}

/// The resources that a step uses, and the nodes that a path visits. Stamps count from 1, so that nothing is cleared; there
/// are fewer than 2^32 transfers.
pub(super) struct PathUse<'l> {
    network: &'l PlainLinks,
    /// By resource: the last step that used it.
    busy: Vec<u32>,
    /// By node: the last transfer whose path visited it.
    visited: Vec<u32>,
    step: u32,
    transfer: u32,
}

impl<'l> PathUse<'l> {
    pub(super) fn new(network: &'l PlainLinks) -> Self {
        Self {
            network,
            busy: vec![0; network.resource_count],
            visited: vec![0; network.node_count],
            step: 0,
            transfer: 0,
        }
    }

    /// Returns true only if the step breaks none of the rules 1 (without minimal routing), 3 and 4.
    pub(super) fn is_valid(&mut self, step: Step<'_>) -> bool {
        let Self { network, busy, visited, step: stamp, transfer } = self;
        *stamp += 1;
        step.iter().all(|sent| {
            *transfer += 1;
            let Some(first) = sent.path.first().and_then(|channel| network.links.get(channel.index())) else {
                return false;
            };
            if first.flags & BEGINS == 0 || (sent.path.len() > 1 && !network.is_wormhole) {
                return false;
            }
            visited[first.tail as usize] = *transfer;
            let (mut node, mut flags) = (first.tail, GOES_ON);
            for channel in sent.path {
                let Some(&link) = network.links.get(channel.index()) else { return false };
                let is_next = link.tail == node && flags & GOES_ON != 0 && link.resource != UNUSABLE;
                if !is_next
                    || std::mem::replace(&mut busy[link.resource as usize], *stamp) == *stamp
                    || std::mem::replace(&mut visited[link.head as usize], *transfer) == *transfer
                {
                    return false;
                }
                (node, flags) = (link.head, link.flags);
            }
            flags & ENDS != 0
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy::spoiled_instance;
    use crate::verify::network::verify_steps;

    proptest! {
        #![proptest_config(lockstep_topology::strategy::cases(250))]

        /// The fast path accepts exactly the steps in which the rules, one after the other, find no violation.
        #[test]
        fn the_fast_path_agrees_with_the_rules((instance, schedule) in spoiled_instance(8)) {
            let problem = instance.problem();
            let case = ScheduleCase::new(&problem, &schedule, None);
            let Some(links) = PlainLinks::of(&case) else { return Ok(()) };
            let mut paths = PathUse::new(&links);
            for step in 0..schedule.step_count() {
                let found = verify_steps(&case, None, step..step + 1, usize::MAX).into_list();
                prop_assert_eq!(paths.is_valid(schedule.step(step)), found.is_empty(), "step {}: {:?}", step, found);
            }
        }
    }
}
