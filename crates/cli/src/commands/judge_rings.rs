//! `lockstep judge` for the rings and trees of NCCL and RCCL: graph files, variables and logs.

use anyhow::{Context, ensure};
use lockstep::files::{message_line, to_json_line};
use lockstep::{Budget, Topology};
use lockstep_rings::format::{Devices, Format};
use lockstep_rings::{MAX_RINGS, RingCount, RingKind};
use serde::Serialize;

use super::rings::{Figures, Found, OnNetwork, Orders, RingRecord, RingText, search_within};
use crate::args::{JudgeArgs, Verbosity};
use crate::exit_status::ExitStatus;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};
use crate::{input, output, problem_input};

/// The least number of rings up to which our own set is searched.
const OUR_RINGS: u32 = 16;

pub(super) fn run(
    args: &JudgeArgs,
    file: &RingText,
    network: Option<Topology>,
    budget: &Budget,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    ensure!(args.size.is_none(), "--size: rings have the table of times of lockstep rings; remove the option");
    let mut orders = file.read(args.communicator).with_context(|| input::name(&args.program.file))?;
    let Some(topology) = network else {
        return print(args, file.format, &orders, None, verbosity);
    };
    let terminals = match &args.ranks {
        Some(list) => problem_input::node_list(&topology, "--ranks", list)?,
        None => topology.terminals().to_vec(),
    };
    let devices = match args.ranks {
        Some(_) => Devices::from_order(terminals.clone()),
        None => Devices::new(&topology, &terminals),
    };
    if file.format == Format::RcclEnvironment {
        orders.leave_out_other_sizes(devices.len());
    }
    let unit = args.changes.unit().or(topology.unit_bytes_per_second());
    let of_network = OnNetwork::new(&orders, &topology, &devices, (args.relay, unit));
    let judged = match of_network {
        Ok(judged) => judged,
        Err(violation) => return wrong(args, file.format, &violation),
    };
    let progress = Progress::new(verbosity, budget);
    let unfinished = cancel_on_signal(budget, "the search", &progress)?;
    let most = OUR_RINGS.max(orders.rings.len() as u32).min(MAX_RINGS as u32);
    let search = |count| {
        let (kind, options) = ((RingKind::Ring, count), (args.relay, args.program.seed));
        search_within(&topology, &terminals, kind, options, budget)
    };
    let mut found = vec![search(RingCount::AtMost(most))?];
    let same = orders.rings.len() as u32;
    if same > 0 && found[0].answer.set.as_ref().is_some_and(|(set, _)| set.len() as u32 != same) {
        found.push(search(RingCount::Exactly(same))?);
    }
    drop(unfinished);
    drop(progress);
    print(args, file.format, &orders, Some((&judged, &found, budget)), verbosity)
}

/// Reports a file that does not fit the network.
fn wrong(args: &JudgeArgs, format: Format, violation: &str) -> anyhow::Result<ExitStatus> {
    let text = if args.json {
        to_json_line(&RingJudgement { violation: Some(violation.to_owned()), ..RingJudgement::of(format, false) })
    } else {
        format!("wrong: {format}: {}\n", message_line(violation))
    };
    output::print(&text)?;
    Ok(ExitStatus::Negative)
}

fn print(
    args: &JudgeArgs,
    format: Format,
    orders: &Orders,
    judged: Option<(&OnNetwork<'_>, &[Found], &Budget)>,
    verbosity: Verbosity,
) -> anyhow::Result<ExitStatus> {
    let mut judgement = RingJudgement::of(format, true);
    (judgement.rings, judgement.trees) = (orders.rings.len(), orders.trees.len());
    let mut sheet = Sheet::default();
    let trees =
        if orders.trees.is_empty() { String::new() } else { format!(", {}", counted(orders.trees.len(), "tree")) };
    sheet.line("file", format!("{format}: {}{trees}", counted(orders.rings.len(), "ring")));
    if let Some((OnNetwork { topology, unit, rings, trees }, found, budget)) = judged {
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        let ours: Vec<Figures<'_>> =
            found.iter().map(|found| Figures::of_search(topology, found, *unit, budget)).collect();
        let best = &ours[0];
        if let Some((set, load)) = rings {
            let figures =
                Figures { limit: best.limit, optimum: best.optimum, ..Figures::of_set(topology, (set, load), *unit) };
            figures.describe(&mut sheet);
            let gap =
                100.0 * (best.limit.map_or(0.0, |(limit, _)| limit.to_f64()) / load.bus_bandwidth().to_f64() - 1.0);
            let gap = if gap > 0.0 {
                format!("{gap:.1} % to the bound")
            } else {
                "0: no rings have more bandwidth".to_owned()
            };
            sheet.line("gap", gap);
            judgement.figures = Some(RingRecord::new(&figures));
        }
        if let Some(cost) = trees {
            sheet.line("trees", format!("{} in an all-reduce", best.bandwidth(cost.bus_bandwidth)));
            judgement.tree_bandwidth = Some(cost.bus_bandwidth.to_string());
        }
        for (place, figures) in ours.iter().enumerate() {
            sheet.line(if place == 0 { "our rings" } else { "" }, figures.summary());
        }
        judgement.best = Some(RingRecord::new(best));
        judgement.best_of_number = ours.get(1).map(RingRecord::new);
    } else {
        for (place, ring) in orders.rings.iter().enumerate() {
            let numbers: Vec<String> = ring.gpus.iter().map(u32::to_string).collect();
            sheet.line(if place == 0 { "orders" } else { "" }, numbers.join(" "));
        }
        sheet.line("bandwidth", "not known: give the network of the server with --network");
    }
    judgement.notes.clone_from(&orders.notes);
    output::print(&if args.json { to_json_line(&judgement) } else { sheet.to_text() })?;
    if !args.json {
        for note in &orders.notes {
            output::note(verbosity, note);
        }
    }
    Ok(ExitStatus::Success)
}

/// The result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct RingJudgement {
    right: bool,
    /// `nccl-graph`, `rccl-environment` or `nccl-log`.
    format: &'static str,
    /// What is wrong with the file on the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    /// The number of rings, without copies.
    rings: usize,
    /// The number of trees or chains.
    trees: usize,
    /// What the library does with the file.
    notes: Vec<String>,
    /// The figures of the rings on the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<RingRecord>,
    /// The bus bandwidth of an all-reduce over the trees, in units of the capacities.
    #[serde(skip_serializing_if = "Option::is_none")]
    tree_bandwidth: Option<String>,
    /// Our own rings.
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<RingRecord>,
    /// Our own rings in the number of the file, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    best_of_number: Option<RingRecord>,
}

impl RingJudgement {
    fn of(format: Format, right: bool) -> Self {
        let format = format.name();
        Self {
            right,
            format,
            violation: None,
            rings: 0,
            trees: 0,
            notes: Vec::new(),
            figures: None,
            tree_bandwidth: None,
            best: None,
            best_of_number: None,
        }
    }
}
