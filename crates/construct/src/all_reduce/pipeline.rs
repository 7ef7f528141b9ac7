//! Blocks in a pipeline: each along its own trees, as early as the blocks before it allow.

use lockstep_schedule::Problem;
use rand::Rng;
use rand::seq::SliceRandom;

use super::route_table::RouteTable;
use super::transfers::{BlockTransfer, Transfers};
use super::trees::{NeighbourGraph, RootChoice, TreeGrowth};
use crate::kit::capacities::Capacities;
use crate::kit::reservation_table::ReservationTable;

/// Maximum number of members among which central roots are searched for.
const MAX_CENTRE_SEARCH: usize = 256;

/// Builds schedules block by block.
pub(super) struct Pipeline<'a> {
    capacities: &'a Capacities,
    routes: &'a RouteTable,
    /// Routes that lead towards a root, and away from it.
    graphs: [NeighbourGraph; 2],
    groups: Vec<Group>,
    /// The group of each block.
    group_of: Vec<u32>,
    terminals: usize,
}

/// The terminals that take part in the same blocks.
struct Group {
    is_member: Vec<bool>,
    members: Vec<u32>,
    /// The members with the smallest distance to and from the farthest member.
    centres: Vec<u32>,
}

impl<'a> Pipeline<'a> {
    /// Returns `None` if some terminal is unreachable over routes to neighbours.
    pub(super) fn new(problem: &Problem<'_>, capacities: &'a Capacities, routes: &'a RouteTable) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        let graphs = [true, false].map(|towards_root| NeighbourGraph::new(routes, terminals, towards_root));
        let rank = |node| topology.terminal_rank(node).expect("the ends of a message are terminals") as u32;
        let (mut groups, mut group_of, mut centre_searches) = (Vec::<Group>::new(), Vec::new(), 0);
        for message in messages.ids().step_by(messages.chunks() as usize) {
            let ends = [messages.source(message)].into_iter().chain(messages.receivers_iter(message));
            let mut members: Vec<u32> = ends.map(rank).collect();
            members.sort_unstable();
            if groups.last().is_some_and(|last| last.members == members) {
                group_of.extend(std::iter::repeat_n(groups.len() as u32 - 1, messages.chunks() as usize));
                continue;
            }
            let mut is_member = vec![false; terminals];
            for &rank in &members {
                is_member[rank as usize] = true;
            }
            let mut centres = Vec::new();
            if centre_searches < MAX_CENTRE_SEARCH {
                centre_searches += members.len();
                let eccentricity = |root: u32| {
                    let far = |graph: &NeighbourGraph| {
                        let distance = graph.distances(routes, root);
                        members.iter().map(|&rank| distance[rank as usize]).max()
                    };
                    graphs.iter().map(far).try_fold(0u64, |sum, far| Some(sum + u64::from(far?)))
                };
                let all: Vec<Option<u64>> =
                    members.iter().take(MAX_CENTRE_SEARCH).map(|&root| eccentricity(root)).collect();
                let least = all.iter().min().copied()?;
                centres = members.iter().zip(all).filter(|(_, far)| *far == least).map(|(&root, _)| root).collect();
            }
            groups.push(Group { is_member, members, centres });
            group_of.extend(std::iter::repeat_n(groups.len() as u32 - 1, messages.chunks() as usize));
        }
        Some(Self { capacities, routes, graphs, groups, group_of, terminals })
    }

    /// Returns an approximate number of transfers of a schedule.
    pub(super) fn transfer_count(&self) -> u64 {
        self.group_of.iter().map(|&group| 2 * self.groups[group as usize].members.len() as u64).sum()
    }

    /// Builds a schedule: grows the trees of every block, and places its transfers in the first free steps. `None` if some
    /// terminal is unreachable.
    pub(super) fn attempt(&mut self, choice: RootChoice, rng: &mut impl Rng) -> Option<Transfers> {
        let mut table = ReservationTable::new(self.capacities);
        let mut growth = TreeGrowth::new(self.routes, self.capacities, self.terminals);
        let (mut transfers, mut tree, mut ready) = (Vec::new(), Vec::new(), vec![0; self.terminals]);
        let mut blocks: Vec<u32> = (0..self.group_of.len() as u32).collect();
        blocks.shuffle(rng);
        let mut offset = rng.next_u32() as usize;
        for block in blocks {
            let group = &self.groups[self.group_of[block as usize] as usize];
            offset = offset.wrapping_add(1);
            let roots = if choice.is_central && !group.centres.is_empty() { &group.centres } else { &group.members };
            let root = roots[offset % roots.len()];
            ready.fill(0);
            for (graph, towards_root) in self.graphs.iter().zip([true, false]) {
                if !growth.grow(graph, root, &group.is_member, choice, &mut tree, rng) {
                    return None;
                }
                if towards_root {
                    // The farthest terminals send first.
                    tree.reverse();
                }
                for &route in &tree {
                    let [from, to] = self.routes.ends(route);
                    let slots = self.routes.slots(route);
                    let step = table.first_free(|| slots.iter().copied(), ready[from as usize]);
                    for &slot in slots {
                        table.reserve(step, slot);
                    }
                    ready[to as usize] = ready[to as usize].max(step + 1);
                    transfers.push(BlockTransfer { block, route, step });
                }
                if towards_root {
                    // From now on, only what comes from the root counts.
                    let complete = ready[root as usize];
                    ready.fill(0);
                    ready[root as usize] = complete;
                }
            }
        }
        Some(Transfers(transfers))
    }
}
