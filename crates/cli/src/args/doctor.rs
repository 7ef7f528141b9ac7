//! Arguments of `lockstep doctor`.

const DOCTOR_EXAMPLES: &str = "\
Examples:
  lockstep doctor                        version, threads, memory, cache and installed programs
  lockstep doctor --json                 the same for programs
  RAYON_NUM_THREADS=4 lockstep doctor    with four threads

There is no configuration file: a plan depends on its command line and its input files alone.";

/// Arguments of `lockstep doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = DOCTOR_EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
