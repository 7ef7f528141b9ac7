//! Targets: programs of runtimes and simulators, which are also executed.

use lockstep_execute::{ExecuteOptions, Format, Runtime, detect, execute, load};

use crate::error_check::is_one_line;

/// Checks an algorithm in MSCCL XML.
pub fn msccl_xml(bytes: &[u8]) -> bool {
    program(bytes, Format::MscclXml)
}

/// Checks a program in GOAL.
pub fn goal(bytes: &[u8]) -> bool {
    program(bytes, Format::Goal)
}

/// Checks a program in binary GOAL.
pub fn goal_binary(bytes: &[u8]) -> bool {
    program(bytes, Format::GoalBinary)
}

/// Checks a connection matrix of htsim.
pub fn htsim(bytes: &[u8]) -> bool {
    program(bytes, Format::Htsim)
}

/// Checks a program: it is refused, or its execution ends.
fn program(bytes: &[u8], format: Format) -> bool {
    let _ = detect(bytes);
    match load(bytes, format, Runtime::Rccl) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(programs) => {
            for program in &programs {
                if let Err(violation) = execute(program, ExecuteOptions { orders: 3, seed: 0 }) {
                    is_one_line(&violation);
                }
            }
            true
        }
    }
}
