//! Fuzz target `graph_golf`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::graph_golf(bytes);
});
