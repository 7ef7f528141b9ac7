//! Network files: written in any graph format, drawn, or shown on a page.

use std::path::Path;

use anyhow::{Context, bail};
use lockstep::Topology;
use lockstep::topology::{GraphFormat, TopologyDocument, write_document, write_graph};
use lockstep_measure::{Fit, SlowLink};
use lockstep_report::{
    DrawingLimits, LinkMark, MarkedChannels, NetworkFacts, PageLimits, marked_topology_svg, network_html,
};

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
        let text = self.text(topology, Vec::new())?;
        self.output.write(&text)
    }

    /// Writes a network with the measurements that its numbers come from; slow links are red.
    ///
    /// # Errors
    ///
    /// Those of [`write`](Self::write).
    pub(super) fn write_fit(self, fit: &Fit) -> anyhow::Result<()> {
        let text = if self.format == NetworkFormat::Json {
            write_document(&TopologyDocument::from(&fit.network).with_measured(fit.measured.clone()))
        } else {
            self.text(&fit.network, marks(fit))?
        };
        self.output.write(&text)
    }

    fn text(&self, topology: &Topology, marks: Vec<LinkMark>) -> anyhow::Result<String> {
        self.check(topology)?;
        Ok(match self.format.graph() {
            Some(format) => write_graph(topology, format).with_context(|| topology.name().to_owned())?,
            None if self.format == NetworkFormat::Html => {
                let facts = NetworkFacts { marks, ..network_facts(topology) };
                network_html(topology, &facts, &PageLimits::BROWSER)
            }
            None => {
                let channels = marks.into_iter().flat_map(|mark| mark.channels).collect();
                let marked = MarkedChannels { channels, meaning: "slower than its class".to_owned() };
                marked_topology_svg(topology, &marked, &DrawingLimits::PAGE)
            }
        })
    }
}

/// The most names of links in a mark.
const MAX_NAMES: usize = 4;

/// Returns the slow links of a fit as marks of a page. Links that no test tells apart have one mark.
fn marks(fit: &Fit) -> Vec<LinkMark> {
    let first = fit.kinds.iter().take(1);
    let slow = first.flat_map(|kind| kind.slow.iter().chain(kind.mixed.iter().flat_map(|mixed| &mixed.links)));
    let mark = |link: &SlowLink| LinkMark {
        channels: link.channels.iter().chain(link.or.iter().flat_map(|(_, channels)| channels)).copied().collect(),
        text: format!("{}: {:.0} % of its class", link.subject(MAX_NAMES), 100.0 * link.part),
    };
    slow.map(mark).collect()
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
