//! Fuzz target `rings_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::rings_json(bytes);
});
