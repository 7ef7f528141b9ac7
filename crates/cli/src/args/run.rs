//! Arguments of `lockstep run`.

use lockstep_execute::Runtime;

use super::export::RuntimeArg;
use super::program::ProgramArgs;

const RUN_EXAMPLES: &str = "\
Examples:
  lockstep run plan.xml                   with the limits of RCCL of ROCm before 7.13
  lockstep run plan.xml --for msccl       with those of the MSCCL executor
  lockstep run plan.goal --orders 100     in 100 orders of the threads
  lockstep run traces                     execute the Chakra traces of a directory
  lockstep run plan.csv -c all-gather     a table does not name its collective
  lockstep judge plan.xml --network dgx-1 --size 1GB      times need a network

docs/guide/src/reference/run.md says what is checked in each format.";

/// Arguments of `lockstep run`.
#[derive(Debug, clap::Args)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl From<RuntimeArg> for Runtime {
    fn from(runtime: RuntimeArg) -> Self {
        match runtime {
            RuntimeArg::Rccl => Self::Rccl,
            RuntimeArg::Msccl => Self::Msccl,
        }
    }
}
