//! C with MPI: the tables of a plan, a function that runs it, and a test program around it.

use super::c_tables;
use crate::error::ExportError;
use crate::export::{Export, ExportFile, Format};

pub(super) const FORMAT: Format = Format {
    name: "mpi-c",
    about: "C program for any MPI: compile with mpicc, run with mpirun; it checks every byte",
    extension: "c",
    limits: "",
    write,
};

/// The function that runs a plan.
const DRIVER: &str = include_str!("mpi_driver.c");

/// The test program around it.
const TEST: &str = include_str!("mpi_test.c");

fn write(export: &Export<'_>) -> Result<Vec<ExportFile>, ExportError> {
    let ranks = export.problem.topology().terminal_count();
    let head = format!(
        "/* {}.\n\n   Compile and test:\n       mpicc -O2 -o plan FILE.c\n       mpirun -n {ranks} ./plan [elements per chunk] [repetitions]\n\n   \
         In a program of your own: compile with -DLOCKSTEP_NO_MAIN and call lockstep_run. Rank r is the r-th working\n   \
         terminal of the network, by node number. */\n\n\
         #include <mpi.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n",
        export.title()
    );
    Ok(ExportFile::only(head + &c_tables::operations(export)? + DRIVER + &test(export)?))
}

fn test(export: &Export<'_>) -> Result<String, ExportError> {
    Ok(["\n#ifndef LOCKSTEP_NO_MAIN\n", &c_tables::test_contents(export)?, TEST, "\n#endif\n"].concat())
}
