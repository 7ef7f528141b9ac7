//! A network under evaluation.

use lockstep_metrics::{
    Bisector, DistanceSearch, Distances, Graph, PathCounting, PathDiversity, Sources, SpectralSearch, ThroughputSearch,
};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::code::{CablingCode, CodeError};
use crate::{Machine, Placement};

/// A network that [objectives](crate::Objective) score, with the memory that they use again for the next one.
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
    /// Permutations of the nodes that change nothing, as far as they are known.
    pub(crate) symmetries: Vec<Vec<u32>>,
    /// Pairs of nodes, a cable each, where they are known to be cables of a machine.
    pub(crate) cables: Vec<[u32; 2]>,
    pub(crate) placement: Option<Placement>,
    diversity: Answer<PathDiversity>,
    distances: Answer<Distances>,
    pub(crate) tools: Tools,
}

/// A measure: not taken yet, not there because the network is in parts, or its result.
type Answer<T> = Option<Option<T>>;

/// What measures work with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tools {
    pub(crate) bisector: Bisector,
    pub(crate) spectrum: SpectralSearch,
    pub(crate) throughput: ThroughputSearch,
    counting: PathCounting,
    search: DistanceSearch,
}

impl Network {
    /// Any network: its terminals count, its switches pass things on.
    pub fn of(topology: &Topology) -> Self {
        let graph = Graph::of(topology);
        Self { sources: Sources::all(&graph), graph, ..Self::default() }
    }

    /// The network of a code.
    ///
    /// # Errors
    ///
    /// [`CodeError`], if it is no code of the machine. The network may be in parts.
    pub fn of_code(machine: &Machine, code: &CablingCode) -> Result<Self, CodeError> {
        code.check(machine)?;
        let mut network = Self::default();
        network.wire(*machine, code);
        Ok(network)
    }

    /// Becomes the network of a code of this machine.
    pub(crate) fn wire(&mut self, machine: Machine, code: &CablingCode) {
        self.cables.clear();
        self.cables.extend(code.cables(machine));
        self.graph.set_links(machine.router_count() as usize, &self.cables);
        // Shifts by one chassis are symmetries unless cables go round cabinets; shifts by one cabinet always are.
        let goes_round_cabinets = machine.cabinets() > 1 && code.genes(machine).any(|gene| gene.stays);
        let step = if goes_round_cabinets { machine.chassis() } else { 1 };
        machine.sources(step, &mut self.sources);
        self.symmetries.resize(1, Vec::new());
        self.symmetries[0].clear();
        self.symmetries[0]
            .extend((0..machine.router_count()).map(|router| (router + 2 * step) % machine.router_count()));
        self.placement = Some(Placement::new(machine.cabinets(), 2 * machine.chassis()));
        self.diversity = None;
        self.distances = None;
    }

    /// Its nodes and channels.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The distances between its terminals; `None` if it is in parts. Computed once.
    pub fn distances(&mut self) -> Option<Distances> {
        let Self { graph, sources, tools, diversity, .. } = self;
        *self.distances.get_or_insert_with(|| match diversity {
            Some(diversity) => diversity.map(|diversity| diversity.distances),
            None => tools.search.measure(graph, sources),
        })
    }

    /// The numbers of shortest paths between its terminals; `None` if it is in parts. Computed once.
    pub fn diversity(&mut self) -> Option<PathDiversity> {
        let Self { graph, sources, tools, .. } = self;
        *self.diversity.get_or_insert_with(|| tools.counting.measure(graph, sources))
    }
}

impl Machine {
    /// The network of a code, for schedules, simulations and files: a terminal that routes for each router, full-duplex links.
    ///
    /// Routers are named by cabinet, chassis in the cabinet, and place in the chassis, as in `2.11.0`.
    ///
    /// # Errors
    ///
    /// [`CodeError`], if it is no code of the machine or leaves the network in parts.
    pub fn topology(&self, code: &CablingCode) -> Result<Topology, CodeError> {
        code.check(self)?;
        let cables: Vec<_> = code.cables(*self).collect();
        match unreached(self.router_count(), &cables) {
            Some(router) => Err(CodeError::Disconnected { router }),
            None => Ok(self.topology_of(code, &cables)),
        }
    }

    /// The network of these cables.
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

/// The first router that no cables lead to from router 0.
fn unreached(routers: u32, cables: &[[u32; 2]]) -> Option<u32> {
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
        fn symmetry_saves_searches_and_changes_nothing((machine, code) in strategy::machine_and_code()) {
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
                    prop_assert_eq!(network.distances(), Network::of(&topology).distances());
                }
                Err(error) => {
                    prop_assert!(matches!(error, CodeError::Disconnected { .. }), "{error}");
                    prop_assert_eq!(network.distances(), None);
                }
            }
        }

        #[test]
        fn memory_of_another_network_leaves_no_trace(
            (machine, code) in strategy::machine_and_code(), (other, before) in strategy::machine_and_code(),
        ) {
            let mut network = Network::of_code(&other, &before).unwrap();
            network.distances();
            network.diversity();
            network.wire(machine, &code);
            let mut fresh = Network::of_code(&machine, &code).unwrap();
            prop_assert_eq!(network.distances(), fresh.distances());
            prop_assert_eq!(network.diversity(), fresh.diversity());
            prop_assert_eq!(network.placement, fresh.placement);
            prop_assert_eq!(network.symmetries, fresh.symmetries);
        }
    }
}
