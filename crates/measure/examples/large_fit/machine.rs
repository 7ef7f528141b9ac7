//! A machine of 512 GPUs, and the rates of all pairs.

use lockstep_measure::format::Reading;
use lockstep_measure::{Device, Figure, Flow, MeasuredFile, Run, Sample, Tool, TransferKind, Workload};
use lockstep_topology::{Topology, TopologyBuilder};

/// Servers, and GPUs per server.
const SIZE: [usize; 2] = [64, 8];

/// Returns a file with the rates of all pairs, with noise of 3 %.
pub(crate) fn all_pairs() -> MeasuredFile {
    let count = (SIZE[0] * SIZE[1]) as u32;
    let pairs = (0..count).flat_map(|from| (0..count).filter(move |&to| to != from).map(move |to| (from, to)));
    let run = Run {
        tool: Tool::Csv,
        test: "all pairs".to_owned(),
        kind: TransferKind::Kernel,
        algorithm: None,
        devices: vec![Device::default(); count as usize],
        ranks: None,
        samples: pairs.map(|(from, to)| sample(from, to)).collect(),
    };
    let reading = Reading { runs: vec![run], notes: Vec::new() };
    MeasuredFile { name: "pairs.csv".to_owned(), sha256: String::new(), reading }
}

/// Returns GPUs on a switch in each server, one link per GPU to its rail, and a core between the rails.
pub(crate) fn network() -> Topology {
    let mut network = TopologyBuilder::new("512 GPUs");
    let core = network.switch("core");
    let rails: Vec<_> = (0..SIZE[1]).map(|rail| network.switch(format!("R{rail}"))).collect();
    for &rail in &rails {
        network.link(rail, core);
    }
    for server in 0..SIZE[0] {
        let switch = network.switch(format!("V{server}"));
        network.set_host(switch, format!("h{server}"));
        for (gpu, &rail) in rails.iter().enumerate() {
            let node = network.terminal(format!("g{server}_{gpu}"));
            network.set_host(node, format!("h{server}"));
            network.link(node, switch);
            network.link(node, rail);
        }
    }
    network.build().expect("a network")
}

/// Returns the rate of a pair: 450 GB/s in a server, 50 GB/s between servers; one card in twenty sends at 60 %.
fn sample(from: u32, to: u32) -> Sample {
    let is_inside = from as usize / SIZE[1] == to as usize / SIZE[1];
    let rate: u64 = match (is_inside, from.is_multiple_of(20)) {
        (true, _) => 450_000_000_000,
        (false, false) => 50_000_000_000,
        (false, true) => 30_000_000_000,
    };
    // A fixed pattern between -3 % and 3 %.
    let noise = u64::from((from.wrapping_mul(2_654_435_761) ^ to.wrapping_mul(40_503)) % 601);
    Sample {
        workload: Workload::Flows(vec![Flow { from, to }]),
        bytes: None,
        figure: Figure::BytesPerSecond(rate / 10_000 * (9_700 + noise)),
        spread: None,
        in_place: false,
        is_wrong: false,
        line: 1,
    }
}
