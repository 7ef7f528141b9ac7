//! Broadcast on any network: layers of nodes, each reached from those before by one maximum flow.

mod order;
mod step;

use lockstep_schedule::{Budget, CollectiveKind, MessageId, Problem, Routing, Schedule, Switching};
use lockstep_topology::{ChannelId, NodeId, Topology};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::construction::Construction;
use crate::wires::opposite_wires;
use order::Spread;
use step::{SWITCH, StepFlow};

pub(crate) const LAYERED_FLOW: Construction = Construction {
    name: "layered-flow",
    about: "wormhole broadcast on any network: layers of nodes far apart, each reached from those before by a flow",
    construct,
};

/// Visits of nodes and channels that the search for one number of steps may take: about a tenth of a second.
const EFFORT: usize = 1 << 24;

fn construct(problem: &Problem<'_>, goal: u32, budget: &Budget) -> Option<Schedule> {
    let CollectiveKind::OneToAllBroadcast { root } = problem.collective().kind else { return None };
    if problem.model().switching != Switching::Wormhole {
        return None;
    }
    let mut search = Search::new(problem, root)?;
    let greedy = search.greedy();
    let first = goal.max(search.growth(greedy.step_count()).len() as u32 - 1);
    (first..greedy.step_count() as u32)
        .take_while(|_| budget.stop_after(0).is_none())
        .find_map(|steps| search.find(steps, budget))
        .or(Some(greedy))
}

struct Search<'a> {
    topology: &'a Topology,
    root: NodeId,
    is_minimal: bool,
    flow: StepFlow<'a>,
    spread: Spread<'a>,
    /// The most transfers that so many holders can start, the root among them.
    sends: Vec<usize>,
}

/// Who is reached in which step.
#[derive(Clone, Debug)]
struct Layers {
    /// The step of each node; 0 for the root.
    layer: Vec<u32>,
    /// How many of each step, from the first one, cannot be reached together.
    missing: Vec<usize>,
}

impl Layers {
    fn missing(&self) -> usize {
        self.missing.iter().sum()
    }
}

impl<'a> Search<'a> {
    fn new(problem: &Problem<'a>, root: NodeId) -> Option<Self> {
        let (topology, model) = (problem.topology(), problem.model());
        let ports = |node: NodeId| model.ports.of_degree(topology.out_channels(node).len());
        let mut others: Vec<usize> =
            topology.terminals().iter().filter(|&&node| node != root).map(|&node| ports(node)).collect();
        others.sort_unstable_by(|a, b| b.cmp(a));
        let mut sends = vec![0];
        for ports in [ports(root)].into_iter().chain(others) {
            sends.push(sends[sends.len() - 1] + ports);
        }
        Some(Self {
            topology,
            root,
            is_minimal: model.routing == Routing::Minimal,
            flow: StepFlow::new(topology, model.ports, opposite_wires(topology)?),
            spread: Spread::new(topology),
            sends,
        })
    }

    /// As many in every step as can be reached.
    fn greedy(&mut self) -> Schedule {
        let terminals = self.topology.terminal_count();
        self.flow.is_strict = self.is_minimal;
        let mut layer = vec![SWITCH; self.topology.node_count()];
        layer[self.root.index()] = 0;
        let mut schedule = Schedule::with_capacity(terminals - 1, 2 * terminals);
        let mut holders = 1;
        for step in 1.. {
            if holders == terminals {
                break;
            }
            for terminal in self.topology.terminals() {
                if layer[terminal.index()] >= step {
                    layer[terminal.index()] = step;
                }
            }
            holders += self.flow.solve(&layer, step);
            for terminal in self.flow.targets(&layer, step, false).collect::<Vec<_>>() {
                layer[terminal.index()] = step + 1;
            }
            schedule.begin_step();
            self.flow.paths(|path| schedule.push(MessageId::new(0), path));
        }
        self.flow.is_strict = false;
        schedule
    }

    /// The most holders after 0, 1, 2, … steps, until all are.
    fn growth(&self, limit: usize) -> Vec<usize> {
        let all = self.sends.len() - 1;
        std::iter::successors(Some(1), |&holders: &usize| {
            (holders < all).then(|| all.min(holders + self.sends[holders]))
        })
        .take(limit + 1)
        .collect()
    }

    /// How many should hold the message after every step but the last, or `None` where so many steps are too few.
    ///
    /// Each step uses a part of what the holders can send: all of it to begin with, less later on. `tilt` 0 is as much in
    /// every step.
    fn sizes(&self, steps: u32, tilt: u32) -> Option<Vec<usize>> {
        const ONE: u64 = 1 << 20;
        let all = self.sends.len() - 1;
        let grown = |slack: u64| {
            let mut sizes = vec![1];
            for step in 1..=u64::from(steps) {
                let ease = (0..tilt).fold(slack, |ease, _| ease * step / u64::from(steps));
                let holders = sizes[sizes.len() - 1];
                let started = (self.sends[holders] as u64 * (ONE - ease)).div_ceil(ONE);
                sizes.push(all.min(holders + started as usize));
            }
            sizes
        };
        let suffices = |slack: u64| grown(slack)[steps as usize] == all;
        if !suffices(0) {
            return None;
        }
        let (mut most, mut too_much) = (0, ONE + 1);
        while most + 1 < too_much {
            let middle = u64::midpoint(most, too_much);
            if suffices(middle) { most = middle } else { too_much = middle }
        }
        let mut sizes = grown(most);
        sizes.pop();
        Some(sizes.split_off(1))
    }

    /// A schedule of so many steps, if one is found within the effort.
    fn find(&mut self, steps: u32, budget: &Budget) -> Option<Schedule> {
        let tilts: Vec<_> = (0..3).map(|tilt| self.sizes(steps, tilt)).collect::<Option<_>>()?;
        tracing::debug!(?tilts);
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(steps));
        let limit = EFFORT / (self.topology.node_count() + self.topology.channel_count());
        let limit = limit.max(4 * steps as usize);
        let (mut flows, mut best) = (0, None::<Layers>);
        while best.is_none() || flows < limit / 4 {
            let sizes = &tilts[rng.random_range(0..tilts.len())];
            let order = self.spread.list(self.root, sizes.last().copied().unwrap_or(1), &mut rng);
            let mut layers = self.stacked(&order, sizes, steps);
            flows += self.measure(&mut layers, 1..=steps);
            if layers.missing() == 0 {
                match self.schedule(&layers, steps) {
                    Some(schedule) => return Some(schedule),
                    None => {
                        best = None;
                        continue;
                    }
                }
            }
            if best.as_ref().is_none_or(|best| layers.missing() < best.missing()) {
                best = Some(layers);
            }
            if budget.stop_after(0).is_some() {
                return None;
            }
        }
        let mut layers = best?;
        tracing::debug!(steps, flows, strict = self.flow.is_strict, missing = layers.missing(), "restarts");
        while flows < limit {
            let old = layers.clone();
            flows += self.swap(&mut layers, steps, &mut rng);
            if layers.missing() == 0 {
                if let Some(schedule) = self.schedule(&layers, steps) {
                    tracing::debug!(steps, flows, "swaps helped");
                    return Some(schedule);
                }
                self.measure(&mut layers, 1..=steps);
            } else if layers.missing() > old.missing() {
                layers = old;
            }
            if budget.stop_after(0).is_some() {
                return None;
            }
        }
        tracing::debug!(steps, flows, strict = self.flow.is_strict, missing = layers.missing(), "not found");
        None
    }

    /// The first nodes of the order in layers of these sizes, and all others in the last one.
    fn stacked(&self, order: &[NodeId], sizes: &[usize], steps: u32) -> Layers {
        let mut layer = vec![SWITCH; self.topology.node_count()];
        for terminal in self.topology.terminals() {
            layer[terminal.index()] = steps;
        }
        for (place, node) in order.iter().enumerate() {
            layer[node.index()] = 1 + sizes.partition_point(|&size| size <= place) as u32;
        }
        layer[self.root.index()] = 0;
        Layers { layer, missing: vec![0; steps as usize] }
    }

    /// Counts anew who cannot be reached in these steps, and returns their number.
    fn measure(&mut self, layers: &mut Layers, steps: std::ops::RangeInclusive<u32>) -> usize {
        let count = steps.clone().count();
        for step in steps {
            let targets = layers.layer.iter().filter(|&&layer| layer == step).count();
            layers.missing[step as usize - 1] = targets - self.flow.solve(&layers.layer, step);
        }
        count
    }

    /// Exchanges the steps of a node that is not reached and another one, and returns the number of flows computed.
    fn swap(&mut self, layers: &mut Layers, steps: u32, rng: &mut ChaCha8Rng) -> usize {
        let troubled: Vec<u32> = (1..=steps).filter(|&step| layers.missing[step as usize - 1] > 0).collect();
        let step = troubled[rng.random_range(0..troubled.len())];
        self.flow.solve(&layers.layer, step);
        let unreached: Vec<NodeId> = self.flow.targets(&layers.layer, step, false).collect();
        let node = unreached[rng.random_range(0..unreached.len())];
        let is_partner = |other: NodeId| ![0, step, SWITCH].contains(&layers.layer[other.index()]);
        let mut partner = node;
        if rng.random_range(0..2) == 0 {
            // Somebody near.
            for _ in 0..8 {
                let channels = self.topology.out_channels(partner);
                if channels.is_empty() {
                    break;
                }
                partner = self.topology.head(channels[rng.random_range(0..channels.len())]);
                if is_partner(partner) && rng.random_range(0..2) == 0 {
                    break;
                }
            }
        }
        for _ in 0..64 {
            if is_partner(partner) {
                break;
            }
            let terminals = self.topology.terminals();
            partner = terminals[rng.random_range(0..terminals.len())];
        }
        if !is_partner(partner) {
            return 1;
        }
        let other = layers.layer[partner.index()];
        layers.layer.swap(node.index(), partner.index());
        1 + self.measure(layers, step.min(other)..=step.max(other))
    }

    /// The schedule that reaches these layers, or `None` if a path would be longer than it must be; from then on only
    /// shortest paths count.
    fn schedule(&mut self, layers: &Layers, steps: u32) -> Option<Schedule> {
        let mut schedule = Schedule::with_capacity(self.topology.terminal_count() - 1, self.topology.channel_count());
        for step in 1..=steps {
            self.flow.solve(&layers.layer, step);
            schedule.begin_step();
            self.flow.paths(|path| schedule.push(MessageId::new(0), path));
        }
        if self.is_minimal && !self.flow.is_strict && self.has_detour(&schedule) {
            self.flow.is_strict = true;
            return None;
        }
        Some(schedule)
    }

    fn has_detour(&self, schedule: &Schedule) -> bool {
        let topology = self.topology;
        let (mut distance, mut queue) = (vec![u32::MAX; topology.node_count()], Vec::new());
        let ends = |path: &[ChannelId]| (topology.tail(path[0]), topology.head(path[path.len() - 1]));
        let mut long: Vec<&[ChannelId]> = schedule
            .steps()
            .flat_map(|(_, step)| step.iter())
            .map(|transfer| transfer.path)
            .filter(|path| path.len() > 1)
            .collect();
        long.sort_unstable_by_key(|path| ends(path));
        long.chunk_by(|a, b| ends(a).0 == ends(b).0).any(|paths| {
            let limit = paths.iter().map(|path| path.len()).max().unwrap_or(0) as u32;
            let source = ends(paths[0]).0;
            distance.fill(u32::MAX);
            distance[source.index()] = 0;
            queue.clear();
            queue.push(source);
            let mut next = 0;
            while let Some(&node) = queue.get(next) {
                next += 1;
                if distance[node.index()] + 1 >= limit {
                    break;
                }
                if node != source && !topology.routes(node) {
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
            paths.iter().any(|path| distance[ends(path).1.index()] < path.len() as u32)
        })
    }
}
