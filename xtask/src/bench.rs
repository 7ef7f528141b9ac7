//! `cargo xtask bench`.

use anyhow::Result;

use crate::run::cargo;

/// Which benches.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only benches whose name contains this.
    filter: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut command = vec!["bench", "--package", "lockstep-bench"];
    if let Some(filter) = &arguments.filter {
        command.extend(["--", filter]);
    }
    cargo(&command, &[])
}
