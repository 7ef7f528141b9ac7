//! Volumes of deliveries: the channels that count.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, WORMHOLE, verdict};

fn check(
    network: &Topology,
    collective: &Collective,
    model: CommunicationModel,
    steps: u32,
    [deliveries, per_step]: [u64; 2],
) -> String {
    let certificate = Certificate::Volume { deliveries, per_step };
    verdict(network, collective, model, &LowerBound { steps, rule: Rule::Volume, certificate })
}

/// One wire from terminal 0 to terminals 1 and 2, and one further channel.
fn bus(tail: usize, head: usize) -> Topology {
    let mut network = TopologyBuilder::new("bus");
    let ends = ["0", "1", "2"].map(|name| network.terminal(name));
    let wire = [1, 2].map(|end| network.channel(ends[0], ends[end]));
    network.share(wire);
    network.channel(ends[tail], ends[head]);
    network.build().unwrap()
}

#[test]
fn channels_to_other_terminals_do_not_count() {
    let network = bus(1, 0);
    let broadcast = Collective::broadcast(ROOT);
    assert_eq!(check(&network, &broadcast, PACKETS, 2, [2, 1]), "accepted");
    assert_ne!(check(&network, &broadcast, PACKETS, 1, [2, 2]), "accepted");
}

#[test]
fn channels_from_other_terminals_do_not_count_for_direct_messages() {
    let network = bus(1, 2);
    let scatter = Collective::scatter(ROOT);
    assert_eq!(check(&network, &scatter, WORMHOLE, 2, [2, 1]), "accepted");
    assert_ne!(check(&network, &scatter, WORMHOLE, 1, [2, 2]), "accepted");
}

/// Two messages in three chunks, with two transfers each.
#[test]
fn chunks_of_an_all_reduce_are_delivered_twice() {
    let pair: Topology = "complete:2".parse().unwrap();
    let three_chunks = Collective::all_reduce().with_chunks(3.try_into().unwrap());
    assert_eq!(check(&pair, &three_chunks, PACKETS, 6, [12, 2]), "accepted");
    for deliveries in [2, 3, 6, 11, 13] {
        assert_ne!(check(&pair, &three_chunks, PACKETS, 6, [deliveries, 2]), "accepted");
    }
}
