//! `lockstep design --order --degree`: graphs of given order and degree with a small diameter and a small mean
//! distance.

use lockstep::files::to_json_rows;
use lockstep::topology::{OrderDegreeGraph, OrderDegreeSearch};
use lockstep::{Budget, Topology};
use serde::Serialize;

use crate::args::{FrontArgs, OrderDegreeArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::commands::network_file::NetworkOutput;
use crate::exit_status::ExitStatus;
use crate::output;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};

pub(super) fn run(order: u32, degree: u32, args: &FrontArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let (seed, OrderDegreeArgs { rounds, format, .. }) = (args.evolution.options().seed, args.order_degree);
    let output = NetworkOutput::open(args.output.as_deref(), format, &mut CommandFiles::new())?;
    let mut search = OrderDegreeSearch::new(order, degree, seed)?;
    let name = format!("order-degree:{order},{degree}");
    if let Some(output) = &output {
        // All graphs of the search have the same size.
        output.check(&search.best().topology(&name)?)?;
    }
    let stop = Budget::unlimited();
    let progress = Progress::new(verbosity, &stop);
    progress.set_done(0, rounds.into());
    cancel_on_signal(&stop, "the search", &progress)?;
    let is_stopped = || stop.stop_after(0).is_some();
    while !search.is_over() && search.round() < rounds && !is_stopped() {
        search.advance();
        progress.set_bound(Some(format!("distance sum {}", search.best().bound())));
        progress.set_best(Some(format!("{} with diameter {}", search.best().distance_sum(), search.best().diameter())));
        progress.set_done(search.round().into(), rounds.into());
        progress.set_work(format!("round {} of {rounds}", search.round()));
    }
    drop(progress);
    let is_finished = search.is_over() || search.round() >= rounds;
    if !is_finished {
        output::note(verbosity, "interrupted; this is the best graph found");
    }

    let network = search.best().topology(name)?;
    let file = args.output.as_deref();
    if let Some(output) = output {
        let is_data = output.is_standard();
        output.write(&network)?;
        if is_data || (verbosity.quiet && !args.json) {
            return Ok(ExitStatus::Success);
        }
    }
    let found = FoundGraph::new(search.best(), search.round(), seed);
    if args.json {
        output::print(&to_json_rows(&found, 1))?;
        return Ok(ExitStatus::Success);
    }
    let mut sheet = found.sheet(&network);
    let interrupted = if is_finished { "" } else { ", interrupted" };
    sheet.line("found by", format!("{}, seed {seed}{interrupted}", counted(search.round() as usize, "round")));
    if let Some(file) = file {
        sheet.line("written to", file.display().to_string());
    }
    output::print(&sheet.to_text())?;
    Ok(ExitStatus::Success)
}

/// Properties of the graph found.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct FoundGraph {
    order: u32,
    degree: u32,
    average_distance: f64,
    /// Sum over ordered pairs of nodes.
    distance_sum: u64,
    /// Lower bound on the sum.
    sum_bound: u64,
    diameter: u32,
    /// Number of rotational symmetries.
    rotations: u32,
    /// Number of completed rounds.
    rounds: u32,
    seed: u64,
}

impl FoundGraph {
    fn new(graph: &OrderDegreeGraph, rounds: u32, seed: u64) -> Self {
        Self {
            order: graph.order(),
            degree: graph.degree(),
            average_distance: graph.average_distance(),
            distance_sum: graph.distance_sum(),
            sum_bound: graph.bound(),
            diameter: graph.diameter(),
            rotations: graph.rotations(),
            rounds,
            seed,
        }
    }

    fn sheet(&self, network: &Topology) -> Sheet {
        let &Self { order, distance_sum, sum_bound, .. } = self;
        let pairs = u64::from(order) * u64::from(order - 1);
        let least = sum_bound as f64 / pairs as f64;
        let mut sheet = Sheet::default();
        sheet.line("network", format!("{}: {}", network.name(), text::size(network)));
        sheet.line("average distance", format!("{:.4}, at least {least:.4}", self.average_distance));
        sheet.line("distance sum", format!("{distance_sum}, at least {sum_bound}"));
        sheet.line("diameter", self.diameter.to_string());
        sheet.line("symmetry", counted(self.rotations as usize, "rotation"));
        sheet
    }
}
