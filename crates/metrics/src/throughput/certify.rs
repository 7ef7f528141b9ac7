//! Certificates of search results.

use super::certificate::{MAX_ARC_FLOWS, ThroughputCertificate};
use super::throughput_bounds::Throughput;
use super::throughput_search::{ThroughputError, ThroughputGoal, ThroughputSearch};
use crate::graph::Graph;

impl ThroughputSearch {
    /// Computes bounds like [`measure`](Self::measure), with a certificate. Takes 8 bytes per arc and source.
    ///
    /// ```
    /// use lockstep_metrics::{Graph, ThroughputGoal, ThroughputSearch};
    /// use lockstep_topology::Topology;
    ///
    /// let torus: Topology = "torus:4x5".parse()?;
    /// let graph = Graph::of(&torus);
    /// let goal = ThroughputGoal { gap: 0.001, searches: 10_000 };
    /// let certificate = ThroughputSearch::default().certify(&graph, &[], goal)?;
    /// certificate.check(&graph, &[])?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns the errors of [`measure`](Self::measure), and [`ThroughputError::TooManyFlows`] beyond
    /// [`MAX_ARC_FLOWS`].
    pub fn certify(
        &mut self,
        graph: &Graph,
        symmetries: &[Vec<u32>],
        goal: ThroughputGoal,
    ) -> Result<ThroughputCertificate, ThroughputError> {
        self.prepare(graph, symmetries)?;
        self.allow_certificate(graph)?;
        let throughput = self.search(graph, goal);
        Ok(self.certificate(graph, throughput))
    }

    /// Verifies that a certificate does not exceed the limit.
    fn allow_certificate(&self, graph: &Graph) -> Result<(), ThroughputError> {
        let flows = self.demands.source_count().saturating_mul(graph.arc_count());
        if flows > MAX_ARC_FLOWS { Err(ThroughputError::TooManyFlows { flows }) } else { Ok(()) }
    }

    /// Returns the certificate of the last search.
    fn certificate(&self, graph: &Graph, throughput: Throughput) -> ThroughputCertificate {
        if throughput.upper <= 0.0 {
            return ThroughputCertificate { throughput, flows: Vec::new(), lengths: vec![0.0; graph.arc_count()] };
        }
        let arcs = graph.arc_count();
        let mut flows = vec![0.0; self.demands.source_count() * arcs];
        let arc = |tail, head| graph.arc_between(tail, head).expect("hops are arcs of the graph");
        for number in 0..self.demands.source_count() {
            let rate = self.demands.rate(number);
            for (place, pair) in self.demands.pairs(number).enumerate() {
                for (path, share) in self.path_flows.best_rates(pair) {
                    for hop in self.path_flows.hops(path) {
                        let tail = self.path_flows.hop(hop.before).node;
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
