//! Network files: written in any graph format, or drawn.

use std::path::Path;

use anyhow::Context;
use lockstep::Topology;
use lockstep::topology::{GraphFormat, write_graph};
use lockstep_report::{DrawingLimits, topology_svg};

use crate::args::NetworkFormat;
use crate::output::{self, extension};

/// Writes a network to `path`, by default to standard output. Without `format`, the extension chooses the format.
pub(super) fn write(topology: &Topology, path: Option<&Path>, format: Option<NetworkFormat>) -> anyhow::Result<()> {
    let path = path.unwrap_or(Path::new("-"));
    let format = format
        .or_else(|| format_of(path))
        .with_context(|| format!("{}: unknown extension; choose a format with --format", path.display()))?;
    let text = match format.graph() {
        Some(format) => write_graph(topology, format).with_context(|| topology.name().to_owned())?,
        None => topology_svg(topology, &DrawingLimits::PAGE),
    };
    output::write(path, text.as_bytes())
}

fn format_of(path: &Path) -> Option<NetworkFormat> {
    match extension(path).as_str() {
        "svg" => Some(NetworkFormat::Svg),
        extension => NetworkFormat::of(GraphFormat::from_extension(extension)?),
    }
}
