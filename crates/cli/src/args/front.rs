//! Arguments of `lockstep front`.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use lockstep::EngineChoice;
use lockstep::schedule::Part;
use lockstep::topology::{Quantity, Sizes};

use super::problem::ProblemArgs;
use crate::units::{self, BudgetArg};

/// The default time limit. The fronts of most machines take seconds.
const DEFAULT_LIMIT: BudgetArg = BudgetArg::Time(Duration::from_mins(1));

const FRONT_EXAMPLES: &str = "\
Examples:
  lockstep front dgx-1 -c all-gather                        1KiB to 1GiB
  lockstep front dgx-a100:2 -c all-reduce --sizes 64KiB..4GiB -o plans
  lockstep front torus:8x8 -c all-gather --switching sf --unit 25GB/s --latency 1us
  lockstep front dgx-1 -c all-gather --plot front.svg       time and bandwidth over the size
  lockstep front dgx-1 -c all-gather --plot front.html      the same as a page

Small sizes need few steps, large sizes few bytes per channel. A step of width w carries w times as
many chunks, so one schedule with wide steps is best for small sizes and another one for large sizes.
Sizes and bandwidths are those of nccl-tests. No schedule takes less time than the column 'at least'.";

/// Arguments of `lockstep front`.
#[derive(Debug, clap::Args)]
#[command(after_help = FRONT_EXAMPLES)]
pub(crate) struct SizeFrontArgs {
    #[command(flatten)]
    pub(crate) problem: ProblemArgs,
    /// Sizes of the collective: a range such as 64KiB..4GiB, or one size
    #[arg(long, visible_alias = "size", value_name = "SIZES", default_value_t = Sizes::default(), value_parser = str::parse::<Sizes>)]
    pub(crate) sizes: Sizes,
    /// Maximum number of chunks per message
    #[arg(long, value_name = "CHUNKS", default_value = "16")]
    pub(crate) max_chunks: NonZeroU32,
    /// Latency of every channel, such as 700ns, for a network without latencies [default: 1us]
    #[arg(long, value_name = "TIME", value_parser = |text: &str| Quantity::Time.parse(text))]
    pub(crate) latency: Option<u64>,
    /// Time limit (500ms, 30s, 5m) or 'unlimited'
    #[arg(short, long, value_name = "TIME", default_value_t = DEFAULT_LIMIT, value_parser = units::time_limit)]
    pub(crate) budget: BudgetArg,
    /// Engine that finds the schedules: auto, or the name of an engine as in lockstep plan
    #[arg(short, long, value_name = "ENGINE", default_value = "auto", value_parser = str::parse::<EngineChoice>)]
    pub(crate) engine: EngineChoice,
    /// Seed of all random choices
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Leave out a part of the search: a method, construction, engine or rule, to study its use; repeatable. A wrong name lists all
    /// parts
    #[arg(long, value_name = "PART", hide_short_help = true, value_parser = units::part)]
    pub(crate) without: Vec<Part>,
    /// Write the schedules and their pages, sizes.json with the sizes of each, and the page index.html
    /// into a directory; an older front in it is replaced
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Draw time and bus bandwidth over the size: SVG, or a page if FILE ends in .html
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Compare asynchronous times: a transfer begins when its data is there and its channels and ports
    /// are free, and not with its step
    #[arg(long)]
    pub(crate) asynchronous: bool,
    /// Compare the combining algorithms (ring, Swing, Bruck, ...) with the front
    #[arg(long, conflicts_with = "asynchronous")]
    pub(crate) algorithms: bool,
    /// Print the front as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
