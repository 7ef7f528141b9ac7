//! `lockstep judge`: programs of any tool beside the best lower bound and our own plan.

use anyhow::{Context, bail, ensure};
use lockstep::files::{message_line, to_json_line};
use lockstep::schedule::Verification;
use lockstep::{
    Budget, Collective, CollectiveName, LowerBound, Plan, PlanOptions, Planner, Problem, ScheduleFile, Topology,
    Verdict,
};
use lockstep_execute::{ExecuteOptions, Execution, Format, ParallelProgram, RaceCheck, execute_until, trace};
use lockstep_steps::{Conversion, ConvertError, RankNetwork, StepSource, convert_within};
use serde::Serialize;

use super::judge_rings;
use super::rings::RingText;
use super::{bound, judge_times, program_file, times};
use crate::args::{JudgeArgs, ProgramArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::input;
use crate::output::{self, Output};
use crate::plan_progress::PlanProgress;
use crate::problem_input;
use crate::progress::Progress;
use crate::signals::cancel_on_signal;
use crate::text::{self, Sheet, counted};

pub(crate) fn run(args: &JudgeArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let budget = args.budget.begin();
    let remedy = "steps are written as JSON; name the file .json, and draw it with lockstep render";
    output::check_extension(args.output.as_deref(), &["json"], remedy)?;
    let mut files = CommandFiles::new();
    files.read("the program", &args.program.file)?;
    if let Some(spec) = &args.network {
        args.changes.add_files(spec, &mut files)?;
    }
    let output = files.write_to("--output", args.output.as_deref())?;
    let (format, programs) = match contents(&args.program)? {
        Contents::Rings(file) => {
            ensure!(output.is_none(), "--output: rings have no steps; remove the option");
            return judge_rings::run(args, &file, network(args, verbosity)?, &budget, verbosity);
        }
        Contents::Program(format, programs) => (format, programs),
    };
    let network = network(args, verbosity)?;
    check_sizes(args, network.as_ref())?;
    let options = ExecuteOptions { orders: args.program.orders, seed: args.program.seed };
    // The conversion to steps and the plan come after the orders.
    let of_orders = budget.time_left().map_or_else(|| budget.clone(), |left| budget.clone().within(left / 2));
    let mut first = None;
    for program in &programs {
        match execute_until(program, options, &|| of_orders.interruption().is_some()) {
            Ok(execution) => _ = first.get_or_insert((program, execution)),
            Err(violation) => return wrong(args, format, program, &violation.to_string()),
        }
    }
    let (program, execution) =
        first.with_context(|| format!("{}: there is no program", input::name(&args.program.file)))?;
    let judged = Judged { format, program, execution };
    let network = network.map(|network| on_ranks(args, network)).transpose()?;
    let conversion = match convert_within(program, &trace(program)?, network, &budget) {
        Ok(conversion) => conversion,
        Err(error) if error.is_about_steps() => return without_steps(args, &judged, &error, output.as_ref()),
        Err(error) => return Err(error).with_context(|| input::name(&args.program.file)),
    };
    let of_file = conversion.verified.as_ref().map(|verified| &verified.collective);
    let found = conversion.verified.as_ref().and_then(|verified| verified.name);
    if let (Some(name), Some(found)) = (args.program.collective, found)
        && found != name
        && conversion.terminals.len() > 2
    {
        return wrong(args, format, program, &format!("the file computes {found}; --collective is {name}"));
    }
    let is_data = output.as_ref().is_some_and(Output::is_standard);
    if let Some(output) = output {
        let Some(verified) = &conversion.verified else {
            bail!("--output: {format} has messages without contents, so there is no schedule; remove the option")
        };
        let problem = Problem::new(&conversion.topology, &verified.collective, conversion.model)?;
        output.write(&ScheduleFile::new(&problem, verified.schedule.clone()).to_json())?;
    }
    let collective = match of_file {
        Some(collective) => Some(collective.clone()),
        None => stated_collective(&args.program, &conversion)?,
    };
    let optimum =
        collective.as_ref().map(|collective| optimum(args, &conversion, collective, &budget, verbosity)).transpose()?;
    print(args, &judged, &conversion, optimum.as_ref(), is_data)
}

/// The contents of the file.
enum Contents {
    Program(Format, Vec<ParallelProgram>),
    Rings(RingText),
}

/// Reads the file.
fn contents(args: &ProgramArgs) -> anyhow::Result<Contents> {
    let (format, programs) = if args.format.is_none() && program_file::is_one_file(args)? {
        let bytes = input::program(&args.file)?;
        if let Some(rings) = RingText::detect(&bytes) {
            return Ok(Contents::Rings(rings));
        }
        program_file::of_bytes(args, &bytes)?
    } else {
        program_file::read(args)?
    };
    Ok(Contents::Program(format, programs))
}

/// Returns the given network.
fn network(args: &JudgeArgs, verbosity: Verbosity) -> anyhow::Result<Option<Topology>> {
    let Some(spec) = &args.network else {
        ensure!(
            args.changes.is_whole() && args.changes.unit().is_none(),
            "--unit, --fail-link, --fail-channel, --fail-node, --fail-nic, --degrade-link: these options need --network"
        );
        return Ok(None);
    };
    let topology = args.changes.read(spec, verbosity)?;
    Ok(Some(args.changes.apply_to(topology, verbosity)?))
}

/// Returns the network with the terminal of each rank.
fn on_ranks(args: &JudgeArgs, topology: Topology) -> anyhow::Result<RankNetwork> {
    let Some(list) = &args.ranks else { return Ok(topology.into()) };
    let terminals = problem_input::node_list(&topology, "--ranks", list)?;
    RankNetwork::new(topology, terminals).context("--ranks")
}

/// Refuses sizes without bandwidths, before the work.
fn check_sizes(args: &JudgeArgs, network: Option<&Topology>) -> anyhow::Result<()> {
    match (&args.size, network) {
        (Some(_), Some(network)) => times::unit(network, args.changes.unit()).map(|_| ()),
        (Some(_), None) => bail!("--size: times need a network with bandwidths; give it with --network"),
        (None, _) => Ok(()),
    }
}

/// Returns the collective of the options, for formats without data.
fn stated_collective(args: &ProgramArgs, conversion: &Conversion) -> anyhow::Result<Option<Collective>> {
    let Some(name) = args.collective else { return Ok(None) };
    let (topology, terminals) = (&conversion.topology, &conversion.terminals);
    let root = name.has_root().then(|| terminals.get(args.root as usize).copied());
    if root == Some(None) {
        bail!("--root: there is no rank {}; the ranks are 0 to {}", args.root, terminals.len() - 1);
    }
    let roots: Vec<_> = root.flatten().into_iter().collect();
    let collective = name.in_groups(topology, std::slice::from_ref(terminals), &roots).context("--root")?;
    Ok(Some(collective.with_chunks(args.chunks)))
}

/// The executed program.
struct Judged<'a> {
    format: Format,
    program: &'a ParallelProgram,
    execution: Execution,
}

/// The best known bound, and our own plan.
struct Optimum {
    bound: LowerBound,
    plan: Result<Plan, String>,
}

/// Plans the same collective on the same network.
fn optimum(
    args: &JudgeArgs,
    conversion: &Conversion,
    collective: &Collective,
    budget: &Budget,
    verbosity: Verbosity,
) -> anyhow::Result<Optimum> {
    let problem = Problem::new(&conversion.topology, collective, conversion.model)?;
    let progress = Progress::new(verbosity, budget);
    let unfinished = cancel_on_signal(budget, "the search", &progress)?;
    let mut shown = PlanProgress::new(&progress, budget);
    let result = Planner::new(problem, PlanOptions::auto(args.program.seed)).run(budget, |event| shown.see(&event));
    drop(unfinished);
    drop(progress);
    Ok(match result {
        Ok(plan) => Optimum { bound: plan.lower_bound().clone(), plan: Ok(plan) },
        Err(error) => {
            let bound = lockstep::bounds::best_within(&problem, budget);
            bound::check(&bound, &problem)?;
            Optimum { bound, plan: Err(error.to_string()) }
        }
    })
}

/// Reports a wrong program.
fn wrong(args: &JudgeArgs, format: Format, program: &ParallelProgram, violation: &str) -> anyhow::Result<ExitStatus> {
    let text = if args.json {
        let result = JudgeResult { violation: Some(violation.to_owned()), ..JudgeResult::of(format, program, false) };
        to_json_line(&result)
    } else {
        format!("wrong: {format}, {}: {}\n", program.title, message_line(violation))
    };
    output::print(&text)?;
    Ok(ExitStatus::Negative)
}

/// Reports a right program that has no steps.
fn without_steps(
    args: &JudgeArgs,
    judged: &Judged<'_>,
    error: &ConvertError,
    output: Option<&Output>,
) -> anyhow::Result<ExitStatus> {
    ensure!(output.is_none(), "--output: there is no schedule: {error}");
    if args.json {
        let result = JudgeResult::of(judged.format, judged.program, true);
        output::print(&to_json_line(&JudgeResult { no_steps: Some(error.to_string()), ..result }))?;
    } else {
        let mut sheet = judged.sheet();
        sheet.line("schedule", format!("none: {error}"));
        output::print(&sheet.to_text())?;
    }
    Ok(ExitStatus::Success)
}

impl Judged<'_> {
    fn sheet(&self) -> Sheet {
        let mut sheet = Sheet::default();
        sheet.line("program", format!("{}, {}", self.format, self.program.title));
        let orders = counted(self.execution.orders as usize, "order");
        let data = match self.execution.races {
            RaceCheck::NoMemory => "all messages match, and the format has no data".to_owned(),
            RaceCheck::NoRace => format!("{} checked, no race", counted(self.execution.outputs, "output chunk")),
            RaceCheck::TooManyThreads => {
                format!(
                    "{} checked; races not searched: too many threads",
                    counted(self.execution.outputs, "output chunk")
                )
            }
        };
        sheet.line("execution", format!("right in {orders} of the threads; {data}"));
        sheet
    }
}

/// Prints the result of a right program, on standard error if standard output has the schedule.
fn print(
    args: &JudgeArgs,
    judged: &Judged<'_>,
    conversion: &Conversion,
    optimum: Option<&Optimum>,
    is_data: bool,
) -> anyhow::Result<ExitStatus> {
    let width_sum: u64 = conversion.widths.iter().map(|&width| u64::from(width)).sum();
    // Messages without contents are another collective if they are below its bound. Wide steps can be below it, too.
    let is_below = |optimum: &Optimum| Verdict::of(width_sum, optimum.bound.steps).is_none();
    let is_possible = conversion.verified.is_some() || !optimum.is_some_and(is_below);
    let plan = optimum.and_then(|optimum| optimum.plan.as_ref().ok()).map(Plan::schedule);
    let times = judge_times::of(args, conversion, plan)?;
    let report = if args.json {
        let mut result = JudgeResult::of(judged.format, judged.program, is_possible);
        result.add(conversion, optimum, width_sum);
        result.times = times;
        to_json_line(&result)
    } else {
        let table = times.map_or(String::new(), |times| format!("\n{}", judge_times::table(&times)));
        sheet(judged, conversion, optimum, width_sum)?.to_text() + &table
    };
    if is_data {
        output::print_beside(&report);
    } else {
        output::print(&report)?;
    }
    Ok(if is_possible { ExitStatus::Success } else { ExitStatus::Negative })
}

fn sheet(
    judged: &Judged<'_>,
    conversion: &Conversion,
    optimum: Option<&Optimum>,
    width_sum: u64,
) -> anyhow::Result<Sheet> {
    let (topology, mut sheet) = (&conversion.topology, judged.sheet());
    if let Some(verified) = &conversion.verified {
        text::describe(&mut sheet, &Problem::new(topology, &verified.collective, conversion.model)?);
    } else {
        sheet.line("network", format!("{}: {}", topology.name(), text::size(topology)));
        sheet.line("model", conversion.model.to_string());
    }
    let source = match conversion.source {
        StepSource::File => "as in the file",
        StepSource::Earliest => "each transfer as early as possible",
    };
    sheet.line("schedule", format!("{}, {source}", text::steps(conversion.widths.len(), width_sum)));
    let transfers = |verification: &Verification| text::transfers(verification);
    let of_file = conversion.verified.as_ref().map(|verified| transfers(&verified.verification));
    sheet.line("transfers", of_file.unwrap_or_else(|| conversion.transfers.to_string()));
    let Some(Optimum { bound, plan }) = optimum else {
        sheet.line("lower bound", "none: the format does not name the collective; give --collective");
        return Ok(sheet);
    };
    sheet.line("lower bound", text::bound(bound, topology));
    sheet.line(
        "gap",
        match Verdict::of(width_sum, bound.steps) {
            Some(Verdict::Optimal) => "0: no schedule needs fewer steps".to_owned(),
            Some(Verdict::Gap(gap)) => gap.to_string(),
            None => {
                let why = match conversion.verified {
                    Some(_) => "the bound counts steps of width 1, and wide steps can be below it",
                    None => "so few steps cannot be this collective in this number of chunks",
                };
                format!("{}: {why}", gap(width_sum, bound))
            }
        },
    );
    sheet.line(
        "our plan",
        match plan {
            Ok(plan) => format!("{}, {}, found by {}", text::steps_of_plan(plan), plan.verdict(), plan.engine()),
            Err(error) => format!("none: {error}"),
        },
    );
    Ok(sheet)
}

/// Returns the distance of the widths of all steps from a bound. It is negative if they are below it.
fn gap(width_sum: u64, bound: &LowerBound) -> i64 {
    i64::try_from(width_sum).unwrap_or(i64::MAX) - i64::from(bound.steps)
}

/// A result as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct JudgeResult<'a> {
    right: bool,
    format: &'static str,
    program: &'a str,
    ranks: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<String>,
    /// Why the program has no steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_steps: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collective: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    /// The sum of the widths of all steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    transfers: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bound: Option<u32>,
    /// The rule of the bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gap: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<PlanResult>,
    /// The times of each size of `--size`.
    #[serde(skip_serializing_if = "Option::is_none")]
    times: Option<Vec<judge_times::JudgedTime>>,
}

/// Our own plan as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PlanResult {
    steps: usize,
    verdict: Verdict,
    engine: String,
}

impl<'a> JudgeResult<'a> {
    fn of(format: Format, program: &'a ParallelProgram, right: bool) -> Self {
        Self {
            right,
            format: format.name(),
            program: &program.title,
            ranks: program.rank_count,
            violation: None,
            no_steps: None,
            network: None,
            collective: None,
            steps: None,
            width: None,
            transfers: None,
            bound: None,
            rule: None,
            gap: None,
            plan: None,
            times: None,
        }
    }

    fn add(&mut self, conversion: &Conversion, optimum: Option<&Optimum>, width_sum: u64) {
        self.network = Some(conversion.topology.name().to_owned());
        self.collective =
            conversion.verified.as_ref().map(|verified| verified.name.map_or("custom", CollectiveName::word));
        (self.steps, self.width) = (Some(conversion.widths.len()), Some(width_sum));
        self.transfers = Some(conversion.transfers);
        let Some(Optimum { bound, plan }) = optimum else { return };
        self.gap = Some(gap(width_sum, bound));
        (self.bound, self.rule) = (Some(bound.steps), Some(bound.rule.to_string()));
        self.plan = plan.as_ref().ok().map(|plan| PlanResult {
            steps: plan.schedule().step_count(),
            verdict: plan.verdict(),
            engine: plan.engine().to_owned(),
        });
    }
}
