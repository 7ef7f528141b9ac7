//! Arguments of `lockstep render`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::units::{self, StepRanges};

const RENDER_EXAMPLES: &str = "\
Examples:
  lockstep render s.json -o s.svg           one panel per step
  lockstep render s.json -o s.html          an interactive page
  lockstep render rings.json -o rings.svg   all rings in one picture
  lockstep render a.json b.json -o ab.html  two plans, such as before and after a fault
  lockstep render s.json -o s.pdf           for print: the first steps on one A4 page
  lockstep render s.json -o s.pdf --steps 1-4 --width 85mm       four steps in one column
  lockstep render s.json -o s.svg --steps 1,5,9 --width 170mm    in the width of the text
  lockstep plan omega:8 -c all-gather --json | lockstep render - > s.svg";

/// Arguments of `lockstep render`.
#[derive(Debug, clap::Args)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// Schedule, plan or ring file, JSON or binary; - is standard input
    pub(crate) file: PathBuf,
    /// Second schedule or plan file, beside the first one on an HTML page
    pub(crate) second: Option<PathBuf>,
    /// Write the picture to FILE; - is standard output [default: -]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the picture [default: from the extension of --output, otherwise svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
    #[command(flatten)]
    pub(crate) paper: PaperArgs,
}

/// The size and steps of a picture for print.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Print")]
pub(crate) struct PaperArgs {
    /// Draw these steps for print, such as 1-4 or 1,3,8 [default: the first that fit]
    #[arg(long, value_name = "STEPS", value_parser = units::steps)]
    pub(crate) steps: Option<StepRanges>,
    /// Draw for print in this width, in mm, cm, in or pt: 85mm is one column of a journal [default: 170mm, the text of A4]
    #[arg(long, value_name = "LENGTH", value_parser = units::millimetres)]
    pub(crate) width: Option<f64>,
    /// Maximum number of A4 pages of a PDF [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) pages: Option<u16>,
}

impl PaperArgs {
    /// Returns true if an option is given.
    pub(crate) fn is_given(&self) -> bool {
        self.steps.is_some() || self.width.is_some() || self.pages.is_some()
    }
}

/// Format of a picture.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PictureFormat {
    /// SVG picture with one panel per step
    Svg,
    /// Interactive HTML page
    Html,
    /// PDF of one A4 page, for print
    Pdf,
}
