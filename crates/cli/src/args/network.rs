//! Arguments of a network: the format of its file, the unit of its bandwidths, degraded links, failures.

use std::path::PathBuf;

use anyhow::{Context, bail};
use lockstep::faults::FaultSet;
use lockstep::files::{NameError, name_chosen};
use lockstep::topology::{ChannelId, GraphFormat, Quantity};
use lockstep::{Budget, LoadOptions, Topology};

use super::Verbosity;
use crate::command_files::CommandFiles;
use crate::measured_input::{self, FitRequest};
use crate::progress::Progress;
use crate::text::escaped_line;
use crate::{input, output};

/// Help heading of failures and degraded links.
const FAILURES: &str = "Failures";

/// The format of a network file, the unit of bandwidths, degraded links and failures.
#[derive(Debug, clap::Args)]
pub(crate) struct NetworkArgs {
    /// Format of the network file, such as nccl-topo or csv [default: from its extension and its text]
    #[arg(long, value_name = "FORMAT", value_parser = format_named)]
    from: Option<GraphFormat>,
    /// Bandwidth of one unit of capacity, such as 25GB/s; bandwidths of a graph file are rounded down to multiples of it
    #[arg(long, value_name = "BANDWIDTH", value_parser = |text: &str| Quantity::Bandwidth.parse(text))]
    unit: Option<u64>,
    /// Fit the bandwidths and latencies to the output of a benchmark, as lockstep fit does without options; repeat for more
    #[arg(long, value_name = "FILE")]
    measured: Vec<PathBuf>,
    /// Reduce the capacity of the links between nodes U and V, or of the channels U->V, to a part, such as 50%; repeat for more
    #[arg(id = "degrade_link", long = "degrade-link", help_heading = FAILURES, value_name = "U-V=PART")]
    degraded: Vec<String>,
    #[command(flatten)]
    pub(crate) failures: FailureArgs,
}

impl NetworkArgs {
    /// Returns the bandwidth of one unit of capacity in bytes per second.
    pub(crate) fn unit(&self) -> Option<u64> {
        self.unit
    }

    /// Returns true if nothing is measured, no link is degraded and nothing fails.
    pub(crate) fn is_whole(&self) -> bool {
        self.measured.is_empty() && self.degraded.is_empty() && self.failures.is_empty()
    }

    /// Adds the network and its measurements to the files of a command.
    pub(crate) fn add_files(&self, spec: &str, files: &mut CommandFiles) -> anyhow::Result<()> {
        files.read_network(spec)?;
        self.measured.iter().try_for_each(|path| files.read("--measured", path))
    }

    /// Reads the network of a spec, a file or standard input. Prints the notes of its reader.
    pub(crate) fn read(&self, spec: &str, verbosity: Verbosity) -> anyhow::Result<Topology> {
        let options = self.from.into_iter().fold(LoadOptions::default(), LoadOptions::with_format);
        let options = self.unit.into_iter().fold(options, LoadOptions::with_unit);
        let reading = Progress::new(verbosity, &Budget::unlimited());
        reading.set_work(format!("reading the network {}", escaped_line(spec)));
        let file = input::network(spec, &options);
        drop(reading);
        let file = file?;
        for note in &file.notes {
            output::note(verbosity, &format!("{spec}: {note}"));
        }
        Ok(file.topology)
    }

    /// Returns the network with the measured bandwidths and latencies, degraded links and failures. Prints the notes of the fit, and one
    /// if steps get shorter.
    pub(crate) fn apply_to(&self, topology: Topology, verbosity: Verbosity) -> anyhow::Result<Topology> {
        let topology = self.fitted(topology, verbosity)?;
        let mut parts: Vec<(ChannelId, u32)> = Vec::new();
        for word in &self.degraded {
            let part = word.rsplit_once('=').and_then(|(link, part)| Some((link, part.strip_suffix('%')?)));
            let Some((link, Ok(percent))) = part.map(|(link, part)| (link, part.trim().parse())) else {
                bail!("--degrade-link: found '{word}', expected a link and its part in percent, such as 0-1=50%")
            };
            let named = FaultSet::new();
            let named = if link.contains("->") { named.channel_named(link) } else { named.link_named(link) };
            let links = named.of(&topology).context("--degrade-link")?;
            parts.extend(links.iter().flat_map(lockstep::faults::Fault::channels).map(|&channel| (channel, percent)));
        }
        let mut topology = topology;
        if !parts.is_empty() {
            let (degraded, factor) = topology.degraded(&parts).context("--degrade-link")?;
            if factor > 1 {
                let text = format!("a step takes 1/{factor} of the time, so that all capacities are whole numbers");
                output::note(verbosity, &text);
            }
            topology = degraded;
        }
        self.failures.apply_to(topology)
    }
}

impl NetworkArgs {
    /// Returns the network that fits the measurements.
    fn fitted(&self, topology: Topology, verbosity: Verbosity) -> anyhow::Result<Topology> {
        if self.measured.is_empty() {
            return Ok(topology);
        }
        let fit = measured_input::fit(&topology, &self.measured, FitRequest::default()).context("--measured")?;
        fit.notes.iter().for_each(|note| output::note(verbosity, note));
        Ok(fit.network)
    }
}

/// Returns the graph format with this name, or with the only name that begins so.
fn format_named(word: &str) -> Result<GraphFormat, NameError> {
    let name = name_chosen(word, GraphFormat::ALL.iter().map(|format| format.name()))?;
    Ok(GraphFormat::from_name(name).expect("the name of a format"))
}

/// Failed links, channels and nodes.
#[derive(Debug, clap::Args)]
pub(crate) struct FailureArgs {
    /// Fail the links between nodes U and V, given by names or numbers; repeat for more
    #[arg(id = "fail_link", long = "fail-link", help_heading = FAILURES, value_name = "U-V")]
    links: Vec<String>,
    /// Fail the channels from node U to node V
    #[arg(id = "fail_channel", long = "fail-channel", help_heading = FAILURES, value_name = "U->V")]
    channels: Vec<String>,
    /// Fail a node and all its links
    #[arg(id = "fail_node", long = "fail-node", help_heading = FAILURES, value_name = "NODE")]
    nodes: Vec<String>,
    /// Fail the network cards of a node: its links that leave its host
    #[arg(id = "fail_nic", long = "fail-nic", help_heading = FAILURES, value_name = "NODE")]
    network_cards: Vec<String>,
}

impl FailureArgs {
    /// Returns true if no failure is given.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.links, &self.channels, &self.nodes, &self.network_cards].iter().all(|names| names.is_empty())
    }

    /// Returns all faults, by the given names.
    pub(crate) fn set(&self) -> FaultSet {
        let links = self.links.iter().fold(FaultSet::new(), FaultSet::link_named);
        let channels = self.channels.iter().fold(links, FaultSet::channel_named);
        let nodes = self.nodes.iter().fold(channels, FaultSet::node);
        self.network_cards.iter().fold(nodes, FaultSet::network_cards)
    }

    /// Returns the network with these failures.
    fn apply_to(&self, topology: Topology) -> anyhow::Result<Topology> {
        if self.is_empty() {
            return Ok(topology);
        }
        self.set().apply_to(&topology).with_context(|| topology.name().to_owned())
    }
}
