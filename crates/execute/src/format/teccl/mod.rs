//! Results of TE-CCL: chunks, or parts of chunks, that travel over links in epochs.
//!
//! The GPUs of the result, in ascending number, are the ranks. There are two kinds of results.
//!
//! - Those with the demand of every GPU (`6-Demand_Met`), as for all-gathers: flows carry whole chunks, and GPUs copy them.
//! - Those with volumes, as for all-to-alls: `8-Chunk paths` lists the paths of every demand, and the volume of its chunk
//!   that each path carries. The flows must be those of the paths. If the volumes have a common unit, a chunk is that number
//!   of units; otherwise, each path carries one part, and the parts have different sizes.
//!
//! # Source
//!
//! TE-CCL, `teccl/solvers/allgather.py`, `teccl/solvers/alltoall.py` and `teccl/examples/experiments/output_provided`.

mod copies;
mod flow;
mod parts;
mod program;

use serde::Deserialize;
use serde::de::IgnoredAny;

use self::copies::DemandJson;
use super::json;
use crate::error::{LoadError, LoadProblem};
use crate::program::ParallelProgram;

/// The result of a solver. The keys of the file begin with numbers.
#[derive(Deserialize)]
struct ResultJson {
    #[serde(rename = "6-Demand_Met")]
    demand: Option<DemandJson>,
    #[serde(rename = "7-Flows", alias = "6-Flows")]
    flows: Vec<String>,
    #[serde(rename = "8-Chunk paths", alias = "7-chunk paths")]
    paths: Option<IgnoredAny>,
}

/// Returns true if a JSON file has the keys of a result.
pub(super) fn is_result(start: &str) -> bool {
    start.contains("\"1-Epoch_Duration\"")
}

/// Reads a result.
pub(super) fn load(bytes: &[u8]) -> Result<ParallelProgram, LoadError> {
    let result: ResultJson = json::read(bytes)?;
    match (&result.demand, result.paths) {
        (Some(demand), _) => copies::load(demand, &result.flows),
        (None, Some(_)) => parts::load(&json::read(bytes)?, &result.flows),
        (None, None) => {
            let text = "neither `6-Demand_Met` nor `8-Chunk paths` says which GPUs need which chunks; use the result of \
                        the whole solver, not of one round";
            Err(LoadError { place: 1.into(), problem: LoadProblem::Value(text.to_owned()) })
        }
    }
}
