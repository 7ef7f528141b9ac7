//! Shortest legal paths in networks with buses.
//!
//! In a network with [buses](Topology::has_buses), a shortest walk may use a resource twice, so that breadth-first search is
//! not enough. To find a shortest path without two channels of one resource is NP-hard: it is the shortest path that avoids
//! forbidden pairs. The search here is exact, and its work is bounded by [`max_work`].

use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Returns the maximum number of elementary steps of the search for the paths to one terminal.
pub(crate) fn max_work(topology: &Topology) -> u64 {
    (1 << 22) + 64 * topology.channel_count() as u64
}

/// The maximum number of channels tried in one search for a further path of a pair.
const MAX_TRIALS: u32 = 1 << 12;

/// The maximum number of random paths tried per pair.
const MAX_SAMPLES: usize = 64;

/// The search exceeds [`max_work`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct WorkExceeded;

/// A partial path from a node to the target.
#[derive(Clone, Copy, Debug)]
struct Label {
    node: NodeId,
    /// Its first channel, and the label at the head of that channel; `None` at the target.
    next: Option<(ChannelId, u32)>,
    /// Number of channels.
    length: u32,
    /// The buses in use: a range of [`LegalPaths::buses`].
    buses: [u32; 2],
}

/// A shortest legal path from every terminal to one target, and a sample of the others.
#[derive(Debug)]
pub(crate) struct LegalPaths<'a> {
    topology: &'a Topology,
    target: NodeId,
    labels: Vec<Label>,
    /// The sets of buses of all labels, each ascending.
    buses: Vec<u32>,
    /// The labels of each node, the shortest partial path first.
    at_node: Vec<Vec<u32>>,
    /// Number of channels to the target if resources are ignored: a lower bound on the length of a legal path.
    distance: Vec<u32>,
}

const UNREACHED: u32 = u32::MAX;

/// The paths selected for a pair of terminals.
#[derive(Debug)]
pub(crate) struct SelectedPaths {
    /// In lexicographic order of their channels, read from the target backwards.
    pub(crate) paths: Vec<Vec<ChannelId>>,
    /// True if these are all shortest legal paths.
    pub(crate) is_complete: bool,
}

impl<'a> LegalPaths<'a> {
    /// Finds a shortest legal path from every terminal to `target`.
    ///
    /// Labels grow by length, against the direction of the channels. A label is kept unless an earlier one at the same node
    /// uses a subset of its buses. No label visits a node twice, because the part after the second visit is such an earlier
    /// label. Only buses matter: a second channel of any other resource leads back to a visited node.
    ///
    /// # Errors
    ///
    /// [`WorkExceeded`], if the search takes more than [`max_work`] steps.
    pub(crate) fn new(topology: &'a Topology, target: NodeId) -> Result<Self, WorkExceeded> {
        let mut paths = Self {
            topology,
            target,
            labels: vec![Label { node: target, next: None, length: 0, buses: [0, 0] }],
            buses: Vec::new(),
            at_node: vec![Vec::new(); topology.node_count()],
            distance: distances(topology, target),
        };
        paths.at_node[target.index()].push(0);
        let is_sought = |node: &&NodeId| **node != target && paths.distance[node.index()] != UNREACHED;
        let mut sought = topology.terminals().iter().filter(is_sought).count();
        let (mut next, mut work, max_work) = (0, 0, max_work(topology));
        while sought > 0 && next < paths.labels.len() {
            let head = paths.labels[next].node;
            if next == 0 || topology.routes(head) {
                for &channel in topology.in_channels(head) {
                    let tail = topology.tail(channel);
                    let is_first = paths.at_node[tail.index()].is_empty();
                    if paths.extend(next as u32, channel, &mut work) {
                        sought -= usize::from(is_first && topology.is_terminal(tail));
                    }
                }
                if work > max_work {
                    return Err(WorkExceeded);
                }
            }
            next += 1;
        }
        Ok(paths)
    }

    /// Puts a channel in front of a partial path; returns false if the result is illegal or useless.
    fn extend(&mut self, label: u32, channel: ChannelId, work: &mut u64) -> bool {
        let (tail, resource) = (self.topology.tail(channel), self.topology.resource(channel));
        let Label { length, buses: [start, end], .. } = self.labels[label as usize];
        let used = start as usize..end as usize;
        *work += 1 + (used.len() as u64);
        // A node that does not route is only a source: one partial path from it is enough.
        if !self.topology.routes(tail) && !self.at_node[tail.index()].is_empty() {
            return false;
        }
        let first = self.buses.len();
        let buses = if self.topology.is_bus(resource) {
            let Err(place) = self.buses[used.clone()].binary_search(&resource.number()) else { return false };
            self.buses.extend_from_within(used);
            self.buses.insert(first + place, resource.number());
            [first as u32, self.buses.len() as u32]
        } else {
            [start, end]
        };
        let set = &self.buses[buses[0] as usize..buses[1] as usize];
        let is_dominated = self.at_node[tail.index()].iter().any(|&other| {
            let [start, end] = self.labels[other as usize].buses;
            let other = &self.buses[start as usize..end as usize];
            *work += 1 + other.len() as u64;
            is_subset(other, set)
        });
        if is_dominated {
            self.buses.truncate(first);
            return false;
        }
        self.at_node[tail.index()].push(self.labels.len() as u32);
        self.labels.push(Label { node: tail, next: Some((channel, label)), length: length + 1, buses });
        true
    }

    /// Returns up to `cap` shortest legal paths from a terminal. There is at least one if a legal path exists and `cap` is
    /// positive.
    pub(crate) fn select(&self, source: NodeId, cap: usize, rng: &mut ChaCha8Rng) -> SelectedPaths {
        let Some(&label) = self.at_node[source.index()].first().filter(|_| source != self.target) else {
            return SelectedPaths { paths: Vec::new(), is_complete: true };
        };
        let length = self.labels[label as usize].length as usize;
        let mut found = Vec::new();
        let mut search = PathSearch { paths: self, length, limit: cap.saturating_add(1), trials: 0, found: &mut found };
        search.run(source, None);
        let is_complete = search.trials < MAX_TRIALS && found.len() <= cap;
        if !is_complete {
            found.clear();
            found.push(self.witness(label));
            for _ in 0..MAX_SAMPLES.min(cap.saturating_mul(2)) {
                let limit = found.len() + 1;
                let mut search = PathSearch { paths: self, length, limit, trials: 0, found: &mut found };
                search.run(source, Some(rng));
                let last = found.len() - 1;
                if found[..last].contains(&found[last]) {
                    found.pop();
                }
            }
            found.truncate(cap);
        }
        found.sort_unstable_by(|one, other| one.iter().rev().cmp(other.iter().rev()));
        SelectedPaths { paths: found, is_complete }
    }

    /// Returns the path of a label.
    fn witness(&self, label: u32) -> Vec<ChannelId> {
        let next = |label: &u32| self.labels[*label as usize].next;
        std::iter::successors(next(&label), |(_, label)| next(label)).map(|(channel, _)| channel).collect()
    }
}

/// A depth-first search for legal paths of one length.
struct PathSearch<'a> {
    paths: &'a LegalPaths<'a>,
    length: usize,
    /// The number of paths after which the search ends.
    limit: usize,
    /// Number of channels tried.
    trials: u32,
    found: &'a mut Vec<Vec<ChannelId>>,
}

impl PathSearch<'_> {
    /// Adds the paths from a terminal, until [`limit`](Self::limit) or [`MAX_TRIALS`] is reached. With a random generator,
    /// channels are tried in random order.
    fn run(&mut self, source: NodeId, mut rng: Option<&mut ChaCha8Rng>) {
        let LegalPaths { topology, target, ref distance, .. } = *self.paths;
        let mut untried = |node: NodeId| {
            let mut channels = topology.out_channels(node).to_vec();
            if let Some(rng) = &mut rng {
                channels.shuffle(rng);
            }
            channels
        };
        let mut path: Vec<ChannelId> = Vec::with_capacity(self.length);
        let mut open = vec![untried(source)];
        while let Some(channels) = open.last_mut() {
            let Some(channel) = channels.pop() else {
                open.pop();
                path.pop();
                continue;
            };
            if self.trials == MAX_TRIALS || self.found.len() == self.limit {
                return;
            }
            self.trials += 1;
            let (head, resource) = (topology.head(channel), topology.resource(channel));
            let is_near = distance[head.index()] as usize + path.len() < self.length;
            if !is_near || path.iter().any(|&other| topology.resource(other) == resource) {
                continue;
            }
            path.push(channel);
            if head == target {
                if path.len() == self.length {
                    self.found.push(path.clone());
                }
                path.pop();
            } else if topology.routes(head) {
                open.push(untried(head));
            } else {
                path.pop();
            }
        }
    }
}

/// Returns the number of channels from every node to a target, if resources are ignored.
fn distances(topology: &Topology, target: NodeId) -> Vec<u32> {
    let mut distance = vec![UNREACHED; topology.node_count()];
    distance[target.index()] = 0;
    let mut queue = vec![target];
    let mut next = 0;
    while let Some(&head) = queue.get(next) {
        next += 1;
        if head != target && !topology.routes(head) {
            continue;
        }
        for &channel in topology.in_channels(head) {
            let tail = topology.tail(channel);
            if distance[tail.index()] == UNREACHED {
                distance[tail.index()] = distance[head.index()] + 1;
                queue.push(tail);
            }
        }
    }
    distance
}

/// Returns true if `other` contains all elements of `set`. Both are ascending.
fn is_subset(set: &[u32], other: &[u32]) -> bool {
    let mut rest = other.iter();
    set.iter().all(|element| rest.any(|other| other == element))
}
