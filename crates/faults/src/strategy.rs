//! Random faults for property tests with proptest. They shrink to fewer faults.

use lockstep_topology::Topology;
use proptest::prelude::*;
use proptest::sample::Index;

use crate::{Fault, FaultKind, Faults};

/// Generates up to `most` faults of a network, of all kinds.
pub fn any_faults(topology: &Topology, most: usize) -> BoxedStrategy<Faults> {
    let faults: Vec<Fault> = FaultKind::ALL.into_iter().flat_map(|kind| kind.of(topology)).collect();
    let most = if faults.is_empty() { 0 } else { most };
    prop::collection::vec(any::<Index>(), 0..=most)
        .prop_map(move |places| places.iter().map(|place| *place.get(&faults)).collect())
        .boxed()
}
