//! A fractional routing whose largest load decreases.

use lockstep_topology::NodeId;
use rayon::prelude::*;

use super::capacitated_network::CapacitatedNetwork;
use super::path_graph::{PathFlow, PathGraph};
use super::shortest_paths::ShortestPaths;
use crate::demand::Demand;

/// The binary logarithms of the exponents of the first and the last norm.
const NORMS: std::ops::RangeInclusive<u32> = 4..=14;

/// The next norm follows when the remaining gain of this norm is at most this part of the gap between the largest and
/// the mean load.
const SETTLED: f64 = 0.25;

/// A fractional routing of all messages, and the lengths that improve it.
///
/// It minimises the largest load by minimising norms of all loads. The exponent of the norm doubles when the norm is
/// nearly minimal. Exponents are powers of two, so powers are products, and every machine computes the same. For one
/// source after the other, flow moves at every node from detours to the shortest path, as far as a Newton step in this
/// direction.
///
/// # Source
///
/// Gallager, "A minimum delay routing algorithm using distributed computation", *IEEE Trans. Communications* 25 (1977).
/// Blocks of sources: Lacoste-Julien, Jaggi, Schmidt and Pletscher, "Block-coordinate Frank-Wolfe optimization for
/// structural SVMs", ICML 2013. The growing norm replaces the exponential of Plotkin, Shmoys and Tardos, "Fast
/// approximation algorithms for fractional packing and covering problems", *Mathematics of Operations Research* 20
/// (1995).
pub(super) struct RoutingDescent<'a> {
    network: &'a CapacitatedNetwork,
    demand: &'a Demand<'a>,
    sources: &'a [NodeId],
    /// The paths with the fewest channels from each source, if messages may only use them.
    minimal: &'a [PathGraph],
    /// The flow of each source on each arc of its paths, or on each channel if messages may use all paths.
    flow: Vec<Vec<f32>>,
    /// The number of steps that each capacity needs for its flow.
    load: Vec<f64>,
    /// The number of steps that one more message adds.
    cost: Vec<f64>,
    /// The sum of the relative weights over all sources of the last round. Each source changes the weights, so the weights at the
    /// end fit the last source best, and their mean proves more.
    mean: Vec<f64>,
    /// The binary logarithm of the exponent of the norm.
    norm: u32,
    /// The smallest of all largest loads so far. No lengths prove more.
    pub(super) smallest_load: f64,
}

impl<'a> RoutingDescent<'a> {
    /// Starts with equal parts over paths with the fewest channels. Memory: 4 bytes per source and channel.
    pub(super) fn new(
        network: &'a CapacitatedNetwork,
        demand: &'a Demand<'a>,
        sources: &'a [NodeId],
        minimal: &'a [PathGraph],
    ) -> Self {
        let spread = |graph: &PathGraph| {
            let mut flow = vec![0.0; graph.arcs.len()];
            graph.spread(&mut flow);
            flow
        };
        let flow_of = |(number, &source): (usize, &NodeId)| {
            if let Some(graph) = minimal.get(number) {
                return spread(graph);
            }
            let mut graph = PathGraph::default();
            graph.set_fewest_channels(network, source, receivers(demand, source));
            let mut flow = vec![0.0; network.channel_count()];
            graph.arcs.iter().zip(spread(&graph)).for_each(|(arc, part)| flow[arc.channel as usize] = part);
            flow
        };
        let flow = sources.par_iter().enumerate().map(flow_of).collect();
        let cost = network.capacity.iter().map(|&capacity| if capacity == 0 { 0.0 } else { 1.0 / capacity as f64 });
        let load = vec![0.0; network.capacity.len()];
        let mut descent = Self {
            network,
            demand,
            sources,
            minimal,
            flow,
            mean: load.clone(),
            load,
            cost: cost.collect(),
            norm: *NORMS.start(),
            smallest_load: f64::INFINITY,
        };
        descent.sum_loads();
        descent
    }

    /// Computes the loads of all sources together from scratch.
    fn sum_loads(&mut self) {
        let mut carried = vec![0.0; self.network.channel_count()];
        for (number, flow) in self.flow.iter().enumerate() {
            if let Some(graph) = self.minimal.get(number) {
                let arcs = graph.arcs.iter().zip(flow);
                arcs.for_each(|(arc, &flow)| carried[arc.channel as usize] += f64::from(flow));
            } else {
                carried.iter_mut().zip(flow).for_each(|(carried, &flow)| *carried += f64::from(flow));
            }
        }
        self.load.fill(0.0);
        for (used, carried) in self.network.used().zip(carried) {
            used.iter().map(|&place| place as usize).for_each(|place| self.load[place] += carried * self.cost[place]);
        }
        self.smallest_load = self.smallest_load.min(greatest(&self.load));
    }

    /// Returns 1 for the capacities with the largest load, and 0 for all others.
    pub(super) fn bottleneck(&self) -> Vec<f64> {
        let threshold = greatest(&self.load) * (1.0 - f64::from(f32::EPSILON));
        self.load.iter().map(|&load| f64::from(u8::from(load >= threshold))).collect()
    }

    /// Returns the mean lengths of the last round.
    pub(super) fn lengths(&self) -> Vec<f64> {
        self.mean.iter().zip(&self.cost).map(|(mean, cost)| mean * cost).collect()
    }

    /// Improves the flow of every source once. Returns an estimate of the steps that the lengths prove.
    pub(super) fn improve(&mut self) -> f64 {
        let Self { network, demand, cost, load, .. } = self;
        let norm = LoadNorm::new(self.norm, greatest(load));
        let mut weight = Vec::new();
        norm.weights_into(&mut weight, load.iter().copied());
        let mut price: Vec<f64> = weight.iter().zip(&*cost).map(|(weight, cost)| weight * cost).collect();
        let (mut paths, mut near, mut better) = (ShortestPaths::default(), PathGraph::default(), PathFlow::default());
        let (mut changes, mut changed_weights) = (LoadChanges::new(load.len()), Vec::new());
        let mut proved = 0.0;
        self.mean.fill(0.0);
        let mut near_flow = Vec::new();
        for ((number, of_source), &source) in self.flow.iter_mut().enumerate().zip(self.sources) {
            let (graph, flow) = if let Some(graph) = self.minimal.get(number) {
                (graph, &mut *of_source)
            } else {
                paths.compute(network, |channel| network.length(channel, &price), source);
                near.set(network, &paths, receivers(demand, source), of_source);
                near_flow.clear();
                near_flow.extend(near.arcs.iter().map(|arc| of_source[arc.channel as usize]));
                (&near, &mut near_flow)
            };
            better.measure(graph, |channel| network.length(channel, &price));
            let part = 1.0 / sum(&weight);
            proved += graph.distance_sum(&better) * part;
            self.mean.iter_mut().zip(&weight).for_each(|(mean, weight)| *mean += weight * part);
            better.shift(graph, norm.softness(), flow);
            let arcs = graph.arcs.iter().zip(&better.flow).zip(&*flow);
            let arcs = arcs.map(|((arc, to), from)| (arc.channel as usize, f64::from(to - from)));
            changes.set(network, cost, arcs.filter(|&(_, more)| more != 0.0));
            let changes = &changes.of_loads;
            let Some(step) = norm.step(load, &weight, changes) else { continue };
            flow.iter_mut().zip(&better.flow).for_each(|(from, to)| *from += step as f32 * (to - *from));
            if self.minimal.is_empty() {
                near.arcs.iter().zip(&near_flow).for_each(|(arc, &flow)| of_source[arc.channel as usize] = flow);
            }
            for &(place, change) in changes {
                let load = &mut load[place as usize];
                *load = (*load + step * change).max(0.0);
            }
            norm.weights_into(&mut changed_weights, changes.iter().map(|&(place, _)| load[place as usize]));
            for (&(place, _), &changed) in changes.iter().zip(&changed_weights) {
                weight[place as usize] = changed;
                price[place as usize] = changed * cost[place as usize];
            }
        }
        self.sum_loads();
        let middle = self.load.iter().zip(&weight).map(|(load, weight)| load * weight).sum::<f64>() / sum(&weight);
        if middle - proved < SETTLED * (greatest(&self.load) - middle) && self.norm < *NORMS.end() {
            self.norm += 1;
        }
        proved
    }
}

/// The changes of the loads by one source.
struct LoadChanges {
    /// The loads that change, and their changes.
    of_loads: Vec<(u32, f64)>,
    /// Scratch space: the change of each load, and the loads that changed.
    sum: Vec<f64>,
    changed: Vec<u32>,
}

impl LoadChanges {
    fn new(loads: usize) -> Self {
        Self { of_loads: Vec::new(), sum: vec![0.0; loads], changed: Vec::new() }
    }

    /// Sets the changes, from those of the flows of channels and the cost of a message on each capacity.
    fn set(&mut self, network: &CapacitatedNetwork, cost: &[f64], flows: impl Iterator<Item = (usize, f64)>) {
        self.of_loads.clear();
        if let Some(used) = network.unshared() {
            self.of_loads.extend(flows.map(|(channel, more)| (used[channel], more * cost[used[channel] as usize])));
            return;
        }
        for (channel, more) in flows {
            for &place in network.used_by(channel) {
                let sum = &mut self.sum[place as usize];
                if *sum == 0.0 {
                    self.changed.push(place);
                }
                *sum += more * cost[place as usize];
            }
        }
        let sum = &mut self.sum;
        let changes = self.changed.drain(..).map(|place| (place, std::mem::take(&mut sum[place as usize])));
        self.of_loads.extend(changes);
    }
}

/// A norm of all loads. Its gradient weights them by powers.
struct LoadNorm {
    squarings: u32,
    /// The load whose weight is 1.
    unit: f64,
}

impl LoadNorm {
    /// Creates the norm with the exponent `2^squarings + 1`.
    fn new(squarings: u32, unit: f64) -> Self {
        Self { squarings, unit }
    }

    fn exponent(&self) -> f64 {
        f64::from(1u32 << self.squarings)
    }

    /// Returns the decrease of a load that divides its weight by about e.
    fn softness(&self) -> f64 {
        self.unit / self.exponent()
    }

    /// Sets the weights of some loads.
    fn weights_into(&self, weight: &mut Vec<f64>, loads: impl Iterator<Item = f64>) {
        // Loads rarely exceed the largest one of the round. If they do, their powers must not overflow.
        let ceiling = 1.0 + 64.0 / self.exponent();
        weight.clear();
        weight.extend(loads.map(|load| (load / self.unit).min(ceiling)));
        for _ in 0..self.squarings {
            for power in weight.iter_mut() {
                *power *= *power;
            }
        }
    }

    /// Returns the part of the changes, at most 1, that minimises the norm by its second derivative, limited so that no
    /// load changes too much; `None` if the norm does not decrease.
    fn step(&self, load: &[f64], weight: &[f64], changes: &[(u32, f64)]) -> Option<f64> {
        let (mut slope, mut curvature, mut reach) = (0.0, 0.0, 0.0f64);
        for &(place, change) in changes {
            let (load, weight) = (load[place as usize], weight[place as usize]);
            slope -= weight * change;
            if load > 0.0 {
                curvature += weight / load * change * change;
            }
            reach = reach.max(change.abs());
        }
        (slope > 0.0).then(|| (slope / (curvature * self.exponent())).min(self.softness() / reach).min(1.0))
    }
}

/// Returns the sum of the numbers. Several partial sums let the processor add at the same time.
fn sum(numbers: &[f64]) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, number)| *sum += number);
    }
    sums.iter().chain(rest).sum()
}

/// Returns the receivers of the messages of a source, one per message.
pub(super) fn receivers(demand: &Demand<'_>, source: NodeId) -> impl Iterator<Item = NodeId> {
    demand.from(source).flat_map(|multicast| multicast.receivers).copied()
}

fn greatest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}
