//! Channels that carry several transfers in a step.

use lockstep_schedule::{Collective, CommunicationModel, Violation};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use crate::draft::Fixture;

const A: NodeId = NodeId::new(0);

/// From a to b: channel 0 with capacity 2, and channel 1 with capacity 1.
fn pair() -> Topology {
    let mut pair = TopologyBuilder::new("pair");
    let [a, b] = ["a", "b"].map(|name| pair.terminal(name));
    let channel = pair.channel(a, b);
    pair.set_capacity([channel], 2);
    pair.channel(a, b);
    pair.build().expect("a network of two terminals")
}

/// Three messages from a to b: two in the first step, on channel 0.
fn scatter(channel: u32) -> Fixture {
    Fixture {
        topology: pair(),
        collective: Collective::scatter(A).with_chunks(3.try_into().expect("not zero")),
        model: CommunicationModel::wormhole(),
        draft: vec![vec![(0, vec![0]), (2, vec![0])], vec![(1, vec![channel])]],
    }
}

/// Moves the transfer of the second step to the first one.
fn crowded(fixture: &Fixture) -> Violation {
    fixture.spoil(|draft| {
        let last = draft[1].remove(0);
        draft[0].push(last);
    })
}

#[test]
fn a_channel_carries_as_many_transfers_as_its_capacity() {
    let violation = crowded(&scatter(0));
    let expected = "step 1, transfer 3, message 1 ('a' to 'b'): channel 0 (a->b) carries 2 transfers in this step, and earlier transfers of the step take them all";
    assert_eq!(violation.to_string(), expected);
    assert!(matches!(violation, Violation::ResourceFull { room: 2, .. }));
}

/// The violation of a channel of capacity 1 names the other transfer, also beside channels with a capacity.
#[test]
fn a_channel_of_capacity_one_names_its_other_transfer() {
    let mut fixture = scatter(1);
    fixture.draft[0][1].1 = vec![1];
    let violation = crowded(&fixture);
    assert!(matches!(violation, Violation::ChannelBusy { other: 1, .. }), "{violation}");
}
