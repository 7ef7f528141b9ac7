//! Random points for unit tests.

use proptest::prelude::*;

use crate::costs::Costs;

/// Draws up to `most` points with small integer costs, so that many costs are equal.
pub(crate) fn costs(objectives: std::ops::RangeInclusive<usize>, most: usize) -> impl Strategy<Value = Costs> {
    objectives.prop_flat_map(move |objectives| {
        prop::collection::vec(prop::collection::vec(0..7u8, objectives), 0..=most)
            .prop_map(move |rows| Costs::new(objectives, rows.concat().into_iter().map(f64::from).collect()))
    })
}
