//! Targets: programs of runtimes and simulators, which are also executed.

use lockstep_execute::{
    ExecuteOptions, Format, LoadError, ParallelProgram, Runtime, TableCollective, detect, execute, load, load_table,
    load_traces, trace,
};
use lockstep_schedule::CollectiveName;
use lockstep_steps::convert;

use crate::error_check::is_one_line;

/// Checks an algorithm in MSCCL XML.
pub fn msccl_xml(bytes: &[u8]) -> bool {
    program(bytes, Format::MscclXml)
}

/// Checks a plan of MSCCL++.
pub fn mscclpp_json(bytes: &[u8]) -> bool {
    program(bytes, Format::MscclppJson)
}

/// Checks an algorithm of msccl-tools.
pub fn msccl_json(bytes: &[u8]) -> bool {
    program(bytes, Format::MscclJson)
}

/// Checks a table, as each collective.
pub fn csv_program(bytes: &[u8]) -> bool {
    let names = CollectiveName::ALL.map(CollectiveName::word);
    let programs = names.map(|name| load_table(bytes, TableCollective { name, root: 0, chunks: 1 }));
    let accepted: Vec<bool> = programs.into_iter().map(check).collect();
    accepted.contains(&true)
}

/// Checks a result of TE-CCL.
pub fn te_ccl(bytes: &[u8]) -> bool {
    program(bytes, Format::Teccl)
}

/// Separates the files of two ranks in an input of [`chakra`].
const NEXT_RANK: &[u8] = b"--next rank--";

/// Checks the Chakra traces of all ranks, with a separator between them.
pub fn chakra(bytes: &[u8]) -> bool {
    let (mut files, mut rest) = (Vec::new(), bytes);
    while let Some(end) = rest.windows(NEXT_RANK.len()).position(|window| window == NEXT_RANK) {
        files.push(&rest[..end]);
        rest = &rest[end + NEXT_RANK.len()..];
    }
    files.push(rest);
    let _ = detect(bytes);
    check(load_traces(&files))
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

/// Checks a program: it is refused, or its execution and its conversion to steps end.
fn program(bytes: &[u8], format: Format) -> bool {
    let _ = detect(bytes);
    check(load(bytes, format, Runtime::Rccl))
}

/// Executes and converts the programs of a file.
fn check(programs: Result<Vec<ParallelProgram>, LoadError>) -> bool {
    match programs {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(programs) => {
            for program in &programs {
                if let Err(violation) = execute(program, ExecuteOptions { orders: 3, seed: 0 }) {
                    is_one_line(&violation);
                } else if let Ok(trace) = trace(program)
                    && let Err(error) = convert(program, &trace, None)
                {
                    is_one_line(&error);
                }
            }
            true
        }
    }
}
