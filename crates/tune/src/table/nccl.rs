//! The tables of NCCL's example plugin, of RCCL and of torchcomms: CSV.
//!
//! The first row that fits counts. A row without a number of channels, or no row, gives NCCL one channel; so all rows have one, and
//! all sizes have a row.

use std::iter::once;

use crate::curve::MAX_BYTES;
use crate::tuning::{Choice, ChoiceTable, Tuning};

/// Returns the algorithm, the protocol and the number of channels of a row.
fn algorithm(choice: &Choice) -> String {
    let (protocol, channels) = choice.protocol.unwrap_or(("simple", 1));
    format!("{},{protocol},{channels}", choice.algorithm)
}

fn rows(tuning: &Tuning, header: &str, end: &str) -> String {
    let row = |table: &ChoiceTable, [first, last]: [u64; 2], choice: &Choice| {
        format!("{},{first},{last},{},{},{}{end}\n", table.of.name, algorithm(choice), tuning.hosts, tuning.ranks)
    };
    let of_table = |table: &ChoiceTable| -> String {
        table.whole_ranges(MAX_BYTES).map(|(sizes, choice)| row(table, sizes, choice)).collect()
    };
    once(format!("# {header}\n")).chain(tuning.tables.iter().map(of_table)).collect()
}

/// Returns the table of NCCL's example plugin.
pub(super) fn csv(tuning: &Tuning) -> String {
    let header = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff";
    rows(tuning, header, ",-1,-1")
}

/// Returns the table of RCCL's built-in tuner.
pub(super) fn rccl_csv(tuning: &Tuning) -> String {
    let header = "collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,numPipeOps,regBuff,partitionMode,localGroup";
    rows(tuning, header, ",-1,-1,any,-1")
}

/// Returns the table of torchcomms, whose sizes are bytes per rank.
pub(super) fn torchcomms_csv(tuning: &Tuning) -> String {
    let ranks = u64::from(tuning.ranks);
    let of_host = if tuning.ranks.is_multiple_of(tuning.hosts) {
        (tuning.ranks / tuning.hosts).to_string()
    } else {
        "*".to_owned()
    };
    let of_table = |table: &ChoiceTable| -> String {
        let count = table.ranges.len();
        let row = |(place, ([first, last], choice)): (usize, ([u64; 2], &Choice))| {
            // A size of `bytes` per rank is one of `bytes * ranks`.
            let (first, after) = (first.div_ceil(ranks), (last + 1).div_ceil(ranks));
            let interval = match (place + 1 == count, first) {
                (true, 0) => "*".to_owned(),
                (true, _) => format!("[{first},)"),
                (false, _) if after > first => format!("[{first},{}]", after - 1),
                (false, _) => return String::new(),
            };
            format!("{},{interval},{},{},{of_host},0\n", table.of.name, algorithm(choice), tuning.hosts)
        };
        table.whole_ranges(MAX_BYTES).enumerate().map(row).collect()
    };
    let header = "# collective,bytesPerRank,algorithm,protocol,channels,nNodes,nLocalRanks,chunkSize\n".to_owned();
    once(header).chain(tuning.tables.iter().map(of_table)).collect()
}
