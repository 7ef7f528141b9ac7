//! Groups of thread blocks: each of them executes one slice of an operation.

use super::plan::{OperationJson, PlanJson};
use crate::error::LoadError;

/// Maximum number of parts of a chunk.
const MAX_PARTS: u32 = 64;

/// Returns the least number of equal parts of every chunk, so that every slice of an operation is whole parts. The runtime
/// splits buffers the same way if their size is a multiple of the number of parts and of the alignment.
pub(super) fn parts_per_chunk(plan: &PlanJson) -> Result<u32, LoadError> {
    let mut parts = 1_u64;
    for (rank, gpu) in plan.gpus.iter().enumerate() {
        for (number, block) in gpu.threadblocks.iter().enumerate() {
            for (index, operation) in block.ops.iter().flat_map(OperationJson::with_inner).enumerate() {
                let Some(group) = &operation.tbg_info else { continue };
                let place = || format!("gpus[{rank}].threadblocks[{number}].ops[{index}]");
                if group.tb_id >= group.tbg_size {
                    let expected = format!("a number below {}, the `tbg_size`", group.tbg_size);
                    return Err(LoadError::field(place(), "op", "tb_id", group.tb_id, expected));
                }
                for part in operation.src_buff.iter().chain(&operation.dst_buff) {
                    let [size, slices] = [part.size, group.tbg_size].map(u64::from);
                    let of_chunk = slices / greatest_common_divisor(size, slices);
                    // At most 2^6 times 2^32.
                    parts *= of_chunk / greatest_common_divisor(of_chunk, parts);
                    if parts > u64::from(MAX_PARTS) {
                        let expected =
                            format!("a number so that all slices are whole parts of 1/{MAX_PARTS} chunk at least");
                        return Err(LoadError::field(place(), "op", "tbg_size", group.tbg_size, expected));
                    }
                }
            }
        }
    }
    Ok(parts as u32)
}

fn greatest_common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Returns the first part and the number of parts of an operation on chunks with the given number of parts: all of them, or
/// those of its slice. The sizes have passed the check of the limits.
pub(super) fn slice(operation: &OperationJson, size: u32, parts: u32) -> (u32, u32) {
    match &operation.tbg_info {
        Some(group) => {
            let of_slice = size * parts / group.tbg_size;
            (group.tb_id * of_slice, of_slice)
        }
        None => (0, size * parts),
    }
}
