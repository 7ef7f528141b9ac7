//! `lockstep schema`: the JSON Schemas of files and outputs.
//!
//! The folder `schemas` of this crate has them. A test generates them from the types, with the feature `schema`, so that the program
//! needs no generator. `UPDATE_EXPECT=1` makes this test write them.

#[cfg(all(test, feature = "schema"))]
mod generate;

use clap::ValueEnum;
use lockstep_report::Table;

use crate::args::{JsonFormat, SchemaArgs};
use crate::exit_status::ExitStatus;
use crate::output;

pub(crate) fn run(args: &SchemaArgs) -> anyhow::Result<ExitStatus> {
    match args.format {
        Some(format) => output::print(stored(format))?,
        None => output::print(&list())?,
    }
    Ok(ExitStatus::Success)
}

fn list() -> String {
    let mut table = Table::new(["format", "JSON"]);
    for format in JsonFormat::value_variants() {
        table.push([name(*format), about(*format)]);
    }
    table.to_text()
}

fn name(format: JsonFormat) -> String {
    format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

fn about(format: JsonFormat) -> String {
    let value = format.to_possible_value();
    value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
}

/// Returns the schema of a format.
fn stored(format: JsonFormat) -> &'static str {
    macro_rules! stored {
        ($name:literal) => {
            include_str!(concat!("../../../schemas/", $name, ".json"))
        };
    }
    match format {
        JsonFormat::Plan => stored!("plan"),
        JsonFormat::Schedule => stored!("schedule"),
        JsonFormat::SymmetricSchedule => stored!("symmetric-schedule"),
        JsonFormat::Network => stored!("network"),
        JsonFormat::Programs => stored!("programs"),
        JsonFormat::DesignFront => stored!("design-front"),
        JsonFormat::FrontSizes => stored!("front-sizes"),
        JsonFormat::PlanTimes => stored!("plan-times"),
        JsonFormat::LocalProgram => stored!("local-program"),
        JsonFormat::Bound => stored!("bound"),
        JsonFormat::BoundTimes => stored!("bound-times"),
        JsonFormat::Front => stored!("front"),
        JsonFormat::Rings => stored!("rings"),
        JsonFormat::Fit => stored!("fit"),
        JsonFormat::Tune => stored!("tune"),
        JsonFormat::Expect => stored!("expect"),
        JsonFormat::Faults => stored!("faults"),
        JsonFormat::Verify => stored!("verify"),
        JsonFormat::Time => stored!("time"),
        JsonFormat::Run => stored!("run"),
        JsonFormat::Judge => stored!("judge"),
        JsonFormat::Simulate => stored!("simulate"),
        JsonFormat::Topology => stored!("topology"),
        JsonFormat::TopologyList => stored!("topology-list"),
        JsonFormat::DesignList => stored!("design-list"),
        JsonFormat::DesignPick => stored!("design-pick"),
        JsonFormat::OrderDegree => stored!("order-degree"),
        JsonFormat::AllGatherDesigns => stored!("all-gather-designs"),
        JsonFormat::Doctor => stored!("doctor"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_schema_says_which_format_it_describes() {
        for &format in JsonFormat::value_variants() {
            let schema: Value = serde_json::from_str(stored(format)).unwrap();
            assert_eq!(schema["title"], format!("lockstep {}", name(format)));
            assert_eq!(schema["description"], about(format));
            assert!(!about(format).is_empty());
            assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        }
    }
}
