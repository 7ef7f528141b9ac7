//! Slots: the resources and ports that a transfer occupies.

use lockstep_topology::{ChannelId, ResourceId, Topology};

use crate::model::Ports;
use crate::problem::Problem;

/// The slots of a problem: all resources, then the send ports and the receive ports of all nodes if the model limits them.
///
/// A transfer occupies the resources of its path, the send ports of its sender and the receive ports of its receiver.
///
/// ```
/// use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem, Slots};
/// use lockstep_topology::Topology;
///
/// let ring: Topology = "ring:4".parse()?;
/// let exchange = Collective::all_to_all();
/// let slots = |ports| {
///     let model = CommunicationModel { ports, ..CommunicationModel::wormhole() };
///     Ok::<_, Box<dyn std::error::Error>>(Slots::new(&Problem::new(&ring, &exchange, model)?))
/// };
/// assert_eq!(slots(Ports::All)?.count(), 8);
/// let limited = slots(Ports::limit(1).ok_or("no port")?)?;
/// assert_eq!((limited.count(), limited.of(&ring.out_channels(ring.terminals()[0])[..1]).count()), (8 + 2 * 4, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    topology: &'a Topology,
    /// The capacity of the ports of a node in one direction.
    ports: Option<u32>,
}

impl<'a> Slots<'a> {
    /// Returns the slots of a problem.
    pub fn new(problem: &Problem<'a>) -> Self {
        let ports = match problem.model().ports {
            Ports::All => None,
            Ports::Limit(limit) => Some(limit.get()),
        };
        Self { topology: problem.topology(), ports }
    }

    /// Returns the number of slots.
    pub fn count(self) -> usize {
        self.topology.resource_count() + if self.has_ports() { 2 * self.topology.node_count() } else { 0 }
    }

    /// Returns true if the model limits ports.
    pub fn has_ports(self) -> bool {
        self.ports.is_some()
    }

    /// Returns the slots of a path: its resources in order, then the ports of its ends.
    pub fn of(self, path: &[ChannelId]) -> impl Iterator<Item = usize> + use<'a, '_> {
        let Self { topology, .. } = self;
        let ends = path.first().zip(path.last()).filter(|_| self.has_ports());
        let ports = ends.map(|(&first, &last)| {
            let [sends, receives] = [topology.resource_count(), topology.resource_count() + topology.node_count()];
            [sends + topology.tail(first).index(), receives + topology.head(last).index()]
        });
        path.iter().map(move |&channel| topology.resource(channel).index()).chain(ports.into_iter().flatten())
    }

    /// Returns the number of transfers that a slot takes in a step of width 1: the capacity of a resource, or the limit of ports.
    pub fn capacity(self, slot: usize) -> u32 {
        match self.ports {
            Some(limit) if slot >= self.topology.resource_count() => limit,
            _ => self.topology.resource_capacity(ResourceId::from_index(slot)),
        }
    }
}
