//! Synthetic machines: networks with known bandwidths, noise and degraded links, and the rates that a benchmark would print.

use lockstep_measure::format::Reading;
use lockstep_measure::{
    Device, Evidence, Figure, Fit, FitOptions, Flow, MeasuredFile, Run, Sample, Tool, TransferKind, Workload, fit,
};
use lockstep_paths::ShortestPaths;
use lockstep_topology::{ChannelId, NodeId, Topology, TopologyBuilder};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The families of networks.
pub(crate) const FAMILIES: [&str; 5] =
    ["NVSwitch servers with rails", "PCIe trees", "tori", "random regular", "fat trees"];

/// The head of a table of families.
pub(crate) const HEAD: &str = "| family | machines | classes | identified | worst error | degraded | found | one of several | not limiting | hidden | unused | wide | missed | invented |\n\
     |---|---|---|---|---|---|---|---|---|---|---|---|---|---|";

/// A degraded channel shows in a test that loses more than this part, in percent.
const SHOWN: u64 = 13;

/// The most times that probes are measured.
const MAX_ROUNDS: u64 = 4;

/// A machine with the truth about its channels.
pub(crate) struct Machine {
    /// The network without bandwidths.
    pub(crate) topology: Topology,
    /// The kind of each channel, by its number.
    pub(crate) label: Vec<usize>,
    /// The bandwidth of each kind of channel in bytes per second.
    pub(crate) bandwidth: Vec<u64>,
    /// The part of its bandwidth that each channel has, in percent.
    pub(crate) percent: Vec<u64>,
}

/// How benchmarks run on a machine.
#[derive(Clone, Copy)]
pub(crate) struct Conditions {
    /// The greatest relative error of a rate, in hundredths of a percent.
    pub(crate) noise: i64,
    /// The part of the links that is degraded, in percent.
    pub(crate) degraded: u32,
}

impl Machine {
    /// Draws a machine of a family with random bandwidths.
    pub(crate) fn draw(family: usize, seed: u64, conditions: Conditions) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let pick = |rng: &mut ChaCha8Rng, from: u64, to: u64| rng.random_range(from..=to);
        let (topology, label) = match family {
            0 => {
                let (servers, gpus) = (pick(&mut rng, 2, 4), pick(&mut rng, 1, 2) * 4);
                rail_servers(servers as usize, gpus as usize)
            }
            1 => pcie_tree(pick(&mut rng, 1, 2) as usize * 2, 2, pick(&mut rng, 2, 4) as usize),
            2 => {
                let spec = ["torus:4x4", "torus:8x8", "torus:4x4x4", "torus:3x5"][pick(&mut rng, 0, 3) as usize];
                labelled(spec)
            }
            3 => labelled(&format!("random-regular:{},4,{seed}", 2 * pick(&mut rng, 8, 24))),
            _ => labelled(
                ["fat-tree:2,3", "fat-tree:4,2", "fat-tree:2,4", "fat-tree:3,3"][pick(&mut rng, 0, 3) as usize],
            ),
        };
        let kinds = label.iter().max().map_or(0, |&last| last + 1);
        let bandwidth = (0..kinds).map(|_| pick(&mut rng, 10_000, 400_000) * 1_000_000).collect();
        let percent = (0..topology.channel_bound())
            .map(|_| if pick(&mut rng, 1, 100) <= conditions.degraded.into() { pick(&mut rng, 40, 85) } else { 100 })
            .collect();
        Self { topology, label, bandwidth, percent }
    }

    /// Returns the bandwidth of a channel.
    fn of(&self, channel: ChannelId) -> u64 {
        self.bandwidth[self.label[channel.index()]] * self.percent[channel.index()] / 100
    }

    /// Returns all pairs of terminals.
    pub(crate) fn pairs(&self) -> Vec<Vec<[NodeId; 2]>> {
        let terminals = self.topology.terminals();
        let pairs = terminals.iter().flat_map(|&from| terminals.iter().map(move |&to| [from, to]));
        pairs.filter(|[from, to]| from != to).map(|pair| vec![pair]).collect()
    }

    /// Measures transfers at the same time. Each takes a random shortest path.
    pub(crate) fn measure(&self, tests: &[Vec<[NodeId; 2]>], seed: u64, conditions: Conditions) -> Measurement {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let paths = ShortestPaths::all_pairs(&self.topology).expect("small networks");
        let rank = |node: NodeId| self.topology.terminal_rank(node).expect("a terminal") as u32;
        let mut measurement = Measurement::new(&self.topology);
        for flows in tests {
            let mut load = vec![0u64; self.topology.channel_bound()];
            for &[from, to] in flows {
                let path = paths.sample(from, to, &mut rng).expect("the network is connected");
                for channel in path {
                    load[channel.index()] += 1;
                }
            }
            let used = || self.topology.channels().filter(|channel| load[channel.index()] > 0);
            let exact = used().map(|channel| self.of(channel) / load[channel.index()]).min().expect("a path");
            let healthy = |channel: ChannelId| self.bandwidth[self.label[channel.index()]] / load[channel.index()];
            let normal = used().map(healthy).min().expect("a path");
            if flows.len() == 1 || flows.iter().all(|&[from, to]| paths.count(from, to) == 1) {
                let limits = || used().filter(|&channel| self.of(channel) / load[channel.index()] == exact);
                for channel in used() {
                    let own = self.of(channel) / load[channel.index()];
                    if own * 100 <= normal * (100 - SHOWN) {
                        let shown = if own == exact && limits().count() == 1 { Shown::Alone } else { Shown::Hidden };
                        let known = &mut measurement.shown[channel.index()];
                        *known = shown.max(*known);
                    }
                }
            }
            let error = if conditions.noise == 0 { 0 } else { rng.random_range(-conditions.noise..=conditions.noise) };
            let rate = exact / 10_000 * (10_000 + error).unsigned_abs();
            let flows = flows.iter().map(|&[from, to]| Flow { from: rank(from), to: rank(to) }).collect();
            measurement.samples.push(sample(flows, rate));
        }
        measurement
    }

    /// Measures all pairs, and the probes that the fit asks for, until it asks for none.
    pub(crate) fn study(&self, seed: u64, conditions: Conditions) -> (Fit, Measurement) {
        let mut measurement = self.measure(&self.pairs(), seed, conditions);
        let mut fit = fitted(&self.topology, measurement.samples.clone());
        for round in 1..=MAX_ROUNDS {
            let probes = fit.kinds[0].classes.iter().flat_map(|class| &class.probes);
            let mut tests: Vec<_> = probes.flat_map(|probe| vec![probe.flows.clone(); probe.times as usize]).collect();
            if let Some(repeats) = &fit.kinds[0].repeats {
                let pairs = repeats.pairs.iter().map(|&pair| vec![pair]);
                tests.extend(pairs.flat_map(|pair| vec![pair; repeats.times as usize]));
            }
            if tests.is_empty() {
                break;
            }
            measurement.add(self.measure(&tests, seed + (round << 32), conditions));
            measurement.rounds = round;
            fit = fitted(&self.topology, measurement.samples.clone());
        }
        (fit, measurement)
    }

    /// Returns true if a transfer on a path of its own uses the channel.
    fn is_certain(&self, paths: &ShortestPaths<'_>, channel: ChannelId) -> bool {
        let pairs = self.pairs();
        let mut single = pairs.iter().map(|pair| pair[0]).filter(|&[from, to]| paths.count(from, to) == 1);
        single.any(|[from, to]| paths.paths(from, to).flatten().any(|other| other == channel))
    }

    /// Returns true if a single transfer may use the channel and would show that it is degraded.
    fn may_show(&self, paths: &ShortestPaths<'_>, channel: ChannelId) -> bool {
        self.pairs().iter().map(|pair| pair[0]).any(|[from, to]| {
            paths.paths(from, to).filter(|path| path.contains(&channel)).any(|path| {
                let healthy = path.iter().map(|other| self.bandwidth[self.label[other.index()]]).min().expect("a path");
                self.of(channel) * 100 <= healthy * (100 - SHOWN)
            })
        })
    }
}

/// What tests show of a degraded channel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Shown {
    /// Nothing.
    Nothing,
    /// Each test that it slows has a link that is slower still.
    Hidden,
    /// It alone limits a test of single or certain paths.
    Alone,
}

/// Rates that a benchmark would print.
pub(crate) struct Measurement {
    /// The values.
    pub(crate) samples: Vec<Sample>,
    /// What they show of each channel.
    pub(crate) shown: Vec<Shown>,
    /// How often probes were measured.
    pub(crate) rounds: u64,
}

impl Measurement {
    fn new(topology: &Topology) -> Self {
        Self { samples: Vec::new(), shown: vec![Shown::Nothing; topology.channel_bound()], rounds: 0 }
    }

    fn add(&mut self, other: Self) {
        self.samples.extend(other.samples);
        self.shown.iter_mut().zip(other.shown).for_each(|(one, other)| *one = other.max(*one));
    }
}

fn sample(flows: Vec<Flow>, rate: u64) -> Sample {
    Sample {
        workload: Workload::Flows(flows),
        bytes: None,
        figure: Figure::BytesPerSecond(rate),
        spread: None,
        in_place: false,
        is_wrong: false,
        line: 1,
    }
}

/// Returns a file with values of transfers between all terminals.
pub(crate) fn file(topology: &Topology, samples: Vec<Sample>) -> MeasuredFile {
    let run = Run {
        tool: Tool::Csv,
        test: "synthetic".to_owned(),
        kind: TransferKind::Kernel,
        algorithm: None,
        devices: vec![Device::default(); topology.terminal_count()],
        ranks: None,
        samples,
    };
    let reading = Reading { runs: vec![run], notes: Vec::new() };
    MeasuredFile { name: "synthetic.csv".to_owned(), sha256: String::new(), reading }
}

/// Fits a network to values.
pub(crate) fn fitted(topology: &Topology, samples: Vec<Sample>) -> Fit {
    let options = FitOptions { kind: None, ranks: Vec::new() };
    fit(topology, &[file(topology, samples)], &options).expect("the devices are the terminals")
}

/// How well a fit found the truth.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Score {
    /// Classes.
    pub(crate) classes: usize,
    /// Classes that the tests identify.
    pub(crate) identified: usize,
    /// The greatest relative error of an identified class.
    pub(crate) worst: f64,
    /// Degraded channels.
    pub(crate) degraded: usize,
    /// Degraded channels that were named alone.
    pub(crate) found: usize,
    /// Degraded channels that were named as one of several.
    pub(crate) ambiguous: usize,
    /// Degraded channels that are wide enough for all transfers of their ends.
    pub(crate) not_limiting: usize,
    /// Degraded channels behind others that are slower, or without a healthy channel of their class.
    pub(crate) hidden: usize,
    /// Degraded channels that no transfer took.
    pub(crate) unused: usize,
    /// Degraded channels beside other shortest paths that are as wide as a transfer.
    pub(crate) wide: usize,
    /// Degraded channels that a test shows and the fit did not name.
    pub(crate) missed: usize,
    /// Healthy channels named as slower than 90 % of their class.
    pub(crate) invented: usize,
}

impl Score {
    /// Compares a fit with the truth.
    pub(crate) fn new(machine: &Machine, measurement: &Measurement, fit: &Fit) -> Self {
        let kind = &fit.kinds[0];
        let mut score = Self { classes: kind.classes.len(), ..Self::default() };
        let is_degraded = |channel: &ChannelId| machine.percent[channel.index()] < 100;
        for class in kind.classes.iter().filter(|class| class.evidence == Evidence::Identified) {
            score.identified += 1;
            if class.channels.iter().all(is_degraded) {
                continue;
            }
            let truth = machine.bandwidth[machine.label[class.channels[0].index()]];
            score.worst = score.worst.max((class.bandwidth as f64 / truth as f64 - 1.0).abs());
        }
        let links = || kind.slow.iter().chain(kind.mixed.iter().flat_map(|mixed| &mixed.links));
        let paths = ShortestPaths::all_pairs(&machine.topology).expect("small networks");
        for channel in machine.topology.channels().filter(|channel| machine.percent[channel.index()] < 100) {
            score.degraded += 1;
            let is_first =
                |alone: bool| links().any(|link| link.or.is_empty() == alone && link.channels.contains(&channel));
            let is_other = || links().any(|link| link.or.iter().any(|(_, channels)| channels.contains(&channel)));
            let count = match measurement.shown[channel.index()] {
                _ if is_first(true) => &mut score.found,
                _ if is_first(false) || is_other() => &mut score.ambiguous,
                _ if kind
                    .classes
                    .iter()
                    .any(|class| class.channels.contains(&channel) && class.channels.iter().all(is_degraded)) =>
                {
                    &mut score.hidden
                }
                Shown::Alone => &mut score.missed,
                Shown::Hidden => &mut score.hidden,
                Shown::Nothing if machine.is_certain(&paths, channel) => &mut score.not_limiting,
                Shown::Nothing if machine.may_show(&paths, channel) => &mut score.unused,
                Shown::Nothing => &mut score.wide,
            };
            *count += 1;
        }
        let is_healthy =
            |channels: &[ChannelId]| channels.iter().all(|channel| machine.percent[channel.index()] == 100);
        score.invented = links()
            .filter(|link| link.part < 0.9 && is_healthy(&link.channels))
            .filter(|link| link.or.iter().all(|(_, channels)| is_healthy(channels)))
            .count();
        score
    }

    /// Returns the row of a table of families in Markdown.
    pub(crate) fn row(&self, family: &str, machines: u64) -> String {
        let worst = format!("{:.2} %", 100.0 * self.worst);
        let counts = [
            self.degraded,
            self.found,
            self.ambiguous,
            self.not_limiting,
            self.hidden,
            self.unused,
            self.wide,
            self.missed,
            self.invented,
        ];
        let counts: Vec<String> = counts.iter().map(usize::to_string).collect();
        let Self { classes, identified, .. } = self;
        format!("| {family} | {machines} | {classes} | {identified} | {worst} | {} |", counts.join(" | "))
    }

    /// Adds the counts of another machine.
    #[must_use]
    pub(crate) fn and(self, other: Self) -> Self {
        Self {
            classes: self.classes + other.classes,
            identified: self.identified + other.identified,
            worst: self.worst.max(other.worst),
            degraded: self.degraded + other.degraded,
            found: self.found + other.found,
            ambiguous: self.ambiguous + other.ambiguous,
            not_limiting: self.not_limiting + other.not_limiting,
            hidden: self.hidden + other.hidden,
            unused: self.unused + other.unused,
            wide: self.wide + other.wide,
            missed: self.missed + other.missed,
            invented: self.invented + other.invented,
        }
    }
}

/// Links of a builder with their kinds.
struct Labelled {
    builder: TopologyBuilder,
    label: Vec<usize>,
}

impl Labelled {
    fn new(name: &str) -> Self {
        Self { builder: TopologyBuilder::new(name), label: Vec::new() }
    }

    fn link(&mut self, one: NodeId, other: NodeId, label: usize) {
        self.builder.link(one, other);
        self.label.extend([label; 2]);
    }

    fn build(self) -> (Topology, Vec<usize>) {
        (self.builder.build().expect("a network"), self.label)
    }
}

/// GPUs on a switch in each server, one link per GPU to the switch of its rail, and a core switch between the rails.
fn rail_servers(servers: usize, gpus: usize) -> (Topology, Vec<usize>) {
    let mut network = Labelled::new("rails");
    let rails: Vec<NodeId> = (0..gpus).map(|rail| network.builder.switch(format!("rail{rail}"))).collect();
    let core = network.builder.switch("core");
    for &rail in &rails {
        network.link(rail, core, 2);
    }
    for server in 0..servers {
        let host = format!("h{server}");
        let switch = network.builder.switch(format!("{host}.V"));
        network.builder.set_host(switch, &host);
        for (gpu, &rail) in rails.iter().enumerate() {
            let node = network.builder.terminal(format!("{host}.g{gpu}"));
            network.builder.set_host(node, &host);
            network.link(node, switch, 0);
            network.link(node, rail, 1);
        }
    }
    network.build()
}

/// GPUs below PCIe switches below sockets, which are linked with each other.
pub(crate) fn pcie_tree(sockets: usize, switches: usize, gpus: usize) -> (Topology, Vec<usize>) {
    let mut network = Labelled::new("pcie");
    let roots: Vec<NodeId> = (0..sockets).map(|socket| network.builder.switch(format!("C{socket}"))).collect();
    for (place, &root) in roots.iter().enumerate() {
        for &other in &roots[..place] {
            network.link(other, root, 2);
        }
        for switch in 0..switches {
            let name = format!("P{place}.{switch}");
            let node = network.builder.switch(&name);
            network.link(node, root, 1);
            for gpu in 0..gpus {
                let terminal = network.builder.terminal(format!("{name}.g{gpu}"));
                network.link(terminal, node, 0);
            }
        }
    }
    network.build()
}

/// A network of a spec. Channels of terminals are of one kind, and channels between switches of another one per pair of distances.
fn labelled(spec: &str) -> (Topology, Vec<usize>) {
    let topology: Topology = spec.parse().expect("a spec");
    let mut depth = vec![usize::MAX; topology.node_count()];
    topology.terminals().iter().for_each(|terminal| depth[terminal.index()] = 0);
    for _ in 0..topology.node_count() {
        for channel in topology.channels() {
            let [tail, head] = [topology.tail(channel), topology.head(channel)];
            depth[head.index()] = depth[head.index()].min(depth[tail.index()].saturating_add(1));
        }
    }
    let label = topology
        .channels()
        .map(|channel| depth[topology.tail(channel).index()].min(depth[topology.head(channel).index()]));
    let label = label.collect();
    (topology, label)
}
