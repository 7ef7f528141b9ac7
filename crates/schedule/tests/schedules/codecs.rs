//! JSON and binary schedule files.

use lockstep_schedule::strategy::{Instance, instance_with_capacities, spoiled, spoiled_instance};
use lockstep_schedule::{
    Collective, CollectiveName, CommunicationModel, Message, MessageId, Ports, Problem, Schedule, ScheduleFile,
};
use lockstep_topology::{ChannelId, NodeId, TopologyBuilder};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::draft::{ring, schedule};

/// Schedules on networks of all kinds, a third of them with capacities, latencies, hosts and a unit.
fn any_schedule(max_nodes: usize) -> impl Strategy<Value = (Instance, Schedule)> {
    let with_rates = spoiled(instance_with_capacities(max_nodes)).prop_map(|(instance, schedule)| {
        let mut text = serde_json::to_value(&instance.topology).unwrap();
        text["unit_bytes_per_second"] = 25_000_000_000u64.into();
        text["latency_ps"] = instance.topology.channel_numbers().map(|channel| 700 * channel.number()).collect();
        text["nodes"][0]["host"] = "rack 1".into();
        (Instance { topology: serde_json::from_value(text).unwrap(), ..instance }, schedule)
    });
    prop_oneof![2 => spoiled_instance(max_nodes), 1 => with_rates]
}

fn file_of(instance: &Instance, schedule: Schedule) -> ScheduleFile {
    ScheduleFile::new(&instance.problem(), schedule)
}

proptest! {
    #[test]
    fn json_round_trips((instance, schedule) in any_schedule(8)) {
        let file = file_of(&instance, schedule);
        let text = file.to_json();
        prop_assert_eq!(ScheduleFile::from_json(&text).unwrap(), file.clone());
        prop_assert_eq!(ScheduleFile::read(text.as_bytes()).unwrap(), file.clone());
        // As a part of another document, in another layout.
        let value = serde_json::to_value(&file).unwrap();
        prop_assert_eq!(serde_json::from_value::<ScheduleFile>(value).unwrap(), file);
    }

    #[test]
    fn binary_round_trips((instance, schedule) in any_schedule(8)) {
        let file = file_of(&instance, schedule);
        let bytes = file.to_bytes();
        prop_assert_eq!(ScheduleFile::from_bytes(&bytes).unwrap(), file.clone());
        prop_assert_eq!(ScheduleFile::read(&bytes).unwrap(), file);
    }

    #[test]
    fn altered_binary_files_are_refused(
        (instance, schedule) in any_schedule(5), place: Index, flip in 1u8.., cut: Index,
    ) {
        let bytes = file_of(&instance, schedule).to_bytes();
        prop_assert!(ScheduleFile::from_bytes(&bytes[..cut.index(bytes.len())]).is_err());
        let mut altered = bytes;
        let place = place.index(altered.len());
        altered[place] ^= flip;
        prop_assert!(ScheduleFile::from_bytes(&altered).is_err());
    }

    /// A forged payload with a valid checksum does not make the reader panic.
    #[test]
    fn forged_binary_files_are_read_without_panic(
        (instance, schedule) in any_schedule(5), places: [Index; 2], bytes: [u8; 2], cut: Option<Index>,
    ) {
        let sealed = file_of(&instance, schedule).to_bytes();
        let version = u32::from(sealed[8]);
        let mut payload = lockstep_files::open(*b"lockschd", version, &sealed).unwrap().to_vec();
        for (place, byte) in places.iter().zip(bytes) {
            let place = place.index(payload.len());
            payload[place] = byte;
        }
        payload.truncate(cut.map_or(payload.len(), |cut| cut.index(payload.len())));
        if let Ok(file) = ScheduleFile::from_bytes(&lockstep_files::seal(*b"lockschd", version, &payload)) {
            let _ = lockstep_schedule::violations(&file.problem(), file.schedule(), 10);
        }
    }

    #[test]
    fn altered_json_files_are_read_without_panic(
        (instance, schedule) in any_schedule(5), place: Index, byte in 0x20u8..0x7f, cut: Option<Index>,
    ) {
        let mut bytes = file_of(&instance, schedule).to_json().into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        bytes.truncate(cut.map_or(bytes.len(), |cut| cut.index(bytes.len())));
        if let Ok(file) = ScheduleFile::read(&bytes) {
            let _ = lockstep_schedule::violations(&file.problem(), file.schedule(), 10);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>) {
        prop_assert!(ScheduleFile::read(&bytes).is_err());
    }
}

/// A broadcast on the ring: from a to b and d, then from b to c.
fn broadcast() -> ScheduleFile {
    let (ring, collective) = (ring(), Collective::broadcast(NodeId::new(0)));
    let problem = Problem::new(&ring, &collective, CommunicationModel::store_and_forward()).unwrap();
    ScheduleFile::new(&problem, schedule(&vec![vec![(0, vec![0]), (0, vec![7])], vec![(0, vec![2])]]))
}

#[test]
fn the_json_form_is_stable() {
    expect_test::expect![[r#"
        {
          "format": "lockstep-schedule",
          "version": 4,
          "topology": {
            "format": "lockstep-topology",
            "version": 1,
            "name": "ring",
            "nodes": [{"name": "a", "terminal": true}, {"name": "b", "terminal": true}, {"name": "c", "terminal": true}, {"name": "d", "terminal": true}],
            "channels": [[0, 1], [1, 0], [1, 2], [2, 1], [2, 3], [3, 2], [3, 0], [0, 3]]
          },
          "model": {
            "switching": "store-and-forward",
            "ports": "all",
            "routing": "minimal",
            "scatter": "relay"
          },
          "collective": {
            "kind": "broadcast",
            "root": 0,
            "chunks": 1
          },
          "messages": [
            {"source": 0, "receivers": "all"}
          ],
          "steps": [
            [{"message": 0, "path": [0]}, {"message": 0, "path": [7]}],
            [{"message": 0, "path": [2]}]
          ]
        }
    "#]]
    .assert_eq(&broadcast().to_json());
}

/// Returns the error of reading the text after a replacement.
fn refused(from: &str, to: &str) -> String {
    let text = broadcast().to_json();
    assert!(text.contains(from), "{from}");
    ScheduleFile::from_json(&text.replacen(from, to, 1)).expect_err(to).to_string()
}

/// Returns true if the text after a replacement is read as the same file.
fn accepted(from: &str, to: &str) -> bool {
    let text = broadcast().to_json();
    assert!(text.contains(from), "{from}");
    ScheduleFile::from_json(&text.replacen(from, to, 1)).is_ok_and(|file| file == broadcast())
}

#[test]
fn optional_fields_may_be_omitted_and_aliases_are_read() {
    assert!(accepted("\"chunks\": 1", "\"chunks\": 1"));
    assert!(accepted(",\n    \"chunks\": 1", ""));
    assert!(accepted("\"broadcast\"", "\"Broadcast\"") && accepted("\"broadcast\"", "\"oab\""));
    assert!(accepted("\"all\"}", "[1, 2, 3]}"));
    assert!(accepted("\"all\"}", "[3, 1, 2]}"));
    assert!(accepted("\"messages\": [\n    {\"source\": 0, \"receivers\": \"all\"}\n  ],\n", ""));
}

#[test]
fn wrong_files_are_refused_by_their_head() {
    assert_eq!(
        refused("lockstep-schedule", "lockstep-plan"),
        "field 'format' is 'lockstep-plan', expected 'lockstep-schedule'; a plan holds its schedule in the field 'schedule'"
    );
    assert_eq!(
        refused("lockstep-schedule", "lockstep-topology"),
        "field 'format' is 'lockstep-topology', expected 'lockstep-schedule'; a topology alone is no schedule, plan one for it"
    );
    // The version is checked before unknown fields, which a later version may have.
    let later = refused("\"version\": 4,\n  \"topology\"", "\"version\": 5, \"novelty\": 1,\n  \"topology\"");
    assert_eq!(later, "field 'version' is 5, but only versions 1 to 4 are known; use a newer lockstep");
    assert_eq!(
        refused("\"version\": 4,\n  \"topology\"", "\"version\": 5,\n  \"topology\""),
        "field 'version' is 5, but only versions 1 to 4 are known; use a newer lockstep"
    );
}

#[test]
fn wrong_fields_are_named() {
    assert_eq!(
        refused("\"path\": [2]", "\"path\": [\"two\"]"),
        "field 'steps[1][0].path[0]': invalid type: string \"two\", expected u32 at line 27 column 34; correct that field"
    );
    assert!(refused("\"path\": [2]", "\"path\": [-1]").starts_with("field 'steps[1][0].path[0]': invalid value"));
    assert!(refused("\"path\": [2]", "\"way\": [2]").starts_with("field 'steps[1][0].way': unknown field `way`"));
    assert!(refused("\"all\",", "0,").starts_with("field 'model.ports': "));
    assert!(refused("minimal", "shortest").starts_with("field 'model.routing': unknown variant `shortest`"));
    assert!(
        refused("\"all\"}", "\"some\"}").starts_with("field 'messages[0].receivers': invalid value: string \"some\"")
    );
    assert!(refused("\"steps\": [", "\"steps\": 1, \"x\": [").starts_with("field 'steps': invalid type: integer `1`"));
    assert!(refused("[0, 1]", "[0, 0]").starts_with("field 'topology': channel 0 leads from node 'a' to itself"));
}

#[test]
fn quoted_text_has_no_control_characters() {
    let quoted = [
        refused("lockstep-schedule", "\\u001b[2J"),
        refused("\"broadcast\"", "\"\\u001b[2J\""),
        refused("\"path\": [2]", "\"\\u001b[2J\": [2]"),
        refused("\"version\": 1,\n    \"name\"", "\"version\": 1, \"shared\": [[9]],\n    \"name\""),
        refused("\"name\": \"a\"", "\"name\": \"\\u001b[2J\", \"terminal\": true}, {\"name\": \"\\u001b[2J\""),
    ];
    for message in &quoted {
        assert!(!message.contains(char::is_control), "{message:?}");
    }
    assert_eq!(quoted.iter().filter(|message| message.contains("\\u{1b}[2J")).count(), 4);
}

#[test]
fn text_that_is_not_json_is_refused() {
    assert!(refused("\"steps\": [", "\"steps\": ").starts_with("the text is no JSON: "));
    let text = broadcast().to_json();
    let cut = ScheduleFile::from_json(&text[..text.len() / 2]).unwrap_err().to_string();
    assert!(cut.starts_with("the text is no JSON: EOF while parsing"), "{cut}");
    assert!(ScheduleFile::read(b"").unwrap_err().to_string().starts_with("the text is no JSON: EOF"));
    assert!(ScheduleFile::read(b"{\"format\": \"\xff\"}").unwrap_err().to_string().starts_with("byte 12 is no UTF-8"));
}

#[test]
fn collectives_that_do_not_fit_are_refused() {
    assert_eq!(
        refused("\"broadcast\"", "\"oac\""),
        "field 'collective': unknown collective 'oac'; choose broadcast, scatter, all-gather, all-to-all, gather, reduce, reduce-scatter or all-reduce"
    );
    assert_eq!(refused("\"broadcast\"", "\"all-gather\""), "field 'collective': all-gather has no root; leave it out");
    assert_eq!(refused("\"root\": 0,", ""), "field 'collective': broadcast needs a root; name the terminal");
    assert_eq!(
        refused("\"root\": 0", "\"root\": 4000000000"),
        "field 'collective': root 4000000000 is not a node of the network; the nodes are 0 to 3"
    );
    assert_eq!(
        refused("\"kind\": \"broadcast\",\n    \"root\": 0", "\"kind\": \"all-gather\""),
        "field 'messages': found 1 messages, but all-gather has 4 on this network; leave the field out"
    );
    assert_eq!(
        refused("\"source\": 0", "\"source\": 1"),
        "field 'messages': message 0 differs from broadcast in its source; leave the field out"
    );
    for wrong in ["[1, 2]}", "[1, 2, 2]}", "[0, 1, 2]}", "[]}"] {
        assert_eq!(
            refused("\"all\"}", wrong),
            "field 'messages': message 0 differs from broadcast in its receivers; leave the field out"
        );
    }
}

#[test]
fn custom_messages_are_listed_once_per_chunk() {
    let messages = vec![
        Message { source: NodeId::new(0), receivers: vec![NodeId::new(2), NodeId::new(1)] },
        Message { source: NodeId::new(3), receivers: vec![NodeId::new(0)] },
    ];
    let collective = Collective::custom(messages).with_chunks(2.try_into().unwrap());
    let ring = ring();
    let model = CommunicationModel { ports: Ports::limit(2).unwrap(), ..CommunicationModel::wormhole() };
    let file = ScheduleFile::new(&Problem::new(&ring, &collective, model).unwrap(), Schedule::new());
    let text = file.to_json();
    assert_eq!(text.matches("{\"source\": 0, \"receivers\": [2, 1]}").count(), 2);
    assert_eq!(ScheduleFile::from_json(&text).unwrap(), file);
    assert_eq!(ScheduleFile::from_bytes(&file.to_bytes()).unwrap(), file);

    let read = |text: &str| ScheduleFile::from_json(text).map_err(|error| error.to_string());
    let uneven = text.replacen("\"receivers\": [2, 1]", "\"receivers\": [1, 2]", 1);
    let expected = "field 'messages': message 0 must be listed 2 times, once per chunk; repeat it";
    assert_eq!(read(&uneven), Err(expected.to_owned()));
    let odd = text.replacen("    {\"source\": 0, \"receivers\": [2, 1]},\n", "", 1);
    assert!(read(&odd).is_err());
    let expected = "field 'messages': message 2 must be listed 2 times, once per chunk; repeat it";
    let last = ",\n    {\"source\": 3, \"receivers\": [0]}";
    for other in ["", ",\n    {\"source\": 3, \"receivers\": [1]}"] {
        assert_eq!(read(&text.replacen(last, other, 1)), Err(expected.to_owned()));
    }
    let to_all = text.replace("\"receivers\": [2, 1]", "\"receivers\": \"all\"");
    let collective = read(&to_all).unwrap().collective().clone();
    assert_eq!(collective.listed().unwrap()[0].receivers, [1, 2, 3].map(NodeId::new));
}

#[test]
fn every_part_of_a_topology_survives() {
    let mut network = TopologyBuilder::new("a \"quoted\" näme\n");
    let (a, b) = (network.node("α", true, Some(true)), network.terminal("b"));
    let (passive, switch) = (network.node("passive", false, Some(false)), network.switch("s"));
    let [forth, back] = network.link(a, switch);
    let [_, down] = network.link(b, switch);
    network.link(passive, switch);
    network.share([forth, back]);
    network.positions([[0.1, -2.5], [1e-9, 3.0], [0.0, 0.0], [7.0, 1.0 / 3.0]]);
    let topology = network.build().unwrap();
    let collective = Collective::broadcast(a);
    let mut schedule = Schedule::new();
    schedule.begin_step();
    schedule.push(MessageId::new(0), &[forth, down]);
    schedule.begin_step();
    schedule.push(MessageId::new(u32::MAX), &[ChannelId::new(4_000_000_000)]);
    schedule.begin_step();
    let problem = Problem::new(&topology, &collective, CommunicationModel::wormhole()).unwrap();
    let file = ScheduleFile::new(&problem, schedule.clone());
    assert_eq!(ScheduleFile::from_json(&file.to_json()).unwrap(), file);
    assert_eq!(ScheduleFile::from_bytes(&file.to_bytes()).unwrap(), file);
    assert_eq!(file.schedule(), &schedule);
    assert_eq!(file.into_schedule(), schedule);
}

#[test]
fn binary_faults_are_named() {
    let bytes = broadcast().to_bytes();
    let message = |bytes: &[u8]| ScheduleFile::from_bytes(bytes).unwrap_err().to_string();
    assert!(message(&bytes[..40]).starts_with("the file has 40 bytes, expected 52; it is truncated"));
    assert!(message(b"\x7fELF.....").starts_with("the file begins with \"\\x7fELF....\", expected \"lockschd\""));
    let mut altered = bytes;
    *altered.last_mut().unwrap() ^= 1;
    assert!(message(&altered).starts_with("the checksum does not match"));
}

/// The stream of steps of a file has a valid checksum, but not the steps that it announces.
#[test]
fn forged_steps_are_named() {
    let sealed = broadcast().to_bytes();
    let payload = lockstep_files::open(*b"lockschd", 4, &sealed).unwrap();
    let tables = 8 + usize::try_from(u64::from_le_bytes(*payload.first_chunk().unwrap())).unwrap();
    let message = |steps: &[u8]| {
        let payload = [&payload[..tables], steps].concat();
        ScheduleFile::from_bytes(&lockstep_files::seal(*b"lockschd", 4, &payload)).unwrap_err().to_string()
    };
    let long = |last: u8| [[0xFF; 9].as_slice(), &[last, 0, 0]].concat();
    // The stream begins with the numbers of transfers, channel uses and steps.
    let cases: [(&[u8], &str); 7] = [
        (&[], "a step is longer than the file"),
        (&long(1), "there are fewer steps than the first numbers say"),
        (&long(2), "a number has more than 64 bits"),
        (&[0, 0, 1, 1, 1], "a step is longer than the file"),
        (&[1, 0, 1, 1, 1, 1], "a message or channel is not a number of 32 bits"),
        (&[1, 0, 1, 0, 1], "the steps are not those that the first numbers announce"),
        (&[0, 0, 1, 0, 1, 0], "the steps are not those that the first numbers announce"),
    ];
    for (steps, why) in cases {
        assert!(message(steps).contains(why), "{steps:?}: {}", message(steps));
    }
}

/// All nodes send at once, in the order of their numbers: one byte per message and one per channel.
#[test]
fn the_steps_of_a_ring_take_two_bytes_per_transfer() {
    let ring: lockstep_topology::Topology = "ring:1000".parse().unwrap();
    let all_gather = Collective::all_gather();
    let problem = Problem::new(&ring, &all_gather, CommunicationModel::store_and_forward()).unwrap();
    let empty = ScheduleFile::new(&problem, Schedule::new()).to_bytes().len();
    let mut schedule = Schedule::new();
    for _ in 0..10 {
        schedule.begin_step();
        for (message, node) in ring.nodes().enumerate() {
            schedule.push(MessageId::from_index(message), &ring.out_channels(node)[..1]);
        }
    }
    let bytes = ScheduleFile::new(&problem, schedule).to_bytes().len() - empty;
    assert!((20_000..20_200).contains(&bytes), "{bytes}");
}

/// An all-reduce in any number of blocks is one message of all members, of a stated pattern.
#[test]
fn all_reduces_in_blocks_round_trip() {
    let ring = ring();
    let groups = [vec![NodeId::new(0), NodeId::new(2)], vec![NodeId::new(1), NodeId::new(3)]];
    for (groups, blocks, is_stated) in [(&groups[..], 3, true), (&[], 1, true), (&[], 8, false)] {
        let collective = Collective::all_reduce_in_blocks(&ring, groups, blocks.try_into().unwrap()).unwrap();
        let problem = Problem::new(&ring, &collective, CommunicationModel::wormhole()).unwrap();
        assert_eq!(problem.messages().len(), groups.len().max(1) * blocks as usize);
        let file = ScheduleFile::new(&problem, Schedule::new());
        assert_eq!(file.to_json().contains("\"pattern\": "), is_stated, "{blocks}");
        assert_eq!(ScheduleFile::read(file.to_json().as_bytes()).unwrap(), file);
        assert_eq!(ScheduleFile::read(&file.to_bytes()).unwrap(), file);
    }
}

/// Files of earlier versions have the short forms of the documents. Version 2 has patterns, version 3 widths.
#[test]
fn files_of_all_earlier_versions_are_read() {
    let ring = ring();
    let all_reduce = Collective::all_reduce_in_blocks(&ring, &[], 3.try_into().unwrap()).unwrap();
    let of_version = |file: &ScheduleFile, version: u32| {
        let text = file.to_json().replacen("\"version\": 4", &format!("\"version\": {version}"), 1);
        CollectiveName::ALL.into_iter().fold(text, |text, name| {
            text.replace(&format!("\"kind\": \"{name}\""), &format!("\"kind\": \"{}\"", name.abbreviation()))
        })
    };
    let read = |file: &ScheduleFile, version| ScheduleFile::from_json(&of_version(file, version)).as_ref() == Ok(file);
    for name in CollectiveName::ALL {
        let collective = name.with_root(name.has_root().then_some(NodeId::new(0))).unwrap();
        let problem = Problem::new(&ring, &collective, CommunicationModel::wormhole()).unwrap();
        let file = ScheduleFile::new(&problem, Schedule::new());
        assert!(file.to_json().contains(&format!("\"kind\": \"{name}\"")), "{name}");
        assert!((1..=4).all(|version| read(&file, version)), "{name}");
    }
    let problem = Problem::new(&ring, &all_reduce, CommunicationModel::wormhole()).unwrap();
    let stated = ScheduleFile::new(&problem, Schedule::new());
    assert_eq!([1, 2, 3, 4].map(|version| read(&stated, version)), [false, true, true, true]);
    let mut wide = Schedule::new();
    wide.begin_step_of_width(2.try_into().unwrap());
    let wide = ScheduleFile::new(&problem, wide);
    assert_eq!([1, 2, 3, 4].map(|version| read(&wide, version)), [false, false, true, true]);
}

/// Returns the error of a file after a change of its JSON value.
fn error_after(file: &ScheduleFile, change: impl FnOnce(&mut serde_json::Value)) -> String {
    let mut value = serde_json::from_str(&file.to_json()).unwrap();
    change(&mut value);
    ScheduleFile::from_json(&value.to_string()).unwrap_err().to_string()
}

#[test]
fn patterns_and_widths_need_the_versions_that_have_them() {
    let ring = ring();
    let file = |collective: &Collective, schedule| {
        ScheduleFile::new(&Problem::new(&ring, collective, CommunicationModel::wormhole()).unwrap(), schedule)
    };
    let [first, second] = [0, 1].map(NodeId::new);
    let one_receiver = file(&Collective::many_to_many_broadcast(&[first], &[second]), Schedule::new());
    let named = file(&Collective::all_gather(), Schedule::new());
    let no_receivers = error_after(&named, |file| file["messages"][0]["receivers"] = 5.into());
    assert!(no_receivers.contains("expected \"all\" or a list of node numbers"), "{no_receivers}");
    let expected = "only a custom collective from version 2 on states its pattern";
    assert!(error_after(&one_receiver, |file| file["version"] = 1.into()).contains(expected));
    let with_pattern = |file: &mut serde_json::Value| {
        file["version"] = 2.into();
        file["collective"]["pattern"] = "broadcast".into();
    };
    assert!(error_after(&named, with_pattern).contains(expected));
    let mut wide = Schedule::new();
    wide.begin_step_of_width(2.try_into().unwrap());
    let wide = file(&Collective::all_gather(), wide);
    assert!(error_after(&wide, |file| file["version"] = 1.into()).contains("only files from version 3 on have widths"));
}

/// On two terminals, the only receiver of a broadcast is "all" of them, but a scatter names its receiver.
#[test]
fn all_receivers_of_two_terminals_are_one() {
    let mut network = TopologyBuilder::new("pair");
    let [one, other] = ["0", "1"].map(|name| network.terminal(name));
    network.link(one, other);
    let pair = network.build().unwrap();
    let read = |collective: Collective| {
        let problem = Problem::new(&pair, &collective, CommunicationModel::wormhole()).unwrap();
        let text = ScheduleFile::new(&problem, Schedule::new()).to_json();
        let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
        file["messages"][0]["receivers"] = "all".into();
        ScheduleFile::from_json(&file.to_string()).map(|_| ()).map_err(|error| error.to_string())
    };
    assert_eq!(read(Collective::all_gather()), Ok(()));
    assert!(read(Collective::all_to_all()).unwrap_err().contains("message 0 differs from"));
}
