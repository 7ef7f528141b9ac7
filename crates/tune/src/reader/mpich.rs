//! The table of MPICH: nested tests, of which the first true one of each object counts.
//!
//! The leaves are algorithms, or compositions in the table of the device `ch4`.
//!
//! Tests that a communicator does not decide are taken for the usual call: one thread, an own send buffer, equal blocks, a predefined
//! commutative operation, and elements of 4 bytes.
//!
//! # Source
//!
//! MPICH, `src/mpi/coll/src/csel.c`.

use lockstep_files::one_line;
use lockstep_schedule::CollectiveName;

use super::reading::{Communicator, Rule, TableError, TableReading};
use crate::library::LibraryCollective;
use crate::table::MpichTests;

/// Collectives of MPI that a table needs, because a job that calls another one aborts.
const COLLECTIVES: [&str; 17] = [
    "allgather",
    "allgatherv",
    "allreduce",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "barrier",
    "bcast",
    "exscan",
    "gather",
    "gatherv",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "scatter",
    "scatterv",
];

const ELEMENT_BYTES: u64 = 4;

/// Effect of a test that MPICH does not know.
const ABORTS: &str = "MPICH aborts the job";

pub(super) fn looks_like(text: &str) -> bool {
    text.contains("\"collective=")
}

/// The prefix of a leaf in the tables of compositions.
const COMPOSITION: &str = "composition=";

/// Returns the algorithm or the composition that a key names.
fn leaf_of(key: &str) -> Option<&str> {
    key.strip_prefix("algorithm=").or_else(|| key.strip_prefix(COMPOSITION))
}

/// A test such as `comm_size<=8`.
struct Test<'a> {
    key: &'a str,
    kind: Comparison,
    value: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    AtMost,
    Below,
    Equal,
}

impl<'a> Test<'a> {
    fn parse(text: &'a str) -> Self {
        let of = |separator, kind| text.split_once(separator).map(|(key, value)| Test { key, kind, value });
        of("<=", Comparison::AtMost)
            .or_else(|| of("<", Comparison::Below))
            .or_else(|| of("=", Comparison::Equal))
            .unwrap_or(Test { key: text, kind: Comparison::Equal, value: "any" })
    }
}

/// A call of a collective.
#[derive(Clone, Copy)]
struct Call {
    of: &'static LibraryCollective,
    communicator: Communicator,
    /// As nccl-tests counts them.
    bytes: u64,
}

/// What a size in a test is, as a fraction of the size of nccl-tests.
fn fraction(key: &str, collective: CollectiveName, ranks: u64) -> Option<[u64; 2]> {
    use CollectiveName::{AllReduce, Broadcast, Reduce};
    let is_vector = matches!(collective, AllReduce | Broadcast | Reduce);
    match key {
        "total_msg_size" if is_vector => Some([ranks, 1]),
        "total_msg_size" => Some([1, 1]),
        "avg_msg_size" if is_vector => Some([1, 1]),
        "avg_msg_size" => Some([1, ranks]),
        "count" if is_vector => Some([1, ELEMENT_BYTES]),
        "count" => Some([1, ranks.saturating_mul(ELEMENT_BYTES)]),
        _ => None,
    }
}

impl Call {
    fn ranks(self) -> u64 {
        self.communicator.ranks.max(1).into()
    }

    fn power(self) -> u64 {
        1 << self.ranks().ilog2()
    }

    fn number(self, test: &Test<'_>) -> Result<u64, String> {
        match test.value {
            "pow2" => Ok(self.power()),
            value => value.parse().map_err(|_| format!("'{}' is no number; {ABORTS}", one_line(value))),
        }
    }

    fn is_true(self, test: &Test<'_>) -> Result<bool, String> {
        if test.kind == Comparison::Equal && test.value == "any" {
            return Ok(true);
        }
        let ranks = self.ranks();
        let per_host = ranks.div_ceil(self.communicator.hosts.max(1).into());
        if let Some([numerator, denominator]) = fraction(test.key, self.of.collective, ranks) {
            let size = u128::from(self.bytes) * u128::from(numerator) / u128::from(denominator);
            return Ok(compare(test.kind, size, self.number(test)?.into()));
        }
        match (test.key, test.value) {
            ("comm_type", value) => Ok(value == "intra"),
            ("comm_size", "pow2") if test.kind == Comparison::Equal => Ok(ranks == self.power()),
            ("comm_size", "node_comm_size") => Ok(ranks == per_host),
            ("comm_size", _) => Ok(compare(test.kind, ranks.into(), self.number(test)?.into())),
            ("comm_avg_ppn", _) => Ok(compare(test.kind, per_host.into(), self.number(test)?.into())),
            ("comm_hierarchy", value) => Ok(value == if self.communicator.hosts > 1 { "parent" } else { "flat" }),
            ("is_commutative" | "is_op_built_in" | "is_block_regular" | "is_node_consecutive", value) => {
                Ok(value == "yes")
            }
            ("is_sendbuf_inplace" | "is_multi_threaded", value) => Ok(value == "no"),
            _ => Err(format!("MPICH has no such test; {ABORTS} in MPI_Init")),
        }
    }

    /// Returns the place and the name of the algorithm; `None` if no test is true.
    fn algorithm<'t>(self, tests: &'t MpichTests, path: &mut Vec<&'t str>) -> Result<Option<&'t str>, TableError> {
        for (text, inner) in tests.entries() {
            if let Some(leaf) = leaf_of(text) {
                return Ok(Some(leaf));
            }
            path.push(text);
            let is_true =
                self.is_true(&Test::parse(text)).map_err(|what| TableError::new(place(self.of, path), what))?;
            if is_true {
                return self.algorithm(inner, path);
            }
            path.pop();
        }
        Ok(None)
    }
}

fn compare(kind: Comparison, number: u128, limit: u128) -> bool {
    match kind {
        Comparison::AtMost => number <= limit,
        Comparison::Below => number < limit,
        Comparison::Equal => number == limit,
    }
}

fn place(of: &LibraryCollective, path: &[&str]) -> String {
    one_line(&[&[of.name], path].concat().join(", "))
}

pub(super) fn read(text: &str, communicator: Communicator, reading: &mut TableReading) -> Result<(), TableError> {
    let tests: MpichTests = serde_json::from_str(text).map_err(|error| {
        TableError::at_line(
            error.line(),
            format!("this is no table of MPICH: {}; {ABORTS}", one_line(&error.to_string())),
        )
    })?;
    let within = |name: &str| tests.get(&format!("collective={name}"));
    for of in reading.library.collectives() {
        let Some(tests) = within(of.name) else { continue };
        check(of, tests, &mut Vec::new())?;
        let call = |bytes| Call { of, communicator, bytes };
        let mut starts = vec![0];
        collect_starts(tests, call(0), &mut starts);
        starts.sort_unstable();
        starts.dedup();
        for &bytes in &starts {
            let mut path = Vec::new();
            let ranks = communicator.ranks;
            let fault = match call(bytes).algorithm(tests, &mut path)? {
                None => format!("no test is true for {bytes} bytes"),
                Some("MPIR_Allgather_intra_recursive_doubling") if !ranks.is_power_of_two() => {
                    format!("recursive doubling does not support {ranks} ranks; guard it by comm_size=pow2")
                }
                Some(_) => continue,
            };
            reading.note(format!("{}: {fault}; {ABORTS}", place(of, &path)));
            break;
        }
        let rule = |bytes| {
            let mut path = Vec::new();
            let algorithm = call(bytes).algorithm(tests, &mut path).ok().flatten()?;
            Some(Rule::new(place(of, &path), Some(algorithm)))
        };
        reading.add(of, starts, rule);
    }
    if text.contains(COMPOSITION) {
        reading.note(
            "the file is for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE: it chooses compositions, which call algorithms of another file",
        );
    }
    let missing: Vec<&str> = COLLECTIVES.into_iter().filter(|name| within(name).is_none()).collect();
    if !missing.is_empty() {
        reading.note(format!(
            "the file replaces the whole table of MPICH: a job that calls {} aborts; merge it into generic.json with lockstep tune --base",
            missing.join(", ")
        ));
    }
    Ok(())
}

/// Checks that numeric tests end with one that is always true.
fn check<'t>(of: &LibraryCollective, tests: &'t MpichTests, path: &mut Vec<&'t str>) -> Result<(), TableError> {
    let parsed = || tests.entries().map(|(text, _)| Test::parse(text));
    let is_numeric = parsed().any(|test| test.kind != Comparison::Equal);
    let has_any = parsed().any(|test| test.kind == Comparison::Equal && test.value == "any");
    // A test of two values needs no third one.
    let has_both = ["yes", "no"].iter().all(|value| parsed().any(|test| test.value == *value));
    if is_numeric && !has_any && !has_both {
        return Err(TableError::new(place(of, path), format!("sizes have no last test '=any'; {ABORTS}")));
    }
    for (text, inner) in tests.entries().filter(|(text, _)| leaf_of(text).is_none()) {
        path.push(text);
        check(of, inner, path)?;
        path.pop();
    }
    Ok(())
}

/// Collects the sizes at which a test changes.
fn collect_starts(tests: &MpichTests, call: Call, starts: &mut Vec<u64>) {
    for (text, inner) in tests.entries() {
        let test = Test::parse(text);
        if let Some([numerator, denominator]) = fraction(test.key, call.of.collective, call.ranks())
            && let Ok(limit) = call.number(&test)
        {
            for limit in [limit, limit.saturating_add(1)] {
                // The smallest size of which the fraction is at least the limit.
                let start = (u128::from(limit) * u128::from(denominator)).div_ceil(numerator.into());
                starts.extend(u64::try_from(start));
            }
        }
        collect_starts(inner, call, starts);
    }
}
