//! Lengths of resources and ports.

use lockstep_certificate::{Certificate, LowerBound, Rule};
use lockstep_schedule::{Collective, CommunicationModel, Problem};
use lockstep_topology::Topology;

fn lengths(steps: u32, lengths: [Vec<u32>; 3], sums: [u64; 2]) -> LowerBound {
    let ([resources, sends, receptions], [distance, per_step]) = (lengths, sums);
    let certificate = Certificate::Lengths { resources, sends, receptions, distance, per_step };
    LowerBound { steps, rule: Rule::ArcForwarding, certificate }
}

#[test]
fn lengths_of_the_wrong_number_or_place_are_refused() {
    let kautz: Topology = "kautz:2,2".parse().unwrap();
    let (all_to_all, all_gather) = (Collective::all_to_all(), Collective::all_gather());
    let problem = |collective, model| Problem::new(&kautz, collective, model).unwrap();
    let packets = problem(&all_to_all, CommunicationModel::store_and_forward());
    let refusal = |problem: &Problem<'_>, counts: [usize; 3]| {
        lengths(1, counts.map(|count| vec![1; count]), [1, 1]).check(problem).unwrap_err().to_string()
    };
    let why = |why: &str| format!("not a valid arc-forwarding certificate: {why}");
    let (resources, terminals) = (kautz.resource_count(), kautz.terminal_count());
    for count in [resources - 1, resources + 1] {
        assert_eq!(refusal(&packets, [count, 0, 0]), why("every resource must have a length"));
    }
    let more = terminals + 1;
    for ports in [[resources, 1, 0], [resources, 0, 1], [resources, more, 0], [resources, 0, more]] {
        assert_eq!(refusal(&packets, ports), why("either every terminal has a length or none has"));
    }
    let wormhole = problem(&all_to_all, CommunicationModel::wormhole());
    let expected = why("a wormhole transfer crosses many channels through one port");
    assert_eq!(refusal(&wormhole, [resources, terminals, 0]), expected);
    let broadcasts = problem(&all_gather, CommunicationModel::wormhole());
    assert_eq!(refusal(&broadcasts, [resources, 0, 0]), why("copies of a message can share a part of their paths"));
}

#[test]
fn the_largest_lengths_are_added_exactly() {
    let pair: Topology = "complete:2".parse().unwrap();
    let chunks = (1 << 31) - 1;
    let all_to_all = Collective::all_to_all().with_chunks(chunks.try_into().unwrap());
    let problem = Problem::new(&pair, &all_to_all, CommunicationModel::store_and_forward()).unwrap();
    let both = 2 * u64::from(u32::MAX);
    let bound = lengths(chunks, [vec![u32::MAX; 2], vec![], vec![]], [both * u64::from(chunks), both]);
    assert_eq!(bound.check(&problem), Ok(()));
}
