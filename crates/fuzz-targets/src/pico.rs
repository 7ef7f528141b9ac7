//! Target: results of PICO.

use lockstep_measure::format::pico::{TestFiles, read, tests};
use lockstep_measure::{Figure, Workload};

use crate::error_check::is_one_line;

/// A table of one test.
const METADATA: &str =
    "timestamp,test_id,nnodes,tasks_per_node,collective_type,mpi_lib,mpi_lib_version\n1,0,8,1,BCAST,OMPI,5\n";

/// Checks a table of tests. If it is none: a name of a file in the first line, and the times of the file.
pub fn pico(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match tests(text) {
        Ok(tests) => {
            let is_name = |name: &String| !name.is_empty() && !name.contains(['/', '.']);
            assert!(tests.iter().all(|test| test.folder.iter().all(is_name)));
            return !tests.is_empty();
        }
        Err(error) => is_one_line(&error),
    }
    let (name, times) = text.split_once('\n').unwrap_or((text, ""));
    let files = vec![(name.to_owned(), times.to_owned())];
    let tests = tests(METADATA).expect("the table is right");
    let tests: Vec<TestFiles> = tests.into_iter().map(|test| TestFiles { test, files: files.clone() }).collect();
    let samples: Vec<_> = read(&tests).runs.into_iter().flat_map(|run| run.samples).collect();
    for sample in &samples {
        let Figure::Picoseconds(median) = sample.figure else { panic!("{sample:?}") };
        assert!(sample.spread.is_some_and(|[least, greatest]| least <= median && median <= greatest));
        assert!(matches!(sample.workload, Workload::Collective(_)) && sample.bytes.is_some_and(|bytes| bytes > 0));
    }
    !samples.is_empty()
}
