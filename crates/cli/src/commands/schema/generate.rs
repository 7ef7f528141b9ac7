//! Schemas from the types that are written and read, compared with the stored ones.

use std::collections::BTreeSet;
use std::path::Path;

use clap::ValueEnum;
use expect_test::expect_file;
use lockstep::files::to_json_rows;
use lockstep::schedule::{ScheduleFile, SymmetricScheduleFile};
use lockstep::{LowerBound, PlanFile, Topology};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use super::{about, name};
use crate::args::JsonFormat;
use crate::commands::{
    bound, design, doctor, faults, fit, front, judge, judge_rings, plan, rings, run, simulate, size_ranges, times,
    topology, tune, verify,
};
use crate::properties::Properties;

/// Levels of a schema that are broken into lines: the rules of a field are on one line.
const LEVELS: usize = 4;

/// The output of `lockstep judge --json`.
#[derive(serde::Serialize, JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum JudgeOutput {
    /// The result for a program.
    Program(Box<judge::JudgeResult<'static>>),
    /// The result for rings of NCCL or RCCL.
    Rings(Box<judge_rings::RingJudgement>),
}

/// Returns the schema of a format.
fn of(format: JsonFormat) -> Schema {
    let mut schema = match format {
        JsonFormat::Plan => of_file::<PlanFile>(),
        JsonFormat::Schedule => of_file::<ScheduleFile>(),
        JsonFormat::SymmetricSchedule => of_file::<SymmetricScheduleFile>(),
        JsonFormat::Network => of_file::<Topology>(),
        JsonFormat::Programs => of_file::<lockstep::flow::Programs>(),
        JsonFormat::DesignFront => of_file::<lockstep::design::Front>(),
        JsonFormat::FrontSizes => of_output::<Vec<size_ranges::Range>>(),
        JsonFormat::PlanTimes => of_output::<plan::outcome::PlanTimes<'static>>(),
        JsonFormat::LocalProgram => of_output::<plan::local::ProgramRecord>(),
        JsonFormat::Bound => of_output::<Vec<LowerBound>>(),
        JsonFormat::BoundTimes => of_output::<bound::BoundTimes>(),
        JsonFormat::Front => of_output::<front::FrontJson>(),
        JsonFormat::Rings => of_output::<rings::RingRecord>(),
        JsonFormat::Fit => of_output::<fit::FitRecord<'static>>(),
        JsonFormat::Tune => of_output::<tune::TuneRecord<'static>>(),
        JsonFormat::Faults => of_output::<faults::rows::RowRecord<'static>>(),
        JsonFormat::Verify => of_output::<verify::VerifyResult>(),
        JsonFormat::Time => of_output::<Vec<times::Time>>(),
        JsonFormat::Run => of_output::<run::RunResult<'static>>(),
        JsonFormat::Judge => of_output::<JudgeOutput>(),
        JsonFormat::Simulate => of_output::<simulate::SimulationRecord<'static>>(),
        JsonFormat::Topology => of_output::<Properties>(),
        JsonFormat::TopologyList => of_output::<Vec<topology::Family>>(),
        JsonFormat::DesignList => of_output::<Vec<design::ListedObjective>>(),
        JsonFormat::DesignPick => of_output::<design::pick::PickRecord<'static>>(),
        JsonFormat::OrderDegree => of_output::<design::order_degree::FoundGraph>(),
        JsonFormat::AllGatherDesigns => of_output::<design::all_gather::AllGatherFront>(),
        JsonFormat::Doctor => of_output::<doctor::State>(),
    };
    schema.insert("title".to_owned(), format!("lockstep {}", name(format)).into());
    schema.insert("description".to_owned(), about(format).into());
    schema
}

/// Returns the schema of a file, as it is read.
fn of_file<T: JsonSchema>() -> Schema {
    generated::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of an output, as it is written.
fn of_output<T: JsonSchema>() -> Schema {
    generated::<T>(SchemaSettings::draft2020_12().for_serialize())
}

fn generated<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    settings.with_transform(RecursiveTransform(describe)).into_generator().into_root_schema_for::<T>()
}

/// Replaces the description of a schema, which is the documentation of a type or field, by its first paragraph without links.
fn describe(schema: &mut Schema) {
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let first = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
        *text = without_links(&first);
    }
}

/// Replaces the links of Markdown by their texts.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((link, after)) = after.split_once(']') else { break };
        plain.push_str(before);
        let target = after.strip_prefix('(').and_then(|after| after.split_once(')'));
        match target {
            Some((_, after)) => {
                plain.push_str(link);
                rest = after;
            }
            None if link.starts_with('`') => {
                plain.push_str(link);
                rest = after;
            }
            None => {
                plain.push('[');
                plain.push_str(link);
                plain.push(']');
                rest = after;
            }
        }
    }
    plain + rest
}

#[test]
fn links_become_their_texts() {
    let text = "See [`check`](Self::check), [`Rule`] and [the page](https://a.b); `[1, 2]` [stays], [so";
    assert_eq!(without_links(text), "See `check`, `Rule` and the page; `[1, 2]` [stays], [so");
}

#[test]
fn stored_schemas_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let mut expected = BTreeSet::new();
    for &format in JsonFormat::value_variants() {
        let file = format!("{}.json", name(format));
        expect_file![folder.join(&file)].assert_eq(&to_json_rows(&of(format), LEVELS));
        expected.insert(file);
    }
    let stored = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(stored.collect::<BTreeSet<_>>(), expected, "the files in crates/cli/schemas");
}
