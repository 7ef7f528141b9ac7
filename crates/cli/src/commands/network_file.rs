//! Network files: written in any graph format, drawn, or shown on a page.

use std::path::Path;

use anyhow::{Context, bail};
use lockstep::Topology;
use lockstep::topology::{GraphFormat, write_graph};
use lockstep_report::{DrawingLimits, PageLimits, network_html, topology_svg};

use crate::args::NetworkFormat;
use crate::command_files::CommandFiles;
use crate::output::{Output, extension};
use crate::properties::network_facts;
use crate::text::path_name;

/// The extensions that choose a format.
const EXTENSIONS: &str = "use .json, .edges, .dot, .graphml, .svg or .html";

/// The destination of a network, with its format.
pub(super) struct NetworkOutput {
    output: Output,
    format: NetworkFormat,
    name: String,
}

impl NetworkOutput {
    /// Opens the destination of `--output` and `--format`; `None` without these options. The default destination is
    /// standard output, and the extension chooses the default format.
    pub(super) fn open(
        path: Option<&Path>,
        format: Option<NetworkFormat>,
        files: &mut CommandFiles,
    ) -> anyhow::Result<Option<Self>> {
        if path.is_none() && format.is_none() {
            return Ok(None);
        }
        let path = path.unwrap_or(Path::new("-"));
        let format = format.or_else(|| format_of(path)).with_context(|| {
            format!("{}: unknown extension; {EXTENSIONS}, or choose a format with --format", path_name(path))
        })?;
        Ok(Some(Self { output: files.write("--output", path)?, format, name: path_name(path) }))
    }

    /// Returns true if the network goes to standard output.
    pub(super) fn is_standard(&self) -> bool {
        self.output.is_standard()
    }

    /// Refuses a picture or page that would only say that the network is too large, before the work that follows.
    ///
    /// # Errors
    ///
    /// If the format is SVG or HTML, and the network exceeds the limits of pictures or pages.
    pub(super) fn check(&self, topology: &Topology) -> anyhow::Result<()> {
        let reason = match self.format {
            NetworkFormat::Html => PageLimits::BROWSER.refuse_network(topology),
            NetworkFormat::Svg => DrawingLimits::PAGE.refuse(topology),
            _ => None,
        };
        if let Some(reason) = reason {
            bail!("{}: {reason}; write a .json file or another graph format", self.name);
        }
        Ok(())
    }

    /// Writes a network.
    ///
    /// # Errors
    ///
    /// If [`check`](Self::check) refuses the network, or it has no form in the format, or the file cannot be written.
    pub(super) fn write(self, topology: &Topology) -> anyhow::Result<()> {
        self.check(topology)?;
        let text = match self.format.graph() {
            Some(format) => write_graph(topology, format).with_context(|| topology.name().to_owned())?,
            None if self.format == NetworkFormat::Html => {
                network_html(topology, &network_facts(topology), &PageLimits::BROWSER)
            }
            None => topology_svg(topology, &DrawingLimits::PAGE),
        };
        self.output.write(&text)
    }
}

fn format_of(path: &Path) -> Option<NetworkFormat> {
    match extension(path).as_str() {
        "svg" => Some(NetworkFormat::Svg),
        "html" | "htm" => Some(NetworkFormat::Html),
        extension => NetworkFormat::of(GraphFormat::from_extension(extension)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extensions_of_the_error_choose_all_formats_that_have_one() {
        let named = EXTENSIONS.split([' ', ',']).filter_map(|word| word.strip_prefix('.'));
        let mut formats: Vec<_> = named.map(|extension| format_of(Path::new(&format!("x.{extension}")))).collect();
        formats.dedup();
        assert_eq!(formats.len(), 6);
        assert!(!formats.contains(&None), "{formats:?}");
    }
}
