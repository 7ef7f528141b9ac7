//! Certificates of throughput bounds, and their verifier.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::throughput_bounds::Throughput;
use crate::graph::Graph;
use crate::orbits::{Orbits, SymmetryError};
use crate::sources::Sources;

/// Largest number of flow entries of a [`ThroughputCertificate`], 8 bytes each.
pub const MAX_ARC_FLOWS: usize = 1 << 24;

/// Absolute tolerance of the flow balance at a node, and relative tolerance of a bound.
const ROUNDING: f64 = 1e-9;

/// A flow that achieves the lower bound of a throughput, and lengths that prove the upper bound.
///
/// Plain data, which may be wrong; [`check`](Self::check) recomputes both bounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ThroughputCertificate {
    /// The bounds.
    pub throughput: Throughput,
    /// The flow on each arc for each source, when the source sends 1 to each other terminal. Empty if the lower bound
    /// is 0.
    ///
    /// Sources are the least terminals of their orbits, ascending. Symmetries map these flows to those of all
    /// terminals, and the mean over the group loads symmetric channels equally. In a symmetric graph, reversed flows
    /// are included in the mean.
    pub flows: Vec<f64>,
    /// The length of each arc. The rate is at most the sum of capacity times length over all arcs, divided by the mean,
    /// over terminals, of the sum of distances to the other terminals.
    pub lengths: Vec<f64>,
}

/// Why a [`ThroughputCertificate`] is invalid.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThroughputCheckError {
    /// A permutation is not a symmetry of the network.
    #[error(transparent)]
    Symmetry(#[from] SymmetryError),
    /// The tables belong to another network or other symmetries.
    #[error("the certificate has {flows} flows and {lengths} lengths, expected {sources} times {arcs} and {arcs}")]
    Shape {
        /// Number of flow entries.
        flows: usize,
        /// Number of lengths.
        lengths: usize,
        /// Number of sources: one per orbit.
        sources: usize,
        /// Number of arcs.
        arcs: usize,
    },
    /// A flow or a length is negative, infinite or not a number.
    #[error("{value} is not a valid flow or length")]
    Value {
        /// The value.
        value: f64,
    },
    /// A terminal receives too little, or more flow leaves a node than enters it.
    #[error("the flow of terminal {from} leaves {kept} at node {node}, which is too little")]
    Kept {
        /// The source.
        from: u32,
        /// The node.
        node: u32,
        /// Incoming minus outgoing flow.
        kept: f64,
    },
    /// A flow leads through a node that does not forward.
    #[error("the flow of terminal {from} leads through node {node}, which does not forward")]
    Through {
        /// The source.
        from: u32,
        /// The node.
        node: u32,
    },
    /// The rate of the flow is below the lower bound.
    #[error("the lower bound is {said}, but the flow has a rate of {proved}")]
    Lower {
        /// The claimed bound.
        said: f64,
        /// The rate of the flow.
        proved: f64,
    },
    /// The lengths prove only a greater upper bound.
    #[error("the upper bound is {said}, but the lengths prove {proved}")]
    Upper {
        /// The claimed bound.
        said: f64,
        /// The bound that the lengths prove.
        proved: f64,
    },
}

impl ThroughputCertificate {
    /// Verifies both bounds. Shares no code with the search except the orbits of the symmetries.
    ///
    /// O(M) per source for the flow, and in practice a few times that for the distances.
    ///
    /// # Errors
    ///
    /// Returns the first [`ThroughputCheckError`]: symmetries, tables, values, flows, lower bound, upper bound.
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
        let verifier = CertificateVerifier { graph, sources, classes, class_count };
        let proved = if is_idle { 0.0 } else { verifier.lower(flows)? };
        // A bound that is NaN is not proved.
        let is_proved = lower <= proved * (1.0 + ROUNDING);
        if !is_proved {
            return Err(ThroughputCheckError::Lower { said: lower, proved });
        }
        let proved = verifier.upper(lengths);
        let is_proved = upper >= proved * (1.0 - ROUNDING);
        if !is_proved {
            return Err(ThroughputCheckError::Upper { said: upper, proved });
        }
        Ok(())
    }
}

/// The verifier of one certificate.
struct CertificateVerifier<'a> {
    graph: &'a Graph,
    sources: Sources,
    /// The class of each arc.
    classes: Vec<u32>,
    class_count: usize,
}

impl CertificateVerifier<'_> {
    /// Returns the number of other terminals.
    fn others(&self) -> f64 {
        self.graph.terminals().len().saturating_sub(1) as f64
    }

    /// Sums a value over the arcs of each class.
    fn by_class(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.class_count];
        for (arc, &class) in self.classes.iter().enumerate() {
            sums[class as usize] += value(arc);
        }
        sums
    }

    /// Returns the capacity of each class.
    fn capacities(&self) -> Vec<f64> {
        let widths: Vec<u32> =
            (0..self.graph.node_count() as u32).flat_map(|node| self.graph.widths(node)).copied().collect();
        self.by_class(|arc| f64::from(widths[arc]))
    }

    /// Returns the rate of the flows.
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

    /// Verifies that a flow delivers 1 to each other terminal and is conserved elsewhere.
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
        let mut required = vec![0.0; graph.node_count()];
        graph.terminals().iter().for_each(|&terminal| required[terminal as usize] = 1.0);
        let is_short = |&node: &u32| node != from && kept[node as usize] < required[node as usize] - ROUNDING;
        match (0..graph.node_count() as u32).find(is_short) {
            Some(node) => Err(ThroughputCheckError::Kept { from, node, kept: kept[node as usize] }),
            None => Ok(()),
        }
    }

    /// Returns the bound that the means of the lengths over classes prove.
    fn upper(&self, lengths: &[f64]) -> f64 {
        let sums = self.by_class(|arc| lengths[arc]);
        let counts = self.by_class(|_| 1.0);
        let means: Vec<f64> = sums.iter().zip(counts).map(|(sum, count)| sum / count).collect();
        let costs: f64 = self.capacities().iter().zip(&means).map(|(capacity, length)| capacity * length).sum();
        let distances: f64 =
            self.sources.iter().map(|(source, share)| f64::from(share) * self.reach(source, &means)).sum();
        // The rate is 0 if a terminal is unreachable, or if there is only one.
        if distances.is_infinite() || self.others() < 1.0 { 0.0 } else { self.others() * costs / distances }
    }

    /// Returns the sum of the distances from a terminal to all others, by label correction.
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
