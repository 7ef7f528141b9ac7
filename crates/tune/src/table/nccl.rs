//! The tables of NCCL's example plugin, of RCCL and of torchcomms: CSV.
//!
//! The first row that fits counts. A row without a number of channels, or no row, gives NCCL one channel; so all rows have one, and
//! all sizes have a row.

use crate::curve::MAX_BYTES;
use crate::tuning::{Choice, Tuning};

fn algorithm(choice: &Choice) -> String {
    let (protocol, channels) = choice.protocol.unwrap_or(("simple", 1));
    format!("{},{protocol},{channels}", choice.algorithm)
}

fn rows(tuning: &Tuning, header: &str, end: &str) -> String {
    let mut text = format!("# {header}\n");
    for table in &tuning.tables {
        for ([first, last], choice) in table.whole_ranges(MAX_BYTES) {
            let (name, algorithm) = (table.of.name, algorithm(choice));
            text += &format!("{name},{first},{last},{algorithm},{},{}{end}\n", tuning.hosts, tuning.ranks);
        }
    }
    text
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
    let mut text = "# collective,bytesPerRank,algorithm,protocol,channels,nNodes,nLocalRanks,chunkSize\n".to_owned();
    let ranks = u64::from(tuning.ranks);
    let of_host = tuning.ranks.is_multiple_of(tuning.hosts).then(|| tuning.ranks / tuning.hosts);
    let of_host = of_host.map_or("*".to_owned(), |ranks| ranks.to_string());
    for table in &tuning.tables {
        let count = table.ranges.len();
        for (place, ([first, last], choice)) in table.whole_ranges(MAX_BYTES).enumerate() {
            // A size of `bytes` per rank is one of `bytes * ranks`.
            let (first, after) = (first.div_ceil(ranks), (last + 1).div_ceil(ranks));
            let interval = match (place + 1 == count, first) {
                (true, 0) => "*".to_owned(),
                (true, _) => format!("[{first},)"),
                (false, _) if after > first => format!("[{first},{}]", after - 1),
                (false, _) => continue,
            };
            let (name, algorithm) = (table.of.name, algorithm(choice));
            text += &format!("{name},{interval},{algorithm},{},{of_host},0\n", tuning.hosts);
        }
    }
    text
}
