//! Fuzz target `node_link`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::node_link(bytes);
});
