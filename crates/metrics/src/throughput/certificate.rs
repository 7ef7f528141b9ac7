//! What proves a throughput, and its judge.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::{Throughput, ThroughputError, ThroughputSearch};
use crate::orbits::Orbits;
use crate::{Graph, Sources, SymmetryError};

/// The most entries of the flows of a [`ThroughputCertificate`], 8 bytes each.
pub const MAX_ARC_FLOWS: usize = 1 << 24;

/// What rounding may have added to a flow, or taken from it, at any node, where 1 goes to each terminal; and to a bound, as a part
/// of it.
const ROUNDING: f64 = 1e-9;

/// A flow that has the rate of a throughput's lower bound, and lengths that prove its upper bound.
///
/// Plain data: it may be wrong. [`check`](Self::check) computes both anew.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ThroughputCertificate {
    /// The bounds.
    pub throughput: Throughput,
    /// By source, the least terminal of each orbit ascending, and then by arc: what the source sends there when it sends 1 to
    /// every other terminal. Empty if the lower bound is 0.
    ///
    /// Symmetries take it to the flows of the other terminals, and each of these to others of the same terminal: the mean of
    /// them all loads all channels alike that symmetries take to each other. Where every channel has its opposite, so is the
    /// mean of all flows and of them turned round.
    pub flows: Vec<f64>,
    /// By arc, its length: the rate is at most the sum of capacity times length over all arcs, divided by the mean over terminals
    /// of the sum of distances to the others.
    pub lengths: Vec<f64>,
}

/// What is wrong with a [`ThroughputCertificate`].
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThroughputCheckError {
    /// A permutation is no symmetry of the network.
    #[error(transparent)]
    Symmetry(#[from] SymmetryError),
    /// Tables for another network, or other symmetries.
    #[error("it has {flows} flows and {lengths} lengths instead of {sources} times {arcs} and {arcs}")]
    Shape {
        /// Entries of its flows.
        flows: usize,
        /// Entries of its lengths.
        lengths: usize,
        /// Sources, one an orbit.
        sources: usize,
        /// Entries of the graph.
        arcs: usize,
    },
    /// A flow or a length that is negative, infinite or no number.
    #[error("{value} is no flow or length")]
    Value {
        /// The value.
        value: f64,
    },
    /// Too little of a flow stays at a terminal, or more leaves a node than comes.
    #[error("{kept} of what terminal {from} sends stays at node {node}, which is too little")]
    Kept {
        /// The source.
        from: u32,
        /// The node.
        node: u32,
        /// What comes less what leaves.
        kept: f64,
    },
    /// A flow leads through a node that does not route.
    #[error("what terminal {from} sends leads through node {node}, which does not route")]
    Through {
        /// The source.
        from: u32,
        /// The node.
        node: u32,
    },
    /// The flow has a lesser rate.
    #[error("its lower bound is {said}, but the flow has a rate of {proved}")]
    Lower {
        /// As the certificate says.
        said: f64,
        /// As the flow has it.
        proved: f64,
    },
    /// The lengths allow a greater rate.
    #[error("its upper bound is {said}, but the lengths prove {proved}")]
    Upper {
        /// As the certificate says.
        said: f64,
        /// As the lengths have it.
        proved: f64,
    },
}

impl ThroughputCertificate {
    /// Confirms both bounds: that the flow brings to every terminal what is said over channels that can carry it, and that no flow
    /// can bring more.
    ///
    /// Takes `O(M)` time a source for the flow and in practice a few times that for the distances. Shares no code with the
    /// search but the orbits of the symmetries.
    ///
    /// # Errors
    ///
    /// What is wrong first: symmetries, tables, values, the flow of a source, the lower bound, the upper bound.
    pub fn check(&self, graph: &Graph, symmetries: &[Vec<u32>]) -> Result<(), ThroughputCheckError> {
        let Self { throughput, ref flows, ref lengths } = *self;
        let (mut orbits, mut sources, mut classes) = (Orbits::default(), Sources::default(), Vec::new());
        orbits.find(graph, symmetries)?;
        orbits.fill_sources(graph, &mut sources);
        let class_count = orbits.fill_classes(graph, &mut classes);
        let (arcs, lower, upper) = (graph.arc_count(), throughput.lower, throughput.upper);
        let is_idle = lower <= 0.0 && flows.is_empty();
        if lengths.len() != arcs || !(is_idle || sources.nodes.len().checked_mul(arcs) == Some(flows.len())) {
            let (flows, lengths, sources) = (flows.len(), lengths.len(), sources.nodes.len());
            return Err(ThroughputCheckError::Shape { flows, lengths, sources, arcs });
        }
        if let Some(&value) = flows.iter().chain(lengths).find(|&&value| !(value.is_finite() && value >= 0.0)) {
            return Err(ThroughputCheckError::Value { value });
        }
        let judge = Judge { graph, sources, classes, class_count };
        let proved = if is_idle { 0.0 } else { judge.lower(flows)? };
        // What is no number is not proved either.
        let is_proved = lower <= proved * (1.0 + ROUNDING);
        if !is_proved {
            return Err(ThroughputCheckError::Lower { said: lower, proved });
        }
        let proved = judge.upper(lengths);
        let is_proved = upper >= proved * (1.0 - ROUNDING);
        if !is_proved {
            return Err(ThroughputCheckError::Upper { said: upper, proved });
        }
        Ok(())
    }
}

struct Judge<'a> {
    graph: &'a Graph,
    sources: Sources,
    /// By arc.
    classes: Vec<u32>,
    class_count: usize,
}

impl Judge<'_> {
    /// How many other terminals there are for each.
    fn others(&self) -> f64 {
        self.graph.terminals().len().saturating_sub(1) as f64
    }

    /// The sum over the arcs of each class.
    fn by_class(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.class_count];
        for (arc, &class) in self.classes.iter().enumerate() {
            sums[class as usize] += value(arc);
        }
        sums
    }

    fn capacities(&self) -> Vec<f64> {
        let widths: Vec<u32> =
            (0..self.graph.node_count() as u32).flat_map(|node| self.graph.widths(node)).copied().collect();
        self.by_class(|arc| f64::from(widths[arc]))
    }

    /// The rate of flows.
    fn lower(&self, flows: &[f64]) -> Result<f64, ThroughputCheckError> {
        let arcs = self.graph.arc_count();
        let mut loads = vec![0.0; self.class_count];
        for (place, (source, share)) in self.sources.iter().enumerate() {
            let flow = &flows[place * arcs..][..arcs];
            self.follow(source, flow)?;
            for (load, more) in loads.iter_mut().zip(self.by_class(|arc| flow[arc])) {
                *load += f64::from(share) * more;
            }
        }
        let congestion =
            loads.iter().zip(self.capacities()).map(|(load, capacity)| load / capacity).fold(0.0, f64::max);
        Ok(if congestion > 0.0 { self.others() / congestion } else { 0.0 })
    }

    /// Whether a flow brings 1 to every terminal but its source, and makes nothing out of nothing.
    fn follow(&self, from: u32, flow: &[f64]) -> Result<(), ThroughputCheckError> {
        let graph = self.graph;
        let mut kept = vec![0.0; graph.node_count()];
        for node in 0..graph.node_count() as u32 {
            for (arc, &neighbour) in graph.row(node).zip(graph.neighbours(node)) {
                if node != from && !graph.routes(node) && flow[arc] > 0.0 {
                    return Err(ThroughputCheckError::Through { from, node });
                }
                kept[node as usize] -= flow[arc];
                kept[neighbour as usize] += flow[arc];
            }
        }
        let mut wanted = vec![0.0; graph.node_count()];
        graph.terminals().iter().for_each(|&terminal| wanted[terminal as usize] = 1.0);
        let is_short = |&node: &u32| node != from && kept[node as usize] < wanted[node as usize] - ROUNDING;
        match (0..graph.node_count() as u32).find(is_short) {
            Some(node) => Err(ThroughputCheckError::Kept { from, node, kept: kept[node as usize] }),
            None => Ok(()),
        }
    }

    /// The bound that lengths prove, or rather their means over classes.
    fn upper(&self, lengths: &[f64]) -> f64 {
        let sums = self.by_class(|arc| lengths[arc]);
        let counts = self.by_class(|_| 1.0);
        let means: Vec<f64> = sums.iter().zip(counts).map(|(sum, count)| sum / count).collect();
        let costs: f64 = self.capacities().iter().zip(&means).map(|(capacity, length)| capacity * length).sum();
        let distances: f64 =
            self.sources.iter().map(|(source, share)| f64::from(share) * self.reach(source, &means)).sum();
        // Nothing can be sent where some terminal cannot be reached, or there is no other.
        if distances.is_infinite() || self.others() < 1.0 { 0.0 } else { self.others() * costs / distances }
    }

    /// The sum of the distances from a terminal to all others, by corrections until none is left.
    fn reach(&self, source: u32, lengths: &[f64]) -> f64 {
        let graph = self.graph;
        let mut distances = vec![f64::INFINITY; graph.node_count()];
        let mut waits = vec![false; graph.node_count()];
        distances[source as usize] = 0.0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            waits[node as usize] = false;
            if node != source && !graph.routes(node) {
                continue;
            }
            for (arc, &neighbour) in graph.row(node).zip(graph.neighbours(node)) {
                let farther = distances[node as usize] + lengths[self.classes[arc] as usize];
                if farther < distances[neighbour as usize] {
                    distances[neighbour as usize] = farther;
                    if !std::mem::replace(&mut waits[neighbour as usize], true) {
                        queue.push_back(neighbour);
                    }
                }
            }
        }
        graph.terminals().iter().map(|&terminal| distances[terminal as usize]).sum()
    }
}

impl ThroughputSearch {
    /// Refuses tables beyond the limit.
    pub(super) fn allow_certificate(&self, graph: &Graph) -> Result<(), ThroughputError> {
        let flows = self.demands.source_count().saturating_mul(graph.arc_count());
        if flows > MAX_ARC_FLOWS { Err(ThroughputError::TooManyFlows { flows }) } else { Ok(()) }
    }

    /// What proves the throughput that the last search of this network has found.
    pub(super) fn certificate(&self, graph: &Graph, throughput: Throughput) -> ThroughputCertificate {
        if throughput.upper <= 0.0 {
            return ThroughputCertificate { throughput, flows: Vec::new(), lengths: vec![0.0; graph.arc_count()] };
        }
        let arcs = graph.arc_count();
        let mut flows = vec![0.0; self.demands.source_count() * arcs];
        let arc = |tail, head| graph.arc_between(tail, head).expect("hops are arcs of the graph");
        for number in 0..self.demands.source_count() {
            let rate = self.demands.rate(number);
            for (place, pair) in self.demands.pairs(number).enumerate() {
                for (path, share) in self.routes.best_rates(pair) {
                    for hop in self.routes.hops(path) {
                        let tail = self.routes.hop(hop.before).node;
                        flows[number * arcs + arc(tail, hop.node)] += share / rate;
                        if self.demands.is_halved() {
                            flows[(number + 1 + place) * arcs + arc(hop.node, tail)] += share / rate;
                        }
                    }
                }
            }
        }
        let lengths = self.classes.iter().map(|&class| self.best_lengths[class as usize]).collect();
        ThroughputCertificate { throughput, flows, lengths }
    }
}
