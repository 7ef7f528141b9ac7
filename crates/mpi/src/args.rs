//! Command-line arguments.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use lockstep_cli::{GlobalArgs, SharedCommand};

const EXAMPLES: &str = "\
Examples:
  mpirun -n 8 lockstep-mpi run plan.json --size 64KiB     execute a plan of 8 ranks
  mpirun -n 4 lockstep-mpi faults torus:8x8 -c all-gather --links --book torus.lsb
  mpirun -n 4 lockstep-mpi plan mesh:6x6 -c all-to-all --islands 8 -o plan.json
  mpirun -n 4 lockstep-mpi design --routers 8 --chassis 16 -o front.json

Rank 0 reads and writes all files. The results of faults, plan and design are those of lockstep,
byte for byte, on any number of ranks. After an interruption, or if a rank dies, start the same
command again: it continues.

Rank r is the r-th working terminal of the network by node number.

Exit codes: 0 success; 1 negative result, such as wrong data; 2 wrong usage or unreadable input.";

/// Arguments of the program.
#[derive(Debug, Parser)]
#[command(name = "lockstep-mpi", version, about = "Lockstep on MPI", after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The command to run.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Execute a plan on real data, one rank per terminal; exit code 1 if a byte is wrong
    Run(RunArgs),
    #[command(flatten)]
    Shared(SharedCommand),
}

/// Arguments of `lockstep-mpi run`.
#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Schedule or plan file, JSON or binary; - is standard input. Only rank 0 reads it
    pub(crate) plan: PathBuf,
    /// Size of the collective, as in `lockstep time`; a chunk is rounded up to 8 bytes
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = lockstep_cli::size)]
    pub(crate) size: u64,
    /// Use one buffer for input and output [default: different buffers]
    #[arg(long)]
    pub(crate) in_place: bool,
    /// Number of repetitions, of which the median counts
    #[arg(long, value_name = "N", default_value = "9")]
    pub(crate) repetitions: NonZeroU32,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
