//! The flows of programs and the links that they cross, in flat arrays.

mod finder;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU64;

use lockstep_topology::{ChannelId, NodeId, Topology};
use rayon::prelude::*;
use tracing::instrument;

use self::finder::{Finder, Found};
use crate::error::SimulationError;
use crate::options::{Endpoints, SimulationOptions};
use crate::path::{PathFault, ends_of};
use crate::programs::{Event, Programs, TaskId};
use crate::routing::Routing;
use crate::search::{Neighbours, Search};

/// The most channels of all paths together, with one for each path.
pub(crate) const MAX_CROSSINGS: u64 = 1 << 28;

/// The flows of programs, numbered in the order of their sends, their parts, and what each part crosses.
///
/// Links are numbered: first the resources of the network, then the links into it, then those out of it.
pub(crate) struct Traffic {
    pub(crate) resource_count: usize,
    /// Number of links into the network, and of links out of it.
    pub(crate) access_count: usize,
    /// Who sends each flow.
    pub(crate) sender: Vec<u32>,
    /// Units of one part of each flow.
    pub(crate) part_size: Vec<f64>,
    /// Where the parts of each flow begin, and at the end their number.
    pub(crate) part_start: Vec<u32>,
    /// The flow and the path of each part.
    pub(crate) flow: Vec<u32>,
    path: Vec<u32>,
    /// Where each path begins in `links`, and at the end their number.
    path_start: Vec<u32>,
    links: Vec<u32>,
}

/// A flow whose path is to be found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    /// Rank of the terminal from which the search begins.
    root: u32,
    /// Place of the sender among what has links of its own, and of the receiver.
    from: u32,
    to: u32,
    flow: u32,
}

/// Where the tasks are.
struct Places<'a> {
    topology: &'a Topology,
    endpoints: Endpoints,
    tasks_per_terminal: u32,
}

impl Places<'_> {
    fn terminal(&self, task: u32) -> NodeId {
        self.topology.terminals()[(task / self.tasks_per_terminal) as usize]
    }

    /// What the tasks of one link into the network have in common; tasks of different terminals never have.
    fn access(&self, task: u32) -> u32 {
        match self.endpoints {
            Endpoints::Direct | Endpoints::TerminalLinks => task / self.tasks_per_terminal,
            Endpoints::TaskLinks => task,
        }
    }

    fn terminal_of_access(&self, access: u32) -> NodeId {
        match self.endpoints {
            Endpoints::Direct | Endpoints::TerminalLinks => self.topology.terminals()[access as usize],
            Endpoints::TaskLinks => self.terminal(access),
        }
    }

    fn access_count(&self, task_count: usize) -> usize {
        match self.endpoints {
            Endpoints::Direct => 0,
            Endpoints::TerminalLinks => self.topology.terminal_count(),
            Endpoints::TaskLinks => task_count,
        }
    }
}

impl Traffic {
    #[instrument(level = "debug", skip_all, fields(network = topology.name(), routing = %options.routing))]
    pub(crate) fn new(
        topology: &Topology,
        programs: &Programs,
        options: &SimulationOptions,
    ) -> Result<Self, SimulationError> {
        let tasks_per_terminal = options.tasks_per_terminal.get();
        let (tasks, terminals) = (programs.task_count(), topology.terminal_count());
        if tasks as u64 > terminals as u64 * u64::from(tasks_per_terminal) {
            return Err(SimulationError::TooManyTasks { tasks, terminals, tasks_per_terminal });
        }
        let places = Places { topology, endpoints: options.endpoints, tasks_per_terminal };
        let mut traffic = Self {
            resource_count: topology.resource_count(),
            access_count: places.access_count(tasks),
            sender: Vec::new(),
            part_size: Vec::new(),
            part_start: Vec::new(),
            flow: Vec::new(),
            path: Vec::new(),
            path_start: vec![0],
            links: Vec::new(),
        };
        // Of each flow the first path and the number of paths.
        let mut paths = Vec::new();
        let neighbours = Neighbours::new(topology);
        let tree_goes_back = options.routing == Routing::SpTree && neighbours.are_mutual();
        let mut requests = Vec::new();
        for (task, events) in programs.tasks.iter().enumerate() {
            let from = task as u32;
            for (place, event) in events.iter().enumerate() {
                let Event::Send { to, size, path, .. } = event else { continue };
                let to = to.number();
                traffic.sender.push(from);
                traffic.part_size.push(*size as f64);
                if path.is_empty() {
                    let [source, target] = [from, to].map(|task| task / tasks_per_terminal);
                    let root = if tree_goes_back { source.min(target) } else { source };
                    let [from, to] = [from, to].map(|task| places.access(task));
                    requests.push(Request { root, from, to, flow: paths.len() as u32 });
                    paths.push([0, 0]);
                } else {
                    traffic.add_given_path(&places, [from, to], path).map_err(|fault| SimulationError::Path {
                        task: TaskId::new(from),
                        event: place,
                        fault,
                    })?;
                    paths.push([traffic.path_start.len() as u32 - 2, 1]);
                }
            }
        }
        requests.sort_unstable();
        traffic.route(&places, &neighbours, tree_goes_back, options, &requests, &mut paths)?;
        traffic.divide(&paths)?;
        Ok(traffic)
    }

    fn add_given_path(&mut self, places: &Places<'_>, tasks: [u32; 2], path: &[ChannelId]) -> Result<(), PathFault> {
        let (found, terminals) = (ends_of(places.topology, path)?, tasks.map(|task| places.terminal(task)));
        if found != terminals {
            return Err(PathFault::Ends { found, tasks: terminals });
        }
        let ends = tasks.map(|task| places.access(task));
        push_links(places.topology, self.access_count, ends, path, &mut self.links);
        self.path_start.push(self.links.len() as u32);
        Ok(())
    }

    /// Finds the paths of all requests, one search a root, shared among the threads of the current rayon pool.
    fn route(
        &mut self,
        places: &Places<'_>,
        neighbours: &Neighbours<'_>,
        tree_goes_back: bool,
        options: &SimulationOptions,
        requests: &[Request],
        paths: &mut [[u32; 2]],
    ) -> Result<(), SimulationError> {
        let of_one_root: Vec<&[Request]> = requests.chunk_by(|one, next| one.root == next.root).collect();
        let crossings = AtomicU64::new((self.links.len() + self.path_start.len()) as u64);
        let finder = Finder { places, access_count: self.access_count, options, tree_goes_back, crossings: &crossings };
        let found: Vec<Result<Found, SimulationError>> = of_one_root
            .par_iter()
            .map_init(|| Search::new(neighbours), |search, requests| finder.find(search, requests))
            .collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        check_size(crossings.into_inner())?;
        for (requests, found) in of_one_root.into_iter().zip(found) {
            let (first_link, mut first_path) = (self.links.len() as u32, self.path_start.len() as u32 - 1);
            self.links.extend(found.links);
            self.path_start.extend(found.path_end.into_iter().map(|end| first_link + end));
            for (pair, count) in of_one_pair(requests).zip(found.counts) {
                for (place, request) in (0..).zip(pair) {
                    paths[request.flow as usize] = match options.routing {
                        Routing::EcmpSplit => [first_path, count],
                        _ => [first_path + place % count, 1],
                    };
                }
                first_path += count;
            }
        }
        Ok(())
    }

    /// Cuts flows into a part for each of their paths.
    fn divide(&mut self, paths: &[[u32; 2]]) -> Result<(), SimulationError> {
        let parts: u64 = paths.iter().map(|[_, count]| u64::from(*count)).sum();
        check_size(parts)?;
        self.part_start.reserve_exact(paths.len() + 1);
        self.flow.reserve_exact(parts as usize);
        self.path.reserve_exact(parts as usize);
        self.part_start.push(0);
        for (flow, (&[first, count], size)) in paths.iter().zip(&mut self.part_size).enumerate() {
            *size /= f64::from(count);
            self.flow.extend(std::iter::repeat_n(flow as u32, count as usize));
            self.path.extend(first..first + count);
            self.part_start.push(self.path.len() as u32);
        }
        Ok(())
    }

    pub(crate) fn flow_count(&self) -> usize {
        self.sender.len()
    }

    pub(crate) fn part_count(&self) -> usize {
        self.path.len()
    }

    pub(crate) fn link_count(&self) -> usize {
        self.resource_count + 2 * self.access_count
    }

    /// The links that a part crosses.
    #[inline]
    pub(crate) fn links(&self, part: u32) -> &[u32] {
        let path = self.path[part as usize] as usize;
        &self.links[self.path_start[path] as usize..self.path_start[path + 1] as usize]
    }

    pub(crate) fn parts(&self, flow: u32) -> std::ops::Range<u32> {
        self.part_start[flow as usize]..self.part_start[flow as usize + 1]
    }

    /// Units that each link carries until all flows have arrived.
    pub(crate) fn loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.link_count()];
        for (part, &flow) in (0..).zip(&self.flow) {
            for &link in self.links(part) {
                loads[link as usize] += self.part_size[flow as usize];
            }
        }
        loads
    }
}

/// Requests that share both ends.
fn of_one_pair(requests: &[Request]) -> impl Iterator<Item = &[Request]> {
    requests.chunk_by(|one, next| (one.from, one.to) == (next.from, next.to))
}

fn check_size(crossings: u64) -> Result<(), SimulationError> {
    if crossings > MAX_CROSSINGS { Err(SimulationError::TooLarge { crossings }) } else { Ok(()) }
}

/// Adds the links of a path between two places.
fn push_links(topology: &Topology, access_count: usize, ends: [u32; 2], path: &[ChannelId], links: &mut Vec<u32>) {
    let [into, out] = [0, access_count].map(|before| (topology.resource_count() + before) as u32);
    if access_count > 0 {
        links.push(into + ends[0]);
    }
    links.extend(path.iter().map(|&channel| topology.resource(channel).number()));
    if access_count > 0 {
        links.push(out + ends[1]);
    }
}
