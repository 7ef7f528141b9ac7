//! NCCL's own model of the time of its algorithms, release 2.30.
//!
//! A ring or tree runs over a number of channels at the same time. Its time is a latency per hop and the size over a bandwidth,
//! which depends on the protocol. All factors change between releases.
//!
//! # Source
//!
//! NCCL 2.30.7, `src/graph/tuning.cc`, without the corrections for GPU types, PCI links and thread counts.

use lockstep_paths::FlowNetwork;
use lockstep_schedule::CollectiveName;

use super::collective::LibraryCollective;
use crate::curve::{Curve, TICKS, ticks_of};
use crate::network::Network;

/// Collectives that NCCL's tuner chooses for, in the order of its numbers.
pub(crate) const NCCL_COLLECTIVES: &[LibraryCollective] = &[
    LibraryCollective::new(CollectiveName::Broadcast, 0, "broadcast", &[]),
    LibraryCollective::new(CollectiveName::Reduce, 1, "reduce", &[]),
    LibraryCollective::new(CollectiveName::AllGather, 2, "allgather", &[]),
    LibraryCollective::new(CollectiveName::ReduceScatter, 3, "reducescatter", &[]),
    LibraryCollective::new(CollectiveName::AllReduce, 4, "allreduce", &[]),
];

/// How data is sent. Times are in picoseconds, parts of the bandwidth are fractions.
struct Protocol {
    name: &'static str,
    /// Of a tree, and of a ring.
    base_ps: [u64; 2],
    /// Per hop over NVLink, for a tree and a ring.
    link_ps: [u64; 2],
    /// Per hop between servers, for a tree and a ring.
    net_ps: [u64; 2],
    ring_part: [u64; 2],
    /// On one server, and on several.
    tree_part: [[u64; 2]; 2],
}

const PROTOCOLS: [Protocol; 3] = [
    Protocol {
        name: "ll",
        base_ps: [6_800_000, 6_600_000],
        link_ps: [600_000, 600_000],
        net_ps: [5_000_000, 2_700_000],
        ring_part: [1, 2],
        tree_part: [[10, 38], [10, 38]],
    },
    Protocol {
        name: "ll128",
        base_ps: [14_000_000, 14_000_000],
        link_ps: [1_250_000, 1_900_000],
        net_ps: [8_500_000, 4_000_000],
        ring_part: [92, 100],
        tree_part: [[7, 9], [120, 128]],
    },
    Protocol {
        name: "simple",
        base_ps: [8_400_000, 8_400_000],
        link_ps: [4_000_000, 3_400_000],
        net_ps: [14_000_000, 14_000_000],
        ring_part: [1, 1],
        tree_part: [[92, 100], [92, 100]],
    },
];

const TREE: usize = 0;
const RING: usize = 1;

/// What NCCL's model uses of a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NcclMachine {
    /// Number of ranks.
    pub(crate) ranks: u32,
    /// Number of hosts of the ranks.
    pub(crate) hosts: u32,
    /// Bytes per second of all rings together.
    pub(crate) bus_bytes_per_second: u64,
}

impl NcclMachine {
    /// Returns the machine of a network. Every ring crosses every cut, so that all rings together have at most the capacity of the
    /// least cut between two ranks.
    pub(crate) fn of(network: &Network<'_>) -> Self {
        Self {
            ranks: network.ranks(),
            hosts: network.hosts(),
            bus_bytes_per_second: least_cut(network).saturating_mul(network.unit_bytes_per_second().get()),
        }
    }

    /// Returns the times of a collective: the algorithm, the protocol and the time.
    pub(crate) fn curves(self, collective: CollectiveName) -> Vec<(&'static str, &'static str, Curve)> {
        let of_rings = PROTOCOLS.iter().map(|protocol| ("ring", protocol.name, self.ring(collective, protocol)));
        let trees = PROTOCOLS.iter().filter(|_| collective == CollectiveName::AllReduce);
        let of_trees = trees.map(|protocol| ("tree", protocol.name, self.tree(protocol)));
        of_trees.chain(of_rings).collect()
    }

    fn ring(self, collective: CollectiveName, protocol: &Protocol) -> Curve {
        let [ranks, hosts] = [self.ranks, self.hosts].map(u64::from);
        let (steps, between_hosts) = match collective {
            CollectiveName::AllReduce => (2 * (ranks - 1), 2 * hosts),
            CollectiveName::AllGather | CollectiveName::ReduceScatter => (ranks - 1, hosts - 1),
            _ => (ranks, hosts),
        };
        let between_hosts = if hosts > 1 { between_hosts.min(steps) } else { 0 };
        let latency = protocol.base_ps[RING]
            + (steps - between_hosts) * protocol.link_ps[RING]
            + between_hosts * protocol.net_ps[RING];
        // The algorithm bandwidth is that of the rings times ranks over steps.
        self.curve(latency, protocol.ring_part, [ranks, steps])
    }

    fn tree(self, protocol: &Protocol) -> Curve {
        let levels = u64::from(self.hosts.next_power_of_two().ilog2());
        let on_host = u64::from((self.ranks / self.hosts).max(1)) - 1;
        let latency = protocol.base_ps[TREE] + 2 * (on_host * protocol.link_ps[TREE] + levels * protocol.net_ps[TREE]);
        self.curve(latency, protocol.tree_part[usize::from(self.hosts > 1)], [1, 2])
    }

    fn curve(self, latency_ps: u64, part: [u64; 2], factor: [u64; 2]) -> Curve {
        const PICOSECONDS_PER_SECOND: u128 = 1_000_000_000_000;
        let product = |place: usize| u128::from(part[place]) * u128::from(factor[place]);
        let parts = product(0) * u128::from(self.bus_bytes_per_second);
        Curve::line(u128::from(latency_ps) << TICKS, ticks_of(PICOSECONDS_PER_SECOND * product(1), parts))
    }
}

/// Returns the least capacity of a cut between two ranks, by maximum flows between the first rank and each other one.
fn least_cut(network: &Network<'_>) -> u64 {
    let topology = network.topology();
    let mut flows = FlowNetwork::new(topology.node_count());
    let capacities: Vec<u32> = topology.channels().map(|channel| topology.capacity(channel)).collect();
    for (channel, &capacity) in topology.channels().zip(&capacities) {
        flows.add_arc(topology.tail(channel).index(), topology.head(channel).index(), capacity);
    }
    let [first, others @ ..] = network.members() else { return 1 };
    let pairs = others.iter().flat_map(|other| [[first, other], [other, first]]);
    let cuts = pairs.map(|[from, to]| {
        flows.reset(|arc| capacities[arc.index()]);
        flows.max_flow(from.index(), to.index())
    });
    cuts.min().unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use lockstep_schedule::Ports;
    use lockstep_topology::TopologyBuilder;

    use super::*;
    use crate::network::RoundCosts;

    #[test]
    fn rings_have_at_most_the_capacity_of_a_cut() {
        let mut builder = TopologyBuilder::new("two pairs");
        let gpus = ["a", "b", "c", "d"].map(|name| builder.terminal(name));
        for ([u, v], bandwidth) in [([0, 1], 300), ([2, 3], 200), ([1, 2], 25)] {
            let link = builder.link(gpus[u], gpus[v]);
            builder.set_bandwidth(link, bandwidth);
        }
        let topology = builder.build().unwrap();
        let machine = |members: &[usize]| {
            let members: Vec<_> = members.iter().map(|&place| gpus[place]).collect();
            let costs = RoundCosts { start_up_ps: 0, ports: Ports::All };
            NcclMachine::of(&Network::new(&topology, &members, costs).unwrap()).bus_bytes_per_second
        };
        assert_eq!([machine(&[0, 1, 2, 3]), machine(&[0, 1]), machine(&[3, 2])], [25, 300, 200]);
    }
}
