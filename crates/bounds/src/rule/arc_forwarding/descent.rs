//! A fractional routing whose greatest load falls.

use lockstep_topology::NodeId;

use super::network::Network;
use super::tree::Tree;
use crate::demand::Demand;

/// The exponent of the first norm, as a power of two, and that of the last.
const NORMS: std::ops::RangeInclusive<u32> = 4..=14;

/// The next norm's turn comes when what is left to gain in this one is so much of what its lengths give away.
const SETTLED: f64 = 0.25;

/// How much of the mean lengths comes from the latest ones.
const FRESH: f64 = 0.25;

/// Messages divided among paths at will, and the lengths that say where they should go.
///
/// It minimises the greatest load by minimising norms of all loads with exponents that double, as soon as a norm
/// is nearly as small as it gets. Powers of two are products, so every machine computes the same.
/// Source by source, flow moves at every node from detours to the shortest path (as in Gallager's routing), as far as
/// Newton's step along that direction goes.
///
/// Source: Gallager, "A minimum delay routing algorithm using distributed computation", *IEEE Trans. Communications* 25
/// (1977), in blocks of sources as by Lacoste-Julien, Jaggi, Schmidt and Pletscher, "Block-coordinate Frank-Wolfe
/// optimization", ICML 2013; the growing norm in place of the exponential of Plotkin, Shmoys and Tardos, *Mathematics of
/// Operations Research* 20 (1995).
pub(super) struct Descent<'a> {
    network: &'a Network,
    demand: &'a Demand<'a>,
    sources: &'a [NodeId],
    /// What each channel carries of each source's messages.
    flow: Vec<f32>,
    /// The steps that each capacity needs for what it carries.
    load: Vec<f64>,
    /// By how many steps a message more lengthens that.
    cost: Vec<f64>,
    /// The mean of the latest lengths.
    mean: Vec<f64>,
    /// Binary logarithm of the exponent of the norm.
    norm: u32,
    /// The least greatest load so far: no lengths prove more.
    pub(super) most: f64,
}

impl<'a> Descent<'a> {
    /// The routing over paths of the fewest channels, evenly. Memory: 4 bytes a source and channel.
    pub(super) fn new(network: &'a Network, demand: &'a Demand<'a>, sources: &'a [NodeId]) -> Self {
        let channels = network.channel_count();
        let mut flow = vec![0.0; sources.len() * channels];
        let mut tree = Tree::default();
        for (flow, &source) in flow.chunks_exact_mut(channels).zip(sources) {
            tree.spread(network, source, receivers(demand, source), flow);
        }
        let cost = network.capacity.iter().map(|&capacity| if capacity == 0 { 0.0 } else { 1.0 / capacity as f64 });
        let load = vec![0.0; network.capacity.len()];
        let mut descent = Self {
            network,
            demand,
            sources,
            flow,
            mean: load.clone(),
            load,
            cost: cost.collect(),
            norm: *NORMS.start(),
            most: f64::INFINITY,
        };
        descent.add_up();
        descent
    }

    /// The loads of all sources together, afresh.
    fn add_up(&mut self) {
        let mut carried = vec![0.0; self.network.channel_count()];
        for flow in self.flow.chunks_exact(carried.len()) {
            carried.iter_mut().zip(flow).for_each(|(carried, &flow)| *carried += f64::from(flow));
        }
        self.load.fill(0.0);
        for (taken, carried) in self.network.takes().zip(carried) {
            taken.iter().map(|&place| place as usize).for_each(|place| self.load[place] += carried * self.cost[place]);
        }
        self.most = self.most.min(greatest(&self.load));
    }

    /// 1 for the capacities of the greatest load, 0 for all others.
    pub(super) fn bottleneck(&self) -> Vec<f64> {
        let most = greatest(&self.load) * (1.0 - f64::from(f32::EPSILON));
        self.load.iter().map(|&load| f64::from(u8::from(load >= most))).collect()
    }

    /// The mean lengths of the latest rounds.
    pub(super) fn lengths(&self) -> Vec<f64> {
        self.mean.iter().zip(&self.cost).map(|(mean, cost)| mean * cost).collect()
    }

    /// Moves the flows of every source once; about how many steps the lengths prove.
    pub(super) fn improve(&mut self) -> f64 {
        let (network, channels) = (self.network, self.network.channel_count());
        let norm = Norm::new(self.norm, greatest(&self.load));
        let mut weight: Vec<f64> = self.load.iter().map(|&load| norm.weight(load)).collect();
        let (mut tree, mut length) = (Tree::default(), Vec::new());
        let (mut better, mut change) = (vec![0.0; channels], vec![0.0; weight.len()]);
        let mut proved = 0.0;
        for (flow, &source) in self.flow.chunks_exact_mut(channels).zip(self.sources) {
            network.lengths_into(&mut length, weight.iter().zip(&self.cost).map(|(weight, cost)| weight * cost));
            tree.grow(network, &length, source);
            let distances = receivers(self.demand, source).map(|receiver| tree.distance[receiver.index()]);
            proved += distances.sum::<f64>() / weight.iter().sum::<f64>();
            tree.shift(network, &length, norm.softness(), receivers(self.demand, source), flow, &mut better);
            change.fill(0.0);
            for (taken, (from, to)) in network.takes().zip(flow.iter().zip(&better)) {
                let more = f64::from(to - from);
                taken.iter().map(|&place| place as usize).for_each(|place| change[place] += more * self.cost[place]);
            }
            let Some(step) = norm.step(&self.load, &weight, &change) else { continue };
            flow.iter_mut().zip(&better).for_each(|(from, to)| *from += step as f32 * (to - *from));
            for ((weight, load), change) in weight.iter_mut().zip(&mut self.load).zip(&change) {
                if *change != 0.0 {
                    *load = (*load + step * change).max(0.0);
                    *weight = norm.weight(*load);
                }
            }
        }
        self.add_up();
        let all: f64 = weight.iter().sum();
        self.mean.iter_mut().zip(&weight).for_each(|(mean, weight)| *mean += FRESH * (weight / all - *mean));
        let middle = self.load.iter().zip(&weight).map(|(load, weight)| load * weight).sum::<f64>() / all;
        if middle - proved < SETTLED * (greatest(&self.load) - middle) && self.norm < *NORMS.end() {
            self.norm += 1;
        }
        proved
    }
}

/// A norm of all loads; its gradient weighs them by powers.
struct Norm {
    squarings: u32,
    /// A load whose weight is 1.
    unit: f64,
}

impl Norm {
    /// That with the exponent `2^squarings + 1`.
    fn new(squarings: u32, unit: f64) -> Self {
        Self { squarings, unit }
    }

    fn exponent(&self) -> f64 {
        f64::from(1u32 << self.squarings)
    }

    /// How much less load makes a weight about e times less.
    fn softness(&self) -> f64 {
        self.unit / self.exponent()
    }

    fn weight(&self, load: f64) -> f64 {
        // Loads hardly rise above the greatest of the round; should they, their powers are not to overflow.
        let ceiling = 1.0 + 64.0 / self.exponent();
        (0..self.squarings).fold((load / self.unit).min(ceiling), |base, _| base * base)
    }

    /// The part of the change, up to all of it, after which the norm falls no more, as far as its second derivative tells
    /// and no load moves too far for that; `None` where it does not fall.
    fn step(&self, load: &[f64], weight: &[f64], change: &[f64]) -> Option<f64> {
        let (mut slope, mut curvature, mut reach) = (0.0, 0.0, 0.0f64);
        for ((&load, &weight), &change) in load.iter().zip(weight).zip(change) {
            slope -= weight * change;
            if load > 0.0 {
                curvature += weight / load * change * change;
            }
            reach = reach.max(change.abs());
        }
        (slope > 0.0).then(|| (slope / (curvature * self.exponent())).min(self.softness() / reach).min(1.0))
    }
}

/// The receivers of a source's messages, one a message.
pub(super) fn receivers(demand: &Demand<'_>, source: NodeId) -> impl Iterator<Item = NodeId> {
    demand.from(source).flat_map(|request| request.receivers).copied()
}

fn greatest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}
