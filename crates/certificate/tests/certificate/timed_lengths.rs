//! Lengths of resources and ports in each step.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Ports};
use lockstep_topology::{Topology, TopologyBuilder};

use crate::verdict::{PACKETS, ROOT, verdict, why};

/// Returns the verdict on lengths of the resources and the ports for a broadcast by packets.
fn broadcast(topology: &Topology, chunks: u32, infeasible: u32, lists: [Vec<u32>; 3], sums: [u64; 2]) -> String {
    let broadcast = Collective::broadcast(ROOT).with_chunks(chunks.try_into().unwrap());
    let ([resources, sends, receptions], [distance, available]) = (lists, sums);
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..PACKETS };
    let model = if sends.is_empty() && receptions.is_empty() { PACKETS } else { one_port };
    let certificate = Certificate::TimedLengths { infeasible, resources, sends, receptions, distance, available };
    let bound = LowerBound { steps: infeasible.saturating_add(1), rule: Rule::TimedEntries, certificate };
    verdict(topology, &broadcast, model, &bound)
}

/// Returns the verdict on lengths of the resources alone.
fn resources(topology: &Topology, chunks: u32, infeasible: u32, lengths: &[u32], sums: [u64; 2]) -> String {
    broadcast(topology, chunks, infeasible, [lengths.to_vec(), Vec::new(), Vec::new()], sums)
}

/// A channel of some capacity.
fn pair(capacity: u64) -> Topology {
    let mut network = TopologyBuilder::new("pair");
    let ends = ["0", "1"].map(|name| network.terminal(name));
    let channel = network.channel(ends[0], ends[1]);
    network.set_capacity([channel], capacity);
    network.build().unwrap()
}

#[test]
fn both_sums_are_computed_again() {
    let wrong = |quantity: &str, claimed: u64, actual: u64| {
        format!("{quantity}: the certificate states {claimed}, but the problem gives {actual}")
    };
    assert_eq!(resources(&pair(1), 2, 1, &[3], [6, 3]), "accepted");
    assert_eq!(resources(&pair(1), 2, 1, &[3], [5, 3]), wrong("lengths of all messages", 5, 6));
    assert_eq!(resources(&pair(1), 2, 1, &[3], [6, 4]), wrong("lengths in all steps", 4, 3));
}

#[test]
fn capacities_multiply_what_is_available() {
    let not_long = why(Rule::TimedEntries, "the entries of all messages are not too long");
    assert_eq!(resources(&pair(3), 4, 1, &[2], [8, 6]), "accepted");
    assert_eq!(resources(&pair(3), 3, 1, &[2], [6, 6]), not_long);
}

#[test]
fn everything_has_a_length_in_every_step() {
    let error = why(Rule::TimedEntries, "every resource must have a length in every step");
    for count in [1, 3] {
        assert_eq!(resources(&pair(1), 1, 2, &vec![1; count], [1, 1]), error);
    }
    let error = why(Rule::TimedEntries, "either every terminal has a length in every step or none has");
    for count in [1, 3, 5] {
        for ports in [[vec![1; count], Vec::new()], [Vec::new(), vec![1; count]]] {
            let [sends, receptions] = ports;
            assert_eq!(broadcast(&pair(1), 1, 2, [vec![0; 2], sends, receptions], [0, 0]), error);
        }
    }
}

#[test]
fn the_number_of_steps_is_limited() {
    let error = why(Rule::TimedEntries, "the number of steps is 0 or too large");
    assert_eq!(resources(&pair(1), 1, 0, &[], [1, 0]), error);
    assert_eq!(resources(&pair(1), 1, 1025, &[1; 1025], [1, 1025]), error);
    assert_eq!(resources(&pair(1), 1025, 1024, &[1; 1024], [1025, 1024]), "accepted");
}
