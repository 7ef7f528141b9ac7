//! Fuzz target `mscclpp_json`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::mscclpp_json(bytes);
});
