//! `lockstep design`: design of networks.

pub(super) mod all_gather;
mod enumeration;
mod evolve;
mod front;
mod machine;
pub(super) mod order_degree;
pub(super) mod pick;
mod plot;

use lockstep::Workers;
use lockstep::design::{DesignProblem, Objective, objective, objectives};
use lockstep::files::to_json_rows;
use lockstep::pareto::Sense;
use lockstep_report::Table;
use serde::Serialize;

use self::front::FrontOutputs;
use crate::args::{DesignArgs, FrontArgs, PurposeArg, Verbosity};
use crate::checkpoint_file::CheckpointFile;
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::{metrics, output};

/// Default objectives of an enumeration: all its networks have equally many links.
const ENUMERATED: [&str; 2] = ["exact-bisection", "throughput"];

pub(crate) fn run(args: &DesignArgs, verbosity: Verbosity, workers: &dyn Workers) -> anyhow::Result<ExitStatus> {
    match args {
        DesignArgs::Pick(args) => pick::run(args, verbosity),
        DesignArgs::Front(args) if args.list => {
            output::print(&objective_list(args.json))?;
            Ok(ExitStatus::Success)
        }
        DesignArgs::Front(args) => match (args.order_degree.order, args.order_degree.degree) {
            (Some(order), Some(degree)) => match args.order_degree.purpose {
                Some(PurposeArg::AllGather) => all_gather::run(order, degree, args, verbosity),
                None => order_degree::run(order, degree, args, verbosity),
            },
            _ => run_search(args, verbosity, workers),
        },
    }
}

fn run_search(args: &FrontArgs, verbosity: Verbosity, workers: &dyn Workers) -> anyhow::Result<ExitStatus> {
    let machine = args.machine.machine()?;
    let evolved = args.evolution.objectives();
    let default = if args.exhaustive.is_some() { &ENUMERATED[..] } else { &evolved };
    let names = args.objectives.as_ref().map(|names| names.iter().map(String::as_str).collect());
    let names: Vec<&str> = names.unwrap_or_else(|| default.to_vec());
    let objectives: Vec<_> = names.into_iter().map(objective).collect::<Result<_, _>>()?;
    front::check(args.output.as_deref())?;
    plot::check(args.plot.as_deref(), objectives.len())?;
    let mut files = CommandFiles::new();
    let outputs = FrontOutputs {
        file: files.write_to("--output", args.output.as_deref())?,
        plot: files.write_to("--plot", args.plot.as_deref())?,
    };
    let problem = DesignProblem::new(machine, objectives, args.rules.rules())?;
    if let Some(links) = args.exhaustive {
        return enumeration::run(&problem, links, outputs, args, verbosity);
    }
    let checkpoint = CheckpointFile::new(args.checkpoint.as_deref(), outputs.file.as_ref(), &mut files)?;
    evolve::run(&problem, outputs, checkpoint, args, verbosity, workers)
}

/// An objective as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct ListedObjective {
    name: &'static str,
    sense: Sense,
    about: &'static str,
}

fn objective_list(as_json: bool) -> String {
    let entry = |objective: &&'static dyn Objective| ListedObjective {
        name: objective.name(),
        sense: objective.sense(),
        about: objective.about(),
    };
    let entries: Vec<ListedObjective> = objectives().iter().map(entry).collect();
    if as_json {
        return to_json_rows(&entries, 1);
    }
    let mut table = Table::new(["objective", "better", "description"]);
    for ListedObjective { name, sense, about } in entries {
        table.push([name, metrics::better(sense), about]);
    }
    table.to_text()
}
