//! Arguments of `lockstep render`.

use std::path::PathBuf;

use clap::ValueEnum;

const RENDER_EXAMPLES: &str = "\
Examples:
  lockstep render s.json -o s.svg           one panel per step
  lockstep render s.json -o s.html          an interactive page
  lockstep plan omega:8 -c all-gather --json | lockstep render - > s.svg";

/// Arguments of `lockstep render`.
#[derive(Debug, clap::Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// Schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// Write the picture to FILE; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the picture [default: from the extension of --output, otherwise svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
}

/// Format of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PictureFormat {
    /// SVG picture with one panel per step
    Svg,
    /// Interactive HTML page
    Html,
}
