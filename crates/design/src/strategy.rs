//! Random machines and codes for tests.

use proptest::prelude::*;

use crate::{CablingCode, Machine};

/// Draws a small machine.
pub(crate) fn machine() -> impl Strategy<Value = Machine> {
    (1u32..4, 1u32..6, 1u32..4)
        .prop_filter_map("chassis to connect", |(slots, chassis, cabinets)| Machine::new(slots, chassis, cabinets).ok())
}

/// Draws a code of a small machine that uses about half of its slots.
pub(crate) fn machine_and_code() -> impl Strategy<Value = (Machine, CablingCode)> {
    machine().prop_flat_map(|machine| {
        let end = prop_oneof![Just(0), machine.chassis_slots()..machine.slot_count()];
        let ends = prop::collection::vec(end, machine.chassis_slots() as usize);
        (
            Just(machine),
            ends.prop_map(|ends| CablingCode((0..).zip(ends).map(|(slot, end)| end.saturating_sub(slot)).collect())),
        )
    })
}
