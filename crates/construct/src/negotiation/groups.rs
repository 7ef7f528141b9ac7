//! The blocks in which the same terminals take part.

use lockstep_schedule::{Pattern, Problem};

use super::neighbour_graph::NeighbourGraph;
use lockstep_model::Routes;

/// Maximum number of routes that the searches for centres look at, over all groups: all terminals of 2,048 with four links each, or of
/// 256 with a route between any two.
const MAX_ROUTES: usize = 1 << 24;

/// The terminals that take part in the same blocks.
pub(crate) struct Group {
    /// The source of a message; `None` for an all-reduce, whose blocks have a root of the planner's choice.
    pub(crate) source: Option<u32>,
    /// Whether each message takes one transfer.
    pub(crate) is_direct: bool,
    pub(crate) is_member: Vec<bool>,
    pub(crate) members: Vec<u32>,
    /// The number of transfers from the farthest member and to the farthest member, by terminal; empty for a message
    /// with a source, and if too many terminals had to be searched.
    pub(crate) eccentricity: Vec<[u32; 2]>,
    /// The terminals with the smallest sum of both; some only pass sums on.
    pub(crate) centres: Vec<u32>,
    /// By terminal: the number of transfers to the nearest centre; 0 if the centres are not known.
    pub(crate) depth: Vec<u32>,
}

/// The groups of all blocks, and the routes by which they are joined.
pub(crate) struct Groups {
    /// Routes that lead towards a root, and away from it.
    pub(crate) graphs: [NeighbourGraph; 2],
    all: Vec<Group>,
    /// The group of each block.
    group_of: Vec<u32>,
}

impl Groups {
    /// Returns `None` if some terminal is unreachable over routes to neighbours.
    pub(crate) fn new(problem: &Problem<'_>, routes: &Routes) -> Option<Self> {
        let (topology, messages) = (problem.topology(), problem.messages());
        let terminals = topology.terminal_count();
        let graphs = [true, false].map(|towards_root| NeighbourGraph::new(routes, terminals, towards_root));
        let has_source = problem.collective().pattern() != Pattern::ReduceBroadcast;
        let is_direct = problem.model().is_direct() && messages.is_scatter();
        let rank = |node| topology.terminal_rank(node).expect("the ends of a message are terminals") as u32;
        let (mut groups, mut group_of, mut left) = (Vec::<Group>::new(), Vec::new(), MAX_ROUTES);
        for message in messages.ids().step_by(messages.chunks() as usize) {
            let ends = [messages.source(message)].into_iter().chain(messages.receivers_iter(message));
            let mut members: Vec<u32> = ends.map(rank).collect();
            let source = has_source.then_some(members[0]);
            members.sort_unstable();
            if groups.last().is_none_or(|last| last.members != members || last.source != source) {
                let mut is_member = vec![false; terminals];
                for &rank in &members {
                    is_member[rank as usize] = true;
                }
                let mut group = Group {
                    source,
                    is_direct,
                    is_member,
                    members,
                    eccentricity: Vec::new(),
                    centres: Vec::new(),
                    depth: vec![0; terminals],
                };
                if let Some(source) = source {
                    group.check_reach(&graphs[1], routes, source)?;
                } else {
                    let roots = terminals.min(left / routes.len().max(1));
                    left -= roots * routes.len();
                    if roots > 0 {
                        group.search_centres(&graphs, routes, roots)?;
                    }
                }
                groups.push(group);
            }
            group_of.extend(std::iter::repeat_n(groups.len() as u32 - 1, messages.chunks() as usize));
        }
        Some(Self { graphs, all: groups, group_of })
    }

    pub(crate) fn block_count(&self) -> usize {
        self.group_of.len()
    }

    pub(crate) fn terminal_count(&self) -> usize {
        self.graphs[0].terminal_count()
    }

    pub(crate) fn of_block(&self, block: u32) -> &Group {
        &self.all[self.group_of[block as usize] as usize]
    }

    /// Returns `route` and a route back, over which two members of a group can exchange their sums. `None` if an end of
    /// `route` is not a member, or no route leads back.
    pub(crate) fn routes_of_exchange(&self, routes: &Routes, group: &Group, route: u32) -> Option<[u32; 2]> {
        let [from, to] = routes.ends(route);
        let mut back = self.graphs[1].routes_at(to).iter().filter(|&&back| routes.ends(back)[1] == from);
        let are_members = [from, to].iter().all(|&end| group.is_member[end as usize]);
        are_members.then_some([route, *back.next()?])
    }

    /// Returns an approximate number of transfers of a schedule.
    pub(crate) fn transfer_count(&self) -> u64 {
        self.group_of.iter().map(|&group| 2 * self.all[group as usize].members.len() as u64).sum()
    }
}

impl Group {
    /// `None` if some member is out of reach.
    fn check_reach(&self, from_source: &NeighbourGraph, routes: &Routes, source: u32) -> Option<()> {
        let distance = from_source.distances(routes, source);
        let farthest = if self.is_direct { 1 } else { u32::MAX - 1 };
        self.members.iter().all(|&rank| distance[rank as usize] <= farthest).then_some(())
    }

    /// Searches the first terminals for centres. `None` if some member is out of reach.
    fn search_centres(&mut self, graphs: &[NeighbourGraph; 2], routes: &Routes, roots: usize) -> Option<()> {
        for root in 0..roots as u32 {
            self.eccentricity.push(graphs.each_ref().map(|graph| {
                let distance = graph.distances(routes, root);
                self.members.iter().map(|&rank| distance[rank as usize]).max().unwrap_or(0)
            }));
        }
        let sums = || self.eccentricity.iter().map(|&[from, to]| from.checked_add(to));
        let least = sums().flatten().min()?;
        self.centres = (0..).zip(sums()).filter(|&(_, sum)| sum == Some(least)).map(|(root, _)| root).collect();
        self.depth.fill(u32::MAX);
        for &centre in &self.centres {
            let distances = graphs[0].distances(routes, centre);
            self.depth.iter_mut().zip(distances).for_each(|(depth, distance)| *depth = distance.min(*depth));
        }
        Some(())
    }
}
