//! The table of MPICH: JSON of nested tests.
//!
//! A file replaces the whole table of the library. A collective that it does not have aborts the job at the first call. So the
//! choices are merged into the table of the installed version, for communicators of the right size only, and for calls that the
//! algorithms support.
//!
//! # Source
//!
//! MPICH, `src/mpi/coll/src/csel.c` and `maint/tuning/coll/mpir/generic.json`.

use std::fmt;

use lockstep_schedule::CollectiveName;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::tuning::{ChoiceTable, Tuning};

/// The table of MPICH: tests and their sub-tables, in their order. The first true test counts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tests(Vec<(String, Tests)>);

/// Why the choices cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A text that is no table of MPICH.
    #[error(
        "this is no table of MPICH: {0}; give its src/mpi/coll/coll_algorithms or maint/tuning file 'generic.json'"
    )]
    Json(#[from] serde_json::Error),
    /// A table without a collective.
    #[error("the table has no '{key}'; give the complete table of the installed version of MPICH")]
    Missing {
        /// The missing test.
        key: String,
    },
}

/// Merges choices into the table of an installed version of MPICH. Communicators of other sizes keep its choices.
///
/// # Errors
///
/// [`MergeError`] if the text is no table, or has no such collective.
pub fn merge_into_mpich(table: &str, tuning: &Tuning) -> Result<String, MergeError> {
    let mut tests: Tests = serde_json::from_str(table)?;
    for table in &tuning.tables {
        let collective = format!("collective={}", table.of.name);
        let missing = |key: &str| MergeError::Missing { key: key.to_owned() };
        let kinds = tests.get_mut(&collective).ok_or_else(|| missing(&collective))?;
        let key = "comm_type=intra";
        let within = kinds.get_mut(key).ok_or_else(|| missing(&format!("{collective}, {key}")))?;
        let others = std::mem::take(within);
        let choices = guarded(table.of.collective, of_sizes(table, tuning.ranks), &others);
        *within = Tests(vec![
            (format!("comm_size<={}", tuning.ranks - 1), others.clone()),
            (format!("comm_size<={}", tuning.ranks), choices),
            ("comm_size=any".to_owned(), others),
        ]);
    }
    let text = serde_json::to_string_pretty(&tests)?;
    Ok(text + "\n")
}

/// Returns the choices alone.
pub(super) fn json(tuning: &Tuning) -> String {
    let of_collective = |table: &ChoiceTable| {
        let within = ("comm_type=intra".to_owned(), of_sizes(table, tuning.ranks));
        (format!("collective={}", table.of.name), Tests(vec![within]))
    };
    let tests = Tests(tuning.tables.iter().map(of_collective).collect());
    serde_json::to_string_pretty(&tests).expect("texts are JSON") + "\n"
}

/// Returns choices for the calls that their algorithms support. Other calls keep the choices of MPICH: all-to-alls in place,
/// operations of users, and vectors shorter than the ranks.
fn guarded(collective: CollectiveName, choices: Tests, others: &Tests) -> Tests {
    let either = |supported: &str, choices: Tests, unsupported: &str| {
        Tests(vec![(unsupported.to_owned(), others.clone()), (supported.to_owned(), choices)])
    };
    match collective {
        CollectiveName::AllToAll => either("is_sendbuf_inplace=no", choices, "is_sendbuf_inplace=yes"),
        CollectiveName::ReduceScatter => either("is_commutative=yes", choices, "is_commutative=no"),
        CollectiveName::AllReduce | CollectiveName::Reduce => {
            either("is_op_built_in=yes", either("count=any", choices, "count<pow2"), "is_op_built_in=no")
        }
        _ => choices,
    }
}

/// Returns the tests of sizes. MPICH reads numbers below 2^31.
fn of_sizes(table: &ChoiceTable, ranks: u32) -> Tests {
    let limit = i32::MAX as u64;
    // The average size is that of the vector, and of one message of an all-to-all; other collectives have the total size only.
    let (test, parts) = match table.of.collective {
        CollectiveName::AllReduce | CollectiveName::Broadcast | CollectiveName::Reduce => ("avg_msg_size", 1),
        CollectiveName::AllToAll => ("avg_msg_size", u64::from(ranks)),
        _ => ("total_msg_size", 1),
    };
    let mut tests = Vec::new();
    for ([_, last], choice) in table.whole_ranges(u64::MAX) {
        let leaf = Tests(vec![(format!("algorithm={}", choice.algorithm), Tests::default())]);
        let last = last / parts;
        if last >= limit {
            tests.push((format!("{test}=any"), leaf));
            break;
        }
        tests.push((format!("{test}<={last}"), leaf));
    }
    Tests(tests)
}

impl Tests {
    /// Returns the sub-table of a test.
    pub(crate) fn get(&self, key: &str) -> Option<&Self> {
        self.0.iter().find(|(test, _)| test == key).map(|(_, tests)| tests)
    }

    /// Returns the tests with their sub-tables.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&str, &Self)> {
        self.0.iter().map(|(test, tests)| (test.as_str(), tests))
    }

    fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        self.0.iter_mut().find(|(test, _)| test == key).map(|(_, tests)| tests)
    }
}

impl Serialize for Tests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(test, tests)| (test, tests)))
    }
}

impl<'de> Deserialize<'de> for Tests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

/// Reads objects in the order of the text.
struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Tests;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tests")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tests, A::Error> {
        let mut tests = Tests::default();
        while let Some(entry) = map.next_entry()? {
            tests.0.push(entry);
        }
        Ok(tests)
    }
}
