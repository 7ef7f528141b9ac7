//! Timelines for Perfetto, Vite and pajeng.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;

use lockstep_export::{Connections, Export, ExportOptions, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{CollectiveName, CommunicationModel, Schedule, TransferSpeed};
use lockstep_topology::{Topology, TopologyBuilder};
use serde_json::Value;

/// Six terminals at a switch, with different bandwidths and latencies, and a name with quotes.
fn star() -> Topology {
    let mut star = TopologyBuilder::new("star");
    let hub = star.switch("hub \"1\"");
    for number in 0..6 {
        let terminal = star.terminal(format!("t{number}"));
        let link = star.link(terminal, hub);
        star.set_bandwidth(link, 25_000_000_000 * (1 + number % 3));
        star.set_latency(link, 700_000 + 1_000 * number);
    }
    star.build().expect("a network")
}

fn scheduled(topology: Topology, name: CollectiveName) -> (Instance, Schedule) {
    let root = name.has_root().then(|| topology.terminals()[0]);
    let collective = name.with_root(root).expect("a root where it is needed");
    let instance = Instance { topology, collective, model: CommunicationModel::wormhole() };
    let schedule = random_schedule(&instance.problem(), 1);
    (instance, schedule)
}

const BYTES: u64 = 1 << 20;

fn text(format: &str, (instance, schedule): &(Instance, Schedule)) -> String {
    let options = ExportOptions {
        placement: Placement::OutOfPlace,
        connections: Connections::Direct,
        runtime: Runtime::Rccl,
        bytes: BYTES,
        sizes: [0, 0],
    };
    let format = format_named(format).expect("a format");
    let files = format.write(&Export { problem: instance.problem(), schedule, options }).expect("an export");
    String::from_utf8(files[0].contents.clone()).expect("text")
}

/// Nanoseconds of a number of microseconds with three decimals.
fn nanoseconds(value: &Value) -> u64 {
    format!("{:.0}", value.as_f64().expect("a number") * 1000.0).parse().expect("a whole number")
}

#[test]
fn slices_of_a_perfetto_track_do_not_overlap_and_end_with_the_schedule() {
    for topology in [star(), "torus:3x4".parse().expect("a network"), "dgx-a100:2".parse().expect("a network")] {
        for name in [CollectiveName::AllGather, CollectiveName::AllReduce, CollectiveName::ReduceScatter] {
            let of = scheduled(topology.clone(), name);
            let document: Value = serde_json::from_str(&text("perfetto", &of)).expect("JSON");
            let events = document["traceEvents"].as_array().expect("events");
            let mut tracks = BTreeMap::<(u64, u64), Vec<[u64; 2]>>::new();
            let (mut starts, mut ends) = (BTreeSet::new(), BTreeSet::new());
            for event in events {
                let key = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap_or_default());
                match event["ph"].as_str().unwrap() {
                    "X" => {
                        let begin = nanoseconds(&event["ts"]);
                        tracks.entry(key).or_default().push([begin, begin + nanoseconds(&event["dur"])]);
                    }
                    "s" => assert!(starts.insert(event["id"].as_u64().unwrap())),
                    "f" => assert!(ends.insert(event["id"].as_u64().unwrap())),
                    other => assert_eq!(other, "M"),
                }
            }
            assert_eq!(starts.len(), 2 * of.1.transfer_count());
            assert_eq!(starts, ends);
            assert!(tracks.values().all(|slices| slices.is_sorted_by(|one, next| one[1] <= next[0])));
            let (problem, unit) = (of.0.problem(), of.0.topology.unit_bytes_per_second());
            let size = lockstep_schedule::CollectiveSize::new(&problem, BYTES);
            let speed = unit.and_then(NonZeroU64::new).map_or(
                TransferSpeed { chunk_bytes: 1, unit_bytes_per_second: NonZeroU64::new(1_000_000).unwrap() },
                |unit_bytes_per_second| TransferSpeed {
                    chunk_bytes: of.0.collective.chunk_size(size.message_bytes),
                    unit_bytes_per_second,
                },
            );
            let end =
                |process| tracks.iter().filter(move |((pid, _), _)| *pid == process).flat_map(|(_, slices)| slices);
            let end = |process| u128::from(end(process).map(|slice| slice[1]).max().unwrap_or(0));
            assert_eq!(end(1), speed.asynchronous_time(&problem, &of.1).number() / 1000);
            assert_eq!(end(3), speed.synchronous_time(&of.0.topology, &of.1).number() / 1000);
        }
    }
}

#[test]
fn paje_events_are_in_order_and_every_state_and_arrow_ends() {
    let of = scheduled(star(), CollectiveName::AllToAll);
    let text = text("paje", &of);
    let mut time = 0.0;
    let (mut open, mut arrows) = (BTreeMap::<&str, i32>::new(), BTreeSet::new());
    let mut counts = [0; 10];
    for line in text.lines().filter(|line| !line.starts_with(['%', '#'])) {
        let words: Vec<&str> = line.split(' ').collect();
        let event: usize = words[0].parse().expect("the number of an event");
        counts[event] += 1;
        if event >= 5 {
            let now: f64 = words[1].parse().expect("seconds");
            assert!(now >= time, "{line}");
            time = now;
        }
        match event {
            6 => {
                let depth = open.entry(words[3]).or_default();
                *depth += 1;
                assert_eq!(*depth, 1, "two states at once: {line}");
                assert_eq!(line.matches('"').count(), 4, "{line}");
            }
            7 => *open.get_mut(words[3]).expect("a state") -= 1,
            8 => assert!(arrows.insert(words[6])),
            9 => assert!(arrows.remove(words[6]), "{line}"),
            _ => {}
        }
    }
    assert!(arrows.is_empty() && open.values().all(|&depth| depth == 0));
    let uses: usize = of.1.steps().flat_map(|(_, step)| step.iter()).map(|transfer| 2 + transfer.path.len()).sum();
    assert_eq!((counts[6], counts[8]), (2 * uses, 2 * of.1.transfer_count()));
    assert_eq!(counts[4], counts[5]);
}

#[test]
fn a_network_without_bandwidths_takes_a_microsecond_per_chunk() {
    let of = scheduled("ring:2".parse().expect("a network"), CollectiveName::AllGather);
    let perfetto = text("perfetto", &of);
    assert!(perfetto.contains(r#""time":"1 us per chunk and unit of capacity; the network has no bandwidths""#));
    assert!(
        perfetto.contains(
            r#""ts":0.000,"dur":1.000,"args":{"step":1,"message":0,"sender":"0","receiver":"1","path":"0->1"}"#
        )
    );
    assert!(text("paje", &of).contains("6 0.000000000000 Transfer t0 s1 \"message 0 to 1\" \"0->1\"\n"));
}
