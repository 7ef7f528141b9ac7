//! The flows of programs and the links of their paths.

mod path_finder;
mod path_request;
mod task_placement;
#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicU64;

use lockstep_topology::{ChannelId, Topology};
use rayon::prelude::*;
use tracing::instrument;

use self::path_finder::{FoundPaths, PathFinder};
use self::path_request::{PathRequest, by_pair};
use self::task_placement::{TaskPlacement, append_links};
use crate::error::SimulationError;
use crate::limits::MAX_CROSSINGS;
use crate::options::SimulationOptions;
use crate::path_fault::{PathFault, ends_of};
use crate::programs::{Event, Programs, TaskId};
use crate::routing::Routing;
use crate::shortest_path_search::{ShortestPathSearch, SortedChannels};

/// Maximum number of searches that estimate the size of all paths.
const MAX_SAMPLE: usize = 16;

/// The flows of programs, their subflows, and the links of each subflow, in flat arrays.
///
/// Flows are numbered in the order of their sends. A flow has one subflow per path. Links are numbered: resources of
/// the network, injection links, ejection links.
pub(crate) struct RoutedFlows {
    pub(crate) resource_count: usize,
    /// Number of injection links, which is the number of ejection links.
    pub(crate) access_count: usize,
    /// The sender of each flow.
    pub(crate) sender: Vec<u32>,
    /// Size of each subflow of a flow, in units.
    pub(crate) subflow_size: Vec<f64>,
    /// Index of the first subflow of each flow, followed by the number of subflows.
    pub(crate) subflow_start: Vec<u32>,
    /// The flow of each subflow.
    pub(crate) flow: Vec<u32>,
    /// The path of each subflow.
    path: Vec<u32>,
    /// Index of the first link of each path in `links`, followed by the number of links.
    path_start: Vec<u32>,
    links: Vec<u32>,
    /// Capacity of each link, in capacities of a channel of capacity 1.
    link_capacity: Vec<f64>,
    /// Latency of each link in picoseconds; empty if there is none.
    link_latency: Vec<u64>,
}

impl RoutedFlows {
    /// Places the tasks and finds all paths.
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
        let placement = TaskPlacement { topology, endpoints: options.endpoints, tasks_per_terminal };
        let mut routed = Self {
            resource_count: topology.resource_count(),
            access_count: placement.access_count(tasks),
            sender: Vec::new(),
            subflow_size: Vec::new(),
            subflow_start: Vec::new(),
            flow: Vec::new(),
            path: Vec::new(),
            path_start: vec![0],
            links: Vec::new(),
            link_capacity: Vec::new(),
            link_latency: latencies(topology),
        };
        routed.link_capacity = capacities(topology, routed.link_count());
        // The first path of each flow, and its number of paths.
        let mut paths = Vec::new();
        let sorted_channels = SortedChannels::new(topology);
        let tree_is_symmetric = options.routing == Routing::SpTree && sorted_channels.are_symmetric();
        let mut requests = Vec::new();
        for (task, events) in programs.tasks.iter().enumerate() {
            let from = task as u32;
            for (place, event) in events.iter().enumerate() {
                let Event::Send { to, size, path, .. } = event else { continue };
                let to = to.number();
                routed.sender.push(from);
                routed.subflow_size.push(*size as f64);
                if path.is_empty() {
                    let [source, target] = [from, to].map(|task| task / tasks_per_terminal);
                    let root = if tree_is_symmetric { source.min(target) } else { source };
                    let [from, to] = [from, to].map(|task| placement.access(task));
                    requests.push(PathRequest { root, from, to, flow: paths.len() as u32 });
                    paths.push([0, 0]);
                } else {
                    routed.add_given_path(&placement, [from, to], path).map_err(|fault| SimulationError::Path {
                        task: TaskId::new(from),
                        event: place,
                        fault,
                    })?;
                    paths.push([routed.path_start.len() as u32 - 2, 1]);
                }
            }
        }
        requests.sort_unstable();
        routed.route(&placement, &sorted_channels, tree_is_symmetric, options, &requests, &mut paths)?;
        routed.split_flows(&paths)?;
        Ok(routed)
    }

    /// Adds a path that the program gives.
    fn add_given_path(
        &mut self,
        placement: &TaskPlacement<'_>,
        tasks: [u32; 2],
        path: &[ChannelId],
    ) -> Result<(), PathFault> {
        let (found, terminals) = (ends_of(placement.topology, path)?, tasks.map(|task| placement.terminal(task)));
        if found != terminals {
            return Err(PathFault::Ends { found, tasks: terminals });
        }
        let ends = tasks.map(|task| placement.access(task));
        append_links(placement.topology, self.access_count, ends, path, &mut self.links);
        self.path_start.push(self.links.len() as u32);
        Ok(())
    }

    /// Finds the paths of all requests, with one parallel search per root.
    fn route(
        &mut self,
        placement: &TaskPlacement<'_>,
        sorted_channels: &SortedChannels<'_>,
        tree_is_symmetric: bool,
        options: &SimulationOptions,
        requests: &[PathRequest],
        paths: &mut [[u32; 2]],
    ) -> Result<(), SimulationError> {
        let by_root: Vec<&[PathRequest]> = requests.chunk_by(|one, next| one.root == next.root).collect();
        let given = (self.links.len() + self.path_start.len()) as u64;
        let crossings = AtomicU64::new(given);
        let finder = PathFinder {
            placement,
            access_count: self.access_count,
            options,
            tree_is_symmetric,
            crossings: &crossings,
        };
        check_before_routing(&finder, sorted_channels, &by_root, given)?;
        let found: Vec<Result<FoundPaths, SimulationError>> = by_root
            .par_iter()
            .map_init(|| ShortestPathSearch::new(sorted_channels), |search, requests| finder.find(search, requests))
            .collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        check_size(crossings.into_inner())?;
        for (requests, found) in by_root.into_iter().zip(found) {
            let (first_link, mut first_path) = (self.links.len() as u32, self.path_start.len() as u32 - 1);
            self.links.extend(found.links);
            self.path_start.extend(found.path_end.into_iter().map(|end| first_link + end));
            for (pair, count) in by_pair(requests).zip(found.counts) {
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

    /// Splits flows into one subflow per path.
    fn split_flows(&mut self, paths: &[[u32; 2]]) -> Result<(), SimulationError> {
        let subflows: u64 = paths.iter().map(|[_, count]| u64::from(*count)).sum();
        check_size(subflows)?;
        self.subflow_start.reserve_exact(paths.len() + 1);
        self.flow.reserve_exact(subflows as usize);
        self.path.reserve_exact(subflows as usize);
        self.subflow_start.push(0);
        for (flow, (&[first, count], size)) in paths.iter().zip(&mut self.subflow_size).enumerate() {
            *size /= f64::from(count);
            self.flow.extend(std::iter::repeat_n(flow as u32, count as usize));
            self.path.extend(first..first + count);
            self.subflow_start.push(self.path.len() as u32);
        }
        Ok(())
    }

    pub(crate) fn flow_count(&self) -> usize {
        self.sender.len()
    }

    pub(crate) fn subflow_count(&self) -> usize {
        self.path.len()
    }

    pub(crate) fn link_count(&self) -> usize {
        self.resource_count + 2 * self.access_count
    }

    /// Returns the links of a subflow.
    #[inline]
    pub(crate) fn links(&self, subflow: u32) -> &[u32] {
        let path = self.path[subflow as usize] as usize;
        &self.links[self.path_start[path] as usize..self.path_start[path + 1] as usize]
    }

    /// Returns the size of a subflow, in units.
    pub(crate) fn size(&self, subflow: u32) -> f64 {
        self.subflow_size[self.flow[subflow as usize] as usize]
    }

    /// Returns true if some link has a latency.
    pub(crate) fn has_latencies(&self) -> bool {
        !self.link_latency.is_empty()
    }

    /// Returns the subflows of a flow.
    pub(crate) fn subflows(&self, flow: u32) -> std::ops::Range<u32> {
        self.subflow_start[flow as usize]..self.subflow_start[flow as usize + 1]
    }

    /// Returns the capacity of a link, in capacities of a channel of capacity 1.
    #[inline]
    pub(crate) fn link_capacity(&self, link: u32) -> f64 {
        self.link_capacity[link as usize]
    }

    /// Returns the sum of the latencies of the links of a subflow, in picoseconds.
    pub(crate) fn latency_ps(&self, subflow: u32) -> u64 {
        if self.link_latency.is_empty() {
            return 0;
        }
        self.links(subflow).iter().filter_map(|&link| self.link_latency.get(link as usize)).sum()
    }

    /// Returns the number of units that each link carries in total.
    pub(crate) fn loads(&self) -> Vec<f64> {
        let mut loads = vec![0.0; self.link_count()];
        for (subflow, &flow) in (0..).zip(&self.flow) {
            for &link in self.links(subflow) {
                loads[link as usize] += self.subflow_size[flow as usize];
            }
        }
        loads
    }
}

/// Returns the capacity of each of `links` links. Links between tasks and the network are as wide as the widest channel.
fn capacities(topology: &Topology, links: usize) -> Vec<f64> {
    let mut capacities = vec![0.0f64; topology.resource_count()];
    let mut widest = 1.0f64;
    for channel in topology.channels() {
        let capacity = f64::from(topology.capacity(channel));
        capacities[topology.resource(channel).index()] = capacity;
        widest = widest.max(capacity);
    }
    capacities.resize(links, widest);
    capacities
}

/// Returns the latency of each resource in picoseconds; none if all are 0.
fn latencies(topology: &Topology) -> Vec<u64> {
    if !topology.has_latencies() {
        return Vec::new();
    }
    let mut latencies = vec![0; topology.resource_count()];
    for channel in topology.channels() {
        let latency: &mut u64 = &mut latencies[topology.resource(channel).index()];
        *latency = (*latency).max(topology.latency_ps(channel));
    }
    latencies
}

/// Counts the channels of all paths before any path is stored, if a sample of the searches suggests that they are too many.
/// `given` channels are in paths that the programs give.
fn check_before_routing(
    finder: &PathFinder<'_>,
    sorted_channels: &SortedChannels<'_>,
    by_root: &[&[PathRequest]],
    given: u64,
) -> Result<(), SimulationError> {
    let count = |every: usize| {
        let roots = by_root.par_iter().step_by(every);
        let crossings = roots.map_init(
            || ShortestPathSearch::new(sorted_channels),
            |search, requests| finder.crossings(search, requests),
        );
        crossings.try_reduce(|| 0, |one, other| Ok(one + other))
    };
    let every = by_root.len().div_ceil(MAX_SAMPLE).max(1);
    let is_suspect = |crossings: u64| crossings.saturating_mul(every as u64) > MAX_CROSSINGS / 2;
    // The search of all paths reports unreachable terminals in order.
    match count(every).map(is_suspect) {
        Ok(true) => count(1).map_or(Ok(()), |crossings| check_size(given + crossings)),
        Ok(false) | Err(_) => Ok(()),
    }
}

/// Verifies that the paths fit into memory.
fn check_size(crossings: u64) -> Result<(), SimulationError> {
    if crossings > MAX_CROSSINGS { Err(SimulationError::TooLarge { crossings }) } else { Ok(()) }
}
