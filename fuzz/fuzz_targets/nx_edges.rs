//! Fuzz target `nx_edges`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::nx_edges(bytes);
});
