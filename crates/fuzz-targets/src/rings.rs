//! Targets: rings of NCCL and RCCL, and files of ring sets.

use lockstep_rings::format::{FormatError, detect, environment, nccl_graph, nccl_log, nccl_rings, rccl_trees};
use lockstep_rings::{RingFile, verify};

use crate::error_check::is_one_line;

/// Checks a graph file of NCCL.
pub fn nccl_graph(bytes: &[u8]) -> bool {
    let Some(graphs) = read(bytes, |text| nccl_graph::read(text).map(|(graphs, _)| graphs)) else { return false };
    let again = nccl_graph::read(&nccl_graph::write(&graphs)).expect("a written file is read again");
    assert_eq!(again.0, graphs);
    true
}

/// Checks a log of NCCL.
pub fn nccl_log(bytes: &[u8]) -> bool {
    let communicator = read(bytes, |text| nccl_log::read(text, 1).map(|(communicator, _)| communicator));
    communicator.is_some_and(|communicator| {
        let ranks = communicator.rank_count as usize;
        assert!(communicator.rings.iter().all(|ring| ring.len() == ranks));
        assert!(communicator.trees.iter().all(|tree| tree.gpus().count() == ranks));
        true
    })
}

/// Checks variables of RCCL.
pub fn rccl_environment(bytes: &[u8]) -> bool {
    let Some(variables) = read(bytes, |text| environment::read(text).map(|(variables, _)| variables)) else {
        return false;
    };
    if !variables.rings.is_empty() {
        assert_eq!(nccl_rings::read(&nccl_rings::write(&variables.rings), 1).as_ref(), Ok(&variables.rings));
    }
    if !variables.trees.is_empty() {
        assert_eq!(rccl_trees::read(&rccl_trees::write(&variables.trees), 1).as_ref(), Ok(&variables.trees));
    }
    true
}

/// Reads a text.
fn read<T>(bytes: &[u8], reader: impl FnOnce(&str) -> Result<T, FormatError>) -> Option<T> {
    let text = str::from_utf8(bytes).ok()?;
    let _ = detect(text);
    reader(text).inspect_err(|error| is_one_line(error)).ok()
}

/// Checks a file of a ring set, and verifies the set.
pub fn rings_json(bytes: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(bytes) else { return false };
    match RingFile::from_json(text) {
        Err(error) => {
            is_one_line(&error);
            false
        }
        Ok(file) => {
            if let Err(violation) = verify(&file.topology, &file.set) {
                is_one_line(&violation);
            }
            assert_eq!(RingFile::from_json(&file.to_json()).as_ref(), Ok(&file));
            true
        }
    }
}
