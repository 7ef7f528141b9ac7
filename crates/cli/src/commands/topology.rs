//! `lockstep topology`: properties of a network, or the network in another format.

use anyhow::bail;
use lockstep::design::Network;
use lockstep::files::to_json_rows;
use lockstep::topology::families;
use lockstep_report::Table;
use serde::Serialize;

use super::network_file::NetworkOutput;
use crate::args::{TopologyArgs, Verbosity};
use crate::command_files::CommandFiles;
use crate::exit_status::ExitStatus;
use crate::metrics::{self, Wanted};
use crate::output;
use crate::properties::Properties;

pub(crate) fn run(args: &TopologyArgs, verbosity: Verbosity) -> anyhow::Result<ExitStatus> {
    if args.list {
        output::print(&family_list(args.json))?;
        return Ok(ExitStatus::Success);
    }
    let Some(spec) = &args.spec else {
        bail!(
            "--metrics takes the word behind it for a metric; give the network before it: lockstep topology mesh:4x4 --metrics"
        )
    };
    let mut files = CommandFiles::new();
    args.network.add_files(spec, &mut files)?;
    let output = NetworkOutput::open(args.output.as_deref(), args.format, &mut files)?;
    let mut topology = args.network.read(spec, verbosity)?;
    if args.half_duplex {
        topology = topology.half_duplex();
    }
    topology = args.network.apply_to(topology, verbosity)?;
    if let Some(output) = output {
        output.write(&topology)?;
        return Ok(ExitStatus::Success);
    }
    let wanted = args.metrics.as_deref().map(Wanted::new).transpose()?;
    if let Some(simplification) = metrics::simplification(&topology).filter(|_| wanted.is_some()) {
        output::note(verbosity, &format!("--metrics: {simplification}"));
    }
    let metrics = wanted.map(|wanted| metrics::measure(&mut Network::of(&topology), &wanted));
    let properties = Properties::new(&topology, metrics);
    // One line per metric.
    let depth = if properties.metrics.is_some() { 2 } else { 1 };
    output::print(&if args.json { to_json_rows(&properties, depth) } else { properties.to_text() })?;
    Ok(ExitStatus::Success)
}

/// A family of networks as JSON.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(super) struct Family {
    name: &'static str,
    usage: String,
    example: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    aliases: &'static [&'static str],
    about: &'static str,
}

fn family_list(as_json: bool) -> String {
    let entries = families().iter().map(|family| Family {
        name: family.name,
        usage: family.usage(),
        example: family.example,
        aliases: family.aliases,
        about: family.about,
    });
    if as_json {
        return to_json_rows(&entries.collect::<Vec<_>>(), 1);
    }
    let mut table = Table::new(["spec", "example", "network"]);
    for Family { usage, example, aliases, about, .. } in entries {
        let aliases = if aliases.is_empty() { String::new() } else { format!("; also {}", aliases.join(", ")) };
        table.push([usage.as_str(), example, &format!("{about}{aliases}")]);
    }
    table.to_text()
}
