//! Bounds by classes of terminals that messages enter in time.

use lockstep_bounds::{Rule, by_rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports, Problem};
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

const PACKETS: CommunicationModel = CommunicationModel::store_and_forward();

/// Returns the checked bound by entries, or 0 if there is none.
fn entries(topology: &Topology, collective: &Collective, model: CommunicationModel) -> u32 {
    let problem = Problem::new(topology, collective, model).unwrap();
    by_rule(&problem, Rule::TimedEntries).map_or(0, |bound| {
        assert_eq!(bound.check(&problem), Ok(()), "{bound}");
        bound.steps
    })
}

/// The corner of a mesh has two channels for a message of each terminal. The contribution of the opposite corner enters it after
/// 14 steps, and the first steps bring little.
#[test]
fn the_contributions_of_far_terminals_come_late() {
    let mesh: Topology = "mesh:8x8".parse().unwrap();
    assert_eq!(entries(&mesh, &Collective::all_reduce(), PACKETS), 45);
    let line: Topology = "mesh:1x8".parse().unwrap();
    assert_eq!(entries(&line, &Collective::all_reduce(), PACKETS), 14);
}

/// Eight terminals, more terminals, and more channels.
fn directed(terminals: usize, more: &[[usize; 2]]) -> Topology {
    let channels = [[1, 0], [2, 1], [0, 2], [3, 1], [2, 3], [4, 1], [3, 4], [0, 1], [5, 1], [6, 5], [7, 6], [2, 7]];
    let mut network = TopologyBuilder::new("directed");
    let ends: Vec<NodeId> = (0..terminals).map(|node| network.terminal(node.to_string())).collect();
    for [tail, head] in channels.iter().chain(more) {
        network.channel(ends[*tail], ends[*head]);
    }
    network.build().unwrap()
}

/// Channel 0 -> 2 brings 14 of 16 messages to terminal 2, and the last of them have two channels to go.
#[test]
fn messages_enter_early_enough_for_the_rest_of_their_way() {
    let all_gather = Collective::all_gather().with_chunks(2.try_into().unwrap());
    assert_eq!(entries(&directed(8, &[]), &all_gather, PACKETS), 16);
}

/// A leaf with one half-duplex link to a line, and a tree.
#[test]
fn one_port_and_half_duplex_links_count_in_every_step() {
    let line: Topology = "mesh:1x5".parse().unwrap();
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    assert_eq!(entries(&line, &Collective::all_gather(), one_port), 7);
    let tree: Topology = "full-b-tree:15".parse().unwrap();
    assert_eq!(entries(&tree.half_duplex(), &Collective::all_gather(), PACKETS), 17);
}

#[test]
fn neither_wormholes_nor_scatters_have_entries() {
    let line: Topology = "mesh:1x8".parse().unwrap();
    assert_eq!(entries(&line, &Collective::all_reduce(), CommunicationModel::wormhole()), 0);
    assert_eq!(entries(&line, &Collective::all_to_all(), PACKETS), 0);
}

/// The certificate has a length for every resource in every step, so the number of steps has a limit.
#[test]
fn many_messages_take_too_many_steps_for_a_certificate() {
    let line: Topology = "mesh:1x8".parse().unwrap();
    let chunks = |chunks: u32| Collective::all_reduce().with_chunks(chunks.try_into().unwrap());
    assert_eq!(entries(&line, &chunks(127), PACKETS), 8 * 127 + 6);
    assert_eq!(entries(&line, &chunks(128), PACKETS), 0);
    assert_eq!(entries(&line, &chunks(100_000), PACKETS), 0);
}

/// A ninth terminal sends into the other eight, but no message gets there.
#[test]
fn channels_that_are_on_no_way_do_not_count() {
    let network = directed(9, &[[8, 1]]);
    let ends = &network.terminals()[..8];
    let messages = Collective::many_to_many_broadcast(ends, ends).with_chunks(2.try_into().unwrap());
    assert_eq!(entries(&network, &messages, PACKETS), 16);
}
