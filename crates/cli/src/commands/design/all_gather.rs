//! `lockstep design --order --degree --for all-gather`: a front of networks for all-gathers.

use anyhow::{Context, ensure};
use lockstep::design::{AllGatherDesign, AllGatherSearch, ChannelRule};
use lockstep::files::to_json_rows;
use lockstep::metrics::{Graph, StageLoads};
use lockstep::{Budget, Topology};
use lockstep_report::Table;
use serde::Serialize;

use crate::args::{FrontArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::output::{self, Output};
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{Sheet, counted};

pub(super) fn run(order: u32, degree: u32, args: &FrontArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let remedy = "networks for all-gathers are written as JSON; name the file .json";
    output::check_extension(args.output.as_deref(), &["json"], remedy)?;
    let output = CommandFiles::new().write_to("--output", args.output.as_deref())?;
    let seed = args.evolution.options().seed;
    let channels = if args.order_degree.full_duplex { ChannelRule::FullDuplex } else { ChannelRule::Any };
    let mut search = AllGatherSearch::new(order, degree, channels, seed)?;
    // There is no result before the last pair, so a signal ends the command.
    let stop = Budget::unlimited();
    let progress = Progress::new(verbosity, &stop);
    progress.set_done(0, 1);
    let unfinished = cancel_on_signal(&stop, "the search", &progress)?;
    progress.set_bound(Some(counted(search.stage_bound() as usize, "stage")));
    while !search.is_over() {
        search.advance();
        let (done, total) = search.progress();
        progress.set_done(done as u64, total as u64);
        progress.set_work(format!("{done} of {total} pairs of order and degree"));
    }
    drop(unfinished);
    drop(progress);
    let designs: Vec<_> = search.front().iter().map(MeasuredDesign::new).collect::<Result<_, _>>()?;
    let front = AllGatherFront {
        order,
        degree,
        only_full_duplex: channels == ChannelRule::FullDuplex,
        seed,
        least_bfb_latency: search.stage_bound(),
        least_bfb_bandwidth: [order - 1, order],
        designs,
    };
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    if let Some(output) = output {
        output.write(&to_json_rows(&front, 2))?;
    }
    match &args.output {
        _ if is_data => {}
        _ if args.json => output::print(&to_json_rows(&front, 2))?,
        Some(_) if verbosity.quiet => {}
        file => {
            let mut sheet = front.sheet();
            if let Some(file) = file {
                sheet.line("written to", file.display().to_string());
            }
            output::print(&format!("{}\n{}", sheet.to_text(), front.table().to_text()))?;
        }
    }
    Ok(ExitStatus::Success)
}

/// Networks of one order and degree. Fractions are pairs of a numerator and a denominator.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct AllGatherFront {
    order: u32,
    degree: u32,
    only_full_duplex: bool,
    seed: u64,
    /// Lower bound on the number of stages of a network.
    least_bfb_latency: u32,
    /// Lower bound on the time for long messages.
    least_bfb_bandwidth: [u32; 2],
    designs: Vec<MeasuredDesign>,
}

/// A network with the loads of its breadth-first broadcast, measured on the network that its spec generates.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct MeasuredDesign {
    spec: String,
    bfb_latency: usize,
    /// Time for long messages, in units of the time in which a node receives all data over all its channels.
    bfb_bandwidth: [u64; 2],
    /// Steps per chunk for many chunks.
    steps: [u64; 2],
    full_duplex: bool,
}

impl MeasuredDesign {
    fn new(design: &AllGatherDesign) -> anyhow::Result<Self> {
        let spec = design.spec();
        let network: Topology = spec.parse()?;
        let loads = StageLoads::new(&network)?;
        let steps = loads.total().context("the loads are too large")?;
        ensure!(steps == design.steps(), "{spec}: the search found other loads; report this error");
        let full_duplex = Graph::of(&network).is_symmetric();
        let (bfb_latency, bfb_bandwidth) = (loads.loads().len(), design.bandwidth());
        Ok(Self { spec, bfb_latency, bfb_bandwidth, steps, full_duplex })
    }
}

impl AllGatherFront {
    fn sheet(&self) -> Sheet {
        let [least, of] = self.least_bfb_bandwidth;
        let mut sheet = Sheet::default();
        let links = if self.only_full_duplex { "full-duplex links at each" } else { "channels from and to each" };
        sheet.line("networks", format!("{} nodes, at most {} {links}", self.order, self.degree));
        sheet.line("bounds", format!("bfb-latency {}, bfb-bandwidth {least}/{of}", self.least_bfb_latency));
        sheet.line("front", format!("{}, seed {}", counted(self.designs.len(), "network"), self.seed));
        sheet
    }

    fn table(&self) -> Table {
        let mut table = Table::new(["bfb-latency", "bfb-bandwidth", "exact", "steps per chunk", "channels", "network"]);
        for design in &self.designs {
            let [numerator, denominator] = design.bfb_bandwidth.map(|part| part as f64);
            table.push([
                design.bfb_latency.to_string(),
                format!("{:.4}", numerator / denominator),
                fraction(design.bfb_bandwidth),
                fraction(design.steps),
                if design.full_duplex { "full duplex" } else { "one way" }.to_owned(),
                design.spec.clone(),
            ]);
        }
        table
    }
}

fn fraction(fraction: [u64; 2]) -> String {
    match fraction {
        [whole, 1] => whole.to_string(),
        [numerator, denominator] => format!("{numerator}/{denominator}"),
    }
}
