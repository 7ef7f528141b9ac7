//! `lockstep design pick`: one design and its network.

use std::path::Path;

use anyhow::Context;
use lockstep::Topology;
use lockstep::design::{CablingCode, Front, Machine, Network};
use lockstep::files::to_json_rows;
use serde::Serialize;

use super::machine::describe;
use crate::args::{PickArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::commands::network_file::NetworkOutput;
use crate::exit_status::ExitStatus;
use crate::metrics::{self, Metric, Wanted};
use crate::text::{self, Sheet, score};
use crate::{input, output};

pub(super) fn run(args: &PickArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    let mut files = CommandFiles::new();
    args.front.iter().try_for_each(|path| files.read("the front", path))?;
    let output = NetworkOutput::open(args.output.as_deref(), args.format, &mut files)?;
    let (pick, origin) = match (&args.code, &args.front) {
        (Some(code), _) => {
            (PickedDesign { machine: args.machine.machine()?, code: code.clone(), place: None }, "--code".to_owned())
        }
        (None, front) => {
            // Without a code, the parser requires a front and a number.
            let (path, number) = (front.as_deref().unwrap_or(Path::new("-")), args.number.unwrap_or(0));
            let name = input::name(path);
            (
                PickedDesign::of_front(&input::text(path, "a front, as lockstep design -o writes it")?, number)
                    .with_context(|| name.clone())?,
                format!("{name}: design {number}"),
            )
        }
    };
    let topology = pick.machine.topology(&pick.code).context(origin)?;
    if let Some(output) = output {
        let is_data = output.is_standard();
        output.write(&topology)?;
        if is_data || (verbosity.quiet && !args.json) {
            return Ok(ExitStatus::Success);
        }
    }
    let metrics = pick.measure()?;
    let written = args.output.as_deref();
    output::print(&if args.json { pick.to_json(metrics) } else { pick.to_text(&topology, &metrics, written) })?;
    Ok(ExitStatus::Success)
}

/// A design.
struct PickedDesign {
    machine: Machine,
    code: CablingCode,
    /// Its place in a front, if it comes from one.
    place: Option<FrontPlace>,
}

/// The place of a design in a front, with its scores.
/// A picked design as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(in crate::commands) struct PickRecord<'a> {
    machine: Machine,
    code: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    front: Option<&'a FrontPlace>,
    metrics: Vec<Metric>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct FrontPlace {
    number: usize,
    designs: usize,
    scores: Vec<Score>,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Score {
    name: String,
    score: f64,
}

impl PickedDesign {
    fn of_front(text: &str, number: usize) -> anyhow::Result<Self> {
        let front = Front::from_json(text)?;
        let design = front.design(number)?;
        let scores = front.objectives().iter().zip(&design.scores);
        let scores = scores.map(|(objective, &score)| Score { name: objective.name.clone(), score }).collect();
        let place = FrontPlace { number, designs: front.designs().len(), scores };
        Ok(Self { machine: front.machine(), code: design.code.clone(), place: Some(place) })
    }

    fn measure(&self) -> anyhow::Result<Vec<Metric>> {
        let mut network = Network::of_code(&self.machine, &self.code)?;
        Ok(metrics::measure(&mut network, &Wanted::Fast))
    }

    fn to_text(&self, topology: &Topology, metrics: &[Metric], file: Option<&Path>) -> String {
        let mut sheet = Sheet::default();
        sheet.line("machine", describe(&self.machine));
        sheet.line("code", self.code.to_string());
        sheet.line("network", text::size(topology));
        if let Some(FrontPlace { number, designs, scores }) = &self.place {
            let scores = scores.iter().map(|one| format!("{} {}", one.name, score(one.score)));
            let scores = scores.collect::<Vec<_>>().join(", ");
            sheet.line("in the front", format!("design {number} of {designs}: {scores} (not checked)"));
        }
        if let Some(file) = file {
            sheet.line("written to", file.display().to_string());
        }
        format!("{}\n{}", sheet.to_text(), metrics::to_text(metrics))
    }

    fn to_json(&self, metrics: Vec<Metric>) -> String {
        let Self { machine, code, place } = self;
        to_json_rows(&PickRecord { machine: *machine, code: code.to_string(), front: place.as_ref(), metrics }, 2)
    }
}
