//! Search for the throughput: maximum concurrent flow by path equilibration.

use super::certificate::MAX_ARC_FLOWS;
use super::class_loads::ClassLoads;
use super::demand_pairs::DemandPairs;
use super::path_flows::PathFlows;
use super::shortest_path_tree::ShortestPathTree;
use super::throughput_bounds::Throughput;
use crate::graph::Graph;
use crate::orbits::{Orbits, SymmetryError};

/// Largest product of sources and nodes: 2,048 terminals without switches. Symmetric terminals count once.
pub const MAX_FLOWS: usize = 1 << 22;

/// Number of equilibration sweeps per search for new paths.
const SWEEPS: usize = 6;

/// Target ratio of the part of the gap from uneven loads to the part from detours. It controls the steepness of
/// lengths.
const BALANCE: f64 = 4.0;

/// The goal of a throughput search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ThroughputGoal {
    /// Sufficient [gap](Throughput::gap), for example 0.01. Rounding usually prevents a gap of 0.
    pub gap: f64,
    /// Largest number of shortest-path searches. At least one per source is made.
    pub searches: u64,
}

/// Why a throughput cannot be computed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ThroughputError {
    /// The product of sources and nodes exceeds [`MAX_FLOWS`].
    #[error(
        "{sources} terminals, up to symmetry, times {nodes} nodes exceed the limit of {MAX_FLOWS}; use a smaller or a more \
         symmetric network"
    )]
    TooLarge {
        /// Number of terminals up to symmetry.
        sources: usize,
        /// Number of nodes.
        nodes: usize,
    },
    /// A certificate would exceed [`MAX_ARC_FLOWS`].
    #[error(
        "a certificate of {flows} flows exceeds the limit of {MAX_ARC_FLOWS}; use a smaller or a more symmetric network, or \
         compute the throughput without a certificate"
    )]
    TooManyFlows {
        /// Number of sources times number of arcs.
        flows: usize,
    },
    /// A permutation is not a symmetry of the network.
    #[error(transparent)]
    Symmetry(#[from] SymmetryError),
}

/// Computes throughputs, with reusable buffers.
///
/// Takes about 200 bytes per pair of terminals (unordered if the graph is symmetric), at most about 400 MB.
///
/// ```
/// use lockstep_metrics::{Graph, ThroughputGoal, ThroughputSearch};
/// use lockstep_topology::Topology;
///
/// // On a ring of 8 nodes, the mean distance is 16/7, and each node has two channels.
/// let ring: Topology = "ring:8".parse()?;
/// let goal = ThroughputGoal { gap: 0.01, searches: 10_000 };
/// let throughput = ThroughputSearch::default().measure(&Graph::of(&ring), &[], goal)?;
/// assert!(throughput.lower <= 0.875 + 1e-9 && throughput.upper >= 0.875 - 1e-9 && throughput.gap() <= 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct ThroughputSearch {
    orbits: Orbits,
    pub(super) demands: DemandPairs,
    /// The class of each arc.
    pub(super) classes: Vec<u32>,
    tree: ShortestPathTree,
    pub(super) path_flows: PathFlows,
    loads: ClassLoads,
    /// Length of each class in the proof of the upper bound.
    pub(super) best_lengths: Vec<f64>,
}

impl ThroughputSearch {
    /// Computes bounds on the throughput of a network. Both are 0 if some terminal cannot reach another, or for fewer
    /// than two terminals.
    ///
    /// Paths lead only through forwarding nodes. `symmetries` are permutations of the nodes, which are verified. They
    /// reduce the work, but none are needed.
    ///
    /// Each round searches for shortest paths from each source, with lengths that grow exponentially with the load.
    /// Then it moves traffic of each pair from longer paths to the shortest one. The lengths prove the upper bound by
    /// duality: capacity times length of all channels, divided by the distances of all pairs.
    ///
    /// A round takes O(M log N) per source plus O(D) per known path of `D` channels. A gap of 1 % usually takes 4 to 10
    /// rounds, and a gap of 0.1 % usually 5 to 20, but hundreds if almost all channels are saturated. With 32 routers
    /// and 1 %, this is 0.5 to 6 ms.
    ///
    /// # Errors
    ///
    /// Returns [`ThroughputError::TooLarge`] beyond [`MAX_FLOWS`], and [`ThroughputError::Symmetry`] if a permutation
    /// is not a symmetry.
    ///
    /// # Source
    ///
    /// Shahrokhi and Matula, *The maximum concurrent flow problem*, Journal of the ACM 37, 1990: duality, and lengths
    /// that are exponential in the loads. Bertsekas and Gallager, *Data Networks*, 2nd edition, Prentice Hall 1992,
    /// section 5.7: gradient projection along paths, here one pair after the other.
    pub fn measure(
        &mut self,
        graph: &Graph,
        symmetries: &[Vec<u32>],
        goal: ThroughputGoal,
    ) -> Result<Throughput, ThroughputError> {
        self.prepare(graph, symmetries)?;
        Ok(self.search(graph, goal))
    }

    /// Searches the prepared network.
    pub(super) fn search(&mut self, graph: &Graph, goal: ThroughputGoal) -> Throughput {
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
                self.path_flows.load(&mut self.loads);
            }
            let upper = others * self.loads.cost() / distances;
            if upper < throughput.upper {
                throughput.upper = upper;
                self.best_lengths.clone_from(&self.loads.lengths);
            }
            let congestion = self.loads.congestion();
            if others / congestion > throughput.lower {
                throughput.lower = others / congestion;
                self.path_flows.keep_rates();
            }
            // Rounding may have put the lower bound above the upper one.
            throughput.lower = throughput.lower.min(throughput.upper);
            if throughput.gap() <= goal.gap || searches + round > goal.searches {
                return throughput;
            }
            self.loads.steepness = if searches == round {
                f64::from((2 * self.loads.lengths.len()).ilog2()) / congestion
            } else {
                // The gap has two factors: loads below the greatest, and paths longer than the shortest.
                let paid = self.loads.paid();
                let (uneven, detours) = (congestion * self.loads.cost() / paid - 1.0, paid / distances - 1.0);
                let factor = (BALANCE * uneven.max(1e-12) / detours.max(1e-12)).sqrt().clamp(0.5, 16.0);
                (self.loads.steepness * factor).min(1e9 / congestion)
            };
            self.balance();
        }
    }

    /// Sets up orbits, pairs and capacities of a network.
    pub(super) fn prepare(&mut self, graph: &Graph, symmetries: &[Vec<u32>]) -> Result<(), ThroughputError> {
        self.orbits.find(graph, symmetries)?;
        self.demands.fill(graph, &self.orbits);
        let (sources, nodes) = (self.demands.source_count(), graph.node_count());
        if sources.saturating_mul(nodes) > MAX_FLOWS {
            return Err(ThroughputError::TooLarge { sources, nodes });
        }
        let classes = self.orbits.fill_classes(graph, &mut self.classes);
        self.path_flows.clear(nodes, self.demands.pair_count(), classes);
        self.loads.clear(classes);
        for node in 0..graph.node_count() as u32 {
            for (&class, &width) in self.classes[graph.row(node)].iter().zip(graph.widths(node)) {
                self.loads.capacities[class as usize] += f64::from(width);
            }
        }
        Ok(())
    }

    /// Adds the shortest paths at the current lengths. Returns the sum of the distances of all pairs.
    fn add_paths(&mut self, graph: &Graph) -> f64 {
        let mut distances = 0.0;
        for number in 0..self.demands.source_count() {
            self.tree.search(graph, &self.classes, &self.loads.lengths, self.demands.source(number));
            let targets = self.demands.targets(number).iter();
            let from_here: f64 = targets.map(|&target| self.tree.distance[target as usize]).sum();
            if from_here.is_infinite() {
                return from_here;
            }
            distances += self.demands.rate(number) * from_here;
            self.path_flows.add(&self.demands, number, &self.tree, &self.loads.lengths);
        }
        distances
    }

    /// Equilibrates the path flows.
    fn balance(&mut self) {
        self.loads.measure();
        for _ in 0..SWEEPS {
            self.path_flows.balance(&mut self.loads);
        }
        // Recomputes the loads to remove accumulated rounding.
        self.path_flows.load(&mut self.loads);
        self.loads.measure();
    }
}
