//! Symmetric schedules: their verifier, expansion and files.

use lockstep_schedule::strategy::{SymmetricInstance, cayley_topology, spoiled_symmetric, symmetric_instance};
use lockstep_schedule::{
    BaseSchedule, CollectiveName, CommunicationModel, ExpansionError, Ports, Problem, Routing, SymmetricSchedule,
    SymmetricScheduleFile, SymmetricViolation, Verification, verify, verify_symmetric,
};
use lockstep_topology::{CayleyGraph, NodeId, Topology};
use proptest::prelude::*;
use proptest::sample::Index;

/// Returns the results of both verifiers: of the base, and of the expanded schedule.
fn both(instance: &SymmetricInstance) -> (Result<Verification, String>, Result<Verification, String>) {
    let SymmetricInstance { schedule, model } = instance;
    let base = verify_symmetric(schedule, *model).map_err(|violation| violation.to_string());
    let topology = cayley_topology(schedule.graph());
    let collective = schedule.collective().with_root(None).unwrap();
    let whole = match (Problem::new(&topology, &collective, *model), schedule.expand(&topology)) {
        (Err(error), _) => Err(error.to_string()),
        (_, Err(error)) => Err(error.to_string()),
        (Ok(problem), Ok(whole)) => verify(&problem, &whole).map_err(|violation| violation.to_string()),
    };
    (base, whole)
}

/// Returns true if every element is a sum of generators.
fn is_connected(graph: &CayleyGraph) -> bool {
    let topology = cayley_topology(graph);
    let (mut reached, mut next) = (vec![NodeId::new(0)], 0);
    while let Some(&node) = reached.get(next) {
        next += 1;
        for &channel in topology.out_channels(node) {
            if !reached.contains(&topology.head(channel)) {
                reached.push(topology.head(channel));
            }
        }
    }
    reached.len() == topology.node_count()
}

proptest! {
    #![proptest_config(lockstep_topology::strategy::cases(1024))]

    /// The translation principle: the base is valid if and only if the expanded schedule is.
    #[test]
    fn the_base_is_valid_if_and_only_if_its_translates_are(instance in spoiled_symmetric(12)) {
        match both(&instance) {
            (Ok(base), Ok(whole)) => prop_assert_eq!(base, whole),
            (base, whole) => prop_assert!(base.is_err() && whole.is_err(), "{base:?} {whole:?}"),
        }
    }
}

proptest! {
    #[test]
    fn an_unchanged_base_is_valid(instance in symmetric_instance(16)) {
        let SymmetricInstance { schedule, model } = &instance;
        let is_direct = schedule.collective() == CollectiveName::AllToAll && model.is_direct();
        prop_assume!(is_connected(schedule.graph()) && !is_direct);
        let (base, whole) = both(&instance);
        prop_assert_eq!(&base, &whole);
        prop_assert_eq!(base.unwrap().redundant, 0);
    }

    #[test]
    fn the_programs_of_all_nodes_are_the_translates(instance in symmetric_instance(12)) {
        let schedule = &instance.schedule;
        let topology = cayley_topology(schedule.graph());
        let whole = schedule.expand(&topology).unwrap();
        let collective = schedule.collective().with_root(None).unwrap();
        let messages = collective.messages(&topology).unwrap();
        let number = |node: NodeId| u64::from(node.number());
        for (step, transfers) in whole.steps() {
            let mut expected: Vec<_> = transfers.iter().map(|moved| {
                let receiver = messages.is_scatter().then(|| messages.receivers_iter(moved.message).map(number).next());
                let first = topology.tail(moved.path[0]);
                let places = |(node, channel)| topology.out_channels(node).iter().position(|&out| out == channel);
                let nodes = moved.path.iter().map(|&channel| topology.tail(channel));
                let path: Vec<_> = nodes.zip(moved.path.iter().copied()).map(|used| places(used).unwrap()).collect();
                (number(first), number(messages.source(moved.message)), receiver.flatten(), path)
            }).collect();
            let mut sent: Vec<_> = topology.nodes().map(number).flat_map(|node| {
                let sends: Vec<_> = schedule.program_of(node).nth(step).unwrap().collect();
                sends.into_iter().map(move |send| {
                    (node, send.source, send.receiver, send.path.iter().copied().map(usize::from).collect())
                })
            }).collect();
            expected.sort_unstable();
            sent.sort_unstable();
            prop_assert_eq!(sent, expected);
        }
    }

    #[test]
    fn files_round_trip(SymmetricInstance { schedule, model } in spoiled_symmetric(12)) {
        let file = SymmetricScheduleFile { schedule, model };
        let (text, bytes) = (file.to_json(), file.to_bytes());
        prop_assert_eq!(&SymmetricScheduleFile::from_json(&text).unwrap(), &file);
        prop_assert_eq!(&SymmetricScheduleFile::from_bytes(&bytes).unwrap(), &file);
        prop_assert_eq!(&SymmetricScheduleFile::read(text.as_bytes()).unwrap(), &file);
        prop_assert_eq!(&SymmetricScheduleFile::read(&bytes).unwrap(), &file);
    }

    #[test]
    fn altered_and_truncated_binary_files_are_refused(
        SymmetricInstance { schedule, model } in spoiled_symmetric(6), place: Index, flip in 1u8.., cut: Index,
    ) {
        let mut bytes = SymmetricScheduleFile { schedule, model }.to_bytes();
        prop_assert!(SymmetricScheduleFile::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        let place = place.index(bytes.len());
        bytes[place] ^= flip;
        prop_assert!(SymmetricScheduleFile::from_bytes(&bytes).is_err());
    }

    /// A forged payload with a valid checksum makes neither the reader nor the verifier panic.
    #[test]
    fn forged_binary_files_are_read_without_panic(
        SymmetricInstance { schedule, model } in spoiled_symmetric(6), places: [Index; 2], bytes: [u8; 2], cut: Option<Index>,
    ) {
        let sealed = SymmetricScheduleFile { schedule, model }.to_bytes();
        let mut payload = lockstep_files::open(*b"locksymm", 1, &sealed).unwrap().to_vec();
        for (place, byte) in places.iter().zip(bytes) {
            let place = place.index(payload.len());
            payload[place] = byte;
        }
        payload.truncate(cut.map_or(payload.len(), |cut| cut.index(payload.len())));
        if let Ok(file) = SymmetricScheduleFile::from_bytes(&lockstep_files::seal(*b"locksymm", 1, &payload)) {
            let _ = file.verify();
        }
    }

    #[test]
    fn altered_json_files_are_read_without_panic(
        SymmetricInstance { schedule, model } in spoiled_symmetric(6), place: Index, byte in 0x20u8..0x7f, cut: Option<Index>,
    ) {
        let mut bytes = SymmetricScheduleFile { schedule, model }.to_json().into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        match SymmetricScheduleFile::read(&bytes) {
            Ok(file) => drop(file.verify()),
            Err(error) => prop_assert!(!error.to_string().contains(char::is_control)),
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
        prop_assert!(SymmetricScheduleFile::read(&bytes).is_err());
    }
}

/// The steps of a base: message, sender and path of each transfer.
type Steps<'a> = &'a [&'a [(u32, u32, &'a [u16])]];

fn base(steps: Steps<'_>) -> BaseSchedule {
    let mut base = BaseSchedule::new();
    for step in steps {
        base.begin_step();
        for &(message, from, path) in *step {
            base.push(message, from, path);
        }
    }
    base
}

fn aab(spec: &str, steps: Steps<'_>) -> SymmetricSchedule {
    SymmetricSchedule::new(spec.parse().unwrap(), CollectiveName::AllGather, base(steps))
}

fn aas(spec: &str, steps: Steps<'_>) -> SymmetricSchedule {
    SymmetricSchedule::new(spec.parse().unwrap(), CollectiveName::AllToAll, base(steps))
}

fn refusal(schedule: &SymmetricSchedule, model: CommunicationModel) -> String {
    verify_symmetric(schedule, model).unwrap_err().to_string()
}

#[test]
fn pairs_of_opposite_differences_are_a_direct_exchange_in_the_hypercube() {
    for dimensions in 1..=6u32 {
        let (mut base, last) = (BaseSchedule::new(), (1u32 << dimensions) - 1);
        // Theory, section 3.5: the paths to y and to its complement together use every dimension once.
        let word = |y: u32| -> Vec<u16> { (0..dimensions as u16).filter(|bit| y >> bit & 1 == 1).collect() };
        for y in 0..1 << (dimensions - 1) {
            base.begin_step();
            for message in [y, last ^ y].into_iter().filter(|&message| message != 0) {
                base.push(message, 0, &word(message));
            }
        }
        let spec = format!("hypercube:{dimensions}");
        let topology: Topology = spec.parse().unwrap();
        let schedule = SymmetricSchedule::new(spec.parse().unwrap(), CollectiveName::AllToAll, base);
        let model = CommunicationModel::wormhole();
        let report = verify_symmetric(&schedule, model).unwrap();
        assert_eq!(report.steps, 1 << (dimensions - 1));
        let collective = schedule.collective().with_root(None).unwrap();
        let problem = Problem::new(&topology, &collective, model).unwrap();
        assert_eq!(verify(&problem, &schedule.expand(&topology).unwrap()).unwrap(), report);
    }
}

#[test]
fn every_violation_is_reported_with_its_place() {
    let (forward, wormhole) = (CommunicationModel::store_and_forward(), CommunicationModel::wormhole());
    let one_port = CommunicationModel { ports: Ports::limit(1).unwrap(), ..forward };
    let relay = CommunicationModel { routing: Routing::Any, ..wormhole };
    // The generators of a ring are +1 and -1.
    assert_eq!(
        refusal(
            &aab("ring:4", &[&[(0, 0, &[0]), (0, 0, &[1])], &[(0, 1, &[0])], &[(0, 1, &[1]), (0, 3, &[1, 1])]]),
            wormhole
        ),
        "step 3, transfer 2, message 0: generator 1 is already used by transfer 1 of the step"
    );
    let table: [(Steps<'_>, CommunicationModel, &str); 10] = [
        (
            &[&[(1, 0, &[0])]],
            forward,
            "step 1, transfer 1, message 1: there is no such message; the messages of a source are 0 to 0",
        ),
        (
            &[&[(0, 7, &[0])]],
            forward,
            "step 1, transfer 1, message 0: there is no element 7; the graph has 4, counted from 0",
        ),
        (
            &[&[(0, 0, &[2])]],
            forward,
            "step 1, transfer 1, message 0: there is no generator 2; the graph has 2, counted from 0",
        ),
        (
            &[&[(0, 0, &[])]],
            forward,
            "step 1, transfer 1, message 0: the path is empty; it needs at least one generator",
        ),
        (
            &[&[(0, 0, &[0, 1])]],
            forward,
            "step 1, transfer 1, message 0: the path has 2 channels; a store-and-forward transfer crosses exactly 1",
        ),
        (
            &[&[(0, 0, &[0, 0])]],
            relay,
            "step 1, transfer 1, message 0: generator 0 is already used by transfer 1 of the step",
        ),
        (&[&[(0, 0, &[0, 1])]], relay, "step 1, transfer 1, message 0: the path visits element 0 twice"),
        (
            &[&[(0, 0, &[0]), (0, 0, &[1])]],
            one_port,
            "step 1, transfer 2, message 0: every node sends and receives more than 1 transfer(s) in the step, its number of ports",
        ),
        (
            &[&[(0, 0, &[0]), (0, 1, &[1])]],
            forward,
            "step 1, transfer 2, message 0: the sender 1 does not hold the message when the step begins",
        ),
        (&[&[(0, 0, &[0]), (0, 0, &[1])]], forward, "after the last step element 2 does not hold message 0"),
    ];
    for (steps, model, expected) in table {
        assert_eq!(refusal(&aab("ring:4", steps), model), expected);
    }
    assert_eq!(
        refusal(&aas("ring:3", &[&[(1, 0, &[0]), (2, 0, &[1])], &[(2, 2, &[1])]]), wormhole),
        "step 2, transfer 1, message 2: the path goes from 2 to 1; direct scatter goes from 0 to the receiver in one transfer"
    );
    assert_eq!(
        refusal(&aas("ring:3", &[&[(1, 0, &[0])]]), forward),
        "after the last step element 2 does not hold message 2"
    );
    // An all-to-all has a message per other element: neither 0 nor the number of elements.
    for message in [0, 3] {
        assert_eq!(
            refusal(&aas("ring:3", &[&[(1, 0, &[0]), (2, 0, &[1])], &[(message, 0, &[0])]]), wormhole),
            format!(
                "step 2, transfer 1, message {message}: there is no such message; the messages of a source are 1 to 2"
            )
        );
    }
}

#[test]
fn minimal_routing_refuses_a_detour() {
    // The last generator of the folded square is the sum of the two others.
    let exchange = |path| aas("folded-hypercube:2", &[&[(1, 0, &[0]), (2, 0, &[1])], &[(3, 0, path)]]);
    assert!(verify_symmetric(&exchange(&[2]), CommunicationModel::wormhole()).is_ok());
    assert_eq!(
        refusal(&exchange(&[0, 1]), CommunicationModel::wormhole()),
        "step 2, transfer 1, message 3: the path from 0 to 3 has 2 channels, the shortest has 1"
    );
    let any = CommunicationModel { routing: Routing::Any, ..CommunicationModel::wormhole() };
    assert_eq!(verify_symmetric(&exchange(&[0, 1]), any).unwrap().longest_path, 2);
}

#[test]
fn unsupported_collectives_and_group_sizes_are_refused() {
    let model = CommunicationModel::store_and_forward();
    let gather = SymmetricSchedule::new("ring:3".parse().unwrap(), CollectiveName::Gather, BaseSchedule::new());
    assert_eq!(refusal(&gather, model), "a symmetric schedule is for an all-gather or an all-to-all, not for gather");
    for (spec, elements) in [("ring:1", 1), ("hypercube:33", 1 << 33)] {
        assert_eq!(verify_symmetric(&aab(spec, &[]), model), Err(SymmetricViolation::Elements { elements }));
    }
}

#[test]
fn a_short_base_on_a_large_graph_is_refused_without_large_tables() {
    // The tables for the check of minimal routing would take 32 GiB.
    let schedule = aab("hypercube:32", &[&[(0, 0, &[0, 1])]]);
    assert_eq!(
        refusal(&schedule, CommunicationModel::wormhole()),
        "after the last step element 1 does not hold message 0"
    );
}

#[test]
fn a_schedule_expands_on_its_own_graph_only() {
    let schedule = aab("ring:4", &[&[(0, 0, &[0]), (0, 0, &[1])], &[(0, 1, &[0])]]);
    let ring: Topology = "ring:4".parse().unwrap();
    assert_eq!(schedule.expand(&ring).unwrap().transfer_count(), 12);
    let others = ["ring:5", "torus:2x2", "complete:4"].map(|spec| spec.parse::<Topology>().unwrap());
    let relabelled = ring.relabelled(&[1, 0, 2, 3].map(NodeId::new));
    for other in others.iter().chain([&ring.half_duplex(), &relabelled]) {
        let error = schedule.expand(other).unwrap_err();
        assert!(matches!(error, ExpansionError::OtherNetwork { .. }), "{error}");
    }
    let unknown = aab("ring:4", &[&[(0, 0, &[2])]]);
    let expected = ExpansionError::Base(verify_symmetric(&unknown, CommunicationModel::wormhole()).unwrap_err());
    assert_eq!(unknown.expand(&ring), Err(expected));
}

fn file() -> SymmetricScheduleFile {
    let schedule = aab("ring:4", &[&[(0, 0, &[0]), (0, 0, &[1])], &[(0, 1, &[0])]]);
    SymmetricScheduleFile { schedule, model: CommunicationModel::store_and_forward() }
}

#[test]
fn the_json_form_is_stable() {
    expect_test::expect![[r#"
        {
          "format": "lockstep-symmetric-schedule",
          "version": 2,
          "graph": {
            "name": "ring:4",
            "sides": [4],
            "generators": [1, 3]
          },
          "model": {
            "switching": "store-and-forward",
            "ports": "all",
            "routing": "minimal",
            "scatter": "relay"
          },
          "collective": {
            "kind": "all-gather"
          },
          "steps": [
            [{"message": 0, "from": 0, "path": [0]}, {"message": 0, "from": 0, "path": [1]}],
            [{"message": 0, "from": 1, "path": [0]}]
          ]
        }
    "#]]
    .assert_eq(&file().to_json());
}

/// Returns the error of reading the text after a replacement.
fn refused(from: &str, to: &str) -> String {
    let text = file().to_json();
    assert!(text.contains(from), "{from}");
    SymmetricScheduleFile::from_json(&text.replacen(from, to, 1)).expect_err(to).to_string()
}

/// Version 1 has the short forms of the documents.
#[test]
fn files_of_version_1_are_read() {
    let text = file().to_json().replace("\"version\": 2", "\"version\": 1").replace("all-gather", "aab");
    assert!(text.contains("\"version\": 1") && text.contains("\"aab\""));
    assert_eq!(SymmetricScheduleFile::from_json(&text), Ok(file()));
}

#[test]
fn wrong_files_are_refused_by_field_and_value() {
    assert_eq!(
        refused("lockstep-symmetric-schedule", "lockstep-schedule"),
        "field 'format' is 'lockstep-schedule', expected 'lockstep-symmetric-schedule'; give a symmetric schedule file"
    );
    assert_eq!(
        refused("\"version\": 2", "\"version\": 3, \"novelty\": true"),
        "field 'version' is 3, but only versions 1 and 2 are known; use a newer lockstep"
    );
    assert!(refused("\"path\": [1]", "\"path\": [65536]").starts_with("field 'steps[0][1].path[0]': invalid value"));
    assert!(refused("\"from\": 1", "\"from\": -1").starts_with("field 'steps[1][0].from': invalid value"));
    assert!(refused("\"sides\": [4]", "\"sides\": [0]").starts_with("field 'graph': "));
    assert!(refused("[1, 3]", "[1, 1]").starts_with("field 'graph': "));
    let sides = format!("\"sides\": [{}4]", "1, ".repeat(1024));
    assert_eq!(refused("\"sides\": [4]", &sides), "field 'graph.sides': found 1025 entries, expected at most 1024");
    assert_eq!(
        refused("\"all-gather\"", "\"gather\""),
        "field 'collective': a symmetric schedule is for an all-gather or an all-to-all, not for gather"
    );
    // Control characters are escaped.
    assert!(
        refused("\"all-gather\"", "\"\\u001b[2J\"").starts_with("field 'collective': unknown collective '\\u{1b}[2J'")
    );
    assert!(
        refused("lockstep-symmetric-schedule", "\\u001b[2J").starts_with("field 'format' is '\\u{1b}[2J', expected")
    );
}
