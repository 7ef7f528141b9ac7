//! Arguments of `lockstep schema`.

use clap::ValueEnum;

const SCHEMA_EXAMPLES: &str = "\
Examples:
  lockstep schema                      list the formats
  lockstep schema plan                 the schema of plan files, and of lockstep plan --json
  lockstep schema time                 the schema of the output of lockstep time --json

A schema is JSON Schema, draft 2020-12. Objects of files have no other fields. Outputs may get more
fields in later versions. In the outputs of faults and run, each line is one JSON value.";

/// Arguments of `lockstep schema`.
#[derive(Debug, clap::Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub(crate) struct SchemaArgs {
    /// Format of JSON [default: list the formats]
    #[arg(value_name = "FORMAT", hide_possible_values = true)]
    pub(crate) format: Option<JsonFormat>,
}

/// A format of JSON that the program writes or reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum JsonFormat {
    /// Plan file, and output of plan --json
    Plan,
    /// Schedule file of judge -o
    Schedule,
    /// Schedule file of plan --symmetric
    SymmetricSchedule,
    /// Network file of topology -o and design -o
    Network,
    /// Task programs of simulate --programs
    Programs,
    /// Front of machines of design -o
    DesignFront,
    /// File sizes.json of front -o
    FrontSizes,
    /// Output of plan --size --json
    PlanTimes,
    /// Output of plan --local --json
    LocalProgram,
    /// Output of bound --json
    Bound,
    /// Output of bound --size --json
    BoundTimes,
    /// Output of front --json
    Front,
    /// Output of rings --json
    Rings,
    /// Output of fit --json
    Fit,
    /// Output of tune --json
    Tune,
    /// Output of expect --json
    Expect,
    /// Output of faults --json, a line
    Faults,
    /// Output of verify --json
    Verify,
    /// Output of time --json
    Time,
    /// Output of run --json, a line
    Run,
    /// Output of judge --json
    Judge,
    /// Output of simulate --json
    Simulate,
    /// Output of topology --json
    Topology,
    /// Output of topology --list --json
    TopologyList,
    /// Output of design --list --json
    DesignList,
    /// Output of design pick --json
    DesignPick,
    /// Output of design --order --json
    OrderDegree,
    /// Output of design --for all-gather --json
    AllGatherDesigns,
    /// Output of doctor --json
    Doctor,
}
