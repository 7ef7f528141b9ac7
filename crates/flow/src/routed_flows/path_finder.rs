//! Paths for flows without a given path.

use std::sync::atomic::{AtomicU64, Ordering};

use lockstep_topology::{ChannelId, NodeId};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::path_request::{PathRequest, by_pair};
use super::task_placement::{TaskPlacement, append_links};
use crate::error::SimulationError;
use crate::limits::{MAX_CROSSINGS, MAX_PATHS};
use crate::options::SimulationOptions;
use crate::routing::Routing;
use crate::shortest_path_search::ShortestPathSearch;

/// The paths of the requests with one root.
#[derive(Default)]
pub(super) struct FoundPaths {
    /// Number of paths per pair of sender and receiver.
    pub(super) counts: Vec<u32>,
    /// Index after the last link of each path in `links`.
    pub(super) path_end: Vec<u32>,
    pub(super) links: Vec<u32>,
}

/// Finds the paths of the requests with one root.
pub(super) struct PathFinder<'a> {
    pub(super) placement: &'a TaskPlacement<'a>,
    pub(super) access_count: usize,
    pub(super) options: &'a SimulationOptions,
    pub(super) tree_is_symmetric: bool,
    /// Number of channels of all paths found so far, counting each path as one more.
    pub(super) crossings: &'a AtomicU64,
}

impl PathFinder<'_> {
    /// Returns the number of channels of all paths of the requests, which have the same root. Counts each path as three
    /// channels more, and stores none.
    pub(super) fn crossings(
        &self,
        search: &mut ShortestPathSearch<'_>,
        requests: &[PathRequest],
    ) -> Result<u64, SimulationError> {
        Ok(self.count(search, requests)?.1)
    }

    /// Searches from the root of the requests. Returns the number of paths per pair, and the number of their channels.
    fn count(
        &self,
        search: &mut ShortestPathSearch<'_>,
        requests: &[PathRequest],
    ) -> Result<(Vec<u32>, u64), SimulationError> {
        let Some(first) = requests.first() else { return Ok((Vec::new(), 0)) };
        let topology = self.placement.topology;
        let root = topology.terminals()[first.root as usize];
        let far_end = |pair: &[PathRequest]| {
            let [from, to] = [pair[0].from, pair[0].to].map(|access| self.placement.terminal_of_access(access));
            if from == root { to } else { from }
        };
        search.run(root, by_pair(requests).map(far_end));
        let (mut counts, mut crossings) = (Vec::new(), 0);
        for pair in by_pair(requests) {
            let far = far_end(pair);
            let Some(length) = search.distance(far) else {
                let ends = [pair[0].from, pair[0].to].map(|access| self.placement.terminal_of_access(access));
                let [from, to] = ends.map(|node| topology.node_name(node).to_owned());
                return Err(SimulationError::Unreachable { from, to });
            };
            let count = match self.options.routing {
                Routing::SpTree | Routing::SpRandom => 1,
                Routing::EcmpRandom => pair.len(),
                Routing::EcmpRoundRobin => search.count_up_to(far, MAX_PATHS).min(pair.len()),
                Routing::EcmpSplit => search.count_up_to(far, MAX_PATHS),
            };
            counts.push(count as u32);
            crossings += count as u64 * (u64::from(length) + 3);
        }
        Ok((counts, crossings))
    }

    /// Finds the paths of requests that have the same root.
    pub(super) fn find(
        &self,
        search: &mut ShortestPathSearch<'_>,
        requests: &[PathRequest],
    ) -> Result<FoundPaths, SimulationError> {
        let (counts, crossings) = self.count(search, requests)?;
        let Some(first) = requests.first() else { return Ok(FoundPaths::default()) };
        let topology = self.placement.topology;
        let root = topology.terminals()[first.root as usize];
        let mut found = FoundPaths { counts, ..FoundPaths::default() };
        // Past the limit, searches continue, so that the sum does not depend on the order of threads. No path is kept.
        if self.crossings.fetch_add(crossings, Ordering::Relaxed) + crossings > MAX_CROSSINGS {
            return Ok(FoundPaths::default());
        }
        let (mut path, mut kept) = (Vec::new(), Vec::new());
        for (pair, &count) in by_pair(requests).zip(&found.counts) {
            let ends = [pair[0].from, pair[0].to];
            let [from, to] = ends.map(|access| self.placement.terminal_of_access(access));
            let mut random = pair_stream(self.options.seed, from, to);
            let mut add = |path: &[ChannelId]| {
                append_links(topology, self.access_count, ends, path, &mut found.links);
                found.path_end.push(found.links.len() as u32);
            };
            match self.options.routing {
                Routing::SpTree if self.tree_is_symmetric && to == root => {
                    search.tree_path_back(from, &mut path);
                    add(&path);
                }
                Routing::SpTree => {
                    search.tree_path(to, &mut path);
                    add(&path);
                }
                Routing::SpRandom | Routing::EcmpRandom => {
                    for _ in 0..count {
                        search.random_path(to, &mut random, &mut path);
                        add(&path);
                    }
                }
                Routing::EcmpRoundRobin | Routing::EcmpSplit if search.count_up_to(to, MAX_PATHS + 1) <= MAX_PATHS => {
                    for place in 0..count {
                        search.path_at(to, place.into(), &mut path);
                        add(&path);
                    }
                }
                Routing::EcmpRoundRobin | Routing::EcmpSplit => {
                    kept.clear();
                    while kept.len() < count as usize * path_length(search, to) {
                        search.random_path(to, &mut random, &mut path);
                        if kept.chunks_exact(path.len()).all(|other| other != path) {
                            kept.extend_from_slice(&path);
                            add(&path);
                        }
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Returns the length of a path to a reached node, or 0.
fn path_length(search: &ShortestPathSearch<'_>, to: NodeId) -> usize {
    search.distance(to).unwrap_or(0) as usize
}

/// Returns the random stream of the paths between two terminals.
fn pair_stream(seed: u64, from: NodeId, to: NodeId) -> ChaCha8Rng {
    let mut key = [0; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..12].copy_from_slice(&from.number().to_le_bytes());
    key[12..16].copy_from_slice(&to.number().to_le_bytes());
    ChaCha8Rng::from_seed(key)
}
