//! Fuzz target `plan_checkpoint`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    lockstep_fuzz_targets::plan_checkpoint(bytes);
});
