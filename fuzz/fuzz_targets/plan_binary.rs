//! Fuzz target `plan_binary`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::plan_binary(bytes);
});
