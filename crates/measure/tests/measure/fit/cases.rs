//! Known cases: published measurements, half duplex, parallel channels, latencies, and what a fit says about wrong inputs.

use lockstep_measure::{
    Evidence, Figure, Fit, FitOptions, Flow, LatencyTerm, MeasuredFile, Sample, TransferKind, Workload, fit,
};
use lockstep_schedule::CollectiveName;
use lockstep_topology::{NodeId, Topology, TopologyBuilder};

use super::machines::{file, fitted};

const GIGA: u64 = 1_000_000_000;

fn sample(flows: &[(u32, u32)], bytes: Option<u64>, figure: Figure) -> Sample {
    let flows = flows.iter().map(|&(from, to)| Flow { from, to }).collect();
    let workload = Workload::Flows(flows);
    Sample { workload, bytes, figure, spread: None, in_place: false, is_wrong: false, line: 1 }
}

#[expect(clippy::cast_sign_loss, reason = "rates are positive")]
fn rate(flows: &[(u32, u32)], gigabytes: f64) -> Sample {
    sample(flows, None, Figure::BytesPerSecond((gigabytes * GIGA as f64).round() as u64))
}

fn all_pairs(count: u32, rate_of: impl Fn(u32, u32) -> f64) -> Vec<Sample> {
    let pairs = (0..count).flat_map(|from| (0..count).map(move |to| (from, to))).filter(|(from, to)| from != to);
    pairs.map(|(from, to)| rate(&[(from, to)], rate_of(from, to))).collect()
}

/// `count` GPUs on one switch per group.
fn groups(count: usize, size: usize) -> Topology {
    let mut network = TopologyBuilder::new("groups");
    let switches: Vec<NodeId> = (0..count).map(|group| network.switch(format!("C{group}"))).collect();
    for place in 0..count * size {
        let gpu = network.terminal(format!("g{place}"));
        network.link(gpu, switches[place / size]);
    }
    for pair in switches.windows(2) {
        network.link(pair[0], pair[1]);
    }
    network.build().expect("a network")
}

fn figures(fit: &Fit) -> Vec<(u64, Evidence)> {
    fit.kinds[0].classes.iter().map(|class| (class.bandwidth, class.evidence)).collect()
}

/// nvbandwidth issue 50: `device_to_device_memcpy_read_ce` of six RTX A6000, row to column, in GB/s.
const A6000: [[f64; 6]; 6] = [
    [0.0, 26.34, 26.35, 21.95, 22.64, 21.80],
    [26.34, 0.0, 26.34, 21.86, 22.62, 22.63],
    [26.34, 26.35, 0.0, 22.36, 21.87, 22.17],
    [21.82, 21.82, 22.26, 0.0, 26.34, 26.35],
    [22.64, 22.64, 21.81, 26.35, 0.0, 26.34],
    [21.86, 22.67, 22.01, 26.34, 26.35, 0.0],
];

#[test]
fn six_a6000_have_two_classes_and_no_alarm() {
    let fit = fitted(&groups(2, 3), all_pairs(6, |from, to| A6000[from as usize][to as usize]));
    let [gpu, socket] = figures(&fit)[..] else { panic!("two classes") };
    // The values of the socket are between 21.80 and 22.67; many are close to the greatest one.
    assert_eq!((gpu.1, socket.1), (Evidence::Identified, Evidence::Identified));
    assert_eq!((gpu.0, socket.0), (26_350_000_000, 22_630_000_000));
    let limits: Vec<u64> = fit.kinds[0].classes.iter().map(|class| class.lower_limit).collect();
    assert_eq!(limits, [26_350_000_000, 22_670_000_000]);
    assert!(fit.kinds[0].slow.is_empty() && fit.kinds[0].slow_transfers.is_empty() && fit.kinds[0].mixed.is_empty());
}

#[test]
fn concurrent_transfers_identify_an_uplink_as_wide_as_a_gpu() {
    let mut network = TopologyBuilder::new("two levels");
    let root = network.switch("C");
    for group in 0..2 {
        let switch = network.switch(format!("P{group}"));
        network.link(switch, root);
        for gpu in 0..2 {
            let gpu = network.terminal(format!("g{}", 2 * group + gpu));
            network.link(gpu, switch);
        }
    }
    let network = network.build().unwrap();
    let mut samples = all_pairs(4, |_, _| 24.0);
    let fit = fitted(&network, samples.clone());
    assert_eq!(figures(&fit), [(24 * GIGA, Evidence::Identified), (24 * GIGA, Evidence::LowerLimit)]);
    let probe = &fit.kinds[0].classes[1].probes[0];
    assert_eq!((&probe.link[..], probe.flows.len()), ("P0->C", 2));
    assert!(fit.notes.iter().any(|note| note.contains("bounds hold if the class is not wider")), "{:?}", fit.notes);

    samples.push(rate(&[(0, 2), (1, 3)], 12.0));
    assert_eq!(figures(&fitted(&network, samples))[1], (24 * GIGA, Evidence::Identified));
}

#[test]
fn links_that_share_both_directions_are_half_duplex() {
    let network = groups(1, 4);
    let mut samples = all_pairs(4, |_, _| 24.0);
    samples.push(rate(&[(0, 1), (1, 0)], 15.0));
    let found = fitted(&network, samples.clone());
    assert_eq!(found.kinds[0].classes[0].half_duplex, Some(30 * GIGA));
    assert_eq!((found.network.channel_count(), found.network.resource_count()), (8, 4));
    let capacity = u64::from(found.network.capacity(found.network.channels().next().unwrap()));
    assert_eq!(capacity * found.network.unit_bytes_per_second().unwrap(), 30 * GIGA);
    assert!(found.measured.classes[0].half_duplex);

    samples.pop();
    samples.push(rate(&[(0, 1), (1, 0)], 23.5));
    let found = fitted(&network, samples);
    assert_eq!((found.kinds[0].classes[0].half_duplex, found.network.resource_count()), (None, 8));
}

#[test]
fn parallel_channels_are_lanes() {
    let mut network = TopologyBuilder::new("lanes");
    let gpus = ["a", "b", "c"].map(|name| network.terminal(name));
    for _ in 0..4 {
        network.link(gpus[0], gpus[1]);
    }
    network.link(gpus[1], gpus[2]);
    network.link(gpus[0], gpus[2]);
    let lanes = |from: u32, to: u32| if from + to == 1 { 100.0 } else { 25.0 };
    assert_eq!(figures(&fitted(&network.build().unwrap(), all_pairs(3, lanes))), [(25 * GIGA, Evidence::Identified)]);
}

#[test]
fn transfers_on_another_route_are_no_slow_links() {
    // A pair without a link, whose data takes the way through the host.
    let network: Topology = "ring:4".parse().unwrap();
    let is_near = |from: u32, to: u32| from.abs_diff(to) != 2;
    let fit = fitted(&network, all_pairs(4, |from, to| if is_near(from, to) { 50.0 } else { 10.0 }));
    assert_eq!(figures(&fit), [(50 * GIGA, Evidence::Identified)]);
    assert!(fit.kinds[0].slow.is_empty());
    assert_eq!((fit.kinds[0].slow_transfers.len(), fit.kinds[0].below(0.9)), (4, 4));
    assert!(fit.kinds[0].slow_transfers.iter().all(|transfer| transfer.has_several_paths));
}

/// `leaves` switches with `gpus` GPUs each, and a link from each to every one of `spines` switches.
fn leaves_and_spines([leaves, gpus, spines]: [usize; 3]) -> Topology {
    let mut network = TopologyBuilder::new("leaves and spines");
    let above: Vec<NodeId> = (0..spines).map(|spine| network.switch(format!("S{spine}"))).collect();
    for leaf in 0..leaves {
        let switch = network.switch(format!("L{leaf}"));
        for gpu in 0..gpus {
            let gpu = network.terminal(format!("g{}", leaf * gpus + gpu));
            network.link(gpu, switch);
        }
        for &spine in &above {
            network.link(switch, spine);
        }
    }
    network.build().expect("a network")
}

/// The first slow link with all others that explain its tests.
fn first_set(fit: &Fit) -> Vec<&str> {
    let link = fit.kinds[0].slow.first().expect("a slow link");
    [&link.name].into_iter().chain(link.or.iter().map(|(name, _)| name)).map(|name| &name[..]).collect()
}

#[test]
fn a_slow_link_beside_other_paths_is_one_of_those_of_its_switch() {
    let network = leaves_and_spines([4, 4, 4]);
    // A quarter of the transfers from the last switch uses its link to one spine.
    let is_slow = |from: u32, to: u32| from >= 12 && to < 12 && (from + to) % 4 == 1;
    let fit = fitted(&network, all_pairs(16, |from, to| if is_slow(from, to) { 15.0 } else { 25.0 }));
    assert_eq!(first_set(&fit), ["L3->S0", "L3->S1", "L3->S2", "L3->S3"]);
    let link = &fit.kinds[0].slow[0];
    assert_eq!((link.tests, link.possible_tests, link.count, link.part), (12, 48, 1, 0.6));
    assert_eq!((fit.kinds[0].slow.len(), fit.kinds[0].slow_transfers.len()), (1, 0));
    assert_eq!(fit.kinds[0].repeats, None);

    // Two of the four links: half of the transfers.
    let is_slow = |from: u32, to: u32| from >= 12 && to < 12 && (from + to) % 4 < 2;
    let fit = fitted(&network, all_pairs(16, |from, to| if is_slow(from, to) { 15.0 } else { 25.0 }));
    assert_eq!((fit.kinds[0].slow.len(), fit.kinds[0].slow[0].count, fit.kinds[0].slow[0].or.len()), (1, 2, 3));
}

#[test]
fn one_slow_transfer_beside_other_paths_names_no_link() {
    let network = leaves_and_spines([4, 4, 4]);
    let fit = fitted(&network, all_pairs(16, |from, to| if (from, to) == (12, 0) { 15.0 } else { 25.0 }));
    assert!(fit.kinds[0].slow.is_empty(), "{:?}", fit.kinds[0].slow);
    assert_eq!((fit.kinds[0].slow_transfers.len(), fit.kinds[0].below(0.9)), (1, 1));
    // Transfers from its switch, and to the switch of its receiver, would tell.
    let repeats = fit.kinds[0].repeats.as_ref().expect("transfers to measure again");
    assert_eq!((repeats.pairs.len(), repeats.times), (48 + 48 - 16, 1));
}

#[test]
fn repeated_measurements_of_a_pair_may_take_different_paths() {
    let network = leaves_and_spines([2, 2, 2]);
    let mut samples = Vec::new();
    for time in 0..6 {
        let is_slow = |from: u32, to: u32| from < 2 && to >= 2 && (from + to + time).is_multiple_of(2);
        samples.extend(all_pairs(4, |from, to| if is_slow(from, to) { 15.0 } else { 25.0 }));
    }
    let fit = fitted(&network, samples);
    // Each of these links is on half of the paths from the first switch to the second one.
    assert_eq!(first_set(&fit), ["L0->S0", "L0->S1", "S0->L1", "S1->L1"]);
    assert_eq!((fit.kinds[0].slow[0].tests, fit.kinds[0].slow[0].possible_tests), (12, 24));
    assert_eq!((fit.kinds[0].slow.len(), fit.kinds[0].slow_transfers.len()), (1, 0));
}

#[test]
fn a_class_that_its_ends_cannot_fill_is_not_limiting() {
    // Two GPUs of 24 GB/s per switch, and links of 100 GB/s between the switches.
    let network = groups(2, 2);
    let mut samples = all_pairs(4, |_, _| 24.0);
    let fit = fitted(&network, samples.clone());
    assert_eq!(figures(&fit), [(24 * GIGA, Evidence::Identified), (24 * GIGA, Evidence::LowerLimit)]);
    for probe in &fit.kinds[0].classes[1].probes {
        let rank = |node: NodeId| network.terminal_rank(node).expect("a terminal") as u32;
        let flows: Vec<(u32, u32)> = probe.flows.iter().map(|&[from, to]| (rank(from), rank(to))).collect();
        assert_eq!((flows.len(), probe.times), (2, 1));
        samples.push(rate(&flows, 24.0));
    }
    let fit = fitted(&network, samples);
    assert_eq!(figures(&fit), [(24 * GIGA, Evidence::Identified), (48 * GIGA, Evidence::NotLimiting)]);
    assert_eq!((fit.kinds[0].classes[1].visible, fit.kinds[0].classes[1].probes.len()), (2, 0));
    assert!(fit.notes.iter().any(|note| note.contains("it limits no transfer")), "{:?}", fit.notes);
}

#[test]
fn a_class_of_two_generations_is_unexplained() {
    // A chain of sockets: the link in the middle is of another generation in both directions.
    let network = groups(4, 2);
    let fit = fitted(
        &network,
        all_pairs(8, |from, to| {
            let [one, other] = [from / 2, to / 2].map(|group| group.min(3));
            match (one.min(other), one.max(other)) {
                (one, other) if one == other => 24.0,
                (0 | 1, 2 | 3) => 12.0,
                _ => 20.0,
            }
        }),
    );
    let [mixed] = &fit.kinds[0].mixed[..] else { panic!("{:?}", fit.kinds[0]) };
    let names: Vec<&str> = mixed.links.iter().map(|link| &link.name[..]).collect();
    assert_eq!((names, mixed.bandwidth), (vec!["C1->C2", "C2->C1"], 12 * GIGA));
    assert!(fit.kinds[0].slow.is_empty());
}

#[test]
fn latencies_are_exact_where_they_are_determined() {
    // Start-up 2 us, 0.5 us per channel of a GPU, 1 us per channel between switches.
    let network = groups(3, 2);
    let time = |from: u32, to: u32| 2_000_000 + 2 * 500_000 + 1_000_000 * u64::from((from / 2).abs_diff(to / 2));
    let samples: Vec<Sample> = (0..6)
        .flat_map(|from| (0..6).filter(move |&to| to != from).map(move |to| (from, to)))
        .map(|(from, to)| sample(&[(from, to)], Some(8), Figure::Picoseconds(time(from, to))))
        .collect();
    let fit = fitted(&network, samples);
    let latency = fit.kinds[0].latency.as_ref().unwrap();
    // The start-up time and the channels of GPUs are on every path.
    assert_eq!(latency.class_ps, [Some(0), Some(1_000_000)]);
    let parts: Vec<_> = latency.parts.iter().map(|part| (part.terms.clone(), part.picoseconds)).collect();
    let [gpu, switch] = [0, 1].map(LatencyTerm::Class);
    assert_eq!(parts, [(vec![(LatencyTerm::StartUp, 1), (gpu, 2)], 3_000_000), (vec![(switch, 1)], 1_000_000)]);
    // Paths of the network take the measured times.
    let latencies: Vec<u64> = fit.network.channels().map(|channel| fit.network.latency_ps(channel)).collect();
    assert_eq!((latencies[0], latencies[1], *latencies.last().unwrap()), (3_000_000, 0, 1_000_000));
}

#[test]
fn a_collective_gives_a_lower_limit() {
    let network = groups(1, 4);
    let mut gathered = file(&network, Vec::new());
    gathered.reading.runs[0].ranks = Some(4);
    let workload = Workload::Collective(CollectiveName::AllGather);
    let figure = Figure::Picoseconds(1_000_000_000);
    let bytes = Some(100_000_000);
    gathered.reading.runs[0].samples =
        vec![Sample { workload, bytes, figure, spread: None, in_place: false, is_wrong: false, line: 1 }];
    let fit = fit(&network, &[gathered], &FitOptions { kind: None, ranks: Vec::new() }).unwrap();
    assert_eq!(figures(&fit), [(75 * GIGA, Evidence::LowerLimit)]);
}

#[test]
fn kinds_are_never_mixed() {
    let network = groups(1, 3);
    let with = |kind: TransferKind, rate: f64| {
        let mut file = file(&network, all_pairs(3, |_, _| rate));
        file.reading.runs[0].kind = kind;
        file
    };
    let files: Vec<MeasuredFile> = vec![with(TransferKind::Copy, 370.0), with(TransferKind::Kernel, 350.0)];
    let chosen = |kind: Option<TransferKind>| {
        let fit = fit(&network, &files, &FitOptions { kind, ranks: Vec::new() }).unwrap();
        (fit.measured.kind.clone().unwrap(), figures(&fit)[0].0, fit.notes.len())
    };
    assert_eq!(chosen(None), ("kernel".to_owned(), 350 * GIGA, 1));
    assert_eq!(chosen(Some(TransferKind::Copy)), ("copy".to_owned(), 370 * GIGA, 0));
    let missing = FitOptions { kind: Some(TransferKind::Message), ranks: Vec::new() };
    let error = fit(&network, &files, &missing).unwrap_err().to_string();
    assert_eq!(error, "no file has bandwidths of the kind message; the files have kernel, copy");
}

#[test]
fn a_wrong_number_of_devices_is_refused_with_the_remedy() {
    let samples = all_pairs(3, |_, _| 20.0);
    let options = FitOptions { kind: None, ranks: Vec::new() };
    let error = fit(&groups(1, 4), &[file(&groups(1, 3), samples.clone())], &options).unwrap_err().to_string();
    assert_eq!(
        error,
        "synthetic: 3 devices were measured, but there are 4 terminals; name the terminals of the devices with --group, for example --group 0-2"
    );
    let mut sweep = file(
        &groups(1, 3),
        vec![Sample {
            workload: Workload::Collective(CollectiveName::AllReduce),
            ..sample(&[], Some(1 << 20), Figure::Picoseconds(50_000_000))
        }],
    );
    sweep.reading.runs[0].ranks = Some(3);
    let of_collective = fit(&groups(1, 4), &[sweep], &options).unwrap_err().to_string();
    assert_eq!(of_collective, error);
    let network = groups(1, 4);
    let with = |ranks: Vec<NodeId>| {
        let fit = fit(&network, &[file(&groups(1, 3), samples.clone())], &FitOptions { kind: None, ranks });
        fit.map(|fit| fit.kinds[0].trials).map_err(|error| error.to_string())
    };
    let [a, b, c, _] = network.terminals() else { panic!("four terminals") };
    assert_eq!(with(vec![*a, *b, *c]), Ok(6));
    let twice = "--group: g1 is no terminal, or it is given twice; give each device a terminal of its own";
    assert_eq!(with(vec![*a, *b, *b]), Err(twice.to_owned()));
}

#[test]
fn devices_are_found_by_bus_ids_names_and_hosts() {
    let mut builder = TopologyBuilder::new("servers");
    let switch = builder.switch("S");
    for (name, host) in [("a/0000:07:00.0", "a"), ("a/0000:0a:00.0", "a"), ("b/0000:07:00.0", "b")] {
        let gpu = builder.terminal(name);
        builder.set_host(gpu, host);
        builder.link(gpu, switch);
    }
    let network = builder.build().unwrap();
    let limits = |devices: &[(Option<&str>, Option<&str>)]| {
        let mut file = file(&network, vec![rate(&[(0, 1)], 10.0)]);
        let device = |&(host, bus_id): &(Option<&str>, Option<&str>)| lockstep_measure::Device {
            host: host.map(str::to_owned),
            bus_id: bus_id.map(str::to_owned),
        };
        file.reading.runs[0].devices = devices.iter().map(device).collect();
        let fit = fit(&network, &[file], &FitOptions { kind: None, ranks: Vec::new() });
        // The channels of the only transfer.
        fit.map(|fit| fit.kinds[0].classes[0].visible).map_err(|error| error.to_string())
    };
    let by_bus_id = [(Some("a"), Some("0000:0a:00")), (Some("b"), Some("0000:07:00"))];
    assert_eq!(limits(&by_bus_id), Ok(2));
    assert_eq!(limits(&[(Some("b/0000:07:00.0"), None), (Some("a/0000:07:00.0"), None)]), Ok(2));
    assert_eq!(limits(&[(Some("a"), None), (Some("a"), None)]), Ok(2));
    // One of the two GPUs of a host: which one is not known.
    let error = limits(&[(Some("a"), None), (Some("b"), None)]).unwrap_err();
    assert!(error.contains("2 devices were measured, but there are 3 terminals"), "{error}");
}
