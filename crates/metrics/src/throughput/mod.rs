//! How much all terminals can send to all others at the same time.

mod certificate;
mod demands;
mod links;
mod routes;
mod trees;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use self::demands::Demands;
use self::links::Links;
use self::routes::Routes;
use self::trees::Tree;
use crate::orbits::Orbits;
use crate::{Graph, SymmetryError};

pub use self::certificate::{MAX_ARC_FLOWS, ThroughputCertificate, ThroughputCheckError};

/// The most terminals times nodes that traffic is routed for: 2,048 terminals that are all nodes. Of terminals that symmetries
/// take to each other, one counts.
pub const MAX_FLOWS: usize = 1 << 22;

/// Times that the traffic of every pair is moved, for one search of new paths.
const SWEEPS: usize = 6;

/// The share of the gap that uneven loads may have, against that of paths that are too long, before lengths become less steep.
const BALANCE: f64 = 4.0;

/// What a network carries when every terminal sends to every other equally much, the ways chosen as well as can be.
///
/// Figures are rates that each terminal sends in all, in channels: 1.5 is as much as one and a half of its channels carry. Every
/// channel carries 1 in its direction, also one that shares a wire with others; nodes pass on any amount.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Throughput {
    /// A flow that is known has this rate.
    pub lower: f64,
    /// No flow has a greater one.
    pub upper: f64,
}

impl Throughput {
    /// By which part of itself the lower bound might be too low; 0 if nothing can be sent.
    pub fn gap(&self) -> f64 {
        if self.upper > 0.0 { self.upper / self.lower - 1.0 } else { 0.0 }
    }
}

/// When a search for the throughput is done.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThroughputGoal {
    /// The [gap](Throughput::gap) that is good enough, such as 0.01. Rounding keeps most networks from ever having none.
    pub gap: f64,
    /// The most searches of shortest paths from one terminal; one a source is made in any case.
    pub searches: u64,
}

/// Why a throughput cannot be found.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThroughputError {
    /// More than [`MAX_FLOWS`] terminals times nodes.
    #[error(
        "traffic from {sources} terminals among {nodes} nodes is too much to route, {MAX_FLOWS} being the most for their \
         product: name symmetries of the network, or take a smaller one of its kind"
    )]
    TooLarge {
        /// Terminals, up to the symmetries.
        sources: usize,
        /// Nodes of the network.
        nodes: usize,
    },
    /// More than [`MAX_ARC_FLOWS`] entries of flows to certify.
    #[error(
        "a certificate with {flows} flows is more than the {MAX_ARC_FLOWS} that it can have: name symmetries of the network, or \
         measure without a certificate"
    )]
    TooManyFlows {
        /// Sources, up to symmetries, times entries of the graph.
        flows: usize,
    },
    /// A permutation is no symmetry of the network.
    #[error(transparent)]
    Symmetry(#[from] SymmetryError),
}

/// Finds throughputs, in memory that the next search uses again.
///
/// Memory: about 200 bytes a pair of terminals, one of two opposite pairs where every channel has its opposite; about 400 MB at
/// most, from where on no more paths are kept.
///
/// ```
/// use lockstep_metrics::{Graph, ThroughputGoal, ThroughputSearch};
/// use lockstep_topology::Topology;
///
/// // On a ring of 8 nodes, messages go 16/7 channels on average, and each node has two channels to send on.
/// let ring: Topology = "ring:8".parse()?;
/// let goal = ThroughputGoal { gap: 0.01, searches: 10_000 };
/// let throughput = ThroughputSearch::default().measure(&Graph::of(&ring), &[], goal)?;
/// assert!(throughput.lower <= 0.875 + 1e-9 && throughput.upper >= 0.875 - 1e-9 && throughput.gap() <= 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ThroughputSearch {
    orbits: Orbits,
    demands: Demands,
    /// By arc.
    classes: Vec<u32>,
    tree: Tree,
    routes: Routes,
    links: Links,
    /// By class, the lengths of the upper bound.
    best_lengths: Vec<f64>,
}

impl ThroughputSearch {
    /// The throughput of a network, between a flow that is possible and a proof that none is better; both 0 if some terminal does
    /// not reach some other, or there are fewer than two.
    ///
    /// Only nodes that route are inner nodes of ways; parallel channels carry 1 each. `symmetries` are permutations of the nodes,
    /// each the image of every node, which are held against the network: the more of the network they take to each other, the
    /// less there is to search. None are needed.
    ///
    /// Every round searches from each terminal (one an orbit) for paths that are shorter than those known, where lengths grow
    /// exponentially with the load, and then moves traffic of each pair from its longer paths to its shortest. The lengths also
    /// prove the upper bound: capacity times length of all channels, over the distances of all pairs. Lengths get steeper
    /// while uneven loads make most of the gap, and less steep while detours do. A round takes `O(M log N)` time a source and
    /// `O(D)` a path that is known, of `D` channels; a gap of 1 % takes about 4 to 10 rounds and one of 0.1 % mostly 5 to 20, but
    /// hundreds where nearly all channels are saturated. For 32 routers and 1 %, these are 0.5 to 6 ms, and 0.02 to 0.2 ms if
    /// symmetries leave two sources. Allocates only where a network needs more than those before it.
    ///
    /// **Source**: Shahrokhi, Matula, *The maximum concurrent flow problem*, J. ACM 37 (1990), for the duality and for lengths
    /// that are exponential in the loads. The steps along paths are those of gradient projection, Bertsekas, Gallager, *Data
    /// networks* (1992), section 5.7, one pair after the other.
    ///
    /// # Errors
    ///
    /// [`ThroughputError::TooLarge`] beyond [`MAX_FLOWS`]; [`ThroughputError::Symmetry`] if a permutation is no symmetry.
    pub fn measure(
        &mut self,
        graph: &Graph,
        symmetries: &[Vec<u32>],
        goal: ThroughputGoal,
    ) -> Result<Throughput, ThroughputError> {
        self.prepare(graph, symmetries)?;
        Ok(self.search(graph, goal))
    }

    /// The throughput of the network that is prepared.
    fn search(&mut self, graph: &Graph, goal: ThroughputGoal) -> Throughput {
        let mut throughput = Throughput { lower: 0.0, upper: f64::INFINITY };
        let (mut searches, round) = (0, self.demands.source_count() as u64);
        let others = graph.terminals().len().saturating_sub(1) as f64;
        loop {
            let distances = self.add_paths(graph);
            if distances <= 0.0 || distances.is_infinite() {
                return Throughput::default();
            }
            searches += round;
            if searches == round {
                self.routes.load(&mut self.links);
            }
            let upper = others * self.links.cost() / distances;
            if upper < throughput.upper {
                throughput.upper = upper;
                self.best_lengths.clone_from(&self.links.lengths);
            }
            let congestion = self.links.congestion();
            if others / congestion > throughput.lower {
                throughput.lower = others / congestion;
                self.routes.keep_rates();
            }
            // Rounding may have put the one beyond the other.
            throughput.lower = throughput.lower.min(throughput.upper);
            if throughput.gap() <= goal.gap || searches + round > goal.searches {
                return throughput;
            }
            self.links.steepness = if searches == round {
                f64::from((2 * self.links.lengths.len()).ilog2()) / congestion
            } else {
                // The bounds are apart by two factors: loads below the greatest, and paths longer than the shortest.
                let paid = self.links.paid();
                let (uneven, detours) = (congestion * self.links.cost() / paid - 1.0, paid / distances - 1.0);
                let factor = (BALANCE * uneven.max(1e-12) / detours.max(1e-12)).sqrt().clamp(0.5, 16.0);
                (self.links.steepness * factor).min(1e9 / congestion)
            };
            self.balance();
        }
    }

    /// The same with what proves both bounds. Memory: 8 bytes an entry of the graph and source.
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
    /// As [`measure`](Self::measure); [`ThroughputError::TooManyFlows`] beyond [`MAX_ARC_FLOWS`].
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

    fn prepare(&mut self, graph: &Graph, symmetries: &[Vec<u32>]) -> Result<(), ThroughputError> {
        self.orbits.find(graph, symmetries)?;
        self.demands.fill(graph, &self.orbits);
        let (sources, nodes) = (self.demands.source_count(), graph.node_count());
        if sources.saturating_mul(nodes) > MAX_FLOWS {
            return Err(ThroughputError::TooLarge { sources, nodes });
        }
        let classes = self.orbits.fill_classes(graph, &mut self.classes);
        self.routes.clear(nodes, self.demands.pair_count(), classes);
        self.links.clear(classes);
        for node in 0..graph.node_count() as u32 {
            for (&class, &width) in self.classes[graph.row(node)].iter().zip(graph.widths(node)) {
                self.links.capacities[class as usize] += f64::from(width);
            }
        }
        Ok(())
    }

    /// Adds the shortest paths at the present lengths; the sum of their lengths over all pairs.
    fn add_paths(&mut self, graph: &Graph) -> f64 {
        let mut distances = 0.0;
        for number in 0..self.demands.source_count() {
            self.tree.search(graph, &self.classes, &self.links.lengths, self.demands.source(number));
            let targets = self.demands.targets(number).iter();
            let from_here: f64 = targets.map(|&target| self.tree.distance[target as usize]).sum();
            if from_here.is_infinite() {
                return from_here;
            }
            distances += self.demands.rate(number) * from_here;
            self.routes.add(&self.demands, number, &self.tree, &self.links.lengths);
        }
        distances
    }

    fn balance(&mut self) {
        self.links.measure();
        for _ in 0..SWEEPS {
            self.routes.balance(&mut self.links);
        }
        // Without what rounding has added up.
        self.routes.load(&mut self.links);
        self.links.measure();
    }
}
