//! Fuzz target `front_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::front_json(bytes);
});
