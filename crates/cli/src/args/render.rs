//! Arguments of `lockstep render`.

use std::path::PathBuf;

use clap::ValueEnum;

const RENDER_EXAMPLES: &str = "\
Examples:
  lockstep render s.json -o s.svg           one panel a step
  lockstep render s.json -o s.html          a page to walk through the steps
  lockstep plan omega:8 -c aab --json | lockstep render - > s.svg";

/// Arguments of `lockstep render`.
#[derive(Debug, clap::Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// A schedule or plan file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// Write the picture to this file; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// What to draw [default: by the extension of --output, else svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
}

/// How a schedule is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PictureFormat {
    /// A picture with one panel a step
    Svg,
    /// A page to walk through the steps
    Html,
}
