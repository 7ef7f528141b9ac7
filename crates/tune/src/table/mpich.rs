//! The table of MPICH: JSON of nested tests.
//!
//! A file replaces the whole table of the library. A collective that it does not have aborts the job at the first call. So the
//! choices are merged into the table of the installed version, for communicators of the right size only.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::tuning::{ChoiceTable, Tuning};

/// The table of MPICH: tests and their sub-tables, in their order. The first true test counts.
#[derive(Clone, PartialEq, Debug)]
enum Tests {
    Object(Vec<(String, Tests)>),
    /// A parameter of an algorithm.
    Value(serde_json::Value),
}

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
        let others = within.clone();
        *within = Tests::Object(vec![
            (format!("comm_size<={}", tuning.ranks - 1), others.clone()),
            (format!("comm_size<={}", tuning.ranks), of_sizes(table, tuning.ranks)),
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
        (format!("collective={}", table.of.name), Tests::Object(vec![within]))
    };
    let tests = Tests::Object(tuning.tables.iter().map(of_collective).collect());
    serde_json::to_string_pretty(&tests).expect("texts are JSON") + "\n"
}

/// Returns the tests of sizes. MPICH reads numbers below 2^31.
fn of_sizes(table: &ChoiceTable, ranks: u32) -> Tests {
    use lockstep_schedule::CollectiveName::{AllReduce, Broadcast, Reduce};

    // `total_msg_size` is the bytes of a rank times the ranks, also if all ranks have the same data.
    let factor = if matches!(table.of.collective, AllReduce | Broadcast | Reduce) { u64::from(ranks) } else { 1 };
    let limit = i32::MAX as u64;
    let mut tests = Vec::new();
    for ([_, last], choice) in table.whole_ranges(u64::MAX) {
        let leaf = Tests::Object(vec![(format!("algorithm={}", choice.algorithm), Tests::Object(Vec::new()))]);
        let last = last.saturating_mul(factor);
        let is_last = last >= limit;
        tests.push((if is_last { "total_msg_size=any".to_owned() } else { format!("total_msg_size<={last}") }, leaf));
        if is_last {
            break;
        }
    }
    Tests::Object(tests)
}

impl Tests {
    fn get_mut(&mut self, key: &str) -> Option<&mut Self> {
        match self {
            Self::Object(tests) => tests.iter_mut().find(|(test, _)| test == key).map(|(_, tests)| tests),
            Self::Value(_) => None,
        }
    }
}

impl Serialize for Tests {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Object(tests) => serializer.collect_map(tests.iter().map(|(test, tests)| (test, tests))),
            Self::Value(value) => value.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Tests {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(InOrder)
    }
}

/// Reads objects in the order of the text, and numbers and texts as they are.
struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Tests;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tests")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tests, A::Error> {
        let mut tests = Vec::new();
        while let Some(entry) = map.next_entry()? {
            tests.push(entry);
        }
        Ok(Tests::Object(tests))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tests, E> {
        Ok(Tests::Value(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tests, E> {
        Ok(Tests::Value(value.into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Tests, E> {
        Ok(Tests::Value(value.into()))
    }
}
