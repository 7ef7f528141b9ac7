//! A network with its cached measurements.

use lockstep_metrics::{
    Bisector, DistanceSearch, Distances, Graph, PathCounting, PathDiversity, Sources, SpectralSearch, ThroughputSearch,
};
use lockstep_topology::{NodeId, Symmetries, Topology, TopologyBuilder};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::cabling_code::{CablingCode, CodeError};
use crate::machine::Machine;
use crate::network_size::NetworkSize;
use crate::placement::Placement;

/// Number of random automorphisms of a topology.
const SAMPLED_SYMMETRIES: usize = 8;

/// A network that [objectives](crate::Objective) score, with cached distances and reusable buffers.
///
/// ```
/// use lockstep_design::{CablingCode, Machine, Network};
///
/// let machine = Machine::new(8, 16, 1)?;
/// let code: CablingCode = "138,0,0,0,0,173,0,0,0,0,0,0,179,0,212,0".parse()?;
/// let mut network = Network::of_code(&machine, &code)?;
/// assert_eq!(network.distances().map(|distances| distances.diameter), Some(8));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Network {
    pub(crate) graph: Graph,
    pub(crate) sources: Sources,
    /// Known symmetries: permutations of the nodes that preserve the network.
    pub(crate) symmetries: Vec<Vec<u32>>,
    /// The cables of a machine as pairs of nodes. Empty for other networks.
    pub(crate) cables: Vec<[u32; 2]>,
    pub(crate) placement: Option<Placement>,
    /// True if some channel carries more than one transfer per step. The graph does not contain capacities.
    pub(crate) has_capacities: bool,
    diversity: Cached<PathDiversity>,
    distances: Cached<Distances>,
    pub(crate) measurers: Measurers,
}

/// A measurement: not yet computed, `None` because the network is disconnected, or its result.
type Cached<T> = Option<Option<T>>;

/// The algorithms of the measurements, with their buffers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measurers {
    pub(crate) bisector: Bisector,
    pub(crate) spectrum: SpectralSearch,
    pub(crate) throughput: ThroughputSearch,
    counting: PathCounting,
    search: DistanceSearch,
}

impl Network {
    /// Creates the network of any topology. Objectives measure its terminals; switches only forward.
    ///
    /// Finds symmetries, which reduce the work of the objectives: O(M log N) for `M` channels and `N` nodes, usually.
    pub fn of(topology: &Topology) -> Self {
        let (graph, symmetries) = (Graph::of(topology), symmetries_of(topology));
        let has_capacities = topology.channels().any(|channel| topology.capacity(channel) != 1);
        Self { sources: sources_under(&graph, &symmetries), graph, symmetries, has_capacities, ..Self::default() }
    }

    /// Creates the network of a code. It may be disconnected.
    ///
    /// # Errors
    ///
    /// Returns a [`CodeError`] if the code does not fit the machine.
    pub fn of_code(machine: &Machine, code: &CablingCode) -> Result<Self, CodeError> {
        code.check(machine)?;
        let mut network = Self::default();
        network.set_code(*machine, code);
        Ok(network)
    }

    /// Replaces the network by that of a code of this machine. Reuses all buffers.
    pub(crate) fn set_code(&mut self, machine: Machine, code: &CablingCode) {
        self.cables.clear();
        self.cables.extend(code.cables(machine));
        self.graph.set_links(machine.router_count() as usize, &self.cables);
        // Shifts by one cabinet are symmetries. Shifts by one chassis are too, unless cables wrap around within cabinets.
        let wraps_within_cabinets = machine.cabinets() > 1 && code.genes(machine).any(|gene| gene.within_cabinet);
        let step = if wraps_within_cabinets { machine.chassis() } else { 1 };
        machine.set_sources(step, &mut self.sources);
        self.symmetries.resize(1, Vec::new());
        self.symmetries[0].clear();
        self.symmetries[0]
            .extend((0..machine.router_count()).map(|router| (router + 2 * step) % machine.router_count()));
        self.has_capacities = false;
        self.placement = Some(Placement::new(machine.cabinets(), 2 * machine.chassis()));
        self.diversity = None;
        self.distances = None;
    }

    /// Returns the graph of the network.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Returns the positions of the cabinets, or `None` if the network is not that of a machine.
    pub fn placement(&self) -> Option<Placement> {
        self.placement
    }

    /// Returns the size of the network, for [`Objective::estimated_ns`](crate::Objective::estimated_ns). O(size of the
    /// graph).
    pub fn size(&self) -> NetworkSize {
        let graph = &self.graph;
        let is_leaf = |terminal| graph.is_symmetric() && graph.neighbours(terminal).len() <= 1;
        let forwards = |&terminal: &u32| graph.routes(terminal) || is_leaf(terminal);
        NetworkSize {
            sources: self.sources.nodes.len() as u64,
            terminals: graph.terminals().len() as u64,
            nodes: graph.node_count() as u64,
            arcs: graph.arc_count() as u64,
            terminals_forward: graph.terminals().iter().all(forwards),
        }
    }

    /// Returns the distances between terminals, or `None` if the network is disconnected.
    ///
    /// Computed once: a breadth-first search per source, O(sources · (nodes + channels)).
    pub fn distances(&mut self) -> Option<Distances> {
        let Self { graph, sources, measurers, diversity, .. } = self;
        *self.distances.get_or_insert_with(|| match diversity {
            Some(diversity) => diversity.map(|diversity| diversity.distances),
            None => measurers.search.measure(graph, sources),
        })
    }

    /// Returns the numbers of shortest paths between terminals, or `None` if the network is disconnected.
    ///
    /// Computed once: a breadth-first search per source, O(sources · (nodes + channels)).
    pub fn diversity(&mut self) -> Option<PathDiversity> {
        let Self { graph, sources, measurers, .. } = self;
        *self.diversity.get_or_insert_with(|| measurers.counting.measure(graph, sources))
    }
}

impl Machine {
    /// Creates the topology of a code, for schedules, simulations and files.
    ///
    /// Each router is a terminal that forwards, and each cable a full-duplex link. Router names consist of the cabinet,
    /// the chassis in the cabinet, and the router in the chassis, as in `2.11.0`. O(cables).
    ///
    /// # Errors
    ///
    /// Returns a [`CodeError`] if the code does not fit the machine or the network is disconnected.
    pub fn topology(&self, code: &CablingCode) -> Result<Topology, CodeError> {
        code.check(self)?;
        let cables: Vec<_> = code.cables(*self).collect();
        match unreachable_router(self.router_count(), &cables) {
            Some(router) => Err(CodeError::Disconnected { router }),
            None => Ok(self.topology_of(code, &cables)),
        }
    }

    /// Creates the topology with these cables.
    fn topology_of(&self, code: &CablingCode, cables: &[[u32; 2]]) -> Topology {
        let (slots, chassis, cabinets) = (self.slots(), self.chassis(), self.cabinets());
        let mut network = TopologyBuilder::new(format!("design:{slots},{chassis},{cabinets}:{code}"));
        for router in 0..self.router_count() {
            network.terminal(format!("{}.{}.{}", self.cabinet(router), router / 2 % chassis, router % 2));
        }
        for &ends in cables {
            let [from, to] = ends.map(NodeId::new);
            network.link(from, to);
        }
        network.build().expect("names are distinct, cables leave their chassis, and slots are limited")
    }
}

/// Returns some automorphisms, as permutations of the nodes. Together they usually have the orbits of the whole group.
fn symmetries_of(topology: &Topology) -> Vec<Vec<u32>> {
    let Some(symmetries) = Symmetries::new(topology) else { return Vec::new() };
    // A fixed seed, so that a network always has the same measurements.
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let found = (0..SAMPLED_SYMMETRIES).map_while(|_| symmetries.random(&mut random));
    found.map(|symmetry| symmetry.nodes().iter().map(|node| node.number()).collect()).collect()
}

fn sources_under(graph: &Graph, symmetries: &[Vec<u32>]) -> Sources {
    Sources::under(graph, symmetries).expect("automorphisms preserve the network")
}

/// Returns the first router that router 0 cannot reach.
fn unreachable_router(routers: u32, cables: &[[u32; 2]]) -> Option<u32> {
    let graph = Graph::of_links(routers as usize, cables);
    let mut is_reached = vec![false; routers as usize];
    let mut reached = vec![0];
    is_reached[0] = true;
    while let Some(router) = reached.pop() {
        for &neighbour in graph.neighbours(router) {
            if !std::mem::replace(&mut is_reached[neighbour as usize], true) {
                reached.push(neighbour);
            }
        }
    }
    (0..routers).find(|&router| !is_reached[router as usize])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::strategy;

    proptest! {
        #[test]
        fn symmetries_do_not_change_measurements((machine, code) in strategy::machine_and_code()) {
            let mut network = Network::of_code(&machine, &code).unwrap();
            let all = Sources::all(&network.graph);
            prop_assert_eq!(Sources::under(&network.graph, &network.symmetries), Ok(network.sources.clone()));
            prop_assert_eq!(DistanceSearch::default().measure(&network.graph, &all), network.distances());
            prop_assert_eq!(PathCounting::default().measure(&network.graph, &all), network.diversity());
        }

        #[test]
        fn a_topology_has_the_cables_of_the_code((machine, code) in strategy::machine_and_code()) {
            let mut network = Network::of_code(&machine, &code).unwrap();
            match machine.topology(&code) {
                Ok(topology) => {
                    prop_assert!(network.distances().is_some());
                    prop_assert_eq!(&network.graph, &Graph::of(&topology));
                    let mut found = Network::of(&topology);
                    prop_assert_eq!(network.distances(), found.distances());
                    prop_assert_eq!(network.diversity(), found.diversity());
                }
                Err(error) => {
                    prop_assert!(matches!(error, CodeError::Disconnected { .. }), "{error}");
                    prop_assert_eq!(network.distances(), None);
                }
            }
        }

        #[test]
        fn an_earlier_network_does_not_affect_measurements(
            (machine, code) in strategy::machine_and_code(), (other, before) in strategy::machine_and_code(),
        ) {
            let mut network = Network::of_code(&other, &before).unwrap();
            network.distances();
            network.diversity();
            network.set_code(machine, &code);
            let mut fresh = Network::of_code(&machine, &code).unwrap();
            prop_assert_eq!(network.distances(), fresh.distances());
            prop_assert_eq!(network.diversity(), fresh.diversity());
            prop_assert_eq!(network.placement, fresh.placement);
            prop_assert_eq!(network.symmetries, fresh.symmetries);
        }
    }
}
