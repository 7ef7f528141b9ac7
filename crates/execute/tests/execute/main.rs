//! Executions of programs in all formats: right ones, spoiled ones and hostile files.

#![allow(clippy::unwrap_used, reason = "a test fails where its helpers do")]

mod chakra;
mod csv;
mod exported;
mod goal;
mod hostile;
mod htsim;
mod msccl;
mod msccl_json;
mod mscclpp;
mod mscclpp_packets;
mod mscclpp_switches;
mod ring;
mod teccl;

use lockstep_execute::{ExecuteOptions, Execution, Format, Runtime, execute, load};

/// Loads a file and executes it in eight orders. The error is the message.
fn run(text: &str, format: Format) -> Result<Execution, String> {
    let programs = load(text.as_bytes(), format, Runtime::Rccl).map_err(|error| error.to_string())?;
    let mut last = None;
    for program in &programs {
        let execution = execute(program, ExecuteOptions { orders: 8, seed: 1 });
        last = Some(execution.map_err(|violation| violation.to_string())?);
    }
    Ok(last.expect("a file has a program"))
}
