//! The variable of UCC: one token per range.

use lockstep_schedule::CollectiveName;

use crate::tuning::Tuning;

/// Returns the line that sets the variable in a shell.
pub(super) fn variable(tuning: &Tuning) -> String {
    let mut tokens = Vec::new();
    for table in &tuning.tables {
        // The size of a reduce-scatter is that of the part of one rank.
        let parts = if table.of.collective == CollectiveName::ReduceScatter { u64::from(tuning.ranks) } else { 1 };
        let count = table.ranges.len();
        for (place, ([first, last], choice)) in table.whole_ranges(u64::MAX - 1).enumerate() {
            let (first, end) = (first.div_ceil(parts), (last + 1).div_ceil(parts));
            let end = if place + 1 == count { "inf".to_owned() } else { end.to_string() };
            if first.to_string() != end {
                let (name, algorithm) = (table.of.name, choice.algorithm);
                tokens.push(format!("{name}:{first}-{end}:[{}]:@{algorithm}:inf", tuning.ranks));
            }
        }
    }
    format!("export UCC_TL_UCP_TUNE=\"{}\"\n", tokens.join("#"))
}
