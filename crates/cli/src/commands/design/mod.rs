//! `lockstep design`: the network itself is what is looked for.

mod enumeration;
mod evolve;
mod front;
mod order_degree;
mod pick;
mod plot;

use lockstep::design::{DesignProblem, Machine, Objective, objective, objectives};
use lockstep::files::to_json_rows;
use lockstep::pareto::Sense;
use lockstep_report::Table;
use serde::Serialize;

use super::Answer;
use crate::args::{DesignArgs, FrontArgs, Talk};
use crate::text::counted;
use crate::{metrics, output};

/// What the ExaNeSt document designs for.
const EVOLVED: [&str; 3] = ["kernighan-lin", "paths", "links"];
/// What networks of as many links differ by.
const SURVEYED: [&str; 2] = ["exact-bisection", "paths"];

pub(crate) fn run(args: &DesignArgs, talk: Talk) -> anyhow::Result<Answer> {
    match args {
        DesignArgs::Pick(args) => pick::run(args, talk),
        DesignArgs::Front(args) if args.list => {
            output::print(&objective_list(args.json))?;
            Ok(Answer::Yes)
        }
        DesignArgs::Front(args) => match (args.order_degree.order, args.order_degree.degree) {
            (Some(order), Some(degree)) => order_degree::run(order, degree, args, talk),
            _ => run_search(args, talk),
        },
    }
}

fn run_search(args: &FrontArgs, talk: Talk) -> anyhow::Result<Answer> {
    let machine = args.machine.machine()?;
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let default = || if args.exhaustive.is_some() { names(&SURVEYED) } else { names(&EVOLVED) };
    let objectives: Vec<String> = args.objectives.clone().unwrap_or_else(default);
    let objectives: Vec<_> = objectives.iter().map(|name| objective(name)).collect::<Result<_, _>>()?;
    plot::check(args.plot.as_deref(), objectives.len())?;
    let problem = DesignProblem::new(machine, objectives, args.rules.rules())?;
    match args.exhaustive {
        Some(links) => enumeration::run(&problem, links, args, talk),
        None => evolve::run(&problem, args, talk),
    }
}

fn objective_list(as_json: bool) -> String {
    #[derive(Serialize)]
    struct Entry {
        name: &'static str,
        sense: Sense,
        about: &'static str,
    }
    let entry = |objective: &&'static dyn Objective| Entry {
        name: objective.name(),
        sense: objective.sense(),
        about: objective.about(),
    };
    let entries: Vec<Entry> = objectives().iter().map(entry).collect();
    if as_json {
        return to_json_rows(&entries, 1);
    }
    let mut table = Table::new(["objective", "better", "what it is"]);
    for Entry { name, sense, about } in entries {
        table.push([name, metrics::better(sense), about]);
    }
    table.to_text()
}

/// A machine in words.
fn describe(machine: &Machine) -> String {
    let [cabinets, chassis] = [machine.cabinets(), machine.chassis()].map(|count| count as usize);
    format!(
        "{} of {} chassis of 2 routers of {}: {} routers",
        counted(cabinets, "cabinet"),
        chassis,
        counted(machine.slots() as usize, "cable slot"),
        machine.router_count()
    )
}
