//! Resources and ports that some transfers cannot avoid, as few as one step has of them.

use fixedbitset::FixedBitSet;

use super::packet_network::PacketNetwork;

/// Resources and ports, of which each of some transfers uses at least one. It reuses its memory.
#[derive(Default)]
pub(super) struct Cover {
    /// The places, ascending.
    pub(super) places: Vec<usize>,
    /// The number of transfers in one step that the places allow.
    pub(super) capacity: u64,
    /// The port and the resource of each transfer without a chosen resource.
    ports: Vec<(usize, usize)>,
}

impl Cover {
    /// Covers transfers, each of which uses a chosen resource or port. The resources of the transfers replace a port if they
    /// allow fewer transfers.
    pub(super) fn choose(
        &mut self,
        network: &PacketNetwork,
        chosen: &FixedBitSet,
        transfers: impl Iterator<Item = usize>,
    ) {
        self.places.clear();
        self.ports.clear();
        for hop in transfers {
            let [resource, send, receive] = network.hops[hop].places;
            if chosen.contains(resource) {
                self.places.push(resource);
            } else {
                self.ports.push((if chosen.contains(send) { send } else { receive }, resource));
            }
        }
        self.ports.sort_unstable();
        self.ports.dedup();
        for of_port in self.ports.chunk_by(|a, b| a.0 == b.0) {
            let port = of_port[0].0;
            let room: u64 = of_port.iter().map(|&(_, resource)| network.capacity[resource]).sum();
            if network.capacity[port] < room {
                self.places.push(port);
            } else {
                self.places.extend(of_port.iter().map(|&(_, resource)| resource));
            }
        }
        self.places.sort_unstable();
        self.places.dedup();
        self.capacity = self.places.iter().map(|&place| network.capacity[place]).sum();
    }
}
