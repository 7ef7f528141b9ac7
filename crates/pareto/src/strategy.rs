//! Random points for the tests beside the code.

use proptest::prelude::*;

use crate::costs::Costs;

/// Up to `most` points of so many objectives, with small integers as costs, so that many are equal in some of them.
pub(crate) fn costs(objectives: std::ops::RangeInclusive<usize>, most: usize) -> impl Strategy<Value = Costs> {
    objectives.prop_flat_map(move |objectives| {
        prop::collection::vec(prop::collection::vec(0..7u8, objectives), 0..=most)
            .prop_map(move |rows| Costs::new(objectives, rows.concat().into_iter().map(f64::from).collect()))
    })
}
